// Work that is done by several threads.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstddef>

namespace kgen {

/// Calls `work` with each number below `count`, on at most `threads` threads, the caller's
/// included: on fewer where the system has no more of them. Returns when all is done. `work` must
/// not throw.
void runInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> work);

/// Calls `begin` and then `finish` with each number below `count`, as runInParallel does; both may
/// be called on two threads. What has begun is finished before anything else begins, except where
/// fewer numbers are left to begin than there are threads: then these begin first, so that no
/// thread is idle while another has two steps before it.
void runStepsInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> begin,
                        llvm::function_ref<void(size_t)> finish);

} // namespace kgen
