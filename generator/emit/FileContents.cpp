#include "emit/FileContents.h"

#include "support/Sha256.h"

#include <llvm/Support/FileSystem.h>

#include <cassert>
#include <cerrno>
#include <unistd.h>
#include <vector>

namespace kgen {
namespace {

llvm::Error scratchFailure(const char *what) {
  std::error_code code(errno, std::generic_category());
  return llvm::createStringError(code, "cannot %s a temporary file: %s", what,
                                 code.message().c_str());
}

} // namespace

std::shared_ptr<ScratchFile> ScratchFile::create() {
  int file = -1;
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("kgen", "", file, path))
    return nullptr;
  unlink(path.c_str());
  return std::shared_ptr<ScratchFile>(new ScratchFile(file));
}

ScratchFile::~ScratchFile() { close(file); }

llvm::Expected<uint64_t> ScratchFile::append(llvm::ArrayRef<llvm::StringRef> parts) {
  uint64_t total = 0;
  for (llvm::StringRef part : parts)
    total += part.size();
  uint64_t begin;
  {
    std::lock_guard<std::mutex> lock(mutex);
    begin = size;
    size += total;
  }
  uint64_t at = begin;
  for (llvm::StringRef part : parts)
    while (!part.empty()) {
      ssize_t n = pwrite(file, part.data(), part.size(), static_cast<off_t>(at));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return scratchFailure("write");
      part = part.drop_front(static_cast<size_t>(n));
      at += static_cast<uint64_t>(n);
    }
  return begin;
}

llvm::Error ScratchFile::read(uint64_t offset, llvm::MutableArrayRef<char> bytes) const {
  while (!bytes.empty()) {
    ssize_t n = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return scratchFailure("read");
    bytes = bytes.drop_front(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return llvm::Error::success();
}

FileContents FileContents::stored(llvm::ArrayRef<llvm::StringRef> parts,
                                  std::shared_ptr<ScratchFile> scratch) {
  FileContents contents;
  if (scratch) {
    if (llvm::Expected<uint64_t> offset = scratch->append(parts)) {
      Sha256 hash;
      for (llvm::StringRef part : parts) {
        hash.add(part);
        contents.length += part.size();
      }
      contents.hash = hash.hex();
      contents.offset = *offset;
      contents.scratch = std::move(scratch);
      return contents;
    } else {
      llvm::consumeError(offset.takeError());
    }
  }
  for (llvm::StringRef part : parts)
    contents.bytes += part;
  return contents;
}

const std::string &FileContents::text() const {
  assert(!scratch && "packed weights are no text");
  return bytes;
}

llvm::Error
FileContents::forEachPiece(llvm::function_ref<llvm::Error(llvm::StringRef piece)> use) const {
  if (!scratch)
    return use(bytes);
  constexpr uint64_t pieceBytes = 1 << 20;
  std::vector<char> piece(std::min(pieceBytes, length));
  for (uint64_t done = 0; done < length; done += piece.size()) {
    piece.resize(std::min(pieceBytes, length - done));
    if (llvm::Error error = scratch->read(offset + done, piece))
      return error;
    if (llvm::Error error = use({piece.data(), piece.size()}))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> FileContents::read() const {
  std::string all;
  all.reserve(size());
  llvm::Error error = forEachPiece([&](llvm::StringRef piece) -> llvm::Error {
    all += piece;
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return all;
}

std::string FileContents::sha256() const {
  if (scratch)
    return hash;
  return kgen::sha256(bytes);
}

bool operator==(const FileContents &a, const FileContents &b) {
  // The hash of what is on disk is known.
  return a.size() == b.size() && a.sha256() == b.sha256();
}

} // namespace kgen
