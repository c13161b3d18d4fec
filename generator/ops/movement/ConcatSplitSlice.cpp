// Concat, Slice, Split. A slice with stride 1 in the last dimension is a view of the whole tensor:
// its producer writes it there, and
// what reads it reads it there.
#include "ops/Axes.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/movement/SliceBounds.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// A slice of a tensor of the graph; strides (`step`) may be negative.
struct Part {
  TensorShape start;
  std::vector<int64_t> step;
  TensorShape count;

  static Part whole(const TensorShape &shape) {
    return {std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1), shape};
  }
  bool isStatic() const { return start.isStatic() && count.isStatic(); }
};

/// Element `at` of a dimension of a slice, in the whole dimension.
Value placeInWhole(OpBuilder &b, Location loc, Value at, OpFoldResult start, int64_t step) {
  Value first = getValueOrCreateConstantIndexOp(b, loc, start);
  Value distance = arith::ConstantIndexOp::create(b, loc, std::abs(step));
  Value moved = b.createOrFold<arith::MulIOp>(loc, at, distance);
  return step < 0 ? b.createOrFold<arith::SubIOp>(loc, first, moved)
                  : b.createOrFold<arith::AddIOp>(loc, first, moved);
}

/// The slice of a tensor whose place or sizes are symbolic.
Value symbolicPart(LoweringContext &c, Value x, const Part &part) {
  const auto rank = static_cast<int64_t>(part.count.size());
  SmallVector<int64_t> step(rank);
  TensorShape start(std::vector<int64_t>(rank, 0)), count(std::vector<int64_t>(rank, 0));
  for (int64_t d = 0; d < rank; ++d) {
    int64_t to = c.dimensionOf(d, rank);
    start.setDim(to, part.start.dim(d));
    step[to] = part.step[d];
    count.setDim(to, part.count.dim(d));
  }
  if (llvm::any_of(step, [](int64_t s) { return s < 0; })) {
    SmallVector<OpFoldResult> first = sizeValues(c.b, start);
    return c.indexed(count, getElementTypeOrSelf(x), {}, {},
                     [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
                       SmallVector<Value> places;
                       for (int64_t d = 0; d < rank; ++d)
                         places.push_back(placeInWhole(b, loc, at[d], first[d], step[d]));
                       return tensor::ExtractOp::create(b, loc, x, places);
                     });
  }
  return tensor::ExtractSliceOp::create(c.b, c.loc, x, sizeValues(c.b, start),
                                        sizeValues(c.b, count), indices(c.b, step));
}

/// The slice of `x`, an operand or its image with the channels last.
Value part(LoweringContext &c, Value x, const Part &part) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!part.isStatic() || !type.hasStaticShape())
    return symbolicPart(c, x, part);
  int64_t rank = type.getRank();
  SmallVector<int64_t> start(rank), step(rank), count(rank);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t to = c.dimensionOf(d, rank);
    start[to] = part.start[d];
    step[to] = part.count[d] == 1 ? 1 : part.step[d];
    count[to] = part.count[d];
  }
  bool isView = llvm::all_of(step, [](int64_t s) { return s > 0; }) && (!rank || step.back() == 1);
  if (isView)
    return extractStridedSlice(c.b, c.loc, x, start, count, step);
  return c.indexed(
      type.clone(count), {}, {},
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
        SmallVector<Value> subscripts;
        auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
        for (int64_t d = 0; d < rank; ++d) {
          Value moved = at[d];
          if (step[d] < 0)
            moved =
                arith::SubIOp::create(b, loc, number(start[d]),
                                      b.createOrFold<arith::MulIOp>(loc, moved, number(-step[d])));
          else
            moved = b.createOrFold<arith::AddIOp>(
                loc, b.createOrFold<arith::MulIOp>(loc, moved, number(step[d])), number(start[d]));
          subscripts.push_back(moved);
        }
        return tensor::ExtractOp::create(b, loc, x, subscripts);
      });
}

