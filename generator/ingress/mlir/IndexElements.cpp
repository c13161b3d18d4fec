// Tensors of index in a node's code hold i64: what follows knows types of elements by their bits.
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

bool holdsIndices(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIndex();
}

class IndexStorage {
public:
  explicit IndexStorage(func::FuncOp function) : function(function), b(function.getContext()) {}

  void convert() {
    SmallVector<linalg::LinalgOp> named;
    SmallVector<Operation *> all;
    function.walk([&](Operation *op) {
      auto computed = dyn_cast<linalg::LinalgOp>(op);
      if (computed && !isa<linalg::GenericOp>(op) &&
          llvm::any_of(op->getOperandTypes(), holdsIndices))
        named.push_back(computed);
    });
    IRRewriter rewriter(function.getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    function.walk([&](Operation *op) { all.push_back(op); });
    for (Operation *op : all)
      castScalars(op);
    for (Operation *op : all)
      changeResults(op);
    for (BlockArgument argument : function.getArguments())
      argument.setType(stored(argument.getType()));
    Operation *end = function.getBody().front().getTerminator();
    function.setFunctionType(FunctionType::get(function.getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               end->getOperandTypes()));
  }

private:
  Type stored(Type type) {
    return holdsIndices(type) ? cast<RankedTensorType>(type).clone(b.getI64Type()) : type;
  }

  /// An operand that is an element becomes an i64.
  void castOperand(OpOperand &operand) {
    b.setInsertionPoint(operand.getOwner());
    operand.set(
        arith::IndexCastOp::create(b, operand.getOwner()->getLoc(), b.getI64Type(), operand.get()));
  }

  /// A value that was an element is one again.
  void castResult(Value value) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    value.setType(b.getI64Type());
    if (uses.empty())
      return;
    b.setInsertionPointAfterValue(value);
    Value index = arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
    for (OpOperand *use : uses)
      use->set(index);
  }

  /// Between elements of tensors and what is computed of them.
  void castScalars(Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (holdsIndices(operand.get().getType()))
          castResult(generic.getMatchingBlockArgument(&operand));
      for (OpOperand &given : generic.getBody()->getTerminator()->getOpOperands())
        if (given.get().getType().isIndex())
          castOperand(given);
      return;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op);
        extract && holdsIndices(extract.getTensor().getType()))
      return castResult(extract.getResult());
    if (auto insert = dyn_cast<tensor::InsertOp>(op); insert && holdsIndices(insert.getType()))
      return castOperand(insert.getScalarMutable());
    if (auto pack = dyn_cast<linalg::PackOp>(op);
        pack && pack.getPaddingValue() && holdsIndices(pack.getSource().getType()))
      return castOperand(pack.getPaddingValueMutable()[0]);
    if (auto splat = dyn_cast<tensor::SplatOp>(op); splat && holdsIndices(splat.getType()))
      return castOperand(splat.getInputMutable());
    if (isa<tensor::FromElementsOp>(op) && holdsIndices(op->getResult(0).getType()))
      for (OpOperand &element : op->getOpOperands())
        castOperand(element);
    if (isa<tensor::GenerateOp, tensor::PadOp>(op) && holdsIndices(op->getResult(0).getType()))
      castOperand(op->getRegion(0).front().getTerminator()->getOpOperand(0));
  }

  void changeResults(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op);
        constant && holdsIndices(constant.getType())) {
      auto numbers = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
          cast<ShapedType>(stored(constant.getType())), numbers.getRawData()));
    }
    for (Value result : op->getResults())
      result.setType(stored(result.getType()));
  }

  func::FuncOp function;
  OpBuilder b;
};

/// Sums of indices with a carry, which upstream lowers to code that is invalid.
void expandCarries(func::FuncOp function) {
  function.walk([](arith::AddUIExtendedOp op) {
    if (!op.getSum().getType().isIndex())
      return;
    OpBuilder b(op);
    Value sum = arith::AddIOp::create(b, op.getLoc(), op.getLhs(), op.getRhs());
    Value carry =
        arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ult, sum, op.getLhs());
    op.replaceAllUsesWith(ValueRange{sum, carry});
    op.erase();
  });
}

} // namespace

void storeIndicesAsIntegers(func::FuncOp function) {
  expandCarries(function);
  WalkResult found = function.walk([](Operation *op) {
    return llvm::any_of(op->getResultTypes(), holdsIndices) ||
                   llvm::any_of(op->getOperandTypes(), holdsIndices)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (found.wasInterrupted())
    IndexStorage(function).convert();
}

} // namespace kgen
