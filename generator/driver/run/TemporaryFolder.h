// A folder of this process that is gone when its owner is.
#pragma once

#include <llvm/Support/Error.h>

#include <string>

namespace kgen {

/// A folder among the system's temporary files. It is removed with its contents by the destructor,
/// and when SIGINT, SIGTERM or SIGHUP ends the process.
class TemporaryFolder {
public:
  /// Makes one whose name is `prefix`, this process and random letters; removes those with this
  /// prefix that this user's processes have left and that are gone.
  static llvm::Expected<TemporaryFolder> make(const std::string &prefix);
  TemporaryFolder(TemporaryFolder &&other) noexcept : path(std::move(other.path)) {
    other.path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  /// Returns the path of a file in it.
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  const std::string &str() const { return path; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path;
};

} // namespace kgen
