// CenterCropPad: the middle of a tensor, or zeros around it.
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferCenterCropPad(InferenceContext &context) {
  TensorType result = context.input(0);
  auto shape = requiredIntegers(context, 1, "shape");
  if (!shape)
    return {};
  std::vector<int64_t> axes(result.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (context.hasAttribute("axes"))
    axes = context.integers("axes");
  if (shape->size() != axes.size() || llvm::any_of(*shape, [](int64_t size) { return size < 0; })) {
    context.error("CenterCropPad's shape (input 2) must have a size from 0 on for each of " +
                  std::to_string(axes.size()) + " axes");
    return {};
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = normalizeAxis(context, axes[i], result.shape.size());
    if (!axis)
      return {};
    result.shape[*axis] = (*shape)[i];
  }
  return {result};
}

/// Of an odd number of elements, one more is taken away or added at the end.
void lowerCenterCropPad(LoweringContext &c) {
  Value x = c.operand(0);
  RankedTensorType type = c.resultTensor();
  SmallVector<int64_t> from, to, sizes;
  for (auto [had, wanted] :
       llvm::zip_equal(cast<RankedTensorType>(x.getType()).getShape(), type.getShape())) {
    from.push_back(std::max<int64_t>(0, had - wanted) / 2);
    to.push_back(std::max<int64_t>(0, wanted - had) / 2);
    sizes.push_back(std::min(had, wanted));
  }
  Value middle = extractSlice(c.b, c.loc, x, from, sizes);
  if (ArrayRef<int64_t>(sizes) != type.getShape())
    middle = insertSlice(c.b, c.loc, c.filled(type, 0), middle, indices(c.b, to), sizes);
  c.setResult(middle);
}

} // namespace

std::vector<Operator> centerCropPadOperators() {
  Operator op;
  op.name = "CenterCropPad";
  op.summary = "center crop, or zero padding on both sides, of axes to a given shape";
  op.minInputs = op.maxInputs = 2;
  op.attributes = {optionalIntegers("axes", "axes that the shape has sizes for; all, if absent")};
  op.types = allElementTypes();
  op.infer = inferCenterCropPad;
  op.lower = lowerCenterCropPad;
  return {op};
}

} // namespace kgen
