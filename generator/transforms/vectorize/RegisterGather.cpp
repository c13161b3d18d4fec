#include "transforms/vectorize/RegisterGather.h"

#include "analysis/ConstantBytes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

/// Returns the elements of a constant i32 tensor; empty if they are not constant or not sorted.
static SmallVector<int32_t> sortedConstants(Value table) {
  SmallVector<int32_t> numbers;
  ElementsAttr constant;
  if (!matchPattern(table, m_Constant(&constant)) || !constant.getElementType().isInteger(32))
    return numbers;
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  for (size_t i = 0; i < bytes.size() / sizeof(int32_t); ++i)
    numbers.push_back(
        static_cast<int32_t>(numberAt(bytes, constant.getElementType(), static_cast<int64_t>(i))));
  if (!llvm::is_sorted(numbers))
    numbers.clear();
  return numbers;
}

/// Returns how many registers of `lanes` elements hold all elements that a vector of `lanes`
/// indices reads.
static int64_t registersFor(ArrayRef<int32_t> laneIndices, int64_t lanes) {
  int64_t maxSpan = 0;
  for (; !laneIndices.empty();
       laneIndices = laneIndices.drop_front(std::min<size_t>(lanes, laneIndices.size())))
    maxSpan =
        std::max<int64_t>(maxSpan, laneIndices.take_front(lanes).back() - laneIndices.front() + 1);
  return llvm::divideCeil(maxSpan, lanes);
}

std::optional<RegisterGather> RegisterGather::match(linalg::GenericOp op, tensor::ExtractOp extract,
                                                    unsigned along, TargetAttr target) {
  if (!extract.getType().isF32() || !target.cpu().hasRegisterGather)
    return std::nullopt;
  auto cast = extract.getIndices().back().getDefiningOp<arith::IndexCastOp>();
  auto tableIndex = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
  if (!tableIndex || tableIndex.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *table = op.getMatchingOpOperand(tableIndex);
  AffineMap map = op.getMatchingIndexingMap(table);
  if (map.getNumResults() != 1 || map.getResult(0) != getAffineDimExpr(along, map.getContext()))
    return std::nullopt;
  int64_t lanes = target.getVectorBits() / 32;
  SmallVector<int32_t> numbers = sortedConstants(table->get());
  int64_t registers = numbers.empty() ? 0 : registersFor(numbers, lanes);
  if (registers != 1 && registers != 2)
    return std::nullopt;
  return RegisterGather{table, lanes, registers};
}

/// Returns `count` lanes from `first` on in a vector of `lanes`; the other lanes repeat the first
/// one.
static Value lanesOf(OpBuilder &b, Location loc, Value vector, int64_t first, int64_t count,
                     int64_t lanes) {
  if (first == 0 && count == lanes &&
      ::mlir::cast<VectorType>(vector.getType()).getNumElements() == lanes)
    return vector;
  SmallVector<int64_t> mask(lanes, first);
  for (int64_t lane = 0; lane < count; ++lane)
    mask[lane] = first + lane;
  return vector::ShuffleOp::create(b, loc, vector, vector, mask);
}

Value RegisterGather::readRegister(OpBuilder &b, Location loc, Value tensor,
                                   ArrayRef<Value> indices, Value first, Value laneIndices) const {
  // At the end of the row, the registers end with the row; indices count from their first element.
  int64_t row = cast<RankedTensorType>(tensor.getType()).getShape().back(),
          width = std::min(row, registers * lanes);
  Value from = tensor::ExtractOp::create(b, loc, table->get(), first),
        last = arith::ConstantIntOp::create(b, loc, row - width, 32);
  from = arith::MinSIOp::create(b, loc, from, last);
  SmallVector<Value> registerIndices(indices);
  registerIndices.back() = arith::IndexCastOp::create(b, loc, b.getIndexType(), from);
  Value elements = lanesOf(b, loc, readVector(b, loc, tensor, registerIndices, width), 0, width,
                           registers * lanes);
  Value inRegister = arith::SubIOp::create(
      b, loc, laneIndices, vector::BroadcastOp::create(b, loc, laneIndices.getType(), from));
  return DynamicPermuteOp::create(b, loc, elements, inRegister);
}

Value RegisterGather::read(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> indices,
                           Value first, Value laneIndices) const {
  int64_t count = cast<VectorType>(laneIndices.getType()).getNumElements();
  Value result;
  for (int64_t start = 0; start < count; start += lanes) {
    int64_t part = std::min(lanes, count - start);
    Value index = first;
    if (start != 0)
      index = arith::AddIOp::create(b, loc, first, arith::ConstantIndexOp::create(b, loc, start));
    Value read = readRegister(b, loc, tensor, indices, index,
                              lanesOf(b, loc, laneIndices, start, part, lanes));
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
