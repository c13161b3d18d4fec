// Elements found by indices: Gather, GatherElements, GatherND, ReverseSequence. An index that is
// out of bounds, which ONNX leaves open, is clamped; among weights it
// is an error.
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/movement/Indices.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferGather(InferenceContext &context) {
  const TensorType &data = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), data.shape.size());
  if (!axis || !checkIndices(context, {data.shape.dim(*axis).bounds().min}))
    return {};
  TensorType result{data.element, data.shape};
  const TensorShape &shape = context.input(1).shape;
  result.shape.eraseDim(*axis);
  for (size_t d = 0; d < shape.size(); ++d)
    result.shape.insertDim(*axis + d, shape.dim(d));
  return {result};
}

/// Returns where known indices that follow one another begin, if all are counted from the same end.
std::optional<int64_t> firstOfSlice(const InferenceContext &c) {
  auto indices = c.constantIntegers(1);
  if (!indices || indices->empty())
    return std::nullopt;
  for (size_t i = 1; i < indices->size(); ++i)
    if ((*indices)[i] != indices->front() + static_cast<int64_t>(i) ||
        ((*indices)[i] < 0) != (indices->front() < 0))
      return std::nullopt;
  return indices->front();
}

/// The subscripts in the data of an element of a Gather; `indexAt` reads the index along the axis.
template <typename Index, typename IndexAt>
SmallVector<Index> gatherSubscripts(ArrayRef<Index> at, size_t axis, size_t indexRank,
                                    IndexAt indexAt) {
  SmallVector<Index> subscripts(at.take_front(axis));
  subscripts.push_back(indexAt(at.slice(axis, indexRank)));
  llvm::append_range(subscripts, at.drop_front(axis + indexRank));
  return subscripts;
}

std::vector<WeightData> foldGather(InferenceContext &context,
                                   const std::vector<TensorType> &types) {
  const TensorType &data = context.input(0);
  auto indices = context.constantIntegers(1);
  bool grows = types.front().elementCount() > std::max(data.elementCount(), foldedElements);
  if (!indices || !context.constantData(0) || grows)
    return {};
  size_t axis = *normalizeAxis(context, context.integer("axis"), data.shape.size());
  const std::vector<int64_t> &shape = context.input(1).shape;
  auto indexAt = [&](ArrayRef<int64_t> at) {
    int64_t index = (*indices)[elementNumber(at, shape)];
    return index < 0 ? index + data.shape[axis] : index;
  };
  return {movedElements(*context.constantData(0), byteWidth(data.element), types.front().shape,
                        [&](ArrayRef<int64_t> at) {
                          return elementNumber(gatherSubscripts(at, axis, shape.size(), indexAt),
                                               data.shape);
                        })};
}

/// Known indices that follow one another are a view.
Value gatherView(LoweringContext &c, int64_t axis) {
  auto indices = c.constantIntegers(1);
  if (!indices || !c.input(0).isStatic())
    return {};
  const std::vector<int64_t> &shape = c.input(0).shape;
  auto indexAt = [&](size_t i) {
    return (*indices)[i] < 0 ? (*indices)[i] + shape[axis] : (*indices)[i];
  };
  for (size_t i = 1; i < indices->size(); ++i)
    if (indexAt(i) != indexAt(0) + static_cast<int64_t>(i))
      return {};
  SmallVector<int64_t> offset(shape.size(), 0), size(shape.begin(), shape.end());
  offset[axis] = indexAt(0);
  size[axis] = static_cast<int64_t>(indices->size());
  return c.reshape(extractSlice(c.b, c.loc, c.operand(0), offset, size),
                   c.resultTensor().getShape());
}

/// Returns a slice of an axis that is symbolic, as a copy: rows of a view would be strided by a
/// size that is known at run time only, and products read rows whose stride is a number.
Value copiedFromSymbolicAxis(LoweringContext &c, int64_t axis, int64_t first) {
  OpFoldResult start =
      sizeValue(c.b, first < 0 ? c.input(0).shape.dim(axis) + Dim(first) : Dim(first));
  const auto indexRank = static_cast<int64_t>(c.input(1).shape.size());
  Value data = c.operand(0);
  auto element = [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
    Value index = getValueOrCreateConstantIndexOp(b, loc, start);
    if (indexRank == 1)
      index = arith::AddIOp::create(b, loc, index, at[axis]);
    SmallVector<Value> subscripts(at.take_front(axis));
    subscripts.push_back(index);
    llvm::append_range(subscripts, at.drop_front(axis + indexRank));
    return tensor::ExtractOp::create(b, loc, data, subscripts);
  };
  return c.indexed(c.resultTensor(), {}, {}, element);
}

