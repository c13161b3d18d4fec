#include "driver/run/ProgramFiles.h"

#include "driver/run/ToolCommand.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>

namespace kgen {

llvm::Error writeProgramFile(const std::string &path,
                             llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return foreignError("cannot write '" + path + "': " + code.message());
  llvm::Error error = write(stream);
  stream.close();
  code = stream.error();
  stream.clear_error();
  if (!error && code)
    return foreignError("cannot write '" + path + "': " + code.message());
  return error;
}

llvm::Error writeProgramFile(const std::string &path, const FileContents &contents) {
  return writeProgramFile(path, [&](llvm::raw_ostream &stream) {
    return contents.forEachPiece([&](llvm::StringRef piece) {
      stream << piece;
      return llvm::Error::success();
    });
  });
}

void writeNumber(llvm::raw_ostream &stream, uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  stream.write(bytes, sizeof bytes);
}

} // namespace kgen
