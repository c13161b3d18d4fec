#include "transforms/memory/NonTemporal.h"

#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

#include <numeric>

using namespace mlir;

namespace kgen {

/// What divides the first value and the step of a loop's variable; 1 if it is no such variable.
static int64_t divisorOfVariable(BlockArgument variable) {
  auto loop = dyn_cast<LoopLikeOpInterface>(variable.getOwner()->getParentOp());
  auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
  auto lower = loop ? loop.getLoopLowerBounds() : std::nullopt;
  auto steps = loop ? loop.getLoopSteps() : std::nullopt;
  if (!variables || !lower || !steps)
    return 1;
  for (auto [own, from, step] : llvm::zip_equal(*variables, *lower, *steps))
    if (own == variable)
      return std::gcd(knownDivisor(from), knownDivisor(step));
  return 1;
}

static int64_t knownDivisor(AffineExpr index, affine::AffineApplyOp op) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (binary && index.getKind() == AffineExprKind::Add)
    return std::gcd(knownDivisor(binary.getLHS(), op), knownDivisor(binary.getRHS(), op));
  if (binary && index.getKind() == AffineExprKind::Mul)
    return knownDivisor(binary.getLHS(), op) * knownDivisor(binary.getRHS(), op);
  if (auto dimension = dyn_cast<AffineDimExpr>(index))
    return knownDivisor(op.getDimOperands()[dimension.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(index))
    return knownDivisor(op.getSymbolOperands()[symbol.getPosition()]);
  return std::abs(index.getLargestKnownDivisor());
}

int64_t knownDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (auto variable = dyn_cast<BlockArgument>(value))
    return divisorOfVariable(variable);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return std::gcd(knownDivisor(sum.getLhs()), knownDivisor(sum.getRhs()));
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return knownDivisor(product.getLhs()) * knownDivisor(product.getRhs());
  if (auto affine = value.getDefiningOp<affine::AffineApplyOp>())
    return knownDivisor(affine.getAffineMap().getResult(0), affine);
  return 1;
}

bool isOrAddsTo(Value index, Value other) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  return index == other || (sum && llvm::is_contained(sum.getOperands(), other));
}

Value isAlignedTo(OpBuilder &b, Location loc, Value memory, int64_t bytes) {
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, metadata.getBaseBuffer());
  Value width = index(bytesOfElement(memory.getType()));
  Value offset = arith::MulIOp::create(b, loc, metadata.getOffset(), width);
  Value first = arith::AddIOp::create(b, loc, base, offset);
  Value excess = arith::AndIOp::create(b, loc, first, index(bytes - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, excess, index(0));
}

} // namespace kgen
