// Sizes of the functions of an object: machine code, stack when they run, and what they spill.
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

/// Registers that a function spills to addresses of smaller alignment than their size, where they
/// can lie in two cache lines.
struct SplitSpills {
  int64_t count = 0, largestBytes = 0;
};

/// Frames of the functions of a module while it becomes machine code.
class StackFrames {
public:
  /// Asks the code generator for the frames of `module`, which does not change its code. Call it
  /// before the module becomes machine code; this outlives that. Errors are collected, as before.
  StackFrames(llvm::Module &module, LlvmErrors &errors);
  ~StackFrames();
  StackFrames(const StackFrames &) = delete;
  StackFrames &operator=(const StackFrames &) = delete;

  /// Bytes by function; afterwards.
  const llvm::StringMap<int64_t> &frames() const { return bytes; }
  /// The largest sum of frames along the functions that refer to one another: what a call of any
  /// function takes at most, tasks on the caller's thread included. Functions of other objects, and
  /// code that no compiler has made, do not count.
  int64_t deepest() const;
  /// By function; afterwards.
  const llvm::StringMap<SplitSpills> &splitSpills() const { return spills; }

private:
  llvm::Module &module;
  LlvmErrors &errors;
  llvm::StringMap<int64_t> bytes;
  llvm::StringMap<SplitSpills> spills;
};

} // namespace kgen
