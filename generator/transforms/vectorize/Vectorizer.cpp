#include "transforms/vectorize/Vectorizer.h"

#include "analysis/AccessPattern.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/RegisterGather.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizationStrategy.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

StringRef Vectorizer::refusal() {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return "it has several results, or is not on tensors";
  if (!sizes.areKnown())
    return "a dynamic dimension has no bound";
  auto isLinear = [&](AffineExpr index) {
    return tpp::linearCoefficients(index, sizes.size()).has_value();
  };
  auto hasLinearIndices = [&](AffineMap map) { return llvm::all_of(map.getResults(), isLinear); };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, hasLinearIndices) || !maps.back().isProjectedPermutation())
    return "an index is not linear in the loops";
  auto hasWholeBytes = [](Value v) {
    Type element = getElementTypeOrSelf(v.getType());
    return isa<RankedTensorType>(v.getType()) && element.isIntOrFloat() &&
           element.getIntOrFloatBitWidth() >= 8;
  };
  if (!llvm::all_of(op->getOperands(), hasWholeBytes))
    return "an element has no whole bytes";
  auto hasVectorForm = [](Operation &inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return readsWholeBytes(extract);
    return OpTrait::hasElementwiseMappableTraits(&inner) ||
           inner.hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp>(inner);
  };
  bool isVectorizable = llvm::all_of(op.getBody()->without_terminator(), hasVectorForm);
  return isVectorizable ? "" : "its body has an operation without a vector form";
}

/// Chooses the dimension in which the fewest operands are not contiguous; on a tie, the result's
/// last dimension.
void Vectorizer::chooseVectorDim(std::optional<int64_t> only) {
  auto isContiguousAlong = [&](OpOperand *operand, int64_t d) {
    return AccessPattern(op, *operand).contiguousLoop() == static_cast<unsigned>(d);
  };
  // Windows move by a stride along other loops.
  auto movesPlainly = [&](int64_t d) {
    return llvm::all_of(op.getIndexingMapsArray(),
                        [&](AffineMap map) { return AccessPattern(map).movesPlainlyAlong(d); });
  };
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    bool possible =
        isReduction(d) ? combiner() != nullptr : isContiguousAlong(op.getDpsInitOperand(0), d);
    if (!possible || !movesPlainly(d) || d != only.value_or(d))
      continue;
    int64_t cost = 2 * (sizes.greatest(d) == 1) + isReduction(d);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      cost += 4 * (map.isFunctionOfDim(d) && !isContiguousAlong(input, d));
    }
    if (cost < best) {
      best = cost;
      vectorDim = d;
    }
  }
  addresses.setVectorDim(vectorDim);
}

/// True if iterations of the loop over vectors may compute several vectors of the result.
bool Vectorizer::hasWiderSteps() {
  return vectorDim >= 0 && op.getNumReductionLoops() == 0 && transposedDim() < 0;
}

/// True if iterations of the loop over vectors may do several steps: of a reduction along vectors,
/// each belongs to a chain of its own.
bool Vectorizer::mayUnroll() {
  return hasWiderSteps() || (vectorDim >= 0 && isReduction(vectorDim));
}

void Vectorizer::chooseVectors(ArrayRef<int64_t> written, std::optional<int64_t> configuredUnroll) {
  auto loop = llvm::find_if(written, [](int64_t size) { return size != 0; });
  bool isWritten = loop != written.end() && written.size() == sizes.size();
  chooseVectorDim(isWritten ? std::optional<int64_t>(loop - written.begin()) : std::nullopt);
  step = hasWiderSteps() ? vectorElements() : lanes;
  // Halves of what a register file holds, by which LLVM splits them.
  if (isWritten && hasWiderSteps() && *loop % lanes == 0 && llvm::isPowerOf2_64(*loop / lanes) &&
      *loop / lanes <= target.getVectorRegisters() / 2)
    step = *loop;
  // Chains hide the latency of the combiner. With mathematical functions, which take longer and
  // need many registers, two do.
  unroll = vectorDim >= 0 && isReduction(vectorDim) ? (hasFunction() ? 2 : 4) : 1;
  if (configuredUnroll && mayUnroll() && *configuredUnroll <= target.getVectorRegisters())
    unroll = *configuredUnroll;
}

