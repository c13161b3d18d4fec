// Finds the pass that left a node without an operation of its own, for `kgen explain`.
#pragma once

#include <mlir/Pass/PassInstrumentation.h>

#include <memory>

namespace kgen {

/// Records "vanished" for each node whose name is in locations before a pass and in none after it,
/// upstream's passes included; constants do not count. Ends when the workspace is planned, which is
/// where steps are. Records nothing unless startDecisions was called.
std::unique_ptr<mlir::PassInstrumentation> createVanishedNodes();

} // namespace kgen
