// RoiAlign: regions of images, each divided into the same number of bins, whose elements are
// sampled.
#include "dialect/kgen/GenericBuilder.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"
#include "ops/movement/Indices.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using arith::CmpFPredicate;

bool checkEither(const InferenceContext &context, const std::string &attribute,
                 const std::string &first, const std::string &second) {
  const std::string &value = context.string(attribute);
  if (value == first || value == second)
    return true;
  context.error("RoiAlign's " + attribute + " is '" + first + "' or '" + second + "', found '" +
                value + "'");
  return false;
}

std::vector<TensorType> inferRoiAlign(InferenceContext &context) {
  const TensorType &image = context.input(0), &rois = context.input(1), &batch = context.input(2);
  if (!checkEither(context, "mode", "avg", "max") ||
      !checkEither(context, "coordinate_transformation_mode", "half_pixel", "output_half_pixel") ||
      !checkInputType(context, 1, "RoiAlign's rois", {image.element}) ||
      !checkInputType(context, 2, "RoiAlign's batch indices", {ElementType::i64}))
    return {};
  bool fits = image.shape.size() == 4 && rois.shape.size() == 2 && rois.shape[1] == 4 &&
              batch.shape.size() == 1 && batch.shape[0] == rois.shape[0];
  if (!fits || image.elementCount() == 0) {
    context.error("RoiAlign takes images [n, c, h, w], regions [r, 4] and batch indices [r]; they "
                  "are " +
                  image.str() + ", " + rois.str() + " and " + batch.str());
    return {};
  }
  int64_t height = context.integer("output_height"), width = context.integer("output_width");
  if (height < 1 || width < 1 || context.integer("sampling_ratio") < 0) {
    context.error("RoiAlign's output_height and output_width are at least 1, its sampling_ratio is "
                  "at least 0");
    return {};
  }
  if (!checkIndices(context, {image.shape[0]}, 2))
    return {};
  return {{image.element, {rois.shape[0], image.shape[1], height, width}}};
}

/// A point between two elements of an axis.
struct Sample {
  Value low, high; ///< indices
  Value share;     ///< how much the higher one counts
  Value inside;    ///< whether it is near the image
};

/// A bin along one axis.
class Bin {
public:
  /// Bin `at` of `bins` of a region that begins and ends at those coordinates of the image.
  Bin(const Formula &f, Value begin, Value end, Value at, int64_t bins, int64_t size,
      const LoweringContext &c)
      : f(f), type(begin.getType()), size(size) {
    bool isHalf = c.string("coordinate_transformation_mode") == "half_pixel";
    auto onImage = [&](Value x) {
      x = f.scaled(x, c.real("spatial_scale"));
      return isHalf ? f.add(x, f.number(type, -0.5)) : x;
    };
    begin = onImage(begin);
    Value length = minus(onImage(end), begin);
    if (!isHalf)
      length = f.atLeast(length, f.number(type, 1.0));
    extent = arith::DivFOp::create(f.b, f.loc, length, f.number(type, static_cast<double>(bins)));
    start = f.add(begin, f.multiply(asFloat(at), extent));
    if (int64_t ratio = c.integer("sampling_ratio"))
      samples = f.number(type, static_cast<double>(ratio));
    else
      samples = math::CeilOp::create(f.b, f.loc, extent);
  }

  Value count() const { return samples; } ///< a whole number

  Sample sample(Value number) const {
    Value part = f.multiply(f.add(asFloat(number), f.number(type, 0.5)), extent);
    Value x = f.add(start, arith::DivFOp::create(f.b, f.loc, part, samples));
    Value isInside =
        arith::AndIOp::create(f.b, f.loc, f.compare(CmpFPredicate::OGE, x, -1),
                              f.compare(CmpFPredicate::OLE, x, static_cast<double>(size)));
    auto last = static_cast<double>(size - 1);
    Value above = f.choose(f.compare(CmpFPredicate::OGT, x, 0), x, f.number(type, 0));
    x = f.choose(f.compare(CmpFPredicate::OLT, above, last), above, f.number(type, last));
    Value floor = math::FloorOp::create(f.b, f.loc, x);
    Value next = f.atMost(f.add(floor, f.number(type, 1.0)), f.number(type, last));
    return {asIndex(floor), asIndex(next), minus(x, floor), isInside};
  }

private:
  Value minus(Value x, Value y) const { return arith::SubFOp::create(f.b, f.loc, x, y); }
  Value asFloat(Value index) const {
    Value integer = arith::IndexCastOp::create(f.b, f.loc, f.b.getI32Type(), index);
    return arith::SIToFPOp::create(f.b, f.loc, type, integer);
  }
  Value asIndex(Value whole) const {
    Value integer = arith::FPToSIOp::create(f.b, f.loc, f.b.getI64Type(), whole);
    return arith::IndexCastOp::create(f.b, f.loc, f.b.getIndexType(), integer);
  }

  const Formula &f;
  Type type;
  int64_t size;
  Value start, extent, samples;
};

/// One element of the result: what becomes of the samples in two bins.
class BinElement {
public:
  using Read = llvm::function_ref<Value(Value row, Value column)>;
  BinElement(const Formula &f, const Bin &rows, const Bin &columns, Type type, bool isMax,
             int64_t ratio, Read read)
      : f(f), rows(rows), columns(columns), type(type), isMax(isMax), ratio(ratio), read(read) {}

