#include "transforms/vectorize/Vectorizer.h"

#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/RegisterGather.h"
#include "transforms/vectorize/UnrolledTiles.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

bool Vectorizer::isSupported() {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return false;
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return false;
  auto isSum = [&](AffineExpr index) {
    return tpp::linearCoefficients(index, sizes.size()).has_value();
  };
  auto isOfSums = [&](AffineMap map) { return llvm::all_of(map.getResults(), isSum); };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, isOfSums) || !maps.back().isProjectedPermutation())
    return false;
  auto wholeBytes = [](Value v) {
    Type element = getElementTypeOrSelf(v.getType());
    return isa<RankedTensorType>(v.getType()) && element.isIntOrFloat() &&
           element.getIntOrFloatBitWidth() >= 8;
  };
  return llvm::all_of(op->getOperands(), wholeBytes) &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
             return readsWholeBytes(extract);
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp>(inner);
         });
}

/// The dimension with the fewest operands that are not contiguous in it; the result's last
/// dimension wins a tie.
void Vectorizer::chooseVectorDim() {
  AffineMap out = op.getIndexingMapsArray().back();
  auto lastOf = [](AffineMap map) {
    auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
    return last ? static_cast<int64_t>(last.getPosition()) : -1;
  };
  // Along other loops, windows move by steps.
  auto movesPlainly = [&](int64_t d) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return !map.isFunctionOfDim(d) || map.getResultPosition(b.getAffineDimExpr(d));
    });
  };
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    bool possible = isReduction(d) ? combiner() != nullptr : lastOf(out) == d;
    if (!possible || !movesPlainly(d))
      continue;
    int64_t cost = 2 * (sizes[d] == 1) + isReduction(d);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      cost += 4 * (map.isFunctionOfDim(d) && lastOf(map) != d);
    }
    if (cost < best) {
      best = cost;
      vectorDim = d;
    }
  }
}

/// `count` elements along the vector dimension as a vector; a scalar where the operand does not
/// move along it, or where count is 0.
Value Vectorizer::read(Value tensor, AffineMap map, int64_t count) {
  SmallVector<Value> where = position(map);
  if (count == 0 || vectorDim < 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::ExtractOp::create(b, loc, tensor, where);
  Type element = getElementTypeOrSelf(tensor.getType());
  auto type = VectorType::get({count}, element);
  // More than one on a diagonal.
  SmallVector<int64_t> along;
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (result.isFunctionOfDim(vectorDim))
      along.push_back(position);
  if (along.front() + 1 == map.getNumResults())
    return readVector(b, loc, tensor, where, count);
  SmallVector<Value> elements;
  SmallVector<Value> start(where);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t position : along)
      where[position] = arith::AddIOp::create(b, loc, start[position], index(i));
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, where));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value Vectorizer::write(Value tensor, Value value, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  SmallVector<Value> where = position(map);
  if (count == 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::InsertOp::create(b, loc, value, tensor, where);
  return writeVector(b, loc, value, tensor, where);
}

/// The operation's body at the current position on `count` elements (0: one scalar), with
/// `accumulator` for the result so far (null if the body does not use it).
Value Vectorizer::compute(Value accumulator, int64_t count) {
  auto widen = [&](Value v) -> Value {
    if (count == 0 || isa<VectorType>(v.getType()))
      return v;
    return vector::BroadcastOp::create(b, loc, VectorType::get({count}, v.getType()), v);
  };
  IRMapping values, first = hoisted;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!op.payloadUsesValueFromOperand(input))
      continue;
    Value element = first.lookupOrNull(argument);
    if (auto rows = transposed.find(input->getOperandNumber()); rows != transposed.end())
      element = rows->second[tileRow];
    if (!element)
      element = read(input->get(), op.getMatchingIndexingMap(input), count);
    if (!isa<VectorType>(element.getType()))
      first.map(argument, element);
    values.map(argument, widen(element));
  }
  if (accumulator)
    values.map(op.getRegionOutputArgs().front(), widen(accumulator));
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (count != 0)
      computeIndex(inner, first, /*uniformOnly=*/false);
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values.map(index.getResult(), indices(index.getDim(), count));
      continue;
    }
    if (auto reads = dyn_cast<tensor::ExtractOp>(inner)) {
      values.map(reads.getResult(), widen(extract(reads, values, first, count)));
      continue;
    }
    for (Value operand : inner.getOperands())
      values.map(operand, widen(values.lookupOrDefault(operand)));
    Operation *clone = b.clone(inner, values);
    bool constant = inner.hasTrait<OpTrait::ConstantLike>();
    for (auto [old, result] : llvm::zip(inner.getResults(), clone->getResults())) {
      if (count != 0 && !constant)
        result.setType(VectorType::get({count}, result.getType()));
      values.map(old, result);
    }
  }
  return widen(values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0)));
}