/// The slice of a weight.
WeightData constantPart(const InferenceContext &context, const Part &part) {
  const TensorType &type = context.input(0);
  std::vector<int64_t> from(type.shape.size());
  return movedElements(*context.constantData(0), byteWidth(type.element), part.count,
                       [&](ArrayRef<int64_t> at) {
                         for (size_t d = 0; d < from.size(); ++d)
                           from[d] = part.start[d] + at[d] * part.step[d];
                         return elementNumber(from, type.shape);
                       });
}

/// Limits `start` and `end` of a Slice to a dimension of its size, and counts the elements.
void sliceAxis(Part &part, size_t axis, int64_t start, int64_t end, int64_t step) {
  int64_t size = part.count[axis];
  if (size == 0)
    return;
  auto limited = [&](int64_t at, int64_t lower, int64_t upper) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, lower, upper);
  };
  start = step > 0 ? limited(start, 0, size) : limited(start, 0, size - 1);
  end = step > 0 ? limited(end, 0, size) : limited(end, -1, size - 1);
  int64_t distance = step > 0 ? end - start : start - end;
  part.start[axis] = start;
  part.step[axis] = step;
  part.count[axis] = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
}

std::optional<Part> slicePart(const InferenceContext &context) {
  std::optional<std::vector<Dim>> starts, ends;
  std::optional<std::vector<int64_t>> axes, steps;
  if (!readSizes(context, 1, "starts", starts) || !readSizes(context, 2, "ends", ends) ||
      !readIntegers(context, 3, "axes", axes) || !readIntegers(context, 4, "steps", steps))
    return std::nullopt;
  if (!starts || !ends) {
    context.error("Slice needs starts and ends, as attributes or as inputs 2 and 3");
    return std::nullopt;
  }
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps)
    steps.emplace(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    context.error("Slice's starts, ends, axes and steps must have the same length");
    return std::nullopt;
  }
  for (int64_t &step : *steps)
    step = std::max(step, -std::numeric_limits<int64_t>::max()); // the lowest has no magnitude
  const TensorType &input = context.input(0);
  Part part = Part::whole(input.shape);
  std::vector<bool> seen(input.shape.size());
  for (size_t i = 0; i < axes->size(); ++i) {
    auto axis = normalizeAxis(context, (*axes)[i], input.shape.size());
    if (!axis)
      return std::nullopt;
    if (seen[*axis] || (*steps)[i] == 0) {
      context.error(seen[*axis] ? "axis " + std::to_string((*axes)[i]) + " is listed twice"
                                : std::string("a step of Slice is 0"));
      return std::nullopt;
    }
    seen[*axis] = true;
    const Dim &start = (*starts)[i], &end = (*ends)[i], size = input.shape.dim(*axis);
    if (size.isNumber() && start.isNumber() && end.isNumber()) {
      sliceAxis(part, *axis, *start.number(), *end.number(), (*steps)[i]);
    } else if (auto slice = sliceOf(size, start, end, (*steps)[i])) {
      part.start.setDim(*axis, slice->start);
      part.step[*axis] = (*steps)[i];
      part.count.setDim(*axis, slice->count);
    } else {
      context.error("the slice of dimension " + std::to_string(*axis) + " of " + input.str() +
                        " from " + start.str() + " to " + end.str() + " by " +
                        std::to_string((*steps)[i]) + " is not the same part for every size",
                    "bounds of the sizes may say that it is");
      return std::nullopt;
    }
  }
  return part;
}

SymbolicDims otherThanAxis() {
  return {"those that are not split", [](const InferenceContext &c, size_t input, size_t d) {
            const auto rank = static_cast<int64_t>(c.input(input).shape.size());
            const int64_t axis = c.integer("axis"), dimension = static_cast<int64_t>(d);
            const bool isAxis = input != 0 || axis == dimension || axis + rank == dimension;
            return std::string(isAxis ? "what is split has a size that is a number" : "");
          }};
}

std::vector<TensorType> inferSlice(InferenceContext &context) {
  auto part = slicePart(context);
  if (!part)
    return {};
  return {{context.input(0).element, part->count}};
}

