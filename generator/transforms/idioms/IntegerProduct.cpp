#include "transforms/idioms/IntegerProduct.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/NamedOps.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

namespace {

/// Builds the sides of one product.
class FactorBuilder {
public:
  FactorBuilder(OpBuilder &b, linalg::LinalgOp op)
      : b(b), op(op), loc(op->getLoc()),
        result(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {}

  QuantizedFactor factor(const ByteFactor &side, unsigned number) {
    Dequantization::Bytes bytes = side.of->build(b, loc);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(number));
    QuantizedFactor built{bytes.value,
                          bytes.map.compose(map),
                          side.of->isUnsigned(),
                          {},
                          parameter(side, scales(side))};
    if (side.hasZeroPoint())
      built.zeros = parameter(side, zeros(side));
    return built;
  }

private:
  /// One element for all, or one for each index of the loop that they belong to.
  ProductParameter parameter(const ByteFactor &side, DenseElementsAttr numbers) {
    ProductParameter built;
    if (side.loop)
      built.dimensions = {*result.getResultPosition(getAffineDimExpr(*side.loop, b.getContext()))};
    built.tensor = arith::ConstantOp::create(b, loc, numbers);
    return built;
  }
  RankedTensorType typeOf(const ByteFactor &side, Type element) const {
    SmallVector<int64_t> shape;
    if (side.loop)
      shape.push_back(static_cast<int64_t>(side.of->scales().size()));
    return RankedTensorType::get(shape, element);
  }
  DenseElementsAttr scales(const ByteFactor &side) const {
    std::vector<float> numbers;
    for (double scale : side.of->scales())
      numbers.push_back(static_cast<float>(scale));
    return DenseElementsAttr::get(typeOf(side, b.getF32Type()), ArrayRef<float>(numbers));
  }
  DenseElementsAttr zeros(const ByteFactor &side) const {
    std::vector<int8_t> numbers;
    for (int64_t zero : side.of->zeroPoints())
      numbers.push_back(static_cast<int8_t>(zero));
    return DenseElementsAttr::get(typeOf(side, b.getI8Type()), ArrayRef<int8_t>(numbers));
  }

  OpBuilder &b;
  linalg::LinalgOp op;
  Location loc;
  AffineMap result;
};

} // namespace

int64_t reductionDepth(linalg::LinalgOp op) {
  int64_t depth = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    depth *= kind == utils::IteratorType::reduction ? size : 1;
  return depth;
}

Value buildIntegerProduct(OpBuilder &b, linalg::LinalgOp op, const ByteFactor (&sides)[2]) {
  FactorBuilder builder(b, op);
  QuantizedFactor left = builder.factor(sides[0], 0), right = builder.factor(sides[1], 1);
  Value init = emptyLike(b, op->getLoc(), op->getResult(0));
  return QuantizedProductOp::create(b, op->getLoc(), left, right, init,
                                    op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
}

} // namespace kgen
