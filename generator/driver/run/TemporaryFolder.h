// A folder of this process that is gone when its owner is.
#pragma once

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>

#include <string>

namespace kgen {

class TemporaryFolder {
public:
  /// In the system's folder for temporary files; its name begins with `prefix`.
  static llvm::Expected<TemporaryFolder> make(const std::string &prefix) {
    llvm::SmallString<128> path;
    if (std::error_code code = llvm::sys::fs::createUniqueDirectory(prefix, path))
      return llvm::createStringError("there can be no temporary folder: " + code.message());
    return TemporaryFolder(path.str().str());
  }
  TemporaryFolder(TemporaryFolder &&other) noexcept : path(std::move(other.path)) {
    other.path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }

  /// The path of a file in it.
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  const std::string &str() const { return path; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path;
};

} // namespace kgen
