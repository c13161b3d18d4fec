// Memory for the elements of constants.
#pragma once

#include <mlir/IR/AsmState.h>

namespace kgen {

/// Returns memory for so many bytes of a resource, which holds nothing yet.
mlir::AsmResourceBlob allocateBlob(size_t bytes);

/// Like allocateBlob, but in large pages, if it fills any.
mlir::AsmResourceBlob allocateInLargePages(size_t bytes);

} // namespace kgen
