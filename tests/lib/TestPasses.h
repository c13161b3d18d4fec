// Passes that only tests run.
#pragma once

#include <mlir/Pass/Pass.h>

#include <memory>

namespace kgen::tests {

/// Calls of kgen_emulated_*() instead of AMX instructions.
std::unique_ptr<mlir::Pass> createEmulateAmxPass();

/// Fails or crashes in a chosen way, in a chosen function.
std::unique_ptr<mlir::Pass> createCrashPass();

/// All passes of this library as flags of kgen-opt, which declares this function itself.
void registerTestPasses();

/// Passes that KGEN_TEST_PASSES names run in whatever this process compiles; kgen declares it
/// itself.
void addPassesOfEnvironment();

} // namespace kgen::tests
