#include "dialect/kgen/ConstantMemory.h"

#include "support/LargePages.h"

using namespace mlir;

namespace kgen {

AsmResourceBlob allocateBlob(size_t bytes) {
  return HeapAsmResourceBlob::allocate(bytes, 64, /*dataIsMutable=*/true); // a cache line
}

AsmResourceBlob allocateInLargePages(size_t bytes) {
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytes, largePageAlignment(bytes), /*dataIsMutable=*/true);
  useLargePages(blob.getMutableData().data(), blob.getMutableData().size());
  return blob;
}

} // namespace kgen
