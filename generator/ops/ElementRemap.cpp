#include "ops/ElementRemap.h"

#include "support/LargePages.h"
#include "support/StridedCopy.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {
namespace {

/// The layout of what a linear map reads from a tensor of `shape`.
StridedLayout stridesOf(AffineMap map, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(map.getNumDims(), 0);
  auto offsetOfIndex = [&]() {
    int64_t at = 0;
    for (auto [position, size] : llvm::zip_equal(map.compose(index), shape))
      at = at * size + position;
    return at;
  };
  StridedLayout layout;
  layout.first = offsetOfIndex();
  for (int64_t &one : index) {
    one = 1;
    layout.strides.push_back(offsetOfIndex() - layout.first);
    one = 0;
  }
  return layout;
}

/// The elements, of `width` bytes, in `layout`.
SmallVector<char> copied(ArrayRef<char> bytes, const StridedLayout &layout, ArrayRef<int64_t> shape,
                         size_t width) {
  int64_t count = ShapedType::getNumElements(shape), run = shape.empty() ? 1 : shape.back();
  int64_t stride = shape.empty() ? 1 : layout.strides.back();
  if (!shape.empty())
    shape = shape.drop_back();
  SmallVector<char> result;
  result.resize_for_overwrite(count * width);
  useLargePages(result.data(), result.size());
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t at = layout.first;
  for (int64_t done = 0; done < count; done += run) {
    copyStrided(result.data() + done * width, bytes.data() + at * width, run, stride, width);
    for (size_t d = shape.size(); d-- > 0;) {
      at += layout.strides[d];
      if (++index[d] < shape[d])
        break;
      at -= layout.strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

} // namespace

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Value rearrangedConstant(OpBuilder &b, Value value, ArrayRef<int64_t> shape,
                         const StridedLayout &layout) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return {};
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = from.clone(shape);
  auto remapped = [&](StringRef name, ArrayRef<char> bytes) {
    size_t width = from.getElementTypeBitWidth() / 8;
    return denseConstant(b, value.getLoc(), to, name, copied(bytes, layout, shape, width));
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return remapped(resource.getRawHandle().getKey(), resource.getRawHandle().getBlob()->getData());
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  if (dense.isSplat())
    return arith::ConstantOp::create(b, value.getLoc(),
                                     cast<TypedAttr>(Attribute(dense.resizeSplat(to))));
  return remapped("weight", dense.getRawData());
}

Value rearranged(LoweringContext &c, Value value, AffineMap map, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  if (Value constant = rearrangedConstant(c.b, value, shape, stridesOf(map, from.getShape())))
    return constant;
  return c.movedElements(from.clone(shape), value, map);
}

} // namespace kgen
