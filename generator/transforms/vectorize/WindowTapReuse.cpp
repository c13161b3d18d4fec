#include "transforms/vectorize/WindowTapReuse.h"

#include "dialect/tpp/Tpp.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

WindowTapReuse::WindowTapReuse(OpBuilder &builder, WindowShape shape)
    : WindowShape(std::move(shape)), b(builder), loc(op.getLoc()), ivs(sizes.size()) {}

Value WindowTapReuse::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

SmallVector<Value> WindowTapReuse::operandIndices(AffineMap map, ArrayRef<int64_t> by,
                                                  ArrayRef<OpFoldResult> shift) {
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults()) {
    SmallVector<int64_t> coefficients = *tpp::linearCoefficients(expr, map.getNumDims());
    int64_t constant = 0;
    Value sum;
    if (!shift.empty()) {
      OpFoldResult further = shift[result.size()];
      constant = getConstantIntValue(further).value_or(0);
      sum = dyn_cast_if_present<Value>(further);
    }
    for (auto [dimension, step] : llvm::enumerate(coefficients)) {
      constant += step * by[dimension];
      if (step == 0 || !ivs[dimension])
        continue;
      Value term = step == 1 ? ivs[dimension]
                             : b.createOrFold<arith::MulIOp>(loc, ivs[dimension], index(step));
      sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, term) : term;
    }
    if (sum && constant != 0)
      sum = b.createOrFold<arith::AddIOp>(loc, sum, index(constant));
    result.push_back(sum ? sum : index(constant));
  }
  return result;
}

Value WindowTapReuse::read(Value tensor, AffineMap map, ArrayRef<int64_t> by, int64_t width,
                           ArrayRef<OpFoldResult> shift) {
  SmallVector<Value> indices = operandIndices(map, by, shift);
  if (map.isFunctionOfDim(channel))
    return readVector(b, loc, tensor, indices, width);
  return broadcastToLanes(b, loc, tensor::ExtractOp::create(b, loc, tensor, indices), width);
}

/// Reads the channel `tap` of each group, in all lanes of its group.
Value WindowTapReuse::readGroups(Value tensor, AffineMap map, ArrayRef<int64_t> by, int64_t width,
                                 ArrayRef<OpFoldResult> shift) {
  int64_t size = group->size, member = by[group->member];
  SmallVector<Value> indices = operandIndices(map, by, shift);
  if (size > width) { // a group has several vectors
    Value start = indices.back(), rest = b.createOrFold<arith::RemUIOp>(loc, start, index(size));
    start = b.createOrFold<arith::SubIOp>(loc, start, rest);
    indices.back() = b.createOrFold<arith::AddIOp>(loc, start, index(member));
    return broadcastToLanes(b, loc, tensor::ExtractOp::create(b, loc, tensor, indices), width);
  }
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back(lane / size * size + member);
  Value all = readVector(b, loc, tensor, indices, width);
  return vector::ShuffleOp::create(b, loc, all, all, lanes);
}

/// Returns the product that `inner` adds to an accumulator: both are rounded once if the target
/// has fused multiply-add, as in other contractions.
arith::MulFOp WindowTapReuse::addedProduct(linalg::GenericOp of, Operation &inner) {
  if (of != op || !isa<arith::AddFOp>(inner))
    return {};
  for (Value operand : inner.getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>(); product && product->hasOneUse())
      return product;
  return {};
}

Value WindowTapReuse::apply(linalg::GenericOp of, ArrayRef<Value> arguments, int64_t width,
                            Instead instead) {
  IRMapping values;
  for (auto [argument, value] : llvm::zip(of.getBody()->getArguments(), arguments))
    if (value)
      values.map(argument, value);
  return vectorizeBody(b, loc, *of.getBody(), values, width,
                       [&](Operation &inner, llvm::function_ref<Value(Value)> wide) -> Value {
                         if (Value other = instead ? instead(inner, wide) : Value())
                           return other;
                         arith::MulFOp product = addedProduct(of, inner);
                         if (!product)
                           return nullptr;
                         Value x = wide(product.getLhs()), y = wide(product.getRhs());
                         Value sum =
                             wide(inner.getOperand(inner.getOperand(0) == product.getResult()));
                         return vector::FMAOp::create(b, loc, x, y, sum);
                       });
}

SmallVector<int64_t> WindowTapReuse::furtherBy(int64_t i, ArrayRef<int64_t> tap) const {
  SmallVector<int64_t> by(tap);
  by[pixel] = i;
  return by;
}

SmallVector<Value> WindowTapReuse::initialValues(const PixelTile &tile) {
  Value init = op.getDpsInits()[0], start = fillValue(init);
  SmallVector<int64_t> noTap(sizes.size(), 0);
  SmallVector<Value> values;
  for (int64_t i = 0; i < tile.count; ++i)
    values.push_back(
        start ? broadcastToLanes(b, loc, start, tile.width)
              : read(init, mapOf(op, op.getNumDpsInputs()), furtherBy(i, noTap), tile.width));
  return values;
}

/// Reads input `number` at the current position, `by` further. Windows of neighbouring pixels share
/// elements: each one is read once.
Value WindowTapReuse::load(PixelTile &tile, unsigned number, ArrayRef<int64_t> by) {
  Value &known = tile.loaded[{number, elementAt(number, by)}];
  if (!known)
    known = elements(number, by, tile.width);
  return known;
}

Value WindowTapReuse::elements(unsigned number, ArrayRef<int64_t> by, int64_t width) {
  AffineMap map = mapOf(op, number);
  bool isPadded = pad && number == padded, isGrouped = group && number == grouped;
  Value tensor = isPadded ? unpadded : op.getDpsInputs()[number];
  auto further = isPadded ? ArrayRef(unpaddedOffsets) : ArrayRef<OpFoldResult>();
  return isGrouped ? readGroups(tensor, map, by, width, further)
                   : read(tensor, map, by, width, further);
}

bool WindowTapReuse::readsInside(const PixelTile &tile, int64_t i, ArrayRef<int64_t> tap) {
  std::optional<int64_t> first = getConstantIntValue(tile.first);
  if (!columns || !first)
    return true;
  int64_t offset = *getConstantIntValue(columns->offset);
  return isInside(*columns, (*first + i) * columns->stride + offset, tap);
}

void WindowTapReuse::addTaps(PixelTile &tile, SmallVectorImpl<Value> &accumulators) {
  for (size_t tap : active)
    for (int64_t i = 0; i < tile.count; ++i) {
      if (!readsInside(tile, i, taps[tap]))
        continue;
      SmallVector<Value> arguments;
      for (unsigned number = 0; number < op.getNumDpsInputs(); ++number) {
        bool isUsed = op.payloadUsesValueFromOperand(&op->getOpOperand(number));
        ArrayRef<Value> kept = tile.weights[number];
        arguments.push_back(!isUsed         ? Value()
                            : !kept.empty() ? kept[tap]
                                            : load(tile, number, furtherBy(i, taps[tap])));
      }
      arguments.push_back(accumulators[i]);
      accumulators[i] = apply(op, arguments, tile.width);
    }
}

} // namespace kgen
