// Debug output of passes: why they leave something as it is, for `kgen-opt --debug-only=PASS`.
// LLVM_DEBUG of a release build of LLVM prints nothing.
#pragma once

#include <mlir/IR/Location.h>

#include <llvm/ADT/StringSet.h>

namespace kgen {

/// From now on, passes of these names print their refusals. Called before any pass runs.
void debugPasses(llvm::StringSet<> names);

/// A pass that runs on this thread until the end of the scope.
class PassScope {
public:
  explicit PassScope(llvm::StringRef pass);
  ~PassScope();
  PassScope(const PassScope &) = delete;
  PassScope &operator=(const PassScope &) = delete;

private:
  llvm::StringRef outer;
  bool outerIsDebugged;
};

/// True if the pass that runs on this thread prints its refusals.
bool isDebugged();

/// Prints "[pass] file:line:col (nodes): reason" to stderr if isDebugged(). Otherwise no string is
/// made of `reason`.
void traceRefusal(mlir::Location where, const llvm::Twine &reason);

} // namespace kgen
