#include "dialect/kgen/AttentionProducts.h"

#include "dialect/kgen/GemmPlan.h"

using namespace mlir;

namespace kgen {

bool planProductsOfPairs(AttentionOp op, TargetAttr target) {
  Type bf16 = BFloat16Type::get(op.getContext());
  const bool isPossible =
      !ShapedType::isDynamicShape(op.getIterationSizes()) && op.getProbabilityType() == bf16 &&
      llvm::all_of(ValueRange{op.getQ(), op.getK(), op.getV()},
                   [&](Value value) { return getElementTypeOrSelf(value.getType()) == bf16; });
  if (!isPossible || target.productForm(bf16, bf16) == ProductForm::upconvert)
    return false;
  op->setDiscardableAttr(gemmPlanAttrName,
                         target.gemmPlan(bf16, bf16, /*packed=*/true, /*mayUseTiles=*/true,
                                         /*f16Accumulate=*/false, /*depth=*/2));
  return true;
}

GemmPlanAttr planOfPairs(AttentionOp op) {
  return op->getAttrOfType<GemmPlanAttr>(gemmPlanAttrName);
}

} // namespace kgen
