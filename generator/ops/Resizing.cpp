// Resize: images, or any tensors, under another grid of points, by the nearest element or linearly.
// Where each point of the result lies between those of the input is known when code is generated.
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// Places are computed with more digits than the results of f64 have.
using Real = long double;

/// How one axis is resized.
struct ResizedAxis {
  int64_t input = 0, output = 0;
  Real scale = 1, roiStart = 0, roiEnd = 1;
};

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
  WeightData data = context.constantData(i);
  const TensorType &type = context.input(i);
  bool isReal = type.element == ElementType::f32 || type.element == ElementType::f64;
  if (context.hasAttribute(name) || !data || !isReal || type.shape.size() != 1) {
    context.error("Resize's " + name + " (input " + std::to_string(i + 1) +
                  ") must be a weight of type f32[n], and no attribute beside it; it is " +
                  type.str() + (data ? "" : " and no weight"));
    return false;
  }
  list.emplace();
  const size_t width = byteWidth(type.element);
  for (int64_t at = 0; at < type.elementCount(); ++at) {
    double wide;
    float single;
    bool isWide = width == sizeof wide;
    std::memcpy(isWide ? static_cast<void *>(&wide) : &single, data->data() + at * width, width);
    list->push_back(isWide ? wide : single);
  }
  return true;
}

/// Reports a value of a string attribute that is not among `known`.
bool checkChoice(const InferenceContext &context, const std::string &attribute,
                 std::initializer_list<const char *> known) {
  const std::string &value = context.string(attribute);
  std::string list;
  for (const char *each : known) {
    if (value == each)
      return true;
    list += (list.empty() ? "" : ", ") + std::string(each);
  }
  context.error("'" + value + "' is no " + attribute + " of Resize", "expected one of " + list);
  return false;
}

bool isCropping(const InferenceContext &context) {
  return context.string("coordinate_transformation_mode") == "tf_crop_and_resize";
}

/// Reads the axes of the lists, scales or sizes, and the region; false after reporting an error.
bool readAxes(const InferenceContext &context, std::vector<ResizedAxis> &result) {
  const TensorType &input = context.input(0);
  size_t rank = input.shape.size();
  auto fail = [&](const std::string &message) {
    context.error("Resize of " + input.str() + ": " + message);
    return false;
  };
  std::optional<std::vector<double>> scales, roi;
  std::optional<std::vector<int64_t>> sizes;
  if (!readReals(context, 1, "roi", roi) || !readReals(context, 2, "scales", scales) ||
      !readIntegers(context, 3, "sizes", sizes))
    return false;
  if (scales.has_value() == sizes.has_value())
    return fail("needs either scales or sizes");
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (context.hasAttribute("axes"))
    axes = context.integers("axes");
  size_t count = axes.size();
  if ((scales ? scales->size() : sizes->size()) != count)
    return fail("needs one of its scales or sizes for each of " + std::to_string(count) + " axes");
  if (isCropping(context) && (!roi || roi->size() != 2 * count))
    return fail("needs a roi of " + std::to_string(2 * count) + " numbers, first all starts");
  for (size_t d = 0; d < rank; ++d)
    result.push_back({input.shape[d], input.shape[d]});

  const std::string &policy = context.string("keep_aspect_ratio_policy");
  Real common = 0;
  for (size_t i = 0; i < count; ++i) {
    auto axis = normalizeAxis(context, axes[i], rank);
    if (!axis)
      return false;
    ResizedAxis &each = result[*axis];
    each.scale =
        scales ? (*scales)[i] : static_cast<Real>((*sizes)[i]) / static_cast<Real>(each.input);
    // In f32, as ONNX infers shapes.
    float size = static_cast<float>(each.input) * static_cast<float>(each.scale);
    if (!(each.scale > 0) || !(size < 0x1p31f) || each.input == 0)
      return fail("dimension " + std::to_string(*axis) + " cannot be resized so");
    each.output = scales ? static_cast<int64_t>(std::floor(size)) : (*sizes)[i];
    if (isCropping(context)) {
      each.roiStart = (*roi)[i];
      each.roiEnd = (*roi)[count + i];
    }
    if (i == 0 || (policy == "not_larger" ? each.scale < common : each.scale > common))
      common = each.scale;
  }
  if (sizes && policy != "stretch")
    for (int64_t axis : axes) {
      ResizedAxis &each = result[*normalizeAxis(context, axis, rank)];
      each.scale = common;
      each.output = static_cast<int64_t>(std::floor(common * static_cast<Real>(each.input) + 0.5L));
    }
  return true;
}

