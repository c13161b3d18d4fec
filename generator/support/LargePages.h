// Memory of weights.
#pragma once

#include <cstddef>

namespace kgen {

/// Asks for pages of 2 MiB where `bytes` bytes are about to be written for the first time: the
/// first touch of a page of 4 KiB takes as long as copying it several times. Without effect on less
/// than 4 MiB, and where the system has no such pages.
void useLargePages(void *memory, size_t bytes);

} // namespace kgen
