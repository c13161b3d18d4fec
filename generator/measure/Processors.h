// Processors that the system lets this process use.
#pragma once

namespace kgen {

/// Processors that this process may use.
unsigned cpuCount();

} // namespace kgen
