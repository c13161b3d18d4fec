// Resize and Upsample: images, or any tensors, under another grid of points, by the nearest
// element, linearly or by cubic convolution. Where each point of the result lies between those of
// the input is known when code is generated.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/sampling/ResizeGrid.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

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
  context.error("'" + value + "' is no " + attribute + " of " + context.node.op->name,
                "expected one of " + list);
  return false;
}

bool checkChoices(const InferenceContext &context) {
  if (isUpsample(context))
    return checkChoice(context, "mode", {"nearest", "linear"});
  return checkChoice(context, "mode", {"nearest", "linear", "cubic"}) &&
         checkChoice(context, "coordinate_transformation_mode",
                     {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                      "asymmetric", "tf_crop_and_resize"}) &&
         checkChoice(context, "nearest_mode",
                     {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) &&
         checkChoice(context, "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
}

std::vector<TensorType> inferResize(InferenceContext &context) {
  if (!checkChoices(context))
    return {};
  TensorType result = context.input(0);
  if (context.string("mode") != "nearest" && !isFloat(result.element)) {
    context.error(context.node.op->name + " interpolates floats only, the input is " +
                  result.str());
    return {};
  }
  auto axes = resizedAxes(context);
  if (!axes)
    return {};
  for (size_t d = 0; d < axes->size(); ++d) {
    const ResizedAxis &axis = (*axes)[d];
    int64_t repeats = axis.isSymbolic ? pointsOf(context, axis, 0).repetition(axis.input) : 0;
    if (axis.isSymbolic && repeats == 0) {
      context.error(context.node.op->name + " of " + context.input(0).str() + ": dimension " +
                        std::to_string(d) + " is known at run time only, and is not repeated",
                    "mode nearest with a whole number as scale repeats each element");
      return {};
    }
    result.shape.setDim(d, axis.isSymbolic ? result.shape.dim(d) * repeats : Dim(axis.output));
  }
  return {result};
}

/// Lowers one Resize; dimensions are in the order of the operand.
class Resizing {
public:
  explicit Resizing(LoweringContext &c) : c(c), x(c.operand(0)), type(c.resultTensor()) {
    std::vector<ResizedAxis> axes = *resizedAxes(c);
    int64_t rank = type.getRank();
    for (int64_t d = 0; d < rank; ++d)
      if (ResizedPoints each = pointsOf(c, axes[d], c.dimensionOf(d, rank)); !each.isSame)
        points.push_back(std::move(each));
    llvm::sort(points, [](const ResizedPoints &a, const ResizedPoints &b) {
      return a.dimension < b.dimension;
    });
  }

  Value lower() {
    if (points.empty())
      return x;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
    for (ResizedPoints &each : points)
      each.repeats = each.repetition(each.input);
    bool isStatic = !ShapedType::isDynamicShape(shape);
    auto isRepeated = [](const ResizedPoints &each) { return each.repeats != 0; };
    // Along rows, vectors are interleaved with themselves. Elsewhere they are found by division, so
    // that the result, which has no more dimensions, can be part of another tensor.
    if (isStatic && llvm::all_of(points, isRepeated) &&
        points.back().dimension + 1 == type.getRank())
      return repeated();
    // Many taps along each of some axes: one axis after another.
    if (isStatic && points.front().taps.size() > 2)
      while (points.size() > 1) {
        auto narrow = llvm::min_element(points, [&](const auto &a, const auto &b) {
          return a.size() * shape[b.dimension] < b.size() * shape[a.dimension];
        });
        alongOne(*narrow);
        points.erase(narrow);
      }
    return sampled(points, type);
  }

private:
  void alongOne(const ResizedPoints &axis) {
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape[axis.dimension] = axis.size();
    x = sampled(axis, RankedTensorType::get(shape, computeType(from.getElementType())));
  }

  /// x at the points of `axes`.
  Value sampled(ArrayRef<ResizedPoints> axes, RankedTensorType result);

  /// Each element several times: a broadcast, which may be fused with what reads it.
  Value repeated() {
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> single, spread;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      single.append({from.getDimSize(d), 1});
      spread.append({from.getDimSize(d), type.getDimSize(d) / from.getDimSize(d)});
    }
    Value result = c.movedElements(type.clone(spread), c.reshape(x, single),
                                   [](OpBuilder &, Location, ValueRange v) { return v[0]; });
    return c.reshape(result, type.getShape());
  }

  LoweringContext &c;
  Value x;
  RankedTensorType type;
  std::vector<ResizedPoints> points;
};

/// x at other points of some axes, by tables of indices and weights that the loops over the result
/// read.
class Sampling {
public:
  Sampling(LoweringContext &c, Value x, ArrayRef<ResizedPoints> axes, RankedTensorType result)
      : c(c), x(x), axes(axes), type(result) {
    for (const ResizedPoints &axis : axes) {
      if (axis.repeats)
        continue;
      for (const std::vector<int32_t> &tap : axis.taps)
        table(axis, c.b.getI32Type(), tap);
      for (const std::vector<double> &share : axis.shares)
        if (computeType(type.getElementType()).isF64())
          table(axis, c.b.getF64Type(), share);
        else
          table(axis, c.b.getF32Type(), std::vector<float>(share.begin(), share.end()));
      if (axis.leavesImage())
        table(axis, c.b.getI8Type(), axis.inside);
    }
  }

  Value lower() {
    return c.indexed(type, tables, maps,
                     [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) {
                       return element(b, loc, at, scalars);
                     });
  }

private:
  template <typename T>
  void table(const ResizedPoints &of, Type element, const std::vector<T> &values) {
    tables.push_back(denseConstant(
        c.b, c.loc, RankedTensorType::get({of.size()}, element), "points",
        ArrayRef(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T))));
    maps.push_back(AffineMap::get(type.getRank(), 0, c.b.getAffineDimExpr(of.dimension)));
  }

  Value element(OpBuilder &b, Location loc, ValueRange at, ValueRange scalars);
  Value interpolated(OpBuilder &b, Location loc, size_t axis, SmallVector<Value> &subscripts,
                     ArrayRef<ValueRange> ofAxes);

  LoweringContext &c;
  Value x;
  ArrayRef<ResizedPoints> axes;
  RankedTensorType type;
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
};

