// GridSample: an image read at points that another tensor gives, between its elements.
#include "dialect/kgen/NamedOps.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

using namespace mlir;

namespace kgen {
namespace {

using Mode = GridSampleMode;

/// "bilinear" and "bicubic" are what the modes were called before opset 20.
std::optional<Mode> modeOf(const InferenceContext &context) {
  const std::string &name = context.string("mode");
  if (name == "linear" || name == "bilinear")
    return Mode::linear;
  if (name == "cubic" || name == "bicubic")
    return Mode::cubic;
  return name == "nearest" ? std::optional(Mode::nearest) : std::nullopt;
}

std::optional<GridSamplePadding> paddingOf(const InferenceContext &context) {
  return symbolizeGridSamplePadding(context.string("padding_mode"));
}

std::vector<TensorType> inferGridSample(InferenceContext &context) {
  const TensorType &image = context.input(0), &grid = context.input(1);
  if (!modeOf(context)) {
    context.error("GridSample's mode is 'linear', 'nearest' or 'cubic', found '" +
                  context.string("mode") + "'");
    return {};
  }
  if (!paddingOf(context)) {
    context.error("GridSample's padding_mode is 'zeros', 'border' or 'reflection', found '" +
                  context.string("padding_mode") + "'");
    return {};
  }
  if (!checkInputType(context, 1, "GridSample's grid", floatTypes()))
    return {};
  size_t rank = image.shape.size();
  bool fits = rank >= 3 && grid.shape.size() == rank && grid.shape.front() == image.shape.front() &&
              grid.shape.back() == static_cast<int64_t>(rank) - 2;
  if (!fits) {
    context.error("GridSample takes an image [n, c, spatial...] and a grid [n, places..., k], "
                  "where k is the number of spatial dimensions; they are " +
                  image.str() + " and " + grid.str());
    return {};
  }
  TensorType result{image.element, {image.shape[0], image.shape[1]}};
  result.shape.insert(result.shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  bool isEmpty = llvm::is_contained(ArrayRef(image.shape.numbers()).drop_front(2), 0);
  if (isEmpty && result.elementCount() != 0) {
    context.error("GridSample of images without elements: " + image.str());
    return {};
  }
  return {result};
}

void lowerGridSample(LoweringContext &c) {
  c.setResult(GridSampleOp::create(c.b, c.loc, c.resultTensor(), c.operand(0), c.operand(1),
                                   *modeOf(c), *paddingOf(c), c.integer("align_corners") != 0));
}

} // namespace

std::vector<Operator> gridSamplingOperators() {
  Operator op;
  op.name = "GridSample";
  op.summary =
      "an image sampled at the points of a grid, whose coordinates are from -1 to 1, the last "
      "axis first";
  op.minInputs = op.maxInputs = 2;
  op.attributes = {{"mode", AttributeKind::string, std::string("linear"), false,
                    "linear (bilinear), nearest or cubic (bicubic): between elements"},
                   {"padding_mode", AttributeKind::string, std::string("zeros"), false,
                    "zeros, border or reflection: outside of the image"},
                   {"align_corners", AttributeKind::integer, int64_t(0), false,
                    "1: -1 and 1 are the centres of the outer elements, 0: their outer borders"}};
  op.types = floatTypes();
  op.infer = inferGridSample;
  op.lower = lowerGridSample;
  return {op};
}

} // namespace kgen
