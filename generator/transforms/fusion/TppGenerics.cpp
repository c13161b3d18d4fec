#include "transforms/fusion/TppGenerics.h"

using namespace mlir;

namespace kgen {

linalg::GenericOp createGeneric(OpBuilder &b, tpp::TileOpInterface op,
                                llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<AffineMap> maps;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    maps.push_back(op.getOperandMap(number));
  return linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), op->getOperands().drop_back(),
      op->getOperands().take_back(), maps, op.getIterationTypes(),
      [&](OpBuilder &inner, Location loc, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, body(inner, loc, elements));
      });
}

linalg::GenericOp createGeneric(OpBuilder &b, tpp::ElementwiseOpInterface op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return createGeneric(b, tile, [&](OpBuilder &inner, Location loc, ValueRange elements) {
    return tpp::buildElement(op, inner, loc, elements.drop_back());
  });
}

} // namespace kgen
