// Reads and writes of a part of a register by one instruction with a mask, where LLVM would make
// several of pieces of 2^n bytes.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MASKTAILSPASS
#include "transforms/Passes.h.inc"

namespace {

/// The vector in whose first lanes an access moves neighbours in memory; none where that takes one
/// instruction anyway, or more than a register.
template <typename Op> std::optional<VectorType> registerOf(Op op, int64_t registerBits) {
  auto memory = dyn_cast<MemRefType>(op.getBase().getType());
  VectorType type = op.getVectorType();
  if (!memory || !memory.isLastDimUnitStride() || type.getRank() != 1 || type.isScalable() ||
      op.getMask() || op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t count = type.getNumElements(), bits = type.getElementTypeBitWidth();
  auto lanes = static_cast<int64_t>(llvm::PowerOf2Ceil(count));
  if (lanes == count || bits < 8 || lanes * bits > registerBits)
    return std::nullopt;
  return VectorType::get({lanes}, type.getElementType());
}

Value firstLanes(OpBuilder &b, Location loc, int64_t count, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  SmallVector<bool> mask(lanes, false);
  std::fill_n(mask.begin(), count, true);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

struct MaskRead : OpRewritePattern<vector::TransferReadOp> {
  MaskRead(MLIRContext *context, int64_t registerBits)
      : OpRewritePattern(context), registerBits(registerBits) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op, PatternRewriter &b) const override {
    std::optional<VectorType> whole = registerOf(op, registerBits);
    if (!whole)
      return b.notifyMatchFailure(op, "no part of a register");
    Location loc = op.getLoc();
    int64_t count = op.getVectorType().getNumElements();
    Value rest = ub::PoisonOp::create(b, loc, *whole);
    Value mask = firstLanes(b, loc, count, whole->getNumElements());
    Value read =
        vector::MaskedLoadOp::create(b, loc, *whole, op.getBase(), op.getIndices(), mask, rest);
    b.replaceOpWithNewOp<vector::ShuffleOp>(op, read, read,
                                            llvm::to_vector(llvm::seq<int64_t>(0, count)));
    return success();
  }

  int64_t registerBits;
};

struct MaskWrite : OpRewritePattern<vector::TransferWriteOp> {
  MaskWrite(MLIRContext *context, int64_t registerBits)
      : OpRewritePattern(context), registerBits(registerBits) {}

  LogicalResult matchAndRewrite(vector::TransferWriteOp op, PatternRewriter &b) const override {
    std::optional<VectorType> whole = registerOf(op, registerBits);
    if (!whole)
      return b.notifyMatchFailure(op, "no part of a register");
    Location loc = op.getLoc();
    int64_t count = op.getVectorType().getNumElements();
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, count));
    places.resize(whole->getNumElements(), vector::ShuffleOp::kPoisonIndex);
    Value vector = vector::ShuffleOp::create(b, loc, op.getVector(), op.getVector(), places);
    Value mask = firstLanes(b, loc, count, whole->getNumElements());
    b.replaceOpWithNewOp<vector::MaskedStoreOp>(op, op.getBase(), op.getIndices(), mask, vector);
    return success();
  }

  int64_t registerBits;
};

struct MaskTailsPass : impl::MaskTailsPassBase<MaskTailsPass> {
  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    if (!target || !target.hasFeature("avx512vl") || !target.hasFeature("avx512bw"))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<MaskRead, MaskWrite>(&getContext(), target.getVectorBits());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace kgen