std::vector<TensorType> inferConcat(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  TensorType result = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), result.shape.size());
  if (!axis)
    return {};
  for (size_t i = 1; i < context.inputCount(); ++i) {
    if (!context.hasInput(i)) {
      context.error("Concat has no optional inputs: input " + std::to_string(i + 1) +
                    " cannot be skipped");
      return {};
    }
    TensorShape shape = context.input(i).shape;
    Dim size = shape.size() == result.shape.size() ? shape.dim(*axis) : 0;
    if (shape.size() == result.shape.size())
      shape.setDim(*axis, result.shape.dim(*axis));
    if (shape != result.shape) {
      context.error("Concat's inputs must agree but for dimension " + std::to_string(*axis) +
                    ": input 1 is " + context.input(0).str() + ", input " + std::to_string(i + 1) +
                    " is " + context.input(i).str());
      return {};
    }
    result.shape.setDim(*axis, result.shape.dim(*axis) + size);
  }
  return {result};
}

std::vector<WeightData> foldConcat(InferenceContext &context,
                                   const std::vector<TensorType> &types) {
  if (!areConstants(context))
    return {};
  const TensorType &type = types.front();
  size_t axis = *normalizeAxis(context, context.integer("axis"), type.shape.size());
  auto bytes = std::make_shared<std::vector<char>>();
  int64_t rows = 1;
  for (size_t d = 0; d < axis; ++d)
    rows *= type.shape[d];
  for (int64_t row = 0; row < rows; ++row)
    for (size_t i = 0; i < context.inputCount(); ++i) {
      WeightData data = context.constantData(i);
      size_t width = data->size() / rows;
      bytes->insert(bytes->end(), data->begin() + row * width, data->begin() + (row + 1) * width);
    }
  return {bytes};
}

void lowerConcat(LoweringContext &c) {
  int64_t rank = c.resultTensor().getRank();
  int64_t axis = c.dimensionOf(*normalizeAxis(c, c.integer("axis"), rank), rank);
  SmallVector<Value> parts;
  for (size_t i = 0; i < c.inputCount(); ++i)
    if (!c.input(i).shape.isEmptyTensor())
      parts.push_back(c.operand(i));
  c.setResult(joined(c.b, c.loc, parts, axis));
}

/// The sizes of a Split's results.
std::optional<std::vector<int64_t>> splitSizes(const InferenceContext &context, int64_t size) {
  std::optional<std::vector<int64_t>> sizes;
  if (!readIntegers(context, 1, "split", sizes))
    return std::nullopt;
  auto results = static_cast<int64_t>(context.resultCount());
  auto fail = [&](const std::string &message) {
    context.error("Split of a dimension of " + std::to_string(size) + " into " +
                  std::to_string(results) + ": " + message);
    return std::nullopt;
  };
  bool isCounted = context.hasAttribute("num_outputs");
  if (isCounted && sizes)
    return fail("split and num_outputs exclude each other");
  if (isCounted && context.integer("num_outputs") != results)
    return fail("num_outputs is " + std::to_string(context.integer("num_outputs")));
  if (!sizes) {
    // The last one may be smaller.
    int64_t each = (size + results - 1) / results;
    if (!isCounted && size % results != 0)
      return fail("without split or num_outputs, the parts must be equal");
    if (each * (results - 1) > size)
      return fail("nothing is left for the last part");
    sizes.emplace(results, each);
    sizes->back() = size - each * (results - 1);
  }
  bool isOutside = llvm::any_of(*sizes, [&](int64_t part) { return part < 0 || part > size; });
  if (static_cast<int64_t>(sizes->size()) != results || isOutside ||
      std::accumulate(sizes->begin(), sizes->end(), int64_t(0)) != size)
    return fail("split must list a size for each result, which add up to the dimension");
  return sizes;
}

