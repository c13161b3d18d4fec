#include "ops/reduction/AxisBlocks.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TensorSlice.h"
#include "ops/Axes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

bool fitsIntoCaches(const Cpu &cpu, RankedTensorType type, int64_t axis, bool areReadAgain) {
  const Heuristics &limits = cpu.heuristics;
  const int64_t maxRows = areReadAgain ? limits.maxAxisRowsReadAgain : limits.maxAxisRows;
  int64_t inside = elementsInside(type.getShape(), axis), count = type.getDimSize(axis);
  return count * inside <= limits.maxCachedAxis || (inside > 1 && count <= maxRows);
}

bool hasManySlices(const Cpu &cpu, RankedTensorType type, int64_t axis, bool areReadAgain) {
  int64_t inside = elementsInside(type.getShape(), axis),
          outside = type.getNumElements() / (type.getDimSize(axis) * inside),
          inPage = cpu.pageBytes * 8 / type.getElementTypeBitWidth();
  return outside * (areReadAgain ? std::max<int64_t>(inside / inPage, 1) : 1) >=
         cpu.heuristics.minSlices;
}

int64_t blockLength(RankedTensorType type, int64_t axis) {
  const bool isRow = elementsInside(type.getShape(), axis) == 1;
  const int64_t minLength = isRow ? 1024 : 8, maxLength = isRow ? 16384 : 64;
  int64_t count = type.getDimSize(axis);
  for (int64_t length = maxLength; length >= minLength; --length)
    if (count % length == 0)
      return length;
  return 0;
}

SmallVector<int64_t> inBlocksOf(RankedTensorType type, int64_t axis, int64_t length) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= length;
  shape.insert(shape.begin() + axis + 1, length);
  return shape;
}

std::pair<Value, Value> sideBySide(LoweringContext &c, Value first, Value second, int64_t at) {
  auto type = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + at, 2);
  AffineMap map = c.b.getMultiDimIdentityMap(shape.size()).dropResult(at);
  Value both = c.indexed(type.clone(shape), {first, second}, {map, map},
                         [at](OpBuilder &b, Location loc, ValueRange subscripts, ValueRange v) {
                           Value zero = arith::ConstantIndexOp::create(b, loc, 0);
                           Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                                                 subscripts[at], zero);
                           return arith::SelectOp::create(b, loc, isFirst, v[0], v[1]).getResult();
                         });
  auto sliceAt = [&](int64_t index) -> Value {
    TensorSlice slice(c.b, SmallVector<int64_t>(shape.size(), 0), shape);
    slice.offsets[at] = c.b.getIndexAttr(index);
    slice.sizes[at] = c.b.getIndexAttr(1);
    return extract(c.b, c.loc, both, slice, type.getShape());
  };
  return {sliceAt(0), sliceAt(1)};
}

} // namespace kgen
