// What this machine calls itself and what it permits.
#pragma once

#include <string>

namespace kgen {

/// "Intel(R) Xeon(R) ...", as cpuid says; "unknown" if it does not.
std::string cpuName();

/// Processors that this process may use.
unsigned cpuCount();

/// Asks the kernel for the tile registers of AMX, which a process does not have by itself. Whether
/// it may use them.
bool requestTileRegisters();

} // namespace kgen
