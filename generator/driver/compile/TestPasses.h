// Passes that a test adds to whatever is compiled in this process.
#pragma once

#include <mlir/Pass/PassManager.h>

#include <functional>

namespace kgen {

/// CompileOptions::addTestPasses where that is null; set it before anything is compiled.
std::function<void(mlir::OpPassManager &)> &testPasses();

} // namespace kgen