/// Calls `each` with the number and the slice of each result of a Split; false after an error.
template <typename Function> bool forEachSplit(const InferenceContext &context, Function each) {
  const TensorType &input = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), input.shape.size());
  auto sizes = axis ? splitSizes(context, input.shape[*axis]) : std::nullopt;
  if (!sizes)
    return false;
  Part part = Part::whole(input.shape);
  for (size_t i = 0; i < sizes->size(); ++i) {
    part.count[*axis] = (*sizes)[i];
    each(i, part);
    part.start[*axis] += (*sizes)[i];
  }
  return true;
}

std::vector<TensorType> inferSplit(InferenceContext &context) {
  std::vector<TensorType> types;
  bool good = forEachSplit(context, [&](size_t, const Part &part) {
    types.push_back({context.input(0).element, part.count});
  });
  return good ? types : std::vector<TensorType>{};
}

void lowerSplit(LoweringContext &c) {
  Value x = c.operand(0);
  forEachSplit(c, [&](size_t i, const Part &p) {
    if (!c.hasResult(i))
      return;
    if (!c.resultType(i).shape.isEmptyTensor())
      c.setResult(part(c, x, p), i);
    else
      c.setResult(c.empty(c.resultShape(i), c.resultTensor(i).getElementType()), i);
  });
}

Operator sliceOperator() {
  Operator slice;
  slice.name = "Slice";
  slice.summary = "a strided slice along axes; steps may be negative";
  slice.maxInputs = 5;
  slice.attributes = {
      optionalIntegers("starts",
                       "first indices, counted from the end if negative, limited to the axis"),
      optionalIntegers("ends", "what the indices stop before, likewise"),
      optionalIntegers("axes", "whose they are; the first ones, if absent"),
      optionalIntegers("steps", "strides; 1, if absent")};
  slice.infer = inferSlice;
  slice.symbolicDims = SymbolicDims::any();
  slice.shapeInputs = {1, 2};
  slice.fold = [](InferenceContext &c, const std::vector<TensorType> &) {
    return c.constantData(0) ? std::vector<WeightData>{constantPart(c, *slicePart(c))}
                             : std::vector<WeightData>{};
  };
  slice.foldSizes = foldMovedSizes(slice.fold);
  slice.lower = [](LoweringContext &c) { c.setResult(part(c, c.operand(0), *slicePart(c))); };
  return slice;
}

} // namespace

std::vector<Operator> concatSplitSliceOperators() {
  Operator concat;
  concat.name = "Concat";
  concat.summary = "tensors one after another along an axis";
  concat.maxInputs = operatorUnlimited;
  concat.attributes = {
      {"axis", AttributeKind::integer, std::nullopt, false, "counted from the end if negative"}};
  concat.infer = inferConcat;
  concat.symbolicDims = SymbolicDims::any();
  concat.fold = foldConcat;
  concat.foldSizes = foldMovedSizes(foldConcat, [](size_t) { return true; });
  concat.lower = lowerConcat;

  Operator slice = sliceOperator();
  Operator split;
  split.name = "Split";
  split.summary = "parts along an axis: of equal size, or as `split` says";
  split.maxInputs = 2;
  split.outputs = operatorUnlimited;
  split.optionalOutputs = operatorUnlimited - 1;
  split.attributes = {
      {"axis", AttributeKind::integer, int64_t(0), false, "counted from the end if negative"},
      optionalIntegers("split", "sizes of the slices, as an attribute instead of an input"),
      optionalAttribute("num_outputs", AttributeKind::integer,
                        "the number of results: the last one may be smaller then")};
  split.infer = inferSplit;
  split.symbolicDims = otherThanAxis();
  split.fold = [](InferenceContext &c, const std::vector<TensorType> &) {
    std::vector<WeightData> results;
    if (c.constantData(0))
      forEachSplit(c, [&](size_t, const Part &p) { results.push_back(constantPart(c, p)); });
    return results;
  };
  split.foldSizes = foldMovedSizes(split.fold);
  split.lower = lowerSplit;

  std::vector<Operator> family{concat, slice, split};
  for (Operator &op : family) {
    op.types = allElementTypes();
    op.keepsLayout = true;
  }
  return family;
}

} // namespace kgen
