#include "ops/sampling/ResizeGrid.h"

#include "ops/Axes.h"
#include "ops/TypeRules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kgen {
namespace {

/// Places are computed with more digits than the results of f64 have.
using Real = long double;

/// The real numbers of attribute `name` or input i, which must be a weight of f32 or f64.
bool readReals(const InferenceContext &context, size_t i, const std::string &name,
               std::optional<std::vector<double>> &list) {
  if (context.hasInput(i) && context.input(i).elementCount() == 0)
    return true; // ONNX's older way to skip an input
  if (!context.hasInput(i)) {
    if (context.hasAttribute(name))
      list = context.reals(name);
    return true;
  }
  list = context.constantReals(i);
  if (context.hasAttribute(name) || !list || context.input(i).shape.size() != 1) {
    context.error(context.node.op->name + "'s " + name + " (input " + std::to_string(i + 1) +
                  ") must be a weight of type f32[n], and no attribute beside it; it is " +
                  found(context, i));
    return false;
  }
  return true;
}

/// An attribute of Resize that Upsample, its older form, lacks: what it stands for there.
std::string choiceOf(const InferenceContext &context, const std::string &name,
                     const char *ofUpsample) {
  return isUpsample(context) ? ofUpsample : context.string(name);
}

std::string placing(const InferenceContext &context) {
  return choiceOf(context, "coordinate_transformation_mode", "asymmetric");
}

bool isCropping(const InferenceContext &context) {
  return placing(context) == "tf_crop_and_resize";
}

/// The standard's length_resized: the product of length and scale, also where it is no whole
/// number.
Real resizedLength(const ResizedAxis &axis) {
  Real product = axis.enlarged * static_cast<Real>(axis.input) / axis.reduced;
  Real size = axis.output;
  constexpr Real rounding = 1e-9L; // of a scale that is a quotient of sizes in f64
  return std::fabs(product - size) < rounding * size ? size : product;
}

/// The coordinate in the input of point `at` of the result. What is divided is exact, and so is
/// what is added to the quotient.
Real originalPosition(const ResizedAxis &axis, const std::string &mode, int64_t at) {
  auto x = static_cast<Real>(at), last = static_cast<Real>(axis.input - 1),
       size = static_cast<Real>(axis.output);
  if (mode == "asymmetric")
    return x * axis.reduced / axis.enlarged;
  if (mode == "align_corners")
    return axis.output == 1 ? 0.0L : x * last / (resizedLength(axis) - 1);
  if (mode == "tf_crop_and_resize")
    return axis.output == 1 ? 0.5L * (axis.roiStart + axis.roiEnd) * last
                            : axis.roiStart * last + x * (axis.roiEnd - axis.roiStart) * last /
                                                         (resizedLength(axis) - 1);
  if (mode == "pytorch_half_pixel" && axis.output == 1)
    return 0.0L;
  // From the middle of the result to that of the input.
  if (mode == "half_pixel_symmetric")
    return (x + 0.5L - size / 2) * axis.reduced / axis.enlarged + last / 2;
  return (x + 0.5L) * axis.reduced / axis.enlarged - 0.5L;
}

int32_t limited(Real position, int64_t size) {
  return static_cast<int32_t>(std::clamp(position, 0.0L, static_cast<Real>(size - 1)));
}

Real nearest(Real position, const std::string &mode) {
  if (mode == "floor")
    return std::floor(position);
  if (mode == "ceil")
    return std::ceil(position);
  return mode == "round_prefer_floor" ? std::ceil(position - 0.5L) : std::floor(position + 0.5L);
}

/// The filter around a coordinate: a triangle, or Keys' cubic convolution with coefficient a
/// (R. Keys, 1981). Against aliasing it is stretched to as many points as one of the result stands
/// for.
class Filter {
public:
  Filter(const InferenceContext &context, const ResizedAxis &axis)
      : isCubic(context.string("mode") == "cubic"), size(axis.input) {
    if (isUpsample(context))
      return;
    a = context.real("cubic_coeff_a");
    excludesOutside = context.integer("exclude_outside") != 0;
    if (context.integer("antialias") != 0)
      stretch = std::max(1.0L, axis.reduced / axis.enlarged);
  }

  /// The number of points that the filter covers.
  size_t count() const { return 2 * static_cast<size_t>(reach()); }

  /// Adds the taps and weights of a point of the result at coordinate `position` of the input.
  void addPoint(ResizedPoints &points, Real position) const {
    Real first = std::floor(position) + 1 - reach(), sum = 0;
    std::vector<Real> shares;
    for (size_t k = 0; k < count(); ++k)
      sum += shares.emplace_back(weight(first + static_cast<Real>(k), position));
    bool isWhole = (stretch == 1 && !excludesOutside) || sum == 0;
    size_t heaviest = std::max_element(shares.begin(), shares.end()) - shares.begin();
    for (size_t k = 0; k < count(); ++k) {
      // A point with a weight of zero must not be read: it may be no number.
      Real from = first + static_cast<Real>(shares[k] == 0 ? heaviest : k);
      points.taps[k].push_back(limited(from, size));
      points.shares[k].push_back(static_cast<double>(isWhole ? shares[k] : shares[k] / sum));
    }
  }

private:
  Real reach() const { return std::ceil((isCubic ? 2 : 1) * stretch); }

