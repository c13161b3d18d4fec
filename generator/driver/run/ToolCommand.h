// Programs that kgen starts and waits for: compilers, emulators, and what they make and run.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// A RequestError: what a program of the user's does is no defect of kgen's.
llvm::Error foreignError(const std::string &text);

/// A program and its first arguments.
struct ToolCommand {
  std::string path;
  std::vector<std::string> words;
};

/// The words of a command as a shell has them; "" and none if there are none.
std::vector<std::string> wordsOf(const std::string &command);
/// Finds the command's program; its path is empty if there is none.
ToolCommand findTool(const std::string &command);

/// Runs the program at `path` with `words` before `arguments`. Returns "" after an exit with
/// 0, else how it ended and what it printed, which is in `folder`'s messages.txt.
std::string runTool(const std::string &path, llvm::ArrayRef<std::string> words,
                    llvm::ArrayRef<std::string> arguments, const std::string &folder);

/// The C compiler of this machine: $CC, else cc.
std::string compilerName();

} // namespace kgen
