// bf16 as integers of 16 bits: the same bits on every CPU, and no calls into a compiler's library.
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Dialect/X86Vector/X86VectorDialect.h>
#include <mlir/IR/AttrTypeSubElements.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDBF16PASS
#include "transforms/Passes.h.inc"

namespace {

bool isBf16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// What would mean something else on integers.
bool computesInBf16(Operation *op) {
  if (isa<arith::BitcastOp, arith::SelectOp, arith::ConstantOp>(op))
    return false;
  bool arithmetic = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                    isa<vector::FMAOp, vector::ReductionOp, vector::MultiDimReductionOp,
                        vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
  return arithmetic && (llvm::any_of(op->getOperandTypes(), isBf16) ||
                        llvm::any_of(op->getResultTypes(), isBf16));
}

/// Instructions of a CPU on bf16 keep their types.
bool isInstruction(Operation *op) {
  return isa<LLVM::CallIntrinsicOp>(op) ||
         isa_and_nonnull<x86vector::X86VectorDialect>(op->getDialect());
}

/// Replaces the type, wherever it stands, and numbers of it.
AttrTypeReplacer integersForBf16(MLIRContext *context) {
  Type bits = IntegerType::get(context, 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([bits](BFloat16Type) { return bits; });
  using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
  replacer.addReplacement([bits](FloatAttr number) -> Replaced {
    if (!number.getType().isBF16())
      return std::nullopt;
    return {{IntegerAttr::get(bits, number.getValue().bitcastToAPInt()), WalkResult::skip()}};
  });
  replacer.addReplacement([bits](DenseElementsAttr numbers) -> Replaced {
    if (!numbers.getElementType().isBF16())
      return std::nullopt;
    return {{numbers.bitcast(bits), WalkResult::skip()}};
  });
  return replacer;
}

/// An instruction and the types that it had.
struct Instruction {
  Operation *op;
  SmallVector<Type> operands, results;
};

/// Gives an instruction its types back, with casts around it.
void restore(IRRewriter &rewriter, const Instruction &instruction) {
  Operation *op = instruction.op;
  rewriter.setInsertionPoint(op);
  for (auto [operand, type] : llvm::zip(op->getOpOperands(), instruction.operands))
    if (operand.get().getType() != type)
      operand.set(arith::BitcastOp::create(rewriter, op->getLoc(), type, operand.get()));
  rewriter.setInsertionPointAfter(op);
  for (auto [result, type] : llvm::zip(op->getResults(), instruction.results)) {
    Type integers = result.getType();
    if (integers == type)
      continue;
    result.setType(type);
    auto cast = arith::BitcastOp::create(rewriter, op->getLoc(), integers, result);
    rewriter.replaceAllUsesExcept(result, cast, cast);
  }
}

/// An integer's conversion to bf16 as one to f32 and a rounding: the canonicalizer makes one of
/// two.
template <typename Op> struct ConvertByF32 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), f32 = rewriter.getF32Type();
    if (!isBf16(type))
      return failure();
    Type wide = isa<VectorType>(type) ? cast<VectorType>(type).clone(f32) : f32;
    Value real = Op::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, real);
    return success();
  }
};

/// Rounding to nearest is what upstream's patterns do, but not where it is spelled out.
void dropDefaultRounding(arith::TruncFOp op) {
  if (isBf16(op.getType()) && op.getRoundingmode() == arith::RoundingMode::to_nearest_even)
    op.removeRoundingmodeAttr();
}

struct ExpandBf16Pass : impl::ExpandBf16PassBase<ExpandBf16Pass> {
  void runOnOperation() override {
    getOperation().walk(dropDefaultRounding);
    RewritePatternSet conversions(&getContext());
    conversions.add<ConvertByF32<arith::SIToFPOp>, ConvertByF32<arith::UIToFPOp>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(conversions));
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    SmallVector<Instruction> instructions;
    WalkResult checked = getOperation().walk([&](Operation *op) {
      if (isInstruction(op))
        instructions.push_back({op, SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())});
      if (!computesInBf16(op))
        return WalkResult::advance();
      op->emitOpError("computes in bf16: widen its operands to f32");
      return WalkResult::interrupt();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    integersForBf16(&getContext())
        .recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                      /*replaceTypes=*/true);
    IRRewriter rewriter(&getContext());
    for (const Instruction &instruction : instructions)
      restore(rewriter, instruction);
    getOperation().walk([&](arith::BitcastOp cast) {
      if (cast.getIn().getType() == cast.getType())
        rewriter.replaceOp(cast, cast.getIn());
    });
  }
};

} // namespace
} // namespace kgen
