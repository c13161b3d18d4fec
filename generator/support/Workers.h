// Work that is done by several threads.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstddef>

namespace kgen {

/// Calls `work` with each number below `count`, on at most `threads` threads, the caller's
/// included: on fewer where the system has no more of them. Returns when all is done. `work` must
/// not throw.
void runInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> work);

} // namespace kgen
