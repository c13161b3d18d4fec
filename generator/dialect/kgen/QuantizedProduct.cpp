// Products of bytes: the verifier of kgen.quantized_product, its shape, and what it is by
// definition.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

void QuantizedProductOp::build(OpBuilder &b, OperationState &state, const QuantizedFactor &left,
                               const QuantizedFactor &right, Value init, AffineMap resultMap,
                               Value divisor, const ProductParameter &bias) {
  auto dimensions = [&](const ProductParameter &parameter) {
    return parameter.tensor ? b.getDenseI64ArrayAttr(parameter.dimensions) : DenseI64ArrayAttr();
  };
  auto flag = [&](bool isSet) { return isSet ? b.getUnitAttr() : UnitAttr(); };
  build(b, state, init.getType(), left.bytes, right.bytes, init, left.zeros.tensor,
        right.zeros.tensor, left.scales.tensor, right.scales.tensor, divisor, bias.tensor,
        b.getAffineMapArrayAttr({left.map, right.map, resultMap}), dimensions(left.zeros),
        dimensions(right.zeros), dimensions(left.scales), dimensions(right.scales),
        dimensions(bias), flag(left.isUnsigned), flag(right.isUnsigned));
}

QuantizedFactor QuantizedProductOp::leftFactor() {
  return {getLeft(),
          leftMap(),
          getLeftUnsigned(),
          {getLeftZeros(), llvm::to_vector(getLeftZeroDimensions())},
          {getLeftScales(), llvm::to_vector(getLeftScaleDimensions())}};
}

QuantizedFactor QuantizedProductOp::rightFactor() {
  return {getRight(),
          rightMap(),
          getRightUnsigned(),
          {getRightZeros(), llvm::to_vector(getRightZeroDimensions())},
          {getRightScales(), llvm::to_vector(getRightScaleDimensions())}};
}

/// The size of a loop that is a dimension of a side; of others, `kDynamic`.
static int64_t sizeOfLoop(const QuantizedFactor &factor, unsigned loop) {
  auto dim = factor.map.getResultPosition(getAffineDimExpr(loop, factor.map.getContext()));
  return dim ? cast<RankedTensorType>(factor.bytes.getType()).getDimSize(*dim)
             : ShapedType::kDynamic;
}

int64_t QuantizedProductOp::depth() {
  int64_t depth = 1;
  for (unsigned loop = 0; loop < resultMap().getNumDims(); ++loop)
    if (isSummed(loop)) {
      int64_t left = sizeOfLoop(leftFactor(), loop);
      depth *= ShapedType::isDynamic(left) ? sizeOfLoop(rightFactor(), loop) : left;
    }
  return depth;
}

/// A parameter, if it is there, has dimensions of the result.
static LogicalResult verifyParameter(QuantizedProductOp op, const ProductParameter &parameter,
                                     StringRef name) {
  if (!parameter.tensor)
    return parameter.dimensions.empty()
               ? success()
               : op.emitOpError() << "has dimensions of '" << name << "' without them";
  auto type = cast<RankedTensorType>(parameter.tensor.getType());
  RankedTensorType result = op.getResultType();
  SmallVector<int64_t> shape;
  for (auto [i, d] : llvm::enumerate(parameter.dimensions)) {
    if (d < 0 || d >= result.getRank() ||
        llvm::is_contained(ArrayRef(parameter.dimensions).take_front(i), d))
      return op.emitOpError() << "dimensions of '" << name
                              << "' must differ and be less than the rank " << result.getRank()
                              << ", found " << d;
    shape.push_back(result.getDimSize(d));
  }
  if (type.getShape() != ArrayRef(shape))
    return op.emitOpError() << "needs " << type.clone(shape) << " as its '" << name << "', found "
                            << type;
  return success();
}

/// Maps are over the same loops, and loops that are summed over have sizes that both sides have.
static LogicalResult verifyLoops(QuantizedProductOp op) {
  if (op.getIndexingMaps().size() != 3)
    return op.emitOpError() << "has three of 'indexing_maps', found "
                            << op.getIndexingMaps().size();
  unsigned loops = op.resultMap().getNumDims();
  auto ranks = {cast<RankedTensorType>(op.getLeft().getType()).getRank(),
                cast<RankedTensorType>(op.getRight().getType()).getRank(),
                op.getResultType().getRank()};
  for (auto [i, rank] : llvm::enumerate(ranks)) {
    AffineMap map = op.mapOf(i);
    if (map.getNumDims() != loops || map.getNumSymbols() != 0 || map.getNumResults() != rank)
      return op.emitOpError() << "needs a map from " << loops << " loops to " << rank
                              << " dimensions, found " << AffineMapAttr::get(map);
  }
  if (!op.resultMap().isProjectedPermutation())
    return op.emitOpError() << "has a result of some of the loops, found "
                            << AffineMapAttr::get(op.resultMap());
  for (unsigned loop = 0; loop < loops; ++loop)
    if (op.isSummed(loop) &&
        (!op.leftMap().isFunctionOfDim(loop) || !op.rightMap().isFunctionOfDim(loop) ||
         (ShapedType::isDynamic(sizeOfLoop(op.leftFactor(), loop)) &&
          ShapedType::isDynamic(sizeOfLoop(op.rightFactor(), loop)))))
      return op.emitOpError() << "sums over loop " << loop
                              << ", which both sides must have, and of a size that is known";
  return success();
}

