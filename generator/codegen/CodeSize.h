// Sizes of the functions of an object: machine code, and stack when they run.
#pragma once

#include "codegen/LlvmErrors.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace kgen {

struct CodeFunction {
  std::string symbol;
  int64_t textBytes = 0;
  int64_t stackBytes = 0; ///< of its own frame, return address included
};

struct CodeCosts {
  std::vector<CodeFunction> functions; ///< by symbol
  int64_t stackBytes = 0;              ///< of a call: see StackFrames::deepest
};

/// Bytes of machine code of each function of an object file, by symbol; the sum may be less than
/// the section, for padding.
llvm::Expected<llvm::StringMap<int64_t>> functionTextBytes(llvm::StringRef object);

/// Frames of the functions of a module while it becomes machine code.
class StackFrames {
public:
  /// Asks the code generator for the frames of `module`, which does not change its code. Call it
  /// before the module becomes machine code; this outlives that. Errors are collected, as before.
  StackFrames(llvm::Module &module, LlvmErrors &errors);

  /// Bytes by function; afterwards.
  const llvm::StringMap<int64_t> &frames() const { return bytes; }
  /// The largest sum of frames along the functions that refer to one another: what a call of any
  /// function takes at most, tasks on the caller's thread included. Functions of other objects, and
  /// code that no compiler has made, do not count.
  int64_t deepest() const;

private:
  llvm::Module &module;
  llvm::StringMap<int64_t> bytes;
};

} // namespace kgen