/// Returns the gather as a slice where sizes are symbolic.
Value symbolicGatherView(LoweringContext &c, int64_t axis) {
  std::optional<int64_t> first = firstOfSlice(c);
  if (!first || c.input(0).isStatic())
    return {};
  if (c.input(0).shape.isSymbolic(axis) && c.input(1).shape.size() <= 1)
    return copiedFromSymbolicAxis(c, axis, *first);
  TensorShape count = c.input(0).shape, offset(std::vector<int64_t>(count.size(), 0));
  offset.setDim(axis, *first < 0 ? count.dim(axis) + *first : Dim(*first));
  count.setDim(axis, c.input(1).shape.elements());
  const SmallVector<OpFoldResult> strides(count.size(), c.b.getIndexAttr(1));
  Value view = tensor::ExtractSliceOp::create(c.b, c.loc, c.operand(0), sizeValues(c.b, offset),
                                              sizeValues(c.b, count), strides);
  return c.withShape(view, c.resultShape());
}

void lowerGather(LoweringContext &c) {
  bool isKnown = c.constantData(1) != nullptr;
  Value data = c.operand(0), indices = c.operand(1);
  auto dataType = cast<RankedTensorType>(data.getType());
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), dataType.getRank());
  if (Value view = gatherView(c, axis))
    return c.setResult(view);
  if (Value view = symbolicGatherView(c, axis))
    return c.setResult(view);
  size_t indexRank = c.input(1).shape.size();
  SmallVector<AffineExpr> ofIndices;
  for (size_t i = 0; i < indexRank; ++i)
    ofIndices.push_back(c.b.getAffineDimExpr(axis + i));
  AffineMap map = AffineMap::get(type.getRank(), 0, ofIndices, c.b.getContext());
  OpFoldResult size = sizeValue(c.b, c.input(0).shape.dim(axis));
  c.setResult(
      c.indexed(c.resultShape(), type.getElementType(), indices, map,
                [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) -> Value {
                  Value index = indexOnAxis(b, loc, scalars[0], size, isKnown);
                  SmallVector<Value> current(at);
                  SmallVector<Value> subscripts = gatherSubscripts<Value>(
                      current, axis, indexRank, [&](ArrayRef<Value>) { return index; });
                  return tensor::ExtractOp::create(b, loc, data, subscripts);
                }));
}

std::vector<TensorType> inferGatherElements(InferenceContext &context) {
  if (!checkIndicesOfElements(context))
    return {};
  return {{context.input(0).element, context.input(1).shape}};
}

void lowerGatherElements(LoweringContext &c) {
  bool isKnown = c.constantData(1) != nullptr;
  Value data = c.operand(0);
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  int64_t size = cast<RankedTensorType>(data.getType()).getDimSize(axis);
  c.setResult(
      c.indexed(type, c.operand(1), c.b.getMultiDimIdentityMap(type.getRank()),
                [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) -> Value {
                  SmallVector<Value> subscripts(at);
                  subscripts[axis] = indexOnAxis(b, loc, scalars[0], size, isKnown);
                  return tensor::ExtractOp::create(b, loc, data, subscripts);
                }));
}

std::vector<TensorType> inferGatherNd(InferenceContext &context) {
  const TensorType &data = context.input(0), &indices = context.input(1);
  int64_t batch = context.integer("batch_dims");
  auto rank = static_cast<int64_t>(std::min(data.shape.size(), indices.shape.size()));
  int64_t depth = indices.shape.empty() ? 0 : indices.shape.back();
  bool fits = batch >= 0 && batch < rank && depth >= 1 &&
              batch + depth <= static_cast<int64_t>(data.shape.size()) &&
              std::equal(data.shape.begin(), data.shape.begin() + batch, indices.shape.begin());
  if (!fits) {
    context.error(
        "GatherND needs indices [..., k] with k from 1 to the data's dimensions, of which "
        "the first batch_dims agree: the data are " +
        data.str() + ", the indices " + indices.str());
    return {};
  }
  if (!checkIndices(context, ArrayRef(data.shape.numbers()).slice(batch, depth)))
    return {};
  TensorType result{data.element, indices.shape};
  result.shape.pop_back();
  result.shape.insert(result.shape.end(), data.shape.begin() + batch + depth, data.shape.end());
  return {result};
}

