// A folder that is gone at the end of a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace kgen::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    static int count = 0;
    root = std::filesystem::temp_directory_path() /
           ("kgen-spec-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(root);
  }
  ~TemporaryFolder() {
    std::error_code ignored; // a leftover in /tmp is no reason to fail
    std::filesystem::remove_all(root, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path(const std::string &name) const { return (root / name).string(); }
  void write(const std::string &name, const std::string &contents) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << contents;
  }

private:
  std::filesystem::path root;
};

} // namespace kgen::test
