// Memory of weights.
#pragma once

#include <cstddef>

namespace kgen {

/// The alignment with which memory for so many bytes begins with such a page if it may have one, or
/// else with a cache line.
size_t largePageAlignment(size_t bytes);

/// Asks for pages of 2 MiB where `bytes` bytes are about to be written for the first time: the
/// first touch of a page of 4 KiB takes as long as copying it several times. Without effect on what
/// holds no such page, and where the system has no such pages.
void useLargePages(void *memory, size_t bytes);

} // namespace kgen