/// The place that an operation of the body computes, for the first lane.
void Vectorizer::computeIndex(Operation &inner, IRMapping &first, bool uniformOnly) {
  if (inner.getNumResults() != 1 || first.contains(inner.getResult(0)))
    return;
  Value place = inner.getResult(0);
  if (!addresses.isIndex(place) || !addresses.stepOf(place) ||
      (uniformOnly && !addresses.isUniform(place)))
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return first.map(place, at[index.getDim()]);
  auto isThere = [&](Value v) { return first.contains(v) || v.getParentBlock() != op.getBody(); };
  if (llvm::all_of(inner.getOperands(), isThere))
    b.clone(inner, first);
}

/// Places that do not depend on the vector dimension, where the other loops are.
IRMapping Vectorizer::uniformIndices() {
  IRMapping first;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (addresses.isIndex(argument) && addresses.isUniform(argument))
      first.map(argument, read(input->get(), op.getMatchingIndexingMap(input), 0));
  }
  for (Operation &inner : op.getBody()->without_terminator())
    computeIndex(inner, first, /*uniformOnly=*/true);
  return first;
}

/// What `count` lanes read from a tensor at places that the body computes: one element for all of
/// them, neighbours in either direction, or one by one.
Value Vectorizer::extract(tensor::ExtractOp inner, const IRMapping &values, const IRMapping &first,
                          int64_t count) {
  Value tensor = inner.getTensor();
  SmallVector<Value> where;
  SmallVector<std::optional<int64_t>> steps;
  for (Value place : inner.getIndices()) {
    Value known = first.lookupOrNull(place);
    if (!known && place.getParentBlock() != op.getBody())
      known = place;
    where.push_back(count == 0 ? values.lookupOrDefault(place) : known);
    steps.push_back(known ? addresses.stepOf(place) : std::nullopt);
  }
  auto isZero = [](std::optional<int64_t> step) { return step == int64_t(0); };
  if (count == 0 || llvm::all_of(steps, isZero))
    return tensor::ExtractOp::create(b, loc, tensor, where);
  Type element = inner.getType();
  auto type = VectorType::get({count}, element);
  int64_t last = steps.back().value_or(0);
  if (llvm::all_of(ArrayRef(steps).drop_back(), isZero) && (last == 1 || last == -1)) {
    if (last < 0)
      where.back() = arith::SubIOp::create(b, loc, where.back(), index(count - 1));
    Value row = readVector(b, loc, tensor, where, count);
    if (last > 0)
      return row;
    SmallVector<int64_t> reversed;
    for (int64_t i = count; i-- > 0;)
      reversed.push_back(i);
    return vector::ShuffleOp::create(b, loc, row, row, reversed);
  }
  if (llvm::all_of(ArrayRef(steps).drop_back(), isZero))
    if (auto near = RegisterGather::of(op, inner, vectorDim, target))
      return near->read(b, loc, tensor, where, at[vectorDim],
                        values.lookup(op.getMatchingBlockArgument(near->table)));
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < count; ++lane) {
    SmallVector<Value> place;
    for (auto [position, index] : llvm::enumerate(inner.getIndices())) {
      if (!steps[position]) {
        place.push_back(
            vector::ExtractOp::create(b, loc, values.lookup(index), ArrayRef<int64_t>{lane}));
        continue;
      }
      int64_t by = *steps[position] * lane;
      Value sum = where[position];
      place.push_back(by ? arith::AddIOp::create(b, loc, sum, this->index(by)).getResult() : sum);
    }
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, place));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

/// `count` elements of the result at the current position; no reductions are left.
Value Vectorizer::chunk(Value tensor, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  bool usesOld = op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
  return write(tensor, compute(usesOld ? read(tensor, map, count) : Value(), count), count);
}

