// Lowers tile operations other than contractions to linalg.generic, with buildScalar as body.
#include "transforms/Passes.h"
#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TPPTOLINALGPASS
#include "transforms/Passes.h.inc"

using utils::IteratorType;

/// The maps of all operands over the iteration space.
static SmallVector<AffineMap> operandMaps(tpp::TileOpInterface op) {
  SmallVector<AffineMap> maps;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    maps.push_back(op.getOperandMap(number));
  return maps;
}

using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// A generic over all operands of `op`, the last of which is the destination.
static linalg::GenericOp genericOf(OpBuilder &b, tpp::TileOpInterface op, Body body) {
  return linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), op->getOperands().drop_back(),
      op->getOperands().take_back(), operandMaps(op), op.getIterationTypes(),
      [&](OpBuilder &inner, Location loc, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, body(inner, loc, elements));
      });
}

linalg::GenericOp createGeneric(OpBuilder &b, tpp::ElementwiseOpInterface op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return genericOf(b, tile, [&](OpBuilder &inner, Location loc, ValueRange elements) {
    return tpp::buildElement(op, inner, loc, elements.drop_back());
  });
}

namespace {

linalg::GenericOp lower(OpBuilder &b, tpp::ReduceOp op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return genericOf(b, tile, [&](OpBuilder &inner, Location loc, ValueRange elements) {
    Value element = tpp::scalar::convert(inner, loc, elements[0], elements[1].getType());
    return op.buildScalar(inner, loc, {elements[1], element});
  });
}

linalg::GenericOp lower(OpBuilder &b, tpp::TransposeOp op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return genericOf(b, tile,
                   [](OpBuilder &, Location, ValueRange elements) { return elements.front(); });
}

/// The input [k, n] as [k / v, v, n].
Value expandRows(OpBuilder &b, tpp::VnniPackOp op) {
  ArrayRef<int64_t> packed = op.getInitType().getShape();
  SmallVector<int64_t> shape{packed[0], packed[2], packed[1]};
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  if (isa<MemRefType>(op.getInputType()))
    return memref::ExpandShapeOp::create(b, op.getLoc(), shape, op.getInput(), groups);
  auto type = RankedTensorType::get(shape, op.getInputType().getElementType());
  return tensor::ExpandShapeOp::create(b, op.getLoc(), type, op.getInput(), groups);
}

/// Element (i * v + l, j) of the input, zero beyond its last row.
Value paddedElement(OpBuilder &b, Location loc, tpp::VnniPackOp op) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t rows = op.getInputType().getDimSize(0);
  Value i = linalg::IndexOp::create(b, loc, 0), j = linalg::IndexOp::create(b, loc, 1),
        l = linalg::IndexOp::create(b, loc, 2);
  Value row =
      arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, i, number(op.getFactor())), l);
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, number(rows));
  Value last = arith::MinUIOp::create(b, loc, row, number(rows - 1));
  Value element;
  if (isa<MemRefType>(op.getInputType()))
    element = memref::LoadOp::create(b, loc, op.getInput(), ValueRange{last, j});
  else
    element = tensor::ExtractOp::create(b, loc, op.getInput(), ValueRange{last, j});
  Value zero = tpp::scalar::zero(b, loc, element.getType());
  return arith::SelectOp::create(b, loc, isInside, element, zero);
}

linalg::GenericOp lower(OpBuilder &b, tpp::VnniPackOp op) {
  Location loc = op.getLoc();
  AffineExpr i, j, l;
  bindDims(op.getContext(), i, j, l);
  AffineMap packed = AffineMap::getMultiDimIdentityMap(3, op.getContext());
  SmallVector<IteratorType> iterators(3, IteratorType::parallel);
  bool isPadded = op.getInputType().getDimSize(0) % op.getFactor() != 0;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps{packed};
  if (!isPadded) {
    inputs.push_back(expandRows(b, op));
    maps.insert(maps.begin(), AffineMap::get(3, 0, {i, l, j}, op.getContext()));
  }
  return linalg::GenericOp::create(
      b, loc, op->getResultTypes(), inputs, ValueRange{op.getInit()}, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange elements) {
        Value element = isPadded ? paddedElement(inner, where, op) : elements.front();
        linalg::YieldOp::create(inner, where, element);
      });
}

linalg::GenericOp lowerAny(OpBuilder &b, Operation *op) {
  if (auto elementwise = dyn_cast<tpp::ElementwiseOpInterface>(op))
    return createGeneric(b, elementwise);
  if (auto reduce = dyn_cast<tpp::ReduceOp>(op))
    return lower(b, reduce);
  if (auto transpose = dyn_cast<tpp::TransposeOp>(op))
    return lower(b, transpose);
  if (auto pack = dyn_cast<tpp::VnniPackOp>(op))
    return lower(b, pack);
  return {};
}

struct TppToLinalgPass : impl::TppToLinalgPassBase<TppToLinalgPass> {
  using TppToLinalgPassBase::TppToLinalgPassBase;

  void runOnOperation() override {
    SmallVector<tpp::TileOpInterface> tiles;
    getOperation().walk([&](tpp::TileOpInterface op) {
      bool onBuffers = isa<MemRefType>(op->getOperands().back().getType());
      if (!op->getParentOfType<tpp::GroupOp>() && (buffers || !onBuffers))
        tiles.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (tpp::TileOpInterface op : tiles) {
      rewriter.setInsertionPoint(op);
      if (linalg::GenericOp generic = lowerAny(rewriter, op)) {
        rewriter.replaceOp(op, generic->getResults());
        ++numLowered;
      }
    }
  }
};

} // namespace
} // namespace kgen
