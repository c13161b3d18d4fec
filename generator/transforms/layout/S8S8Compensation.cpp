// Dot products of bytes multiply unsigned by signed bytes, or bytes of the same signedness. If the
// target has not those that a contraction needs, A changes its signedness, and a constant for each
// column compensates the sums.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/layout/Passes.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_S8S8COMPENSATIONPASS
#include "transforms/layout/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

/// The sums of B over the reduction dimensions, modulo 2^32.
struct ColumnSums {
  RankedTensorType type;
  AffineMap map; ///< from the dimensions of C to those of `type`
  SmallVector<uint32_t> sums;
};

/// Returns the sums of B over the reduction dimensions; nothing if B is packed or not constant.
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
  // The dimensions of C in ascending order: epilogue operands are read along with C.
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
                    SmallVector<uint32_t>(count, 0)};
  addBytesToSums(type.getShape(), strides, bytes.data(), op.getBUnsigned(), result.sums);
  return result;
}

/// Flips the highest bit of each byte of `a`: signed bytes gain 128, unsigned bytes lose 128.
Value flipped(OpBuilder &b, Location loc, Value a) {
  auto type = cast<RankedTensorType>(a.getType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = emptyLike(b, loc, a);
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

/// Prepends the addition of `compensation` to the epilogue.
void addToSum(OpBuilder &b, ContractionOpInterface op, Value compensation, AffineMap map) {
  SmallVector<Attribute> maps(op.getEpilogueMaps().getValue());
  maps.push_back(AffineMapAttr::get(map));
  op->insertOperands(op->getNumOperands() - 1, compensation);
  op->setAttr("epilogue_maps", b.getArrayAttr(maps));
  Block &body = op.getEpilogue().front();
  BlockArgument sum = body.getArgument(0), added = body.addArgument(sum.getType(), op.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  auto total = arith::AddIOp::create(inner, op.getLoc(), sum, added);
  sum.replaceAllUsesExcept(total, total);
}

void compensate(ContractionOpInterface op, const ColumnSums &columns) {
  OpBuilder b(op);
  Location loc = withPurpose(op.getLoc(), "compensate");
  SmallVector<int32_t> compensations;
  for (uint32_t sum : columns.sums)
    compensations.push_back(static_cast<int32_t>(sum * (op.getAUnsigned() ? 128u : -128u)));
  Value compensation = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(columns.type, ArrayRef<int32_t>(compensations)));
  addToSum(b, op, compensation, columns.map);
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
      if (needsCompensation(op, target))
        found.push_back(op);
    });
    DecisionLog log(getOperation(), getArgument());
    for (ContractionOpInterface op : found) {
      auto columns = columnSums(op);
      if (!columns) {
        ++numRefused;
        log.add("refused", op.getLoc(),
                log.details().set("why", "B is not constant: the micro-kernel flips its signs"));
        continue;
      }
      ++numCompensated;
      log.add("applied", op.getLoc(),
              log.details().set("what", "A changes its signedness, constants compensate the sums"));
      compensate(op, *columns);
    }
  }

private:
  /// True if tile registers, which take any signs, multiply it: A fills one of them.
  static bool usesTiles(ContractionOpInterface op, TargetAttr target) {
    return target.productForm(op.getAType(), op.getBType()) == ProductForm::tile &&
           op.getM() >= target.cpu().product(Product::Kind::tile, Element::i8)->rows;
  }

  /// True if both operands are bytes that the target multiplies with dot products of vectors, but
  /// not of these signs.
  static bool needsCompensation(ContractionOpInterface op, TargetAttr target) {
    Type a = op.getAType(), b = op.getBType();
    if (op.getBQuant()) // signs differ in the kernel
      return false;
    return a.isInteger(8) && b.isInteger(8) &&
           !target.cpu().multipliesBytes(op.getAUnsigned(), op.getBUnsigned()) &&
           isa<RankedTensorType>(op.getA().getType()) && !usesTiles(op, target) &&
           target.vectorProductForm(a, b) == ProductForm::dotProduct;
  }
};

} // namespace
} // namespace kgen