void lowerGatherNd(LoweringContext &c) {
  bool isKnown = c.constantData(1) != nullptr;
  Value data = c.operand(0), indices = c.operand(1);
  RankedTensorType type = c.resultTensor();
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(data.getType()).getShape(),
                    shape = cast<RankedTensorType>(indices.getType()).getShape();
  int64_t batch = c.integer("batch_dims"), depth = shape.back();
  auto outer = static_cast<int64_t>(shape.size()) - 1;
  c.setResult(
      c.indexed(type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
        SmallVector<Value> subscripts(at.take_front(batch));
        for (int64_t i = 0; i < depth; ++i) {
          SmallVector<Value> where(at.take_front(outer));
          where.push_back(arith::ConstantIndexOp::create(b, loc, i));
          Value index = tensor::ExtractOp::create(b, loc, indices, where);
          subscripts.push_back(indexOnAxis(b, loc, index, sizes[batch + i], isKnown));
        }
        llvm::append_range(subscripts, at.drop_front(outer));
        return tensor::ExtractOp::create(b, loc, data, subscripts);
      }));
}

// ReverseSequence

std::vector<TensorType> inferReverseSequence(InferenceContext &context) {
  const TensorType &data = context.input(0), &lengths = context.input(1);
  int64_t batch = context.integer("batch_axis"), time = context.integer("time_axis");
  bool fits = data.shape.size() >= 2 && std::min(batch, time) == 0 && std::max(batch, time) == 1 &&
              lengths.shape == std::vector<int64_t>{data.shape[batch]};
  if (!checkInputType(context, 1, "ReverseSequence's lengths", {ElementType::i64}))
    return {};
  if (!fits) {
    context.error("ReverseSequence's axes are 0 and 1, and there is one length for each place on "
                  "batch_axis: the data are " +
                  data.str() + ", the lengths " + lengths.str());
    return {};
  }
  return {data};
}

/// The first elements of a sequence, from its last to its first one; the others stay. Lengths
/// longer than the axis count as its length.
void lowerReverseSequence(LoweringContext &c) {
  Value data = c.operand(0);
  RankedTensorType type = c.resultTensor();
  int64_t batch = c.integer("batch_axis"), time = c.integer("time_axis");
  AffineMap map = AffineMap::get(type.getRank(), 0, c.b.getAffineDimExpr(batch));
  c.setResult(c.indexed(
      type, c.operand(1), map,
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) -> Value {
        auto number = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, loc, n); };
        Value length = arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[0]);
        length = arith::MinSIOp::create(b, loc, length, number(type.getDimSize(time)));
        Value fromEnd = arith::SubIOp::create(b, loc, length, at[time]);
        fromEnd = arith::SubIOp::create(b, loc, fromEnd, number(1));
        Value isReversed =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at[time], length);
        SmallVector<Value> subscripts(at);
        subscripts[time] = arith::SelectOp::create(b, loc, isReversed, fromEnd, at[time]);
        return tensor::ExtractOp::create(b, loc, data, subscripts);
      }));
}

Operator gathering(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary) + "; an index out of bounds is clamped";
  op.minInputs = op.maxInputs = 2;
  op.types = allElementTypes();
  return op;
}

} // namespace

std::vector<Operator> gatherOperators() {
  AttributeSchema axis{"axis", AttributeKind::integer, int64_t(0), false,
                       "counted from the end if negative"};
  Operator gather = gathering("Gather", "slices along an axis by index");
  gather.attributes = {axis};
  gather.infer = inferGather;
  gather.symbolicDims = SymbolicDims::any();
  gather.fold = foldGather;
  gather.foldSizes = foldMovedSizes(foldGather);
  gather.lower = lowerGather;
  Operator elements = gathering("GatherElements", "elements by an index along an axis for each");
  elements.attributes = {axis};
  elements.infer = inferGatherElements;
  elements.lower = lowerGatherElements;
  Operator nd = gathering("GatherND", "slices by an index for each of several axes");
  nd.attributes = {{"batch_dims", AttributeKind::integer, int64_t(0), false,
                    "the first so many dimensions of both inputs are the same"}};
  nd.infer = inferGatherNd;
  nd.lower = lowerGatherNd;
  Operator reverse;
  reverse.name = "ReverseSequence";
  reverse.summary = "the first elements of each sequence in reverse, as many as a length says";
  reverse.minInputs = reverse.maxInputs = 2;
  reverse.attributes = {
      {"batch_axis", AttributeKind::integer, int64_t(1), false, "sequences, 0 or 1"},
      {"time_axis", AttributeKind::integer, int64_t(0), false, "elements of a sequence, 0 or 1"}};
  reverse.types = allElementTypes();
  reverse.infer = inferReverseSequence;
  reverse.lower = lowerReverseSequence;
  return {gather, elements, nd, reverse};
}

} // namespace kgen
