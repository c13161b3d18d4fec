// The dot products of bytes that CPUs have take one operand without sign and one with it. Where a
// contraction has two of one kind, A becomes the other kind, and a constant for each column makes
// up for it.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/layout/ConstantBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_S8S8COMPENSATIONPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

/// Rows from which on tiles, which take any signs, make the product.
constexpr int64_t rowsOfTiles = 16;

/// B's sums over what is summed over, modulo 2^32, and the dimensions of C that they have.
struct ColumnSums {
  RankedTensorType type;
  AffineMap map; ///< from the dimensions of C
  SmallVector<int32_t> sums;
};

/// A walk over a constant's elements in memory: one index for each dimension.
void addElements(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultStrides, const char *source,
                 bool isUnsigned, MutableArrayRef<int32_t> sums) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = ShapedType::getNumElements(shape), inner = shape.back(), at = 0;
  for (int64_t i = 0; i < count; i += inner) {
    for (int64_t j = 0; j < inner; ++j) {
      auto byte = static_cast<uint8_t>(source[i + j]);
      int32_t &sum = sums[at + j * resultStrides.back()];
      sum = static_cast<int32_t>(static_cast<uint32_t>(sum) +
                                 (isUnsigned ? byte : static_cast<int8_t>(byte)));
    }
    for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d) {
      at += resultStrides[d];
      if (++index[d] < shape[d])
        break;
      at -= resultStrides[d] * shape[d];
      index[d] = 0;
    }
  }
}

/// Nothing if B is packed, or not constant.
std::optional<ColumnSums> columnSums(ContractionOpInterface op) {
  ElementsAttr constant;
  auto type = dyn_cast<RankedTensorType>(op.getB().getType());
  if (!type || op.getPanel() || type.getNumElements() == 0 || type.getRank() == 0 ||
      !matchPattern(op.getB(), m_Constant(&constant)))
    return std::nullopt;
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty())
    return std::nullopt;
  // The dimensions of C in ascending order: an extra is read along with C.
  unsigned parallel = op.getCType().getRank();
  SmallVector<int64_t> shape, strides(type.getRank(), 0);
  SmallVector<AffineExpr> results;
  int64_t count = 1;
  for (int64_t dimension = static_cast<int64_t>(parallel) - 1; dimension >= 0; --dimension) {
    AffineExpr expression = getAffineDimExpr(dimension, op.getContext());
    std::optional<unsigned> position = op.getBMap().getResultPosition(expression);
    if (!position)
      continue;
    strides[*position] = count;
    count *= type.getDimSize(*position);
    shape.insert(shape.begin(), type.getDimSize(*position));
    results.insert(results.begin(), expression);
  }
  ColumnSums result{RankedTensorType::get(shape, IntegerType::get(op.getContext(), 32)),
                    AffineMap::get(parallel, 0, results, op.getContext()),
                    SmallVector<int32_t>(count, 0)};
  addElements(type.getShape(), strides, bytes.data(), op.getBUnsigned(), result.sums);
  return result;
}

/// `a` with the highest bit of each byte flipped: 128 more if it was signed, 128 less if not.
Value flipped(OpBuilder &b, Location loc, Value a) {
  auto type = cast<RankedTensorType>(a.getType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(
             b, loc, type, a, empty, ArrayRef{identity, identity}, iterators,
             [](OpBuilder &inner, Location where, ValueRange arguments) {
               Value highest =
                   arith::ConstantOp::create(inner, where, inner.getI8IntegerAttr(-128));
               linalg::YieldOp::create(
                   inner, where,
                   ValueRange{arith::XOrIOp::create(inner, where, arguments[0], highest)});
             })
      .getResult(0);
}

/// The epilogue begins by adding `correction` to the sum.
void addToSum(OpBuilder &b, ContractionOpInterface op, Value correction, AffineMap map) {
  SmallVector<Attribute> maps(op.getEpilogueMaps().getValue());
  maps.push_back(AffineMapAttr::get(map));
  op->insertOperands(op->getNumOperands() - 1, correction);
  op->setAttr("epilogue_maps", b.getArrayAttr(maps));
  Block &body = op.getEpilogue().front();
  BlockArgument sum = body.getArgument(0), added = body.addArgument(sum.getType(), op.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  auto total = arith::AddIOp::create(inner, op.getLoc(), sum, added);
  sum.replaceAllUsesExcept(total, total);
}

void flip(ContractionOpInterface op, const ColumnSums &columns) {
  OpBuilder b(op);
  Location loc = withPurpose(op.getLoc(), "signs");
  SmallVector<int32_t> corrections;
  for (int32_t sum : columns.sums)
    corrections.push_back(
        static_cast<int32_t>(static_cast<uint32_t>(sum) * (op.getAUnsigned() ? 128u : -128u)));
  Value correction = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(columns.type, ArrayRef<int32_t>(corrections)));
  addToSum(b, op, correction, columns.map);
  op->setOperand(0, flipped(b, loc, op.getA()));
  if (op.getAUnsigned())
    op->removeAttr("a_unsigned");
  else
    op->setAttr("a_unsigned", b.getUnitAttr());
}

struct S8S8CompensationPass : impl::S8S8CompensationPassBase<S8S8CompensationPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<ContractionOpInterface> found;
    getOperation().walk([&](ContractionOpInterface op) {
      if (hasOneKind(op, target))
        found.push_back(op);
    });
    for (ContractionOpInterface op : found)
      if (auto columns = columnSums(op))
        flip(op, *columns);
  }

private:
  /// Whether both operands are bytes with sign, or both without, where an instruction wants one of
  /// each.
  static bool hasOneKind(ContractionOpInterface op, TargetAttr target) {
    Type a = op.getAType(), b = op.getBType();
    bool isTiled = target.productForm(a, b) == ProductForm::amx && op.getM() >= rowsOfTiles;
    return a.isInteger(8) && b.isInteger(8) && op.getAUnsigned() == op.getBUnsigned() &&
           isa<RankedTensorType>(op.getA().getType()) && !isTiled &&
           target.vectorProductForm(a, b) == ProductForm::dotProduct;
  }
};

} // namespace
} // namespace kgen