std::vector<TensorType> inferResize(InferenceContext &context) {
  if (!checkChoice(context, "mode", {"nearest", "linear"}) ||
      !checkChoice(context, "coordinate_transformation_mode",
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                    "asymmetric", "tf_crop_and_resize"}) ||
      !checkChoice(context, "nearest_mode",
                   {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) ||
      !checkChoice(context, "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}))
    return {};
  TensorType result = context.input(0);
  if (context.string("mode") == "linear" && !isFloat(result.element)) {
    context.error("Resize interpolates floats only, the input is " + result.str());
    return {};
  }
  std::vector<ResizedAxis> axes;
  if (!readAxes(context, axes))
    return {};
  for (size_t d = 0; d < axes.size(); ++d)
    result.shape[d] = axes[d].output;
  return {result};
}

/// Where point `at` of the result lies among those of the input.
Real originalPlace(const ResizedAxis &axis, const std::string &mode, int64_t at) {
  auto x = static_cast<Real>(at), last = static_cast<Real>(axis.input - 1),
       size = static_cast<Real>(axis.output);
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "align_corners")
    return axis.output == 1 ? 0.0L : x * last / (size - 1);
  if (mode == "tf_crop_and_resize")
    return axis.output == 1
               ? 0.5L * (axis.roiStart + axis.roiEnd) * last
               : axis.roiStart * last + x * (axis.roiEnd - axis.roiStart) * last / (size - 1);
  Real place = (x + 0.5L) / axis.scale - 0.5L;
  if (mode == "pytorch_half_pixel")
    return axis.output == 1 ? 0.0L : place;
  if (mode == "half_pixel_symmetric") {
    auto input = static_cast<Real>(axis.input);
    return place + input / 2 * (1 - size / (axis.scale * input));
  }
  return place;
}

Real nearest(Real place, const std::string &mode) {
  if (mode == "floor")
    return std::floor(place);
  if (mode == "ceil")
    return std::ceil(place);
  return mode == "round_prefer_floor" ? std::ceil(place - 0.5L) : std::floor(place + 0.5L);
}

/// Which points of the input one of the result is made of, for one axis, and how much the second
/// one counts.
struct Points {
  int64_t dimension; ///< in the operand's order
  std::vector<int32_t> first, second;
  std::vector<double> share;
  std::vector<int8_t> inside; ///< 0: beyond the image, with a cropping region
  bool isSame = true;         ///< each point is the input's
  int64_t repeats = 0;        ///< not 0: each point comes so often, which takes no table

  bool leavesImage() const { return llvm::is_contained(inside, 0); }
  /// How often each point is repeated, or 0 if it is not that.
  int64_t repetition(int64_t input) const {
    auto output = static_cast<int64_t>(first.size());
    if (output % input != 0 || leavesImage())
      return 0;
    for (int64_t i = 0; i < output; ++i)
      if (first[i] != i / (output / input))
        return 0;
    return output / input;
  }
};

Points pointsOf(const InferenceContext &c, const ResizedAxis &axis, int64_t dimension) {
  bool isLinear = c.string("mode") == "linear";
  auto limited = [&](Real place) {
    return static_cast<int32_t>(std::clamp(place, 0.0L, static_cast<Real>(axis.input - 1)));
  };
  Points points{dimension, {}, {}, {}, {}, axis.input == axis.output};
  for (int64_t i = 0; i < axis.output; ++i) {
    Real place = originalPlace(axis, c.string("coordinate_transformation_mode"), i);
    Real low = isLinear ? std::floor(place) : nearest(place, c.string("nearest_mode"));
    Real share = isLinear ? place - low : 0;
    points.first.push_back(limited(low));
    points.second.push_back(limited(share == 0 ? low : low + 1));
    points.share.push_back(static_cast<double>(share));
    points.inside.push_back(!isCropping(c) ||
                            (place >= 0 && place <= static_cast<Real>(axis.input - 1)));
    points.isSame &= points.first.back() == i && share == 0 && points.inside.back();
  }
  return points;
}

/// Lowers one Resize; dimensions are in the order of the operand.
class Resizing {
public:
  explicit Resizing(LoweringContext &c) : c(c), x(c.operand(0)), type(c.resultTensor()) {
    std::vector<ResizedAxis> axes;
    readAxes(c, axes);
    int64_t rank = type.getRank();
    for (int64_t d = 0; d < rank; ++d)
      if (Points each = pointsOf(c, axes[d], c.placeOf(d, rank)); !each.isSame)
        points.push_back(std::move(each));
    llvm::sort(points, [](const Points &a, const Points &b) { return a.dimension < b.dimension; });
  }

  Value lower() {
    if (points.empty())
      return x;
    bool isNearest = c.string("mode") == "nearest";
    ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
    for (Points &each : points)
      each.repeats = isNearest ? each.repetition(shape[each.dimension]) : 0;
    auto isRepeated = [](const Points &each) { return each.repeats != 0; };
    // Along rows, vectors are interleaved with themselves. Elsewhere they are found by division, so
    // that the result, which has no more dimensions, can be part of another tensor.
    if (llvm::all_of(points, isRepeated) && points.back().dimension + 1 == type.getRank())
      return repeated();
    for (const Points &each : points) {
      if (isRepeated(each))
        continue;
      table(each, c.b.getI32Type(), each.first);
      if (!isNearest)
        table(each, c.b.getI32Type(), each.second);
      if (!isNearest && computeType(type.getElementType()).isF64())
        table(each, c.b.getF64Type(), each.share);
      else if (!isNearest)
        table(each, c.b.getF32Type(), std::vector<float>(each.share.begin(), each.share.end()));
      if (each.leavesImage())
        table(each, c.b.getI8Type(), each.inside);
    }
    return c.indexed(type, tables, maps,
                     [&](OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange scalars) {
                       return element(b, loc, at, scalars);
                     });
  }

private:
  template <typename T> void table(const Points &of, Type element, const std::vector<T> &values) {
    auto size = static_cast<int64_t>(values.size());
    tables.push_back(denseConstant(
        c.b, c.loc, RankedTensorType::get({size}, element), "points",
        ArrayRef(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T))));
    maps.push_back(AffineMap::get(type.getRank(), 0, c.b.getAffineDimExpr(of.dimension)));
  }

  /// Each element several times: a broadcast, which may be fused with what reads it.
  Value repeated() {
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> single, spread;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      single.append({from.getDimSize(d), 1});
      spread.append({from.getDimSize(d), type.getDimSize(d) / from.getDimSize(d)});
    }
    Value result = c.movedElements(type.clone(spread), c.reshape(x, single),
                                   [](OpBuilder &, mlir::Location, ValueRange v) { return v[0]; });
    return c.reshape(result, type.getShape());
  }

  Value element(OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange scalars);
  Value interpolated(OpBuilder &b, mlir::Location loc, size_t axis, SmallVector<Value> &place,
                     ArrayRef<ValueRange> ofAxes);

  LoweringContext &c;
  Value x;
  RankedTensorType type;
  std::vector<Points> points;
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
};