  Value value() const {
    Value result = over(rows, start(), [&](Value row, Value sum) {
      Sample y = rows.sample(row);
      return over(columns, sum, [&](Value column, Value inner) {
        Value x = sampled(y, columns.sample(column));
        return isMax ? f.atLeast(inner, x) : f.add(inner, x);
      });
    });
    if (!isMax) {
      Value count = f.multiply(rows.count(), columns.count());
      return arith::DivFOp::create(f.b, f.loc, result, f.atLeast(count, f.number(type, 1.0)));
    }
    Value hasSamples =
        arith::AndIOp::create(f.b, f.loc, f.compare(CmpFPredicate::OGT, rows.count(), 0),
                              f.compare(CmpFPredicate::OGT, columns.count(), 0));
    return f.choose(hasSamples, result, f.number(type, 0));
  }

private:
  Value start() const {
    return f.number(type, isMax ? -std::numeric_limits<double>::infinity() : 0.0);
  }
  Value index(int64_t value) const { return arith::ConstantIndexOp::create(f.b, f.loc, value); }

  /// The samples of a bin one after another, all of whose numbers are known if that of samples is.
  Value over(const Bin &bin, Value sum, llvm::function_ref<Value(Value, Value)> body) const {
    for (int64_t i = 0; i < ratio; ++i)
      sum = body(index(i), sum);
    if (ratio > 0)
      return sum;
    Value end = arith::FPToSIOp::create(f.b, f.loc, f.b.getI64Type(), bin.count());
    end = arith::IndexCastOp::create(f.b, f.loc, f.b.getIndexType(), end);
    auto loop = scf::ForOp::create(f.b, f.loc, index(0), end, index(1), sum);
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArgs()[0]);
    scf::YieldOp::create(f.b, f.loc, next);
    return loop.getResult(0);
  }

  /// Between four elements. ONNX's maximum is that of their shares.
  Value sampled(const Sample &y, const Sample &x) const {
    auto rest = [&](Value share) -> Value {
      return arith::SubFOp::create(f.b, f.loc, f.number(type, 1.0), share);
    };
    auto share = [&](Value row, Value column, Value ofRow, Value ofColumn) {
      return f.multiply(f.multiply(ofRow, ofColumn), read(row, column));
    };
    Value terms[] = {share(y.low, x.low, rest(y.share), rest(x.share)),
                     share(y.low, x.high, rest(y.share), x.share),
                     share(y.high, x.low, y.share, rest(x.share)),
                     share(y.high, x.high, y.share, x.share)};
    Value result = terms[0];
    for (Value term : ArrayRef(terms).drop_front())
      result = isMax ? f.atLeast(result, term) : f.add(result, term);
    Value isInside = arith::AndIOp::create(f.b, f.loc, y.inside, x.inside);
    return f.choose(isInside, result, f.number(type, 0));
  }

  const Formula &f;
  const Bin &rows, &columns;
  Type type;
  bool isMax;
  int64_t ratio; ///< samples of a bin along an axis, or 0: as many as a bin is long
  Read read;
};

/// With channels last: a vector holds channels of one bin.
void lowerRoiAlign(LoweringContext &c) {
  Value image = c.channelsLast(0), rois = c.operand(1), batch = c.operand(2);
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(image.getType()).getShape();
  RankedTensorType type = c.resultTensor();
  Type element = type.getElementType(), computeElement = computeType(element);
  SmallVector<int64_t> shape{type.getDimSize(0), type.getDimSize(2), type.getDimSize(3),
                             type.getDimSize(1)};
  bool isKnown = c.constantData(2) != nullptr;
  auto ofBin = [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
    Formula f{b, loc};
    auto coordinate = [&](int64_t i) {
      Value column = arith::ConstantIndexOp::create(b, loc, i);
      Value x = tensor::ExtractOp::create(b, loc, rois, ValueRange{at[0], column});
      return inFloatType(b, loc, x, computeElement);
    };
    Value index = tensor::ExtractOp::create(b, loc, batch, at[0]);
    index = indexOnAxis(b, loc, index, sizes[0], isKnown);
    Bin rows(f, coordinate(1), coordinate(3), at[1], shape[1], sizes[1], c);
    Bin columns(f, coordinate(0), coordinate(2), at[2], shape[2], sizes[2], c);
    auto read = [&](Value row, Value column) {
      Value x = tensor::ExtractOp::create(b, loc, image, ValueRange{index, row, column, at[3]});
      return inFloatType(b, loc, x, computeElement);
    };
    BinElement bin(f, rows, columns, computeElement, c.string("mode") == "max",
                   c.integer("sampling_ratio"), read);
    return inFloatType(b, loc, bin.value(), element);
  };
  c.setChannelsLast(c.indexed(RankedTensorType::get(shape, element), {}, {}, ofBin));
}

} // namespace

std::vector<Operator> roiAlignmentOperators() {
  Operator op;
  op.name = "RoiAlign";
  op.summary = "regions of images, [x1, y1, x2, y2] each, divided into bins: the mean (maximum) of "
               "samples between the elements of each bin";
  op.minInputs = op.maxInputs = 3;
  op.attributes = {
      {"mode", AttributeKind::string, std::string("avg"), false,
       "avg or max: of the shares of elements in samples"},
      {"coordinate_transformation_mode", AttributeKind::string, std::string("half_pixel"), false,
       "half_pixel: coordinates are less by half a pixel; or output_half_pixel"},
      {"output_height", AttributeKind::integer, int64_t(1), false, "bins along the rows"},
      {"output_width", AttributeKind::integer, int64_t(1), false, "bins along the columns"},
      {"sampling_ratio", AttributeKind::integer, int64_t(0), false,
       "samples of a bin along each axis; 0: as many as a bin has elements"},
      {"spatial_scale", AttributeKind::real, 1.0, false, "from coordinates to elements"}};
  op.types = floatTypes();
  op.infer = inferRoiAlign;
  op.lower = lowerRoiAlign;
  return {op};
}

} // namespace kgen
