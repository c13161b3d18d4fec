// A path can name a folder, a pipe that never delivers or a device without end: the kind of file is
// checked before it is opened.
#include "support/InputFile.h"

#include "support/Confinement.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace kgen {

static llvm::Error reason(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(const std::string &path, uint64_t maxBytes, Terminator terminator) {
  namespace fs = llvm::sys::fs;
  if (path.find('\0') != std::string::npos)
    return reason("a path cannot contain a NUL byte");
  if (std::string refusal = refusalToRead(path); !refusal.empty())
    return reason(refusal);
  fs::file_status status;
  if (std::error_code code = fs::status(path, status)) {
    bool missing = code == std::errc::no_such_file_or_directory;
    return reason(missing ? "no such file" : code.message());
  }
  if (status.type() == fs::file_type::directory_file)
    return reason("it is a folder, not a file");
  if (status.type() != fs::file_type::regular_file)
    return reason("it is not a regular file");
  if (status.getSize() > maxBytes)
    return reason("it has " + std::to_string(status.getSize()) + " bytes, more than the limit of " +
                  std::to_string(maxBytes));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, terminator == Terminator::zero);
  if (!buffer)
    return reason(buffer.getError().message());
  return std::move(*buffer);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readTextOrInput(const std::string &path) {
  if (path != "-")
    return readInputFile(path, maxTextBytes, Terminator::zero);
  auto buffer = llvm::MemoryBuffer::getSTDIN();
  if (!buffer)
    return reason(buffer.getError().message());
  return std::move(*buffer);
}

std::string resolvePath(const std::string &path, const std::string &relativeTo) {
  if (llvm::sys::path::is_absolute(path))
    return path;
  llvm::SmallString<256> result(llvm::sys::path::parent_path(relativeTo));
  llvm::sys::path::append(result, path);
  return std::string(result);
}

} // namespace kgen
