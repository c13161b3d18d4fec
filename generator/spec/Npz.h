// NumPy's archives: zip files with a .npy file for each array.
#pragma once

#include "spec/WeightFiles.h"

#include <map>

namespace kgen {

/// The arrays of a .npz file, stored or deflated. Each is read when it is asked for.
class NpzArchive {
public:
  /// Reads the archive's directory. The bytes of `file` must outlive the archive.
  static llvm::Expected<NpzArchive> parse(llvm::StringRef file);

  /// Names of the arrays, sorted, as numpy.load has them: without ".npy".
  std::vector<std::string> names() const;

  /// The array of that name, with its checksum verified. Its bytes are in the file or, if they are
  /// deflated, in `storage`.
  llvm::Expected<FileTensor> read(const std::string &name, std::string &storage) const;

private:
  /// A directory entry of the archive.
  struct Member {
    uint16_t flags = 0, method = 0;
    uint32_t checksum = 0;
    uint64_t packedBytes = 0, bytes = 0, offset = 0;
  };
  struct Directory {
    uint64_t offset = 0, bytes = 0, count = 0;
  };

  explicit NpzArchive(llvm::StringRef file) : file(file) {}
  llvm::Expected<Directory> findDirectory() const;
  llvm::Error readMember(llvm::StringRef &directory);
  llvm::Expected<llvm::StringRef> packed(const Member &member) const;

  llvm::StringRef file;
  std::map<std::string, Member> members;
};

} // namespace kgen
