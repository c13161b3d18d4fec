#include "transforms/bufferize/CopyOpenPitches.h"

#include "analysis/OpenStrides.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {
namespace {

using tpp::ContractionOpInterface;

/// True if a kernel would step through `value`, an operand with `map`, by a stride that is not
/// known.
bool hasOpenPitch(ContractionOpInterface op, Value value, AffineMap map) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return false;
  SmallVector<int64_t> sizes = op.getIterationSizes();
  for (auto [stride, result] : llvm::zip_equal(strides, map.getResults())) {
    if (!ShapedType::isDynamic(stride))
      continue;
    SmallVector<int64_t> coefficients = *tpp::linearCoefficients(result, map.getNumDims());
    for (unsigned dim = 0; dim < coefficients.size(); ++dim)
      if (coefficients[dim] != 0 && sizes[dim] != 1 && !mayBeOpen(op, dim, value == op.getA()))
        return true;
  }
  return false;
}

/// Elements between neighbors of `value`, an operand with `map`, along a loop: 0 where the operand
/// does not have it, ShapedType::kDynamic if the number is not known.
int64_t strideAlong(Value value, AffineMap map, unsigned loop) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset, sum = 0;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  for (auto [stride, result] : llvm::zip_equal(strides, map.getResults())) {
    int64_t coefficient = (*tpp::linearCoefficients(result, map.getNumDims()))[loop];
    if (coefficient != 0 && ShapedType::isDynamic(stride))
      return stride;
    sum += coefficient * stride;
  }
  return sum;
}

/// True if neighbors of `value` along a loop of more than one iteration are elements apart.
bool hasSteps(ContractionOpInterface op, Value value, AffineMap map, unsigned loop) {
  const int64_t stride = strideAlong(value, map, loop);
  return op.getIterationSizes()[loop] != 1 && stride != 0 && stride != 1 &&
         !ShapedType::isDynamic(stride);
}

/// True if kernels cannot load or store an operand as vectors, since its elements are no neighbors:
/// columns of B and of the result, or, where B has its columns in rows, what is added up of A and
/// B.
bool isStepped(ContractionOpInterface op, OpOperand &operand, AffineMap map) {
  const unsigned last = op.getAMap().getNumDims() - 1, column = last - op.getReductionRank();
  const AffineExpr inner = op.getBMap().getResults().back();
  const bool isAlongK = !op.getPanel() && inner == getAffineDimExpr(last, op.getContext()) &&
                        isa<FloatType>(getElementTypeOrSelf(op.getB().getType()));
  switch (operand.getOperandNumber()) {
  case 0:
    return isAlongK && op.getIterationSizes()[column] != 1 &&
           hasSteps(op, operand.get(), map, last);
  case 1:
    return hasSteps(op, operand.get(), map, isAlongK ? last : column);
  default:
    return &operand == &op->getOpOperands().back() && hasSteps(op, operand.get(), map, column);
  }
}

Value allocateLike(OpBuilder &b, Location loc, Value value, int64_t alignment) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, value, dim));
  return memref::AllocOp::create(b, loc, MemRefType::get(type.getShape(), type.getElementType()),
                                 sizes, b.getI64IntegerAttr(alignment));
}

} // namespace

void copyOperandsWithoutRows(ModuleOp module, int64_t alignment) {
  module.walk([&](ContractionOpInterface op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto replace = [&](OpOperand &operand, bool isRead, bool isWritten) {
      Value value = operand.get(), copy = allocateLike(b, loc, value, alignment);
      if (isRead)
        memref::CopyOp::create(b, loc, value, copy);
      operand.set(copy);
      if (isWritten) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfter(op);
        memref::CopyOp::create(b, loc, copy, value);
      }
    };
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.getOperandNumber() == 1 && op.getPanel()) // packed B is contiguous
        continue;
      AffineMap map =
          cast<tpp::TileOpInterface>(op.getOperation()).getOperandMap(operand.getOperandNumber());
      bool isInit = &operand == &op->getOpOperands().back();
      if (hasOpenPitch(op, operand.get(), map) || isStepped(op, operand, map))
        replace(operand, !isInit || op.getAccumulate(), isInit);
    }
  });
}

} // namespace kgen
