#include "transforms/vectorize/RegisterGather.h"

#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

/// The numbers of a constant, if none is less than the one before it.
static SmallVector<int32_t> growingNumbers(Value table) {
  SmallVector<int32_t> numbers;
  Attribute constant;
  if (!matchPattern(table, m_Constant(&constant)))
    return numbers;
  if (auto resource = dyn_cast<DenseI32ResourceElementsAttr>(constant)) {
    if (auto list = resource.tryGetAsArrayRef())
      numbers.assign(list->begin(), list->end());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(constant);
             dense && dense.getElementType().isInteger(32)) {
    llvm::append_range(numbers, dense.getValues<int32_t>());
  }
  if (!llvm::is_sorted(numbers))
    numbers.clear();
  return numbers;
}

/// Registers of `lanes` elements in which all are that a vector of as many needs.
static int64_t registersFor(ArrayRef<int32_t> places, int64_t lanes) {
  int64_t most = 0;
  for (; !places.empty(); places = places.drop_front(std::min<size_t>(lanes, places.size())))
    most = std::max<int64_t>(most, places.take_front(lanes).back() - places.front() + 1);
  return llvm::divideCeil(most, lanes);
}

std::optional<RegisterGather> RegisterGather::of(linalg::GenericOp op, tensor::ExtractOp extract,
                                                 unsigned along, TargetAttr target) {
  if (!extract.getType().isF32() || !target.hasFeature("avx2"))
    return std::nullopt;
  auto cast = extract.getIndices().back().getDefiningOp<arith::IndexCastOp>();
  auto place = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
  if (!place || place.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *table = op.getMatchingOpOperand(place);
  AffineMap map = op.getMatchingIndexingMap(table);
  if (map.getNumResults() != 1 || map.getResult(0) != getAffineDimExpr(along, map.getContext()))
    return std::nullopt;
  int64_t lanes = target.getVectorBits() / 32;
  SmallVector<int32_t> numbers = growingNumbers(table->get());
  int64_t registers = numbers.empty() ? 0 : registersFor(numbers, lanes);
  if (registers != 1 && registers != 2)
    return std::nullopt;
  return RegisterGather{table, lanes, registers};
}

/// `count` lanes from `first` on in a vector of `lanes`, of which the others are like the first.
static Value lanesOf(OpBuilder &b, Location loc, Value vector, int64_t first, int64_t count,
                     int64_t lanes) {
  if (first == 0 && count == lanes &&
      ::mlir::cast<VectorType>(vector.getType()).getNumElements() == lanes)
    return vector;
  SmallVector<int64_t> places(lanes, first);
  for (int64_t lane = 0; lane < count; ++lane)
    places[lane] = first + lane;
  return vector::ShuffleOp::create(b, loc, vector, vector, places);
}

Value RegisterGather::readRegister(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> where,
                                   Value first, Value places) const {
  // Not beyond the row's end: there, places count from earlier on.
  int64_t row = cast<RankedTensorType>(tensor.getType()).getShape().back(),
          width = std::min(row, registers * lanes);
  Value from = tensor::ExtractOp::create(b, loc, table->get(), first),
        last = arith::ConstantIntOp::create(b, loc, row - width, 32);
  from = arith::MinSIOp::create(b, loc, from, last);
  SmallVector<Value> at(where);
  at.back() = arith::IndexCastOp::create(b, loc, b.getIndexType(), from);
  Value elements =
      lanesOf(b, loc, readVector(b, loc, tensor, at, width), 0, width, registers * lanes);
  Value inRegister = arith::SubIOp::create(
      b, loc, places, vector::BroadcastOp::create(b, loc, places.getType(), from));
  return DynamicPermuteOp::create(b, loc, elements, inRegister);
}

Value RegisterGather::read(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> where,
                           Value first, Value places) const {
  int64_t count = cast<VectorType>(places.getType()).getNumElements();
  Value result;
  for (int64_t start = 0; start < count; start += lanes) {
    int64_t part = std::min(lanes, count - start);
    Value index = first;
    if (start != 0)
      index = arith::AddIOp::create(b, loc, first, arith::ConstantIndexOp::create(b, loc, start));
    Value read =
        readRegister(b, loc, tensor, where, index, lanesOf(b, loc, places, start, part, lanes));
    if (part == count)
      return lanesOf(b, loc, read, 0, part, part);
    if (!result)
      result = arith::ConstantOp::create(b, loc,
                                         b.getZeroAttr(VectorType::get({count}, b.getF32Type())));
    result =
        vector::InsertStridedSliceOp::create(b, loc, lanesOf(b, loc, read, 0, part, part), result,
                                             ArrayRef<int64_t>{start}, ArrayRef<int64_t>{1});
  }
  return result;
}

} // namespace kgen
