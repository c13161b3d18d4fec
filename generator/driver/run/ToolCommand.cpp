#include "driver/run/ToolCommand.h"

#include "driver/compile/Compile.h"
#include "emit/TemporaryFiles.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/StringSaver.h>

#include <cstdlib>

namespace kgen {
namespace {

constexpr size_t maxMessages = 4000; ///< bytes of what a program has printed that are shown

/// The end of a process, by LLVM's ExecuteAndWait, and what it printed.
std::string endText(int status, const std::string &failure, const std::string &messages) {
  std::string text;
  if (status > 0)
    text = "exited with code " + std::to_string(status);
  else if (status == -2)
    text = "was ended by a signal: " + failure;
  else
    text = "cannot be started: " + failure;
  std::string printed = contentsOf(messages).value_or("");
  if (printed.size() > maxMessages)
    printed = printed.substr(0, maxMessages) + "...";
  llvm::StringRef shown = llvm::StringRef(printed).trim();
  return shown.empty() ? text : text + ":\n" + shown.str();
}

} // namespace

llvm::Error foreignError(const std::string &text) {
  return llvm::make_error<RequestError>(text, llvm::inconvertibleErrorCode());
}

std::vector<std::string> wordsOf(const std::string &command) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(command, saver, words);
  return {words.begin(), words.end()};
}

ToolCommand findTool(const std::string &command) {
  ToolCommand tool{"", wordsOf(command)};
  llvm::ErrorOr<std::string> path =
      llvm::sys::findProgramByName(tool.words.empty() ? "" : tool.words.front());
  if (path && llvm::sys::fs::can_execute(*path))
    tool.path = *path;
  return tool;
}

std::string runTool(const std::string &path, llvm::ArrayRef<std::string> words,
                    llvm::ArrayRef<std::string> arguments, const std::string &folder) {
  std::vector<llvm::StringRef> all(words.begin(), words.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::string messages = folder + "/messages.txt", failure;
  int status = llvm::sys::ExecuteAndWait(path, all, std::nullopt,
                                         {llvm::StringRef(), messages, messages}, 0, 0, &failure);
  return status == 0 ? "" : endText(status, failure, messages);
}

std::string compilerName() {
  const char *chosen = std::getenv("CC");
  return chosen && *chosen ? chosen : "cc";
}

} // namespace kgen
