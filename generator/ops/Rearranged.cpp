#include "ops/Rearranged.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {
namespace {

/// Where elements are found in row-major order: the first one, and the steps of each dimension.
struct Places {
  int64_t first = 0;
  SmallVector<int64_t> steps;

  Places(AffineMap map, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> index(map.getNumDims(), 0);
    auto place = [&]() {
      int64_t at = 0;
      for (auto [position, size] : llvm::zip_equal(map.compose(index), shape))
        at = at * size + position;
      return at;
    };
    first = place();
    for (int64_t &one : index) {
      one = 1;
      steps.push_back(place() - first);
      one = 0;
    }
  }
};

SmallVector<char> copied(ArrayRef<char> bytes, const Places &places, ArrayRef<int64_t> shape,
                         size_t width) {
  SmallVector<char> result;
  int64_t count = ShapedType::getNumElements(shape);
  result.reserve(count * width);
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t at = places.first;
  for (; count > 0; --count) {
    llvm::append_range(result, bytes.slice(at * width, width));
    for (size_t d = shape.size(); d-- > 0;) {
      at += places.steps[d];
      if (++index[d] < shape[d])
        break;
      at -= places.steps[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

} // namespace

Value rearranged(LoweringContext &c, Value value, AffineMap map, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = from.clone(shape);
  size_t width = from.getElementTypeBitWidth() / 8;
  Places places(map, from.getShape());
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      return denseConstant(
          c.b, value.getLoc(), to, resource.getRawHandle().getKey(),
          copied(resource.getRawHandle().getBlob()->getData(), places, shape, width));
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    if (dense.isSplat())
      return arith::ConstantOp::create(c.b, c.loc,
                                       cast<TypedAttr>(Attribute(dense.resizeSplat(to))));
    return denseConstant(c.b, value.getLoc(), to, "rearranged",
                         copied(dense.getRawData(), places, shape, width));
  }
  return c.movedElements(to, value, map);
}

} // namespace kgen