  Real weight(Real tap, Real position) const {
    if (excludesOutside && (tap < 0 || tap >= static_cast<Real>(size)))
      return 0;
    Real x = std::abs(tap - position) / stretch;
    if (!isCubic)
      return std::max(0.0L, 1 - x);
    if (x <= 1)
      return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  }

  bool isCubic;
  Real a = 0;
  bool excludesOutside = false;
  int64_t size;
  Real stretch = 1;
};

} // namespace

bool isUpsample(const InferenceContext &context) { return context.node.op->name == "Upsample"; }

/// The axes of a shape, with an example of sizes that are known at run time only.
static std::vector<ResizedAxis> axesAsTheyAre(const TensorShape &shape) {
  constexpr int64_t exampleSize = 8;
  std::vector<ResizedAxis> axes;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = shape.dim(d).number().value_or(exampleSize);
    axes.push_back({size, size, 1, 1, 0, 1, shape.isSymbolic(d)});
  }
  return axes;
}

/// The size that a scale of all axes leads to, which is rounded.
void scaleLike(const ResizedAxis &common, ResizedAxis &axis) {
  axis.enlarged = common.enlarged;
  axis.reduced = common.reduced;
  Real size = static_cast<Real>(axis.input) * common.enlarged / common.reduced;
  axis.output = static_cast<int64_t>(std::floor(size + 0.5L));
}

std::optional<std::vector<ResizedAxis>> resizedAxes(const InferenceContext &context) {
  const TensorType &input = context.input(0);
  size_t rank = input.shape.size();
  auto fail = [&](const std::string &message) {
    context.error(context.node.op->name + " of " + input.str() + ": " + message);
    return std::nullopt;
  };
  std::optional<std::vector<double>> scales, roi;
  std::optional<std::vector<int64_t>> sizes;
  bool isRead = isUpsample(context) ? readReals(context, 1, "scales", scales)
                                    : readReals(context, 1, "roi", roi) &&
                                          readReals(context, 2, "scales", scales) &&
                                          readIntegers(context, 3, "sizes", sizes);
  if (!isRead)
    return std::nullopt;
  if (scales.has_value() == sizes.has_value())
    return fail(isUpsample(context) ? "needs scales" : "needs either scales or sizes");
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (context.hasAttribute("axes"))
    axes = context.integers("axes");
  size_t count = axes.size();
  if ((scales ? scales->size() : sizes->size()) != count)
    return fail("needs one of its scales or sizes for each of " + std::to_string(count) + " axes");
  if (isCropping(context) && (!roi || roi->size() != 2 * count))
    return fail("needs a roi of " + std::to_string(2 * count) + " numbers, first all starts");
  std::vector<ResizedAxis> result = axesAsTheyAre(input.shape);
  const std::string policy = choiceOf(context, "keep_aspect_ratio_policy", "stretch");
  ResizedAxis common;
  for (size_t i = 0; i < count; ++i) {
    auto axis = normalizeAxis(context, axes[i], rank);
    if (!axis)
      return std::nullopt;
    ResizedAxis &each = result[*axis];
    if (each.isSymbolic && (!scales || policy != "stretch"))
      return fail("dimension " + std::to_string(*axis) +
                  " is known at run time only, and is resized by scales, not to sizes");
    each.enlarged = scales ? (*scales)[i] : static_cast<Real>((*sizes)[i]);
    each.reduced = scales ? 1 : static_cast<Real>(each.input);
    // In f32, as ONNX infers shapes.
    float size = static_cast<float>(each.input) * static_cast<float>(each.scale());
    if (!(each.scale() > 0) || !(size < 0x1p31f) || each.input == 0)
      return fail("dimension " + std::to_string(*axis) + " cannot be resized so");
    each.output = scales ? static_cast<int64_t>(std::floor(size)) : (*sizes)[i];
    if (isCropping(context)) {
      each.roiStart = (*roi)[i];
      each.roiEnd = (*roi)[count + i];
    }
    if (i == 0 ||
        (policy == "not_larger" ? each.scale() < common.scale() : each.scale() > common.scale()))
      common = each;
  }
  if (sizes && policy != "stretch")
    for (int64_t axis : axes)
      scaleLike(common, result[*normalizeAxis(context, axis, rank)]);
  return result;
}

ResizedPoints pointsOf(const InferenceContext &context, const ResizedAxis &axis,
                       int64_t dimension) {
  const std::string &mode = context.string("mode");
  std::optional<Filter> filter;
  if (mode != "nearest")
    filter.emplace(context, axis);
  ResizedPoints points{dimension, axis.input, {}, {}, {}, axis.input == axis.output};
  points.taps.resize(filter ? filter->count() : 1);
  points.shares.resize(filter ? filter->count() : 0);
  for (int64_t i = 0; i < axis.output; ++i) {
    Real position = originalPosition(axis, placing(context), i);
    points.inside.push_back(!isCropping(context) ||
                            (position >= 0 && position <= static_cast<Real>(axis.input - 1)));
    if (filter)
      filter->addPoint(points, position);
    else
      points.taps[0].push_back(
          limited(nearest(position, choiceOf(context, "nearest_mode", "floor")), axis.input));
    bool isCopied =
        llvm::all_of(points.taps, [&](const std::vector<int32_t> &tap) { return tap.back() == i; });
    points.isSame &= isCopied && points.inside.back();
  }
  return points;
}

} // namespace kgen
