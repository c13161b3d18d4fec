// Functions that the files of the WebAssembly architecture share.
#pragma once

#include "target/Architecture.h"

namespace kgen::wasm {

/// Features that a target may require, in LLVM's spelling.
llvm::ArrayRef<const char *> featureNames();

/// As Architecture::check, of a target for WebAssembly.
std::vector<TargetProblem> problemsOf(const TargetDescription &target);

} // namespace kgen::wasm