/// Reads `count` elements along the vector dimension as a vector. Reads a scalar if the operand
/// does not move along it, or if count is 0.
Value Vectorizer::read(Value tensor, AffineMap map, int64_t count) {
  SmallVector<Value> indices = operandIndices(map);
  if (count == 0 || vectorDim < 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::ExtractOp::create(b, loc, tensor, indices);
  Type element = getElementTypeOrSelf(tensor.getType());
  auto type = VectorType::get({count}, element);
  // Several dimensions on a diagonal.
  SmallVector<int64_t> along;
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (result.isFunctionOfDim(vectorDim))
      along.push_back(position);
  if (along.front() + 1 == map.getNumResults())
    return readVector(b, loc, tensor, indices, count, mask);
  SmallVector<Value> elements;
  SmallVector<Value> start(indices);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t position : along)
      indices[position] = arith::AddIOp::create(b, loc, start[position], index(i));
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, indices));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value Vectorizer::write(Value tensor, Value value, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  SmallVector<Value> indices = operandIndices(map);
  if (count == 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::InsertOp::create(b, loc, value, tensor, indices);
  return writeVector(b, loc, value, tensor, indices, mask);
}

/// Vectorizes the body at the current position with `count` elements (0: one scalar).
/// `accumulator`: the result so far, null if the body does not use it.
Value Vectorizer::compute(Value accumulator, int64_t count) {
  auto broadcast = [&](Value v) -> Value {
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
    values.map(argument, broadcast(element));
  }
  if (accumulator)
    values.map(op.getRegionOutputArgs().front(), broadcast(accumulator));
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (count != 0)
      computeIndex(inner, first, /*uniformOnly=*/false);
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values.map(index.getResult(), indexVector(index.getDim(), count));
      continue;
    }
    if (auto reads = dyn_cast<tensor::ExtractOp>(inner)) {
      values.map(reads.getResult(), broadcast(extract(reads, values, first, count)));
      continue;
    }
    for (Value operand : inner.getOperands())
      values.map(operand, broadcast(values.lookupOrDefault(operand)));
    Operation *clone = b.clone(inner, values);
    bool constant = inner.hasTrait<OpTrait::ConstantLike>();
    for (auto [old, result] : llvm::zip(inner.getResults(), clone->getResults())) {
      if (count != 0 && !constant)
        result.setType(VectorType::get({count}, result.getType()));
      values.map(old, result);
    }
  }
  return broadcast(values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0)));
}

/// Computes an index value of the body for the first lane.
void Vectorizer::computeIndex(Operation &inner, IRMapping &first, bool uniformOnly) {
  if (inner.getNumResults() != 1 || first.contains(inner.getResult(0)))
    return;
  Value computed = inner.getResult(0);
  if (!addresses.isIndex(computed) || !addresses.laneStride(computed) ||
      (uniformOnly && !addresses.isUniform(computed)))
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return first.map(computed, ivs[index.getDim()]);
  auto isThere = [&](Value v) { return first.contains(v) || v.getParentBlock() != op.getBody(); };
  if (llvm::all_of(inner.getOperands(), isThere))
    b.clone(inner, first);
}

/// Computes the index values that do not depend on the vector dimension.
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

/// Reads `count` lanes of a tensor at indices that the body computes: one element for all lanes,
/// contiguous elements in either direction, elements of one or two registers (RegisterGather), or
/// element by element.
Value Vectorizer::extract(tensor::ExtractOp inner, const IRMapping &values, const IRMapping &first,
                          int64_t count) {
  Value tensor = inner.getTensor();
  SmallVector<Value> indices;
  SmallVector<std::optional<int64_t>> strides;
  for (Value computed : inner.getIndices()) {
    Value known = first.lookupOrNull(computed);
    if (!known && computed.getParentBlock() != op.getBody())
      known = computed;
    indices.push_back(count == 0 ? values.lookupOrDefault(computed) : known);
    strides.push_back(known ? addresses.laneStride(computed) : std::nullopt);
  }
  auto isZero = [](std::optional<int64_t> step) { return step == int64_t(0); };
  if (count == 0 || llvm::all_of(strides, isZero))
    return tensor::ExtractOp::create(b, loc, tensor, indices);
  Type element = inner.getType();
  auto type = VectorType::get({count}, element);
  int64_t last = strides.back().value_or(0);
  if (llvm::all_of(ArrayRef(strides).drop_back(), isZero) && (last == 1 || last == -1)) {
    if (last < 0)
      indices.back() = arith::SubIOp::create(b, loc, indices.back(), index(count - 1));
    Value row = readVector(b, loc, tensor, indices, count);
    if (last > 0)
      return row;
    SmallVector<int64_t> reversed;
    for (int64_t i = count; i-- > 0;)
      reversed.push_back(i);
    return vector::ShuffleOp::create(b, loc, row, row, reversed);
  }
  if (llvm::all_of(ArrayRef(strides).drop_back(), isZero))
    if (auto gather = RegisterGather::match(op, inner, vectorDim, target))
      return gather->read(b, loc, tensor, indices, ivs[vectorDim],
                          values.lookup(op.getMatchingBlockArgument(gather->table)));
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < count; ++lane) {
    SmallVector<Value> laneIndices;
    for (auto [position, index] : llvm::enumerate(inner.getIndices())) {
      if (!strides[position]) {
        laneIndices.push_back(
            vector::ExtractOp::create(b, loc, values.lookup(index), ArrayRef<int64_t>{lane}));
        continue;
      }
      int64_t by = *strides[position] * lane;
      Value sum = indices[position];
      laneIndices.push_back(by ? arith::AddIOp::create(b, loc, sum, this->index(by)).getResult()
                               : sum);
    }
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, laneIndices));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