/// The element at `place`, with the places on axes from `axis` on still to be chosen.
Value Resizing::interpolated(OpBuilder &b, mlir::Location loc, size_t axis,
                             SmallVector<Value> &place, ArrayRef<ValueRange> ofAxes) {
  if (axis == points.size()) {
    Value read = tensor::ExtractOp::create(b, loc, x, place);
    Type wide = computeType(read.getType());
    bool isMoved = c.string("mode") == "nearest" || wide == read.getType();
    return isMoved ? read : arith::ExtFOp::create(b, loc, wide, read).getResult();
  }
  if (int64_t repeats = points[axis].repeats) {
    Value &at = place[points[axis].dimension];
    at = arith::DivUIOp::create(b, loc, at, arith::ConstantIndexOp::create(b, loc, repeats));
    return interpolated(b, loc, axis + 1, place, ofAxes);
  }
  auto readAt = [&](Value where) {
    place[points[axis].dimension] = arith::IndexCastOp::create(b, loc, b.getIndexType(), where);
    return interpolated(b, loc, axis + 1, place, ofAxes);
  };
  Value first = readAt(ofAxes[axis][0]);
  if (c.string("mode") == "nearest")
    return first;
  Value second = readAt(ofAxes[axis][1]), share = ofAxes[axis][2];
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(share.getType(), 1.0));
  Value rest = arith::SubFOp::create(b, loc, one, share);
  return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, rest, first),
                               arith::MulFOp::create(b, loc, share, second));
}

