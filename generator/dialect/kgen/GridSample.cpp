// kgen.grid_sample: verifier, definition, and the code of one element, which the definition and its
// lowering have in common.
#include "dialect/kgen/GridSample.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using Mode = GridSampleMode;
using Padding = GridSamplePadding;

/// Creates the operations of one element.
struct Formula {
  OpBuilder &b;
  Location loc;

  Value number(Type type, double value) const {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }
  Value multiply(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }
  Value scaled(Value x, double factor) const {
    return factor == 1.0 ? x : multiply(x, number(x.getType(), factor));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double bound) const {
    return arith::CmpFOp::create(b, loc, predicate, x, number(x.getType(), bound));
  }
  Value choose(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value atMost(Value x, Value bound) const {
    return choose(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, bound, x), bound, x);
  }
};

/// An element on an axis that a point is made of.
struct Tap {
  Value index;  ///< its index
  Value inside; ///< null, or whether the point is in the image
  Value weight; ///< or null: the only one
};

/// The taps of a point along one axis. NaN is the first element.
class AxisSampling {
public:
  AxisSampling(GridSampleOp op, const Formula &f, Type type, int64_t size)
      : f(f), type(type), mode(op.getMode()), padding(op.getPadding()),
        alignsCorners(op.getAlignCorners()), size(size) {}

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
  /// NaN is `low`.
  Value clamped(Value x, double low, double high) const {
    using arith::CmpFPredicate;
    Value lowest = f.number(type, low), highest = f.number(type, high);
    // Of -0 and 0, the functions may return either.
    Value above = low == 0 ? f.choose(f.compare(CmpFPredicate::OGT, x, low), x, lowest)
                           : arith::MaxNumFOp::create(f.b, f.loc, x, lowest).getResult();
    return high == 0 ? f.choose(f.compare(CmpFPredicate::OLT, above, high), above, highest)
                     : arith::MinNumFOp::create(f.b, f.loc, above, highest).getResult();
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
    if (padding == Padding::border)
      return atBorder(point);
    constexpr double taps = 4; // far enough outside
    return padding == Padding::zeros ? clamped(point, -taps, last + taps) : reflected(point);
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
    if (padding == Padding::zeros)
      isInside = arith::AndIOp::create(f.b, f.loc, f.compare(arith::CmpFPredicate::OGE, point, 0),
                                       f.compare(arith::CmpFPredicate::OLE, point, last));
    else if (padding == Padding::reflection)
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
  Padding padding;
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

/// Computes elements of a result; `firstAxis` is the first spatial dimension of it and the image.
class Sampling {
public:
  Sampling(GridSampleOp op, Value image, int64_t firstAxis)
      : op(op), image(image), grid(op.getGrid()), firstAxis(firstAxis),
        axes(cast<RankedTensorType>(image.getType()).getRank() - 2),
        element(getElementTypeOrSelf(image.getType())), compute(accumulatorOf(element)) {}

  Value at(OpBuilder &b, Location loc, ArrayRef<Value> indices) const {
    Formula f{b, loc};
    SmallVector<Value> where{indices[0]};
    llvm::append_range(where, indices.slice(firstAxis, axes));
    SmallVector<SmallVector<Tap>> taps;
    for (int64_t i = 0; i < axes; ++i) {
      SmallVector<Value> coordinate(where); // of the last axis first
      coordinate.push_back(arith::ConstantIndexOp::create(b, loc, axes - 1 - i));
      Value x = tensor::ExtractOp::create(b, loc, grid, coordinate);
      int64_t size = cast<RankedTensorType>(image.getType()).getDimSize(firstAxis + i);
      taps.push_back(AxisSampling(op, f, compute, size).taps(inFloatType(b, loc, x, compute)));
    }
    SmallVector<Tap> chosen;
    Value sum =
        sumOfTaps(f, taps, chosen, [&](ArrayRef<Tap> taps) { return read(f, indices, taps); });
    return inFloatType(b, loc, sum, element);
  }

private:
  /// An element of the image, or 0 outside of it.
  Value read(const Formula &f, ArrayRef<Value> indices, ArrayRef<Tap> taps) const {
    SmallVector<Value> subscripts(indices);
    Value isInside;
    for (auto [i, tap] : llvm::enumerate(taps)) {
      subscripts[firstAxis + i] = tap.index;
      if (tap.inside)
        isInside = isInside ? arith::AndIOp::create(f.b, f.loc, isInside, tap.inside).getResult()
                            : tap.inside;
    }
    Value x =
        inFloatType(f.b, f.loc, tensor::ExtractOp::create(f.b, f.loc, image, subscripts), compute);
    return isInside ? f.choose(isInside, x, f.number(compute, 0.0)) : x;
  }

  GridSampleOp op;
  Value image, grid;
  int64_t firstAxis, axes;
  Type element, compute;
};

} // namespace

Value sampleImage(OpBuilder &b, GridSampleOp op, Value image, bool channelsLast) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, op.getGrid());
  sizes.pop_back();
  int64_t rank = op.getImageType().getRank();
  sizes.insert(channelsLast ? sizes.end() : sizes.begin() + 1,
               sizeOf(b, loc, image, channelsLast ? rank - 1 : 1));
  Sampling sampling(op, image, channelsLast ? 1 : 2);
  Value out = emptyTensor(b, loc, sizes, op.getImageType().getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto fill = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> indices;
    for (int64_t d = 0; d < rank; ++d)
      indices.push_back(linalg::IndexOp::create(b, loc, d));
    linalg::YieldOp::create(b, loc, sampling.at(b, loc, indices));
  };
  return linalg::GenericOp::create(b, loc, out.getType(), ValueRange(), out,
                                   b.getMultiDimIdentityMap(rank), loops, fill)
      .getResult(0);
}

LogicalResult GridSampleOp::verify() {
  RankedTensorType image = getImageType(), grid = cast<RankedTensorType>(getGrid().getType());
  int64_t rank = image.getRank();
  bool fits = rank >= 3 && grid.getRank() == rank && grid.getDimSize(0) == image.getDimSize(0) &&
              grid.getShape().back() == rank - 2 &&
              llvm::none_of(image.getShape().drop_front(2), ShapedType::isDynamic);
  if (!fits)
    return emitOpError() << "takes an image [n, c, spatial...] of known spatial sizes and a grid "
                            "[n, places..., number of these], found "
                         << image << " and " << grid;
  SmallVector<int64_t> shape(grid.getShape().drop_back());
  shape.insert(shape.begin() + 1, image.getDimSize(1));
  if (getResult().getType() != image.clone(shape))
    return emitOpError() << "has a result of " << image.clone(shape) << ", found "
                         << getResult().getType();
  return success();
}

LogicalResult GridSampleOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, getLoc(), getGrid());
  sizes.pop_back();
  sizes.insert(sizes.begin() + 1, sizeOf(b, getLoc(), getImage(), 1));
  shapes.push_back(sizes);
  return success();
}

FailureOr<SmallVector<Value>> GridSampleOp::decomposeOperation(OpBuilder &b) {
  return SmallVector<Value>{sampleImage(b, *this, getImage(), /*channelsLast=*/false)};
}

} // namespace kgen
