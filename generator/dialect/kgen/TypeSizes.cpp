#include "dialect/kgen/TypeSizes.h"

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || !shaped.getElementType().isIntOrFloat())
    return 0;
  return llvm::divideCeil(shaped.getElementTypeBitWidth(), 8) * shaped.getNumElements();
}

int64_t bytesOfElement(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }

} // namespace kgen
