#include "driver/gpu/Ptxas.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/Regex.h>
#include <llvm/Support/raw_ostream.h>

namespace kgen {
namespace {

/// A file that is removed in the end.
struct PassingFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  std::error_code make(llvm::StringRef suffix) {
    std::error_code error = llvm::sys::fs::createTemporaryFile("kgen-ptxas", suffix, path);
    if (!error)
      remover.setFile(path);
    return error;
  }
};

int64_t numberIn(llvm::StringRef text) {
  int64_t number = 0;
  (void)text.getAsInteger(10, number);
  return number;
}

} // namespace

std::optional<std::string> findPtxas() {
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas");
  return path ? std::optional(*path) : std::nullopt;
}

std::map<std::string, PtxasFigures> readPtxas(llvm::StringRef printed) {
  llvm::Regex entry("Compiling entry function '([^']+)'"), used("Used ([0-9]+) registers"),
      spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  std::map<std::string, PtxasFigures> figures;
  std::string kernel;
  for (llvm::StringRef line : llvm::split(printed, '\n')) {
    llvm::SmallVector<llvm::StringRef> found;
    if (entry.match(line, &found))
      kernel = found[1].str();
    else if (!kernel.empty() && spills.match(line, &found))
      figures[kernel].spilledBytes = numberIn(found[1]) + numberIn(found[2]);
    else if (!kernel.empty() && used.match(line, &found))
      figures[kernel].registers = numberIn(found[1]);
  }
  return figures;
}

llvm::Expected<std::map<std::string, PtxasFigures>>
askPtxas(const std::string &program, llvm::StringRef ptx, llvm::StringRef capability) {
  PassingFile text, code, messages;
  for (auto [file, suffix] : {std::pair(&text, "ptx"), {&code, "cubin"}, {&messages, "txt"}})
    if (std::error_code error = file->make(suffix))
      return llvm::createStringError(error, "no temporary file can be made");
  std::error_code error;
  llvm::raw_fd_ostream out(text.path, error);
  out << ptx;
  out.close();
  if (out.has_error()) {
    out.clear_error();
    return llvm::createStringError("the PTX cannot be written to a temporary file");
  }
  const std::string architecture = "-arch=" + capability.str();
  std::string failure;
  const int status = llvm::sys::ExecuteAndWait(
      program, {program, "-v", architecture, text.path, "-o", code.path}, std::nullopt,
      {llvm::StringRef(), messages.path.str(), messages.path.str()}, 0, 0, &failure);
  auto printed = llvm::MemoryBuffer::getFile(messages.path);
  const llvm::StringRef told = printed ? (*printed)->getBuffer() : llvm::StringRef();
  if (status != 0)
    return llvm::createStringError(
        program + " failed: " + (failure.empty() ? told.trim().substr(0, 500).str() : failure));
  return readPtxas(told);
}

} // namespace kgen
