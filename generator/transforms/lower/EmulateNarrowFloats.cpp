// The pass kgen-emulate-narrow-floats, and what bf16 and f16 share.
#include "transforms/lower/EmulateNarrowFloats.h"
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/AttrTypeSubElements.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EMULATENARROWFLOATSPASS
#include "transforms/lower/Passes.h.inc"

namespace {

/// True for arithmetic on values of type `narrow`, which has another meaning on integers.
bool computesIn(Operation *op, FloatType narrow) {
  if (isa<arith::BitcastOp, arith::SelectOp, arith::ConstantOp>(op))
    return false;
  bool arithmetic = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                    isa<vector::FMAOp, vector::ReductionOp, vector::MultiDimReductionOp,
                        vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
  auto isNarrow = [&](Type type) { return getElementTypeOrSelf(type) == narrow; };
  return arithmetic && (llvm::any_of(op->getOperandTypes(), isNarrow) ||
                        llvm::any_of(op->getResultTypes(), isNarrow));
}

/// True for CPU instructions, which keep their types.
bool isInstruction(Operation *op) { return isa<LLVM::CallIntrinsicOp>(op); }

/// Replaces the type `narrow`, and constants of it, by i16.
AttrTypeReplacer integersFor(FloatType narrow) {
  Type bits = IntegerType::get(narrow.getContext(), 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([narrow, bits](FloatType type) -> std::optional<Type> {
    return type == narrow ? std::optional<Type>(bits) : std::nullopt;
  });
  using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
  replacer.addReplacement([narrow, bits](FloatAttr number) -> Replaced {
    if (number.getType() != narrow)
      return std::nullopt;
    return {{IntegerAttr::get(bits, number.getValue().bitcastToAPInt()), WalkResult::skip()}};
  });
  replacer.addReplacement([narrow, bits](DenseElementsAttr numbers) -> Replaced {
    if (numbers.getElementType() != narrow)
      return std::nullopt;
    return {{numbers.bitcast(bits), WalkResult::skip()}};
  });
  return replacer;
}

/// An instruction and its original types.
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

} // namespace

Type withElements(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

void convertByF32(ModuleOp module, FloatType narrow) {
  IRRewriter rewriter(module.getContext());
  auto inF32 = [&](Operation *op) {
    return withElements(op->getResult(0).getType(), rewriter.getF32Type());
  };
  module.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    bool isInteger = isa<arith::SIToFPOp, arith::UIToFPOp>(op);
    if (isInteger && getElementTypeOrSelf(op->getResult(0)) == narrow) {
      Operation *inFloat = rewriter.clone(*op);
      inFloat->getResult(0).setType(inF32(op));
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op->getResult(0).getType(),
                                                   inFloat->getResult(0));
    } else if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
      if (getElementTypeOrSelf(extension.getIn()) != narrow ||
          !getElementTypeOrSelf(extension.getType()).isF64())
        return;
      Value single = arith::ExtFOp::create(rewriter, op->getLoc(), inF32(op), extension.getIn());
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, extension.getType(), single);
    }
  });
}

void dropDefaultRounding(ModuleOp module, FloatType narrow) {
  module.walk([&](arith::TruncFOp op) {
    if (getElementTypeOrSelf(op.getType()) == narrow &&
        op.getRoundingmode() == arith::RoundingMode::to_nearest_even)
      op.removeRoundingmodeAttr();
  });
}

LogicalResult storeAsIntegers(ModuleOp module, FloatType narrow) {
  SmallVector<Instruction> instructions;
  WalkResult checked = module.walk([&](Operation *op) {
    if (isInstruction(op))
      instructions.push_back(
          {op, SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())});
    if (!computesIn(op, narrow))
      return WalkResult::advance();
    op->emitOpError() << "computes in " << narrow << ": extend its operands to f32";
    return WalkResult::interrupt();
  });
  if (checked.wasInterrupted())
    return failure();
  integersFor(narrow).recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                                   /*replaceLocs=*/false, /*replaceTypes=*/true);
  IRRewriter rewriter(module.getContext());
  for (const Instruction &instruction : instructions)
    restore(rewriter, instruction);
  module.walk([&](arith::BitcastOp cast) {
    if (cast.getIn().getType() == cast.getType())
      rewriter.replaceOp(cast, cast.getIn());
  });
  return success();
}

namespace {

struct EmulateNarrowFloatsPass : impl::EmulateNarrowFloatsPassBase<EmulateNarrowFloatsPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        ++numConversions;
    });
    if (failed(emulateBf16(getOperation())) || failed(emulateF16(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
