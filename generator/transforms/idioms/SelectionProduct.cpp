#include "transforms/idioms/SelectionProduct.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

#include <cmath>

using namespace mlir;

namespace kgen {

namespace {

/// A matrix whose loops are a reduction and one of the result's.
struct Matrix {
  int64_t rows, columns, rowStride, columnStride; ///< rows are summed over

  /// Notes the only element of each column; false if a column has several, or none.
  template <typename Numbers> bool select(const Numbers &numbers, SelectionProduct &found) const {
    found.indices.assign(columns, -1);
    found.factors.assign(columns, 0);
    int64_t left = columns;
    for (auto [at, number] : llvm::enumerate(numbers)) {
      if (number == 0)
        continue;
      int64_t row = static_cast<int64_t>(at) / rowStride % rows,
              column = static_cast<int64_t>(at) / columnStride % columns;
      if (found.indices[column] >= 0 || !std::isfinite(number))
        return false;
      found.indices[column] = row;
      found.factors[column] = number;
      --left;
    }
    return left == 0;
  }
};

bool selects(const Matrix &matrix, ElementsAttr constant, SelectionProduct &found) {
  auto read = [&](auto resource) {
    auto numbers = resource ? resource.tryGetAsArrayRef() : std::nullopt;
    return numbers && matrix.select(*numbers, found);
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getElementType().isF32() ? matrix.select(dense.getValues<float>(), found)
                                          : matrix.select(dense.getValues<double>(), found);
  return read(dyn_cast<DenseF32ResourceElementsAttr>(constant)) ||
         read(dyn_cast<DenseF64ResourceElementsAttr>(constant));
}

} // namespace

bool SelectionProduct::isDiagonal() const {
  for (auto [n, index] : llvm::enumerate(indices))
    if (index != static_cast<int64_t>(n))
      return false;
  return static_cast<int64_t>(indices.size()) ==
         cast<ShapedType>(source.getType()).getDimSize(axis);
}

bool SelectionProduct::hasFactors() const {
  return llvm::any_of(factors, [](double factor) { return factor != 1; });
}

std::optional<SelectionProduct> selectionProduct(linalg::LinalgOp op) {
  if (!sumsProducts(op) || op.getNumReductionLoops() != 1)
    return std::nullopt;
  Type element = getElementTypeOrSelf(op->getResult(0));
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  for (unsigned side : {1U, 0U}) {
    ElementsAttr constant;
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(side)),
              other = op.getMatchingIndexingMap(op.getDpsInputOperand(1 - side));
    if (!matchPattern(op.getDpsInputs()[side], m_Constant(&constant)) || map.getNumResults() != 2 ||
        !map.isProjectedPermutation() || !other.isProjectedPermutation())
      continue;
    bool isRowFirst =
        op.getIteratorTypesArray()[map.getDimPosition(0)] == utils::IteratorType::reduction;
    AffineExpr row = map.getResult(isRowFirst ? 0 : 1), column = map.getResult(isRowFirst ? 1 : 0);
    // The result has the columns where the operand has the rows.
    std::optional<unsigned> axis = other.getResultPosition(row);
    if (!axis || other.getNumResults() != out.getNumResults() ||
        other.replace(row, column, other.getNumDims(), 0) != out)
      continue;
    auto type = cast<ShapedType>(constant.getType());
    int64_t second = type.getDimSize(1);
    Matrix matrix{type.getDimSize(isRowFirst ? 0 : 1), type.getDimSize(isRowFirst ? 1 : 0),
                  isRowFirst ? second : 1, isRowFirst ? 1 : second};
    SelectionProduct found{op.getDpsInputs()[1 - side], *axis, {}, {}};
    if (selects(matrix, constant, found))
      return found;
  }
  return std::nullopt;
}

Value gathered(OpBuilder &b, Location loc, const SelectionProduct &product) {
  auto type = cast<RankedTensorType>(product.source.getType());
  auto count = static_cast<int64_t>(product.indices.size());
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, product.source);
  sizes[product.axis] = b.getIndexAttr(count);
  auto tableType = RankedTensorType::get(count, b.getI64Type());
  Value table = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tableType, ArrayRef<int64_t>(product.indices)));
  Value init = emptyTensor(b, loc, sizes, type.getElementType());
  AffineMap all = b.getMultiDimIdentityMap(type.getRank()),
            along = AffineMap::get(type.getRank(), 0, b.getAffineDimExpr(product.axis));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange v) {
    SmallVector<Value> indices;
    for (int64_t d = 0; d < type.getRank(); ++d)
      indices.push_back(
          d == product.axis
              ? arith::IndexCastOp::create(inner, at, inner.getIndexType(), v[0]).getResult()
              : linalg::IndexOp::create(inner, at, d).getResult());
    Value number = tensor::ExtractOp::create(inner, at, product.source, indices);
    linalg::YieldOp::create(inner, at, number);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), table, init,
                                   ArrayRef<AffineMap>{along, all}, loops, body)
      .getResult(0);
}

Value scaledAlong(OpBuilder &b, Location loc, Value tensor, const SelectionProduct &product) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Attribute> numbers;
  for (double factor : product.factors)
    numbers.push_back(b.getFloatAttr(type.getElementType(), factor));
  auto factorType =
      RankedTensorType::get(static_cast<int64_t>(numbers.size()), type.getElementType());
  Value factors =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(factorType, ArrayRef(numbers)));
  Value init = emptyLike(b, loc, tensor);
  AffineMap all = b.getMultiDimIdentityMap(type.getRank()),
            along = AffineMap::get(type.getRank(), 0, b.getAffineDimExpr(product.axis));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, ValueRange{tensor, factors}, init,
                                   ArrayRef<AffineMap>{all, along, all}, loops,
                                   [](OpBuilder &inner, Location at, ValueRange v) {
                                     Value product = arith::MulFOp::create(inner, at, v[0], v[1]);
                                     linalg::YieldOp::create(inner, at, product);
                                   })
      .getResult(0);
}

} // namespace kgen