Value Resizing::element(OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange scalars) {
  SmallVector<ValueRange> ofAxes;
  Value isInside;
  for (const Points &each : points) {
    size_t count = each.repeats ? 0 : c.string("mode") == "nearest" ? 1 : 3;
    ofAxes.push_back(scalars.take_front(count));
    scalars = scalars.drop_front(count);
    if (!each.leavesImage())
      continue;
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, scalars.front(), zero);
    isInside = isInside ? arith::AndIOp::create(b, loc, isInside, inside).getResult() : inside;
    scalars = scalars.drop_front();
  }
  SmallVector<Value> place(at);
  Value value = interpolated(b, loc, 0, place, ofAxes);
  if (isInside) {
    double beyond = c.real("extrapolation_value");
    TypedAttr number = isa<FloatType>(value.getType())
                           ? TypedAttr(b.getFloatAttr(value.getType(), beyond))
                           : b.getIntegerAttr(value.getType(), static_cast<int64_t>(beyond));
    value =
        arith::SelectOp::create(b, loc, isInside, value, arith::ConstantOp::create(b, loc, number));
  }
  if (value.getType() != type.getElementType())
    value = arith::TruncFOp::create(b, loc, type.getElementType(), value);
  return value;
}

} // namespace

std::vector<Operator> resizingOperators() {
  Operator op;
  op.name = "Resize";
  op.summary = "another grid of points, by the nearest element or linearly";
  op.maxInputs = 4;
  auto choice = [](std::string name, std::string value, std::string doc) {
    return AttributeSchema{std::move(name), AttributeKind::string, std::move(value), false,
                           std::move(doc)};
  };
  op.attributes = {
      choice("mode", "nearest", "nearest or linear"),
      choice("coordinate_transformation_mode", "half_pixel",
             "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric or "
             "tf_crop_and_resize"),
      choice("nearest_mode", "round_prefer_floor",
             "round_prefer_floor, round_prefer_ceil, floor or ceil"),
      choice("keep_aspect_ratio_policy", "stretch",
             "stretch, not_larger or not_smaller: the scale that sizes lead to"),
      optionalIntegers("axes", "whose scales or sizes they are; all, if absent"),
      optionalAttribute("roi", AttributeKind::reals,
                        "region for tf_crop_and_resize, as an attribute instead of an input"),
      optionalAttribute("scales", AttributeKind::reals,
                        "factors, as an attribute instead of an input"),
      optionalIntegers("sizes", "the result's dimensions, as an attribute instead of an input"),
      {"extrapolation_value", AttributeKind::real, 0.0, false, "what is beyond the image"}};
  op.types = allElementTypes();
  op.infer = inferResize;
  op.keepsLayout = true;
  op.lower = [](LoweringContext &c) { c.setResult(Resizing(c).lower()); };
  return {op};
}

} // namespace kgen