LogicalResult QuantizedProductOp::verify() {
  if (failed(verifyLoops(*this)))
    return failure();
  QuantizedFactor left = leftFactor(), right = rightFactor();
  ProductParameter bias{getBias(), llvm::to_vector(getBiasDimensions())};
  if (failed(verifyParameter(*this, left.zeros, "left_zeros")) ||
      failed(verifyParameter(*this, right.zeros, "right_zeros")) ||
      failed(verifyParameter(*this, left.scales, "left_scales")) ||
      failed(verifyParameter(*this, right.scales, "right_scales")) ||
      failed(verifyParameter(*this, bias, "bias")) ||
      failed(verifyParameter(*this, {getDivisor(), {}}, "divisor")))
    return failure();
  for (auto [zeros, other] : {std::pair(left.zeros, right), std::pair(right.zeros, left)})
    if (zeros.tensor && !other.map.isProjectedPermutation())
      return emitOpError("has zero points of a side whose other side is read at sums of loops");
  if (!left.scales.tensor != !right.scales.tensor || (getDivisor() && !left.scales.tensor))
    return emitOpError("has scales of both sides or of neither, and a divisor with them only");
  bool isFloat = getResultType().getElementType().isF32();
  if (isFloat != static_cast<bool>(left.scales.tensor))
    return emitOpError() << "has a result of "
                         << (isFloat ? "i32 without scales" : "f32 with scales") << ", found "
                         << getResultType();
  if (getInit().getType() != getResultType())
    return emitOpError() << "has 'init' of the type of its result, found " << getInit().getType();
  return success();
}

LogicalResult QuantizedProductOp::reifyResultShapes(OpBuilder &b,
                                                    ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOf(b, getLoc(), getInit()));
  return success();
}

namespace {

/// A byte as an i32.
Value wide(OpBuilder &b, Location loc, Value byte, bool isUnsigned) {
  Type i32 = b.getI32Type();
  return isUnsigned ? arith::ExtUIOp::create(b, loc, i32, byte).getResult()
                    : arith::ExtSIOp::create(b, loc, i32, byte).getResult();
}

/// The indices of a parameter, of those of the result.
AffineMap mapOf(const ProductParameter &parameter, AffineMap result) {
  SmallVector<AffineExpr> at;
  for (int64_t d : parameter.dimensions)
    at.push_back(result.getResult(d));
  return AffineMap::get(result.getNumDims(), 0, at, result.getContext());
}

/// Operands of a loop and how they are read.
struct LoopOperands {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  void add(const ProductParameter &parameter, AffineMap result) {
    if (!parameter.tensor)
      return;
    values.push_back(parameter.tensor);
    maps.push_back(mapOf(parameter, result));
  }
};

/// Sums of products of differences.
Value sumsOf(QuantizedProductOp op, GenericBuilder &build) {
  QuantizedFactor left = op.leftFactor(), right = op.rightFactor();
  LoopOperands operands{{left.bytes, right.bytes}, {left.map, right.map}};
  operands.add(left.zeros, op.resultMap());
  operands.add(right.zeros, op.resultMap());
  operands.maps.push_back(op.resultMap());
  Value zeros =
      build.filled(sizesOf(build.b, build.loc, op.getInit()), build.b.getI32IntegerAttr(0));
  return build.generic(
      zeros, operands.values, operands.maps, [&](OpBuilder &b, Location loc, ValueRange v) {
        Value x = wide(b, loc, v[0], left.isUnsigned), y = wide(b, loc, v[1], right.isUnsigned);
        unsigned next = 2;
        if (left.zeros.tensor)
          x = arith::SubIOp::create(b, loc, x, wide(b, loc, v[next++], left.isUnsigned));
        if (right.zeros.tensor)
          y = arith::SubIOp::create(b, loc, y, wide(b, loc, v[next], right.isUnsigned));
        return arith::AddIOp::create(b, loc, v.back(), arith::MulIOp::create(b, loc, x, y))
            .getResult();
      });
}

} // namespace

FailureOr<SmallVector<Value>> QuantizedProductOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  AffineMap all = b.getMultiDimIdentityMap(getResultType().getRank());
  LoopOperands operands{{sumsOf(*this, build)}, {all}};
  operands.add({getBias(), llvm::to_vector(getBiasDimensions())}, all);
  operands.add(leftFactor().scales, all);
  operands.add(rightFactor().scales, all);
  operands.add({getDivisor(), {}}, all);
  if (operands.values.size() == 1)
    return operands.values;
  operands.maps.push_back(all);
  Value out =
      emptyTensor(b, getLoc(), sizesOf(b, getLoc(), getInit()), getResultType().getElementType());
  return SmallVector<Value>{build.generic(
      out, operands.values, operands.maps, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value sum = v[0];
        if (getBias())
          sum = arith::AddIOp::create(b, loc, sum, v[1]);
        if (!getLeftScales())
          return sum;
        v = v.drop_front(getBias() ? 2 : 1);
        Value factor = arith::MulFOp::create(b, loc, v[0], v[1]);
        if (getDivisor())
          factor = arith::DivFOp::create(b, loc, factor, v[2]);
        Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), sum);
        return arith::MulFOp::create(b, loc, real, factor);
      })};
}

} // namespace kgen
