// Passes that only tests run.
#pragma once

#include <mlir/Pass/Pass.h>

#include <memory>

namespace kgen::tests {

/// Calls of kgen_emulated_*() instead of AMX instructions.
std::unique_ptr<mlir::Pass> createEmulateAmxPass();

/// All passes of this library as flags of kgen-opt, which declares this function itself.
void registerTestPasses();

} // namespace kgen::tests
