// GridSample: an image read at points that another tensor gives, between its elements.
#include "dialect/kgen/GenericBuilder.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

enum class Mode { linear, nearest, cubic };

/// "bilinear" and "bicubic" are what the modes were called before opset 20.
std::optional<Mode> modeOf(const InferenceContext &context) {
  const std::string &name = context.string("mode");
  if (name == "linear" || name == "bilinear")
    return Mode::linear;
  if (name == "cubic" || name == "bicubic")
    return Mode::cubic;
  return name == "nearest" ? std::optional(Mode::nearest) : std::nullopt;
}

std::vector<TensorType> inferGridSample(InferenceContext &context) {
  const TensorType &image = context.input(0), &grid = context.input(1);
  const std::string &padding = context.string("padding_mode");
  if (!modeOf(context)) {
    context.error("GridSample's mode is 'linear', 'nearest' or 'cubic', found '" +
                  context.string("mode") + "'");
    return {};
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    context.error("GridSample's padding_mode is 'zeros', 'border' or 'reflection', found '" +
                  padding + "'");
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

/// An element on an axis that a point is made of.
struct Tap {
  Value index;  ///< its index
  Value inside; ///< null, or whether the point is in the image
  Value weight; ///< or null: the only one
};

/// The taps of a point along one axis. NaN is the first element.
class AxisSampling {
public:
  AxisSampling(LoweringContext &c, const Formula &f, Type type, int64_t size)
      : f(f), type(type), mode(*modeOf(c)), padding(c.string("padding_mode")),
        alignsCorners(c.integer("align_corners") != 0), size(size) {}

  /// Of `x`, which is from -1 to 1 on the axis.
  SmallVector<Tap> taps(Value x) const {
    Value point = inside(onAxis(x));
    if (mode == Mode::nearest)
      return {tap(point, {})};
    Value floor = math::FloorOp::create(f.b, f.loc, point);
    Value share = arith::SubFOp::create(f.b, f.loc, point, floor);
    SmallVector<Value> weights = mode == Mode::linear ? linear(share) : cubic(share);
    SmallVector<Tap> all;
    double offset = mode == Mode::linear ? 0 : -1;
    for (Value weight : weights)
      all.push_back(tap(plus(floor, offset++), weight));
    return all;
  }

private:
  Value plus(Value x, double number) const { return f.add(x, f.number(type, number)); }
  Value oneMinus(Value x) const {
    return arith::SubFOp::create(f.b, f.loc, f.number(type, 1.0), x);
  }
  Value clamped(Value x, double low, double high) const {
    using arith::CmpFPredicate;
    Value lowest = f.number(type, low), highest = f.number(type, high);
    Value above = f.choose(f.compare(CmpFPredicate::OGT, x, low), x, lowest);
    return f.choose(f.compare(CmpFPredicate::OLT, above, high), above, highest);
  }

  /// Corners are the outer elements, or these elements' outer borders.
  Value onAxis(Value x) const {
    Value fromBegin = plus(x, 1.0);
    Value point = alignsCorners ? f.scaled(fromBegin, 0.5 * static_cast<double>(size - 1))
                                : plus(f.scaled(fromBegin, 0.5 * static_cast<double>(size)), -0.5);
    return mode == Mode::nearest ? math::RoundEvenOp::create(f.b, f.loc, point).getResult() : point;
  }

  Value inside(Value point) const {
    auto last = static_cast<double>(size - 1);
    if (padding == "border")
      return atBorder(point);
    constexpr double taps = 4; // far enough outside
    return padding == "zeros" ? clamped(point, -taps, last + taps) : reflected(point);
  }

  /// Points of the image stay, those between an outer element and its outer border included: a
  /// cubic counts the element after the border's as well. Other points, and NaN, are on an outer
  /// element. The other modes see no difference.
  Value atBorder(Value point) const {
    auto last = static_cast<double>(size - 1);
    Value onElement = clamped(point, 0, last);
    if (alignsCorners || mode != Mode::cubic)
      return onElement;
    using arith::CmpFPredicate;
    Value isWithin = arith::AndIOp::create(f.b, f.loc, f.compare(CmpFPredicate::OGE, point, -0.5),
                                           f.compare(CmpFPredicate::OLE, point, last + 0.5));
    return f.choose(isWithin, point, onElement);
  }

  /// Moves to and fro between both ends.
  Value reflected(Value point) const {
    double begin = alignsCorners ? 0.0 : -0.5;
    double length = static_cast<double>(size) - (alignsCorners ? 1 : 0);
    if (length == 0)
      return f.number(type, 0.0);
    Value distance = math::AbsFOp::create(f.b, f.loc, plus(point, -begin));
    Value rounds = math::FloorOp::create(f.b, f.loc, f.scaled(distance, 0.5 / length));
    Value rest = arith::SubFOp::create(f.b, f.loc, distance, f.scaled(rounds, 2 * length));
    Value back = arith::SubFOp::create(f.b, f.loc, f.number(type, 2 * length), rest);
    return clamped(plus(f.atMost(rest, back), begin), begin, begin + length);
  }

  Tap tap(Value point, Value weight) const {
    auto last = static_cast<double>(size - 1);
    Value isInside;
    if (padding == "zeros")
      isInside = arith::AndIOp::create(f.b, f.loc, f.compare(arith::CmpFPredicate::OGE, point, 0),
                                       f.compare(arith::CmpFPredicate::OLE, point, last));
    else if (padding == "reflection")
      point = reflected(point);
    Value index = arith::FPToSIOp::create(f.b, f.loc, f.b.getI64Type(), clamped(point, 0, last));
    return {arith::IndexCastOp::create(f.b, f.loc, f.b.getIndexType(), index), isInside, weight};
  }

  SmallVector<Value> linear(Value share) const { return {oneMinus(share), share}; }

  /// Keys' kernel with a = -0.75, at distances of less than 1 and of 1 to 2.
  SmallVector<Value> cubic(Value share) const {
    constexpr double a = -0.75;
    auto near = [&](Value x) {
      Value slope = plus(f.scaled(x, a + 2), -(a + 3));
      return plus(f.multiply(f.multiply(slope, x), x), 1.0);
    };
    auto far = [&](Value x) {
      Value inner = plus(f.multiply(plus(f.scaled(x, a), -5 * a), x), 8 * a);
      return plus(f.multiply(inner, x), -4 * a);
    };
    Value other = oneMinus(share);
    return {far(plus(share, 1.0)), near(share), near(other), far(plus(other, 1.0))};
  }

  const Formula &f;
  Type type;
  Mode mode;
  std::string padding;
  bool alignsCorners;
  int64_t size;
};

/// Adds up the elements at all combinations of the axes' taps; the first axes' are `chosen`.
Value sumOfTaps(const Formula &f, ArrayRef<SmallVector<Tap>> axes, SmallVector<Tap> &chosen,
                llvm::function_ref<Value(ArrayRef<Tap>)> element) {
  if (chosen.size() == axes.size())
    return element(chosen);
  Value sum;
  for (const Tap &tap : axes[chosen.size()]) {
    chosen.push_back(tap);
    Value term = sumOfTaps(f, axes, chosen, element);
    chosen.pop_back();
    if (tap.weight)
      term = f.multiply(term, tap.weight);
    sum = sum ? f.add(sum, term) : term;
  }
  return sum;
}

/// With channels last, a vector holds channels of one point.
void lowerGridSample(LoweringContext &c) {
  auto rank = static_cast<int64_t>(c.input(0).shape.size());
  bool isLast = c.input(0).shape[1] >= c.cpu().heuristics.minSampledChannels;
  int64_t firstAxis = isLast ? 1 : 2;
  Value image = isLast ? c.channelsLast(0) : c.operand(0), grid = c.operand(1);
  SmallVector<int64_t> shape(c.resultTensor().getShape());
  if (isLast)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  Type element = c.resultTensor().getElementType(), computeElement = computeType(element);
  auto sample = [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
    Formula f{b, loc};
    SmallVector<Value> where{at[0]};
    llvm::append_range(where, at.slice(firstAxis, rank - 2));
    SmallVector<SmallVector<Tap>> axes;
    for (int64_t i = 0; i < rank - 2; ++i) {
      SmallVector<Value> coordinate(where); // of the last axis first
      coordinate.push_back(arith::ConstantIndexOp::create(b, loc, rank - 3 - i));
      Value x = tensor::ExtractOp::create(b, loc, grid, coordinate);
      axes.push_back(AxisSampling(c, f, computeElement, c.input(0).shape[2 + i])
                         .taps(inFloatType(b, loc, x, computeElement)));
    }
    auto read = [&](ArrayRef<Tap> taps) -> Value {
      SmallVector<Value> subscripts(at);
      Value isInside;
      for (auto [i, tap] : llvm::enumerate(taps)) {
        subscripts[firstAxis + i] = tap.index;
        if (tap.inside)
          isInside = isInside ? arith::AndIOp::create(b, loc, isInside, tap.inside).getResult()
                              : tap.inside;
      }
      Value x =
          inFloatType(b, loc, tensor::ExtractOp::create(b, loc, image, subscripts), computeElement);
      return isInside ? f.choose(isInside, x, f.number(computeElement, 0.0)) : x;
    };
    SmallVector<Tap> chosen;
    return inFloatType(b, loc, sumOfTaps(f, axes, chosen, read), element);
  };
  Value result = c.indexed(RankedTensorType::get(shape, element), {}, {}, sample);
  if (isLast)
    c.setChannelsLast(result);
  else
    c.setResult(result);
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
