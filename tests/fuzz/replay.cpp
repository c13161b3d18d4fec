// Runs a fuzzer's function over files, in less memory than a hostile one might take:
// replay FILE|FOLDER...
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

namespace fs = std::filesystem;

namespace {

/// Bytes that a run may allocate; what a library maps does not count.
constexpr rlim_t maxBytes = rlim_t(1) << 30;

std::vector<fs::path> filesIn(const fs::path &path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path))
    return {path};
  for (const auto &entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".onnx")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

int main(int argc, char **argv) {
  rlimit limit{maxBytes, maxBytes};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) {
    std::perror("setrlimit");
    return 2;
  }
  size_t count = 0;
  for (int i = 1; i < argc; ++i)
    for (const fs::path &path : filesIn(argv[i])) {
      std::ifstream file(path, std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(file), {}};
      std::printf("%s\n", path.c_str());
      std::fflush(stdout); // so that the last one is known
      LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
      ++count;
    }
  std::printf("%zu files\n", count);
  return count == 0 ? 2 : 0;
}
