// Runs a fuzzer's function over files and over changes of them that are the same in every run, in
// less memory than a hostile one might take: replay CHANGES-OF-EACH FILE|FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed);

/// Returns what libFuzzer does to bytes, in its simplest form: one of them is another.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  if (size != 0)
    data[state % size] ^= uint8_t(1) << (state >> 24) % 8;
  return size;
}

namespace fs = std::filesystem;

namespace {

/// Bytes that a run may allocate; what a library maps does not count.
constexpr rlim_t maxBytes = rlim_t(1) << 30;
/// Seconds that a model may take: a hundred times what the slowest one takes.
constexpr unsigned maxSeconds = 60;
constexpr unsigned changesInARow = 4;
/// Bytes of models that are changed; larger ones are large tensors.
constexpr size_t maxChanged = 1 << 14;

std::vector<fs::path> filesIn(const fs::path &path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path))
    return {path};
  for (const auto &entry : fs::recursive_directory_iterator(path))
    for (const char *extension : {".onnx", ".mlir", ".yaml", ".npy", ".npz", ".safetensors"})
      if (entry.is_regular_file() && entry.path().extension() == extension)
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void run(const std::string &what, const std::vector<uint8_t> &bytes) {
  std::printf("%s\n", what.c_str());
  std::fflush(stdout); // so that the last one is known
  alarm(maxSeconds);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

/// The file, and changes of it: each of a few is made of the one before, then it begins anew, since
/// what was changed often is refused at once.
size_t runAll(const fs::path &path, unsigned changes) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> original{std::istreambuf_iterator<char>(file), {}};
  run(path.string(), original);
  if (original.size() > maxChanged)
    return 1;
  std::vector<uint8_t> bytes;
  for (unsigned seed = 1; seed <= changes; ++seed) {
    if (seed % changesInARow == 1)
      bytes = original;
    size_t size = bytes.size();
    bytes.resize(2 * maxChanged);
    bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), seed));
    run(path.string() + " change " + std::to_string(seed), bytes);
  }
  return 1 + changes;
}

} // namespace

int main(int argc, char **argv) {
  rlimit limit{maxBytes, maxBytes};
  if (std::getenv("KGEN_SANITIZED")) // their shadow memory is larger than that
    limit = {RLIM_INFINITY, RLIM_INFINITY};
  if (argc < 3 || setrlimit(RLIMIT_DATA, &limit) != 0) {
    std::fprintf(stderr, "replay CHANGES-OF-EACH FILE|FOLDER...\n");
    return 2;
  }
  size_t count = 0;
  for (int i = 2; i < argc; ++i)
    for (const fs::path &path : filesIn(argv[i]))
      count += runAll(path, static_cast<unsigned>(std::atoi(argv[1])));
  std::printf("%zu models\n", count);
  return count == 0 ? 2 : 0;
}