/// The result along its last dimension, vector by vector; reductions run inside, on registers.
Value Vectorizer::chunks(Value tensor, ArrayRef<int64_t> reductions) {
  AffineMap map = op.getIndexingMapsArray().back();
  if (reductions.empty())
    hoisted = uniformIndices();
  auto piece = [&](Value i, int64_t count, Value t) {
    at[vectorDim] = i;
    if (reductions.empty())
      return chunk(t, count);
    Value start = read(t, map, count);
    bool areFew = isUnrolledFully(op) && reductions.size() == 1 && combiner();
    Value sum = areFew ? inChains(start, reductions.front(), count)
                       : nest(reductions, start, [&](Value acc) { return compute(acc, count); });
    return write(t, sum, count);
  };
  SmallVector<int64_t> widths = {lanes};
  if (int64_t together = reductions.empty() ? lanesTogether() : lanes; together > lanes)
    widths.insert(widths.begin(), together);
  return buildVectorLoop(b, loc, sizes[vectorDim], widths, tensor, piece);
}

/// Whether the numbers at hand in a function are so many that those of two vectors would not stay
/// in 32 registers. With 16, those of one do not, either.
static bool fillsRegisters(Operation &op, TargetAttr target) {
  if (target.getVectorRegisters() < 32)
    return false;
  bool isF64 = getElementTypeOrSelf(op.getResultTypes().front()).isF64();
  return isa<math::AsinhOp, math::AcoshOp, math::AtanhOp>(op) ||
         (isF64 ? isa<math::SinOp, math::CosOp>(op) : isa<math::PowFOp>(op));
}

/// LLVM splits a wider vector operation by operation. Functions become two chains that share the
/// registers of constants, and that a CPU overlaps further than one after the other. What takes few
/// instructions is done for a whole line at a time in long loops, so that one prefetch will do.
/// Results of fewer bits than they are computed with fill a register from two, and bf16 does so by
/// one shuffle.
int64_t Vectorizer::lanesTogether() {
  constexpr int64_t longBits = 8 * 4096;
  int64_t bits = bitsOfLanes(), inLine = 8 * lineBytes / bits;
  Type result = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  bool computes = op.getBody()->getOperations().size() > 2; // not only a conversion
  bool isNarrowed = computes && result.getIntOrFloatBitWidth() < bits;
  if (!isNarrowed && llvm::any_of(*op.getBody(), [&](Operation &inner) {
        return inner.getNumResults() == 1 && fillsRegisters(inner, target);
      }))
    return lanes;
  if (hasFunction() || isNarrowed)
    return 2 * lanes;
  return sizes[vectorDim] * bits >= longBits ? std::max(lanes, inLine) : lanes;
}

/// The current index of a dimension, for `count` elements along the vector dimension.
Value Vectorizer::indices(int64_t dimension, int64_t count) {
  if (count == 0 || dimension != vectorDim)
    return at[dimension];
  auto type = VectorType::get({count}, b.getIndexType());
  Value steps = vector::StepOp::create(b, loc, type);
  Value start = vector::BroadcastOp::create(b, loc, type, at[dimension]);
  return arith::AddIOp::create(b, loc, start, steps);
}

Details Vectorizer::describe(Details details) {
  details.set("sizes", ArrayRef<int64_t>(sizes)).set("dimension", vectorDim).set("lanes", lanes);
  bool computes = !op.getBody()->without_terminator().empty();
  Value result = op.getBody()->getTerminator()->getOperand(0);
  bool moves = llvm::is_contained(op.getRegionInputArgs(), result);
  bool reads =
      llvm::any_of(op.getDpsInputs(), [](Value v) { return isa<ShapedType>(v.getType()); });
  details.set("form", op.getNumReductionLoops() ? "reduction"
                      : computes                ? "elementwise"
                      : moves && reads          ? "copy"
                                                : "fill");
  details.set("bytes", bytesOf(op.getDpsInits()[0].getType()));
  int64_t gathered = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    gathered += vectorDim >= 0 && map.getNumResults() && map.isFunctionOfDim(vectorDim) &&
                !map.getResults().back().isFunctionOfDim(vectorDim);
  }
  return details.set("gathered", gathered);
}

} // namespace kgen