Value Resizing::sampled(ArrayRef<ResizedPoints> axes, RankedTensorType result) {
  return Sampling(c, x, axes, result).lower();
}

/// The element at `subscripts`; those on axes from `axis` on are chosen here, by interpolation.
Value Sampling::interpolated(OpBuilder &b, Location loc, size_t axis,
                             SmallVector<Value> &subscripts, ArrayRef<ValueRange> ofAxes) {
  if (axis == axes.size()) {
    Value read = tensor::ExtractOp::create(b, loc, x, subscripts);
    Type computeElement = computeType(read.getType());
    bool isMoved = axes.front().shares.empty() || computeElement == read.getType();
    return isMoved ? read : arith::ExtFOp::create(b, loc, computeElement, read).getResult();
  }
  Value &at = subscripts[axes[axis].dimension];
  if (int64_t repeats = axes[axis].repeats) {
    at = arith::DivUIOp::create(b, loc, at, arith::ConstantIndexOp::create(b, loc, repeats));
    return interpolated(b, loc, axis + 1, subscripts, ofAxes);
  }
  size_t count = axes[axis].taps.size();
  Value sum;
  for (size_t k = 0; k < count; ++k) {
    at = arith::IndexCastOp::create(b, loc, b.getIndexType(), ofAxes[axis][k]);
    Value read = interpolated(b, loc, axis + 1, subscripts, ofAxes);
    if (axes[axis].shares.empty())
      return read;
    Value term = arith::MulFOp::create(b, loc, ofAxes[axis][count + k], read);
    sum = sum ? arith::AddFOp::create(b, loc, sum, term).getResult() : term;
  }
  return sum;
}

Value Sampling::element(OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) {
  SmallVector<ValueRange> ofAxes;
  Value isInside;
  for (const ResizedPoints &axis : axes) {
    size_t count = axis.repeats ? 0 : axis.taps.size() + axis.shares.size();
    ofAxes.push_back(scalars.take_front(count));
    scalars = scalars.drop_front(count);
    if (!axis.leavesImage())
      continue;
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, scalars.front(), zero);
    isInside = isInside ? arith::AndIOp::create(b, loc, isInside, inside).getResult() : inside;
    scalars = scalars.drop_front();
  }
  SmallVector<Value> subscripts(at);
  Value value = interpolated(b, loc, 0, subscripts, ofAxes);
  if (isInside) {
    double outside = c.real("extrapolation_value"); // Upsample has no points outside of the image
    TypedAttr number = isa<FloatType>(value.getType())
                           ? TypedAttr(b.getFloatAttr(value.getType(), outside))
                           : b.getIntegerAttr(value.getType(), static_cast<int64_t>(outside));
    value =
        arith::SelectOp::create(b, loc, isInside, value, arith::ConstantOp::create(b, loc, number));
  }
  if (value.getType() != type.getElementType())
    value = arith::TruncFOp::create(b, loc, type.getElementType(), value);
  return value;
}

} // namespace

std::vector<Operator> resizeUpsampleOperators() {
  Operator op;
  op.name = "Resize";
  op.summary = "resampling to another size: nearest, linear or cubic interpolation";
  op.maxInputs = 4;
  auto choice = [](std::string name, std::string value, std::string doc) {
    return AttributeSchema{std::move(name), AttributeKind::string, std::move(value), false,
                           std::move(doc)};
  };
  op.attributes = {
      choice("mode", "nearest", "nearest, linear or cubic"),
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
      {"extrapolation_value", AttributeKind::real, 0.0, false, "the value outside of the image"},
      {"cubic_coeff_a", AttributeKind::real, -0.75, false,
       "the cubic convolution's coefficient; -0.5 in some frameworks"},
      {"exclude_outside", AttributeKind::integer, int64_t(0), false,
       "1: weights of points outside of the image are 0, instead of the border's elements"},
      {"antialias", AttributeKind::integer, int64_t(0), false,
       "1: antialiasing: the filter is stretched when an image is made smaller"}};
  op.types = computedTypes();
  op.infer = inferResize;
  op.symbolicDims = {"those that keep their size, or are repeated: nearest, by a whole number",
                     [](const InferenceContext &, size_t, size_t) { return std::string(); }};
  op.keepsLayout = true;
  op.lower = [](LoweringContext &c) { c.setResult(Resizing(c).lower()); };

  Operator upsample = op;
  upsample.name = "Upsample";
  upsample.summary = "Resize's older form: asymmetric, by the element before or linearly";
  upsample.maxInputs = 2;
  upsample.attributes = {choice("mode", "nearest", "nearest or linear"),
                         optionalAttribute("scales", AttributeKind::reals,
                                           "factors, as an attribute instead of an input")};
  return {op, upsample};
}

} // namespace kgen