/// Computes `count` elements of the result at the current position, with all reduced loops around.
Value Vectorizer::computeElements(Value tensor, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  bool usesInit = op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
  return write(tensor, compute(usesInit ? read(tensor, map, count) : Value(), count), count);
}

/// Computes the result along its last dimension, vector by vector; reductions run inside, in
/// registers.
Value Vectorizer::computeVectors(Value tensor, ArrayRef<int64_t> reductions) {
  AffineMap map = op.getIndexingMapsArray().back();
  if (reductions.empty())
    hoisted = uniformIndices();
  auto computeVector = [&](Value i, int64_t count, Value t) {
    ivs[vectorDim] = i;
    if (reductions.empty() && count <= step)
      return computeElements(t, count);
    if (reductions.empty()) {
      for (int64_t done = 0; done < count; done += step) {
        ivs[vectorDim] = b.createOrFold<arith::AddIOp>(loc, i, index(done));
        t = computeElements(t, step);
      }
      return t;
    }
    Value start = read(t, map, count);
    bool usesChains = isUnrolledFully(op) && reductions.size() == 1 && combiner() &&
                      !sizes.isDynamic(reductions.front());
    Value sum = usesChains
                    ? reduceInChains(start, reductions.front(), count)
                    : nest(reductions, start, [&](Value acc) { return compute(acc, count); });
    return write(t, sum, count);
  };
  SmallVector<int64_t> widths = {lanes};
  if (step > lanes)
    widths.insert(widths.begin(), step);
  if (unroll > 1)
    widths.insert(widths.begin(), unroll * step);
  return vectorLoop(ends[vectorDim], widths, tensor,
                    [&](Value i, int64_t count, Value t) { return computeVector(i, count, t); });
}

/// True if a function has so many live values that those of two vectors exceed 32 registers. With
/// 16 registers, even one vector exceeds them.
static bool fillsRegisters(Operation &op, TargetAttr target) {
  if (target.getVectorRegisters() < 32)
    return false;
  bool isF64 = getElementTypeOrSelf(op.getResultTypes().front()).isF64();
  return isa<math::AsinhOp, math::AcoshOp, math::AtanhOp>(op) ||
         (isF64 ? isa<math::SinOp, math::CosOp>(op) : isa<math::PowFOp>(op));
}

/// Returns the elements of a vector operation; LLVM splits those wider than a register. Functions
/// get two registers: two chains of instructions that share the registers of constants and overlap.
/// Operations with few instructions get a cache line in long loops, so that one prefetch is enough.
/// Results narrower than they are computed fill a register from two.
int64_t Vectorizer::vectorElements() {
  const Cpu &cpu = target.cpu();
  const int64_t minLongBits = 8 * cpu.pageBytes; // shorter loops have too few iterations
  int64_t bits = bitsOfLanes(), inLine = 8 * cpu.lineBytes / bits;
  Type result = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  bool computes = op.getBody()->getOperations().size() > 2; // not only a conversion
  bool isNarrowed = computes && result.getIntOrFloatBitWidth() < bits;
  if (!isNarrowed && llvm::any_of(*op.getBody(), [&](Operation &inner) {
        return inner.getNumResults() == 1 && fillsRegisters(inner, target);
      }))
    return lanes;
  if (hasFunction() || isNarrowed)
    return 2 * lanes;
  return sizes.greatest(vectorDim) >= minLongBits / bits ? std::max(lanes, inLine) : lanes;
}

/// Returns the current index of a dimension for `count` elements along the vector dimension.
Value Vectorizer::indexVector(int64_t dimension, int64_t count) {
  if (count == 0 || dimension != vectorDim)
    return ivs[dimension];
  auto type = VectorType::get({count}, b.getIndexType());
  Value laneNumbers = vector::StepOp::create(b, loc, type);
  Value start = vector::BroadcastOp::create(b, loc, type, ivs[dimension]);
  return arith::AddIOp::create(b, loc, start, laneNumbers);
}

double Vectorizer::cost(Stores stores) {
  const Cpu &cpu = target.cpu();
  if (vectorDim < 0)
    return cyclesByElement(cpu);
  if (transposedDim() >= 0)
    return cyclesInShuffledVectors(cpu, lanes, cpu.heuristics.transposeShuffles);
  // Operands that are not contiguous along the vectors are read element by element.
  auto isGathered = [&](OpOperand *input) { return isTransposed(input); };
  if (llvm::any_of(op.getDpsInputOperands(), isGathered))
    return cyclesByElement(cpu);
  return cyclesInRows(cpu, vectorRowsOf(op, vectorDim, lanes, stores));
}

} // namespace kgen
