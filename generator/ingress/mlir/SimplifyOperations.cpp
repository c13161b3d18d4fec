// Operations of the file as others that mean the same.
#include "dialect/kgen/EmptyTensor.h"
#include "ingress/mlir/ImportParts.h"
#include "ops/SymbolicSizes.h"

#include <mlir/Conversion/AffineToStandard/AffineToStandard.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {
namespace {

/// The operation on one tensor, between roundings of its elements, where these are of a type that
/// has no arithmetic of its own.
void widenSoftmax(linalg::SoftmaxOp op) {
  Type element = op.getInputOperandType().getElementType();
  if (element.isF32() || element.isF64())
    return;
  OpBuilder b(op);
  Value wide = convertedElements(b, op.getLoc(), op.getInput(), b.getF32Type());
  Value init = emptyLike(b, op.getLoc(), op.getInput(), b.getF32Type());
  auto inner = linalg::SoftmaxOp::create(b, op.getLoc(), TypeRange(init.getType()), wide, init,
                                         op.getDimensionAttr());
  op->getResult(0).replaceAllUsesWith(
      convertedElements(b, op.getLoc(), inner->getResult(0), element));
  op->erase();
}

bool expandSoftmaxes(func::FuncOp function) {
  function.walk([](linalg::SoftmaxOp op) {
    if (op.hasPureTensorSemantics())
      widenSoftmax(op);
  });
  WalkResult done = function.walk([](linalg::SoftmaxOp op) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(b);
    if (failed(parts)) {
      op.emitError("the softmax cannot be taken apart");
      return WalkResult::interrupt();
    }
    op->replaceAllUsesWith(*parts);
    op->erase();
    return WalkResult::advance();
  });
  return !done.wasInterrupted();
}

/// Replaces casts of tensors to types with as many bits by operations on elements.
void expandBitcasts(func::FuncOp function) {
  function.walk([](tensor::BitcastOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getSource().getType()))
      return;
    OpBuilder b(op);
    Value empty = emptyLike(b, op.getLoc(), op.getSource(), type.getElementType());
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location at, ValueRange args) {
      Value x = arith::BitcastOp::create(inner, at, type.getElementType(), args[0]);
      linalg::YieldOp::create(inner, at, x);
    };
    auto generic = linalg::GenericOp::create(b, op.getLoc(), empty.getType(), op.getSource(), empty,
                                             maps, loops, body);
    op.getResult().replaceAllUsesWith(generic.getResult(0));
    op.erase();
  });
}

/// Packs and unpacks of sizes that are known at run time are pads, reshapes and transpositions:
/// those of fixed sizes have code of their own.
bool lowerDynamicPacks(func::FuncOp function) {
  SmallVector<Operation *> packs;
  function.walk([&](Operation *op) {
    auto isDynamic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    };
    if (isa<linalg::PackOp, linalg::UnPackOp>(op) && llvm::any_of(op->getOperandTypes(), isDynamic))
      packs.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (Operation *op : packs) {
    Location where = op->getLoc();
    StringRef name = op->getName().getStringRef();
    rewriter.setInsertionPoint(op);
    bool isLowered = isa<linalg::PackOp>(op)
                         ? succeeded(linalg::lowerPack(rewriter, cast<linalg::PackOp>(op)))
                         : succeeded(linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op)));
    if (!isLowered)
      return emitError(where) << "'" << name
                              << "' of sizes that are known at run time cannot be taken apart: "
                                 "expected tiles of fixed sizes",
             false;
  }
  return true;
}

/// `affine.for` and `affine.if` on tensors are those of scf with bounds and conditions of arith.
bool lowerAffineControl(func::FuncOp function) {
  WalkResult found = function.walk([](Operation *op) {
    return isa<affine::AffineForOp, affine::AffineIfOp>(op) ? WalkResult::interrupt()
                                                            : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return true;
  PassManager lowering(function.getContext(), func::FuncOp::getOperationName());
  lowering.addPass(createLowerAffinePass());
  lowering.addPass(createCanonicalizerPass());
  return succeeded(lowering.run(function));
}

} // namespace

Value convertedElements(OpBuilder &b, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = emptyLike(b, loc, value, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  bool widens = element.getIntOrFloatBitWidth() > type.getElementTypeBitWidth();
  return linalg::GenericOp::create(
             b, loc, empty.getType(), value, empty, maps, loops,
             [&](OpBuilder &inner, Location at, ValueRange args) {
               Value x = args[0];
               x = widens ? arith::ExtFOp::create(inner, at, element, x).getResult()
                          : arith::TruncFOp::create(inner, at, element, x).getResult();
               linalg::YieldOp::create(inner, at, x);
             })
      .getResult(0);
}

bool simplifyOperations(func::FuncOp function) {
  expandBitcasts(function);
  return lowerAffineControl(function) && expandSoftmaxes(function) && lowerDynamicPacks(function);
}

void fillUnwrittenInits(func::FuncOp function) {
  function.walk(
      [](linalg::LinalgOp op) {
        for (OpOperand &init : op.getDpsInitsMutable()) {
          auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
          if (!empty || !op.payloadUsesValueFromOperand(&init))
            continue;
          emitWarning(op.getLoc())
              << "'" << op->getName()
              << "' reads what its 'outs' holds, a 'tensor.empty' that nobody "
              << "has written: it is taken for zeros; 'linalg.fill' says what it shall be";
          OpBuilder b(op);
          Value zero = arith::ConstantOp::create(b, op.getLoc(),
                                                 b.getZeroAttr(empty.getType().getElementType()));
          init.set(linalg::FillOp::create(b, op.getLoc(), zero, empty.getResult()).getResult(0));
        }
      });
}

} // namespace kgen
