// Contents of a file of a generated folder: text and code in memory, packed weights on disk.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace kgen {

/// A temporary file without a name, in the system's folder for them: it vanishes with its last
/// owner, after a crash as well. Safe to write from several threads.
class ScratchFile {
public:
  /// Null if there can be none.
  static std::shared_ptr<ScratchFile> create();
  ~ScratchFile();
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  /// Returns where the bytes begin in the file.
  llvm::Expected<uint64_t> append(llvm::ArrayRef<llvm::StringRef> parts);
  llvm::Error read(uint64_t offset, llvm::MutableArrayRef<char> bytes) const;

private:
  explicit ScratchFile(int file) : file(file) {}

  int file;
  uint64_t size = 0;
  std::mutex mutex; ///< guards `size`
};

/// The bytes of a file. Copies share what is on disk.
class FileContents {
public:
  FileContents() = default;
  FileContents(std::string text) : bytes(std::move(text)) {}
  FileContents(const char *text) : bytes(text) {}
  /// The parts one after the other, on disk if `scratch` takes them, and in memory if not.
  static FileContents stored(llvm::ArrayRef<llvm::StringRef> parts,
                             std::shared_ptr<ScratchFile> scratch);

  uint64_t size() const { return scratch ? length : bytes.size(); }
  /// Of what is in memory, as everything is that was made of a text.
  const std::string &text() const;
  /// All bytes, in memory.
  llvm::Expected<std::string> read() const;
  /// In hex.
  std::string sha256() const;
  /// In order, a megabyte at a time if they are on disk.
  llvm::Error forEachPiece(llvm::function_ref<llvm::Error(llvm::StringRef piece)> use) const;

private:
  std::string bytes; ///< unless there is a `scratch`
  std::shared_ptr<ScratchFile> scratch;
  uint64_t offset = 0, length = 0;
  std::string hash; ///< of what is on disk
};

bool operator==(const FileContents &a, const FileContents &b);
inline bool operator!=(const FileContents &a, const FileContents &b) { return !(a == b); }

} // namespace kgen
