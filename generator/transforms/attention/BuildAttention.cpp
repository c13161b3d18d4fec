// The operation that replaces two gemms and the softmax between them.
#include "transforms/attention/AttentionFusion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {

/// Clones the body of `op` into the region of the attention and returns the score after it.
/// `argument` is the number of the region's next unused argument.
Value AttentionFusion::scoreOf(linalg::GenericOp op, Value tensor, Value below, mlir::Block *body,
                               unsigned &argument) {
  Value result = scoreBeforeMask(op);
  llvm::SmallPtrSet<Value, 8> needed = scalarsOf(result);
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument scalar = op.getMatchingBlockArgument(input);
    if (!needed.contains(scalar))
      continue;
    if (input->get() == tensor)
      mapping.map(scalar, below);
    else if (TypedAttr splat = splatOf(input->get()))
      mapping.map(scalar, arith::ConstantOp::create(b, op.getLoc(), splat).getResult());
    else
      mapping.map(scalar, body->getArgument(argument++));
  }
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  for (Value constant : outside)
    if (needed.contains(constant))
      mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
  for (Operation &inner : op.getBody()->without_terminator()) {
    // A causal mask is not cloned: the `causal` attribute replaces it.
    if (!llvm::any_of(inner.getResults(), [&](Value value) { return needed.contains(value); }))
      continue;
    if (auto extended = dyn_cast<arith::ExtFOp>(inner))
      if (Value source =
              beforeTruncation(mapping.lookupOrDefault(extended.getIn()), extended.getType())) {
        mapping.map(extended.getResult(), source);
        continue;
      }
    b.clone(inner, mapping);
  }
  return mapping.lookupOrDefault(result);
}

void AttentionFusion::build() {
  b.setInsertionPoint(result.value.getDefiningOp());
  SmallVector<Location> locations{chain.gemm.getLoc()};
  for (linalg::GenericOp op : chain.elementwise)
    locations.push_back(op.getLoc());
  locations.append({valueGemm.getA().getLoc(), valueGemm.getLoc()});
  Location loc = b.getFusedLoc(locations);
  Type sums = valueGemm.getAccumulatorType();
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types{sums};
  for (const Operand &operand : epilogueOperands) {
    values.push_back(operand.value);
    maps.push_back(operand.map);
    types.push_back(getElementTypeOrSelf(operand.value));
  }
  Value numbers;
  AffineMapAttr numbersMap;
  if (counts) {
    SmallVector<unsigned> dimensions;
    std::tie(numbers, dimensions) = counts->build(b, loc, sizes[rank - 2]);
    numbersMap = AffineMapAttr::get(mapTo(dimensions));
  }
  auto attention =
      AttentionOp::create(b, loc, result.value.getType(), q.value, k.value, v.value, values,
                          numbers, q.map, k.map, v.map, b.getAffineMapArrayAttr(maps), numbersMap,
                          result.map, causal ? b.getI64IntegerAttr(*causal) : IntegerAttr(),
                          narrow ? TypeAttr::get(narrow) : TypeAttr(), maskedToZero, nanToZero);
  mlir::Block *body =
      b.createBlock(&attention.getScore(), {}, types, SmallVector<Location>(types.size(), loc));
  Value score = body->getArgument(0), tensor = chain.gemmScores;
  if (factor != 1)
    score = arith::MulFOp::create(b, loc, score,
                                  arith::ConstantOp::create(b, loc, b.getFloatAttr(sums, factor)));
  unsigned argument = 1;
  for (linalg::GenericOp op : chain.elementwise) {
    score = scoreOf(op, tensor, score, body, argument);
    tensor = op.getResult(0);
  }
  if (Value source = beforeTruncation(score, sums))
    score = source;
  else if (score.getType() != sums)
    score = arith::ExtFOp::create(b, loc, sums, score);
  YieldOp::create(b, loc, score);
  result.value.replaceAllUsesWith(attention.getResult());
}

} // namespace kgen
