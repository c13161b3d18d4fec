// Resize: images, or any tensors, under another grid of points, by the nearest element or linearly.
// Where each point of the result lies between those of the input is known when code is generated.
#include "ops/Lowering.h"
#include "ops/ResizedGrid.h"
#include "ops/TypeRules.h"

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
  context.error("'" + value + "' is no " + attribute + " of Resize", "expected one of " + list);
  return false;
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
  auto axes = resizedAxes(context);
  if (!axes)
    return {};
  for (size_t d = 0; d < axes->size(); ++d)
    result.shape[d] = (*axes)[d].output;
  return {result};
}

/// Lowers one Resize; dimensions are in the order of the operand.
class Resizing {
public:
  explicit Resizing(LoweringContext &c) : c(c), x(c.operand(0)), type(c.resultTensor()) {
    std::vector<ResizedAxis> axes = *resizedAxes(c);
    int64_t rank = type.getRank();
    for (int64_t d = 0; d < rank; ++d)
      if (ResizedPoints each = pointsOf(c, axes[d], c.placeOf(d, rank)); !each.isSame)
        points.push_back(std::move(each));
    llvm::sort(points, [](const ResizedPoints &a, const ResizedPoints &b) {
      return a.dimension < b.dimension;
    });
  }

  Value lower() {
    if (points.empty())
      return x;
    bool isNearest = c.string("mode") == "nearest";
    ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
    for (ResizedPoints &each : points)
      each.repeats = isNearest ? each.repetition(shape[each.dimension]) : 0;
    auto isRepeated = [](const ResizedPoints &each) { return each.repeats != 0; };
    // Along rows, vectors are interleaved with themselves. Elsewhere they are found by division, so
    // that the result, which has no more dimensions, can be part of another tensor.
    if (llvm::all_of(points, isRepeated) && points.back().dimension + 1 == type.getRank())
      return repeated();
    for (const ResizedPoints &each : points) {
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
  template <typename T>
  void table(const ResizedPoints &of, Type element, const std::vector<T> &values) {
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
  std::vector<ResizedPoints> points;
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
  for (const ResizedPoints &each : points) {
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
