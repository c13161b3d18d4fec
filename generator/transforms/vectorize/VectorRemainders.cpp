// The remainder after the whole vectors of a dynamic size.
#include "analysis/AccessPattern.h"
#include "transforms/vectorize/Vectorizer.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// True if the remainder of a dynamic size is computed in masked lanes: all of them can be loaded
/// and stored, and what is computed in those that are masked off does not trap.
bool Vectorizer::masksRemainder() {
  const Cpu &cpu = target.cpu();
  auto canMask = [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(vectorDim))
      return true;
    int64_t bits = getElementTypeOrSelf(operand.get().getType()).getIntOrFloatBitWidth();
    return AccessPattern(map).contiguousLoop() == static_cast<unsigned>(vectorDim) &&
           llvm::count_if(map.getResults(),
                          [&](AffineExpr index) { return index.isFunctionOfDim(vectorDim); }) ==
               1 &&
           (bits >= 32 ? cpu.hasMaskedWords : cpu.hasMaskedMemory);
  };
  auto mayTrap = [](Operation &inner) {
    return isa<tensor::ExtractOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
               arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner);
  };
  return llvm::all_of(op->getOpOperands(), canMask) && llvm::none_of(*op.getBody(), mayTrap);
}

/// Builds `body` with its first `count` lanes.
Value Vectorizer::masked(Value count, llvm::function_ref<Value()> body) {
  mask = vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), count);
  Value result = body();
  mask = {};
  return result;
}

/// Builds loops over the vectors of `size` elements. The remainder of a dynamic size is masked, or
/// computed in shorter and shorter vectors.
Value Vectorizer::vectorLoop(OpFoldResult size, ArrayRef<int64_t> widths, Value tensor,
                             llvm::function_ref<Value(Value, int64_t, Value)> body) {
  auto rest = [&](Value i, Value count, Value t) {
    return masked(count, [&] { return body(i, lanes, t); });
  };
  auto none = [](Value /*i*/, Value /*count*/, Value t) { return t; };
  if (sizes.divisor(vectorDim) % lanes == 0)
    return buildVectorLoop(b, loc, size, widths, tensor, body, none);
  if (!getConstantIntValue(size) && masksRemainder())
    return buildVectorLoop(b, loc, size, widths, tensor, body, rest);
  return buildVectorLoop(b, loc, size, widths, tensor, body, nullptr);
}

/// Returns the partial results of a row of dynamic size in lanes, in the order of a static one:
/// chains, then the vectors after them as parts of their own, or in place of the chains if there
/// are none.
Value Vectorizer::partialResultsOfDynamicRow() {
  int64_t chains = chainsOfRow(), step = chains * lanes;
  bool hasWholeSteps = sizes.greatest(vectorDim) >= step;
  OpFoldResult end = wholeSteps(b, loc, ends[vectorDim], step);
  SmallVector<Value> sums(chains, neutral(lanes));
  if (hasWholeSteps)
    sums = partialResultsInChains(end);
  if (sizes.divisor(vectorDim) % step == 0)
    return combineParts(sums);
  auto withRemainder = [&] {
    SmallVector<Value> parts = partsOfRemainder(index(end));
    if (!hasWholeSteps)
      return combineParts(parts);
    SmallVector<Value> all(sums);
    if (sizes.least(vectorDim) >= step) {
      llvm::append_range(all, parts);
      return combineParts(all);
    }
    Value isShort =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index(end), index(int64_t(0)));
    Value neutralPart = neutral(lanes);
    for (auto [sum, part] : llvm::zip(all, parts))
      sum = arith::SelectOp::create(b, loc, isShort, part, sum);
    for (Value part : parts)
      all.push_back(arith::SelectOp::create(b, loc, isShort, neutralPart, part));
    return combineParts(all);
  };
  if (!hasWholeSteps)
    return withRemainder();
  Value isWhole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index(end), index(ends[vectorDim]));
  return either(
      isWhole, [&] { return combineParts(sums); }, withRemainder);
}

/// Builds `yes` where `condition` holds, and `no` where it does not.
Value Vectorizer::either(Value condition, llvm::function_ref<Value()> yes,
                         llvm::function_ref<Value()> no) {
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(op.getDpsInits()[0].getType()));
  auto branch = scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, yes());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, no());
  return branch.getResult(0);
}

/// Computes a vector for each chain from the elements of a row after `begin`; lanes after its end
/// are neutral.
SmallVector<Value> Vectorizer::partsOfRemainder(Value begin) {
  SmallVector<Value> parts;
  for (int64_t c = 0; c < chainsOfRow(); ++c) {
    Value first = b.createOrFold<arith::AddIOp>(loc, begin, index(c * lanes));
    Value count = index(difference(b, loc, ends[vectorDim], first));
    auto computed = [&] {
      ivs[vectorDim] = first;
      return compute(neutral(lanes), lanes);
    };
    if (masksRemainder()) {
      parts.push_back(masked(count, [&] {
        return arith::SelectOp::create(b, loc, mask, computed(), neutral(lanes)).getResult();
      }));
      continue;
    }
    Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count, index(lanes));
    parts.push_back(either(isWhole, computed, [&] { return partByElement(first, count); }));
  }
  return parts;
}

/// Computes the first `count` lanes element by element.
Value Vectorizer::partByElement(Value begin, Value count) {
  Value start = neutral(1);
  return buildFor(b, loc, index(int64_t(0)), count, 1, neutral(lanes), [&](Value i, Value part) {
    ivs[vectorDim] = arith::AddIOp::create(b, loc, begin, i);
    Value element = vector::ExtractOp::create(b, loc, start, ArrayRef<int64_t>{0});
    return vector::InsertOp::create(b, loc, compute(element, 0), part, OpFoldResult(i)).getResult();
  });
}

} // namespace kgen
