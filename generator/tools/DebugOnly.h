// --debug-only=PASS[,PASS] of kgen-opt.
#pragma once

#include <mlir/Support/LLVM.h>

namespace kgen {

/// Before the command line is parsed.
void registerDebugOnly();

/// After the command line is parsed: passes that it names print why they leave something as it is.
/// An error, on stderr, if there is no pass of such a name.
llvm::LogicalResult applyDebugOnly();

} // namespace kgen
