// Tensors that grow by their own elements, or by a number around them: Expand, Tile, Pad.
#include "ops/Axes.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

Value unchanged(OpBuilder &, Location, ValueRange x) { return x[0]; }

std::vector<TensorType> inferExpand(InferenceContext &context) {
  auto wanted = requiredSizes(context, 1, "shape");
  if (!wanted)
    return {};
  const TensorType &input = context.input(0);
  bool isNegative = llvm::any_of(*wanted, [](const Dim &size) { return size.bounds().min < 0; });
  auto shape = isNegative ? std::nullopt : broadcastShapes(input.shape, *wanted);
  if (!shape) {
    context.error("Expand of " + input.str() + " to " + TensorType{input.element, *wanted}.str() +
                      ": the shapes do not broadcast",
                  "aligned at the right, two dimensions must be equal, or one of them 1");
    return {};
  }
  return {{input.element, *shape}};
}

std::vector<TensorType> inferTile(InferenceContext &context) {
  auto repeats = requiredIntegers(context, 1, "repeats");
  if (!repeats)
    return {};
  TensorType result = context.input(0);
  bool isNegative = llvm::any_of(*repeats, [](int64_t count) { return count < 0; });
  if (isNegative || repeats->size() != result.shape.size()) {
    context.error("Tile's repeats must be one number from 0 on for each dimension of " +
                  result.str());
    return {};
  }
  for (size_t d = 0; d < repeats->size(); ++d)
    result.shape.setDim(d, result.shape.dim(d) * (*repeats)[d]);
  return {result};
}

/// Small results whose element at a subscript is the input's at that subscript, by dimensions from
/// the right, modulo the input's sizes: that is what both Expand and Tile do.
std::vector<WeightData> foldRepetition(InferenceContext &context,
                                       const std::vector<TensorType> &types) {
  const TensorType &from = context.input(0), &to = types.front();
  WeightData data = context.constantData(0);
  if (!data || to.elementCount() > std::max(from.elementCount(), foldedElements))
    return {};
  size_t extra = to.shape.size() - from.shape.size();
  std::vector<int64_t> subscripts(from.shape.size());
  return {movedElements(*data, byteWidth(from.element), to.shape, [&](ArrayRef<int64_t> at) {
    for (size_t d = 0; d < subscripts.size(); ++d)
      subscripts[d] = at[extra + d] % from.shape[d];
    return elementNumber(subscripts, from.shape);
  })};
}

/// Each dimension as repetitions of the input's; both are one loop where the other is 1.
void lowerTile(LoweringContext &c) {
  Value x = c.operand(0);
  TensorShape from = tensorShapeOf(x), to = c.resultShape(), shape, single;
  const std::vector<int64_t> repeats = *requiredIntegers(c, 1, "repeats");
  for (size_t d = 0; d < from.size(); ++d) {
    shape.push_back(repeats[d]);
    shape.push_back(from.dim(d));
    single.push_back(1);
    single.push_back(from.dim(d));
  }
  Type element = getElementTypeOrSelf(x);
  Broadcast parts = c.broadcast(c.withShape(x, single), tensorOf(shape, element));
  Value spread = c.genericOfBits(c.empty(shape, element), parts.value,
                                 {parts.map, c.b.getMultiDimIdentityMap(shape.size())}, unchanged);
  c.setResult(c.withShape(spread, to));
}

/// Numbers of elements that are added around each dimension; a negative number takes elements away.
struct Pads {
  std::vector<int64_t> begin, end;
};

std::optional<Pads> padsOf(const InferenceContext &context) {
  std::optional<std::vector<int64_t>> pads, axes;
  if (!readIntegers(context, 1, "pads", pads) || !readIntegers(context, 3, "axes", axes))
    return std::nullopt;
  size_t rank = context.input(0).shape.size(), count = axes ? axes->size() : rank;
  if (!pads || pads->size() != 2 * count) {
    context.error("Pad needs pads, as an attribute or as input 2: " + std::to_string(2 * count) +
                  " integers, first all beginnings");
    return std::nullopt;
  }
  Pads result{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < count; ++i) {
    auto axis = normalizeAxis(context, axes ? (*axes)[i] : static_cast<int64_t>(i), rank);
    if (!axis)
      return std::nullopt;
    result.begin[*axis] = (*pads)[i];
    result.end[*axis] = (*pads)[count + i];
  }
  return result;
}

std::vector<TensorType> inferPad(InferenceContext &context) {
  auto pads = padsOf(context);
  if (!pads)
    return {};
  const std::string &mode = context.string("mode");
  if (!llvm::is_contained({"constant", "reflect", "edge", "wrap"}, mode)) {
    context.error("'" + mode + "' is no mode of Pad",
                  "expected one of constant, reflect, edge, wrap");
    return {};
  }
  const TensorType &input = context.input(0);
  if (context.hasInput(2) &&
      (context.input(2).elementCount() != 1 || context.input(2).element != input.element)) {
    context.error("Pad's constant (input 3) must be one element of " +
                  std::string(toString(input.element)) + ", it is " + context.input(2).str());
    return {};
  }
  TensorType result = input;
  for (size_t d = 0; d < input.shape.size(); ++d) {
    int64_t begin = pads->begin[d], end = pads->end[d];
    Dim left = input.shape.dim(d) + std::min<int64_t>(begin, 0) + std::min<int64_t>(end, 0);
    int64_t size = left.bounds().min;
    bool grows = begin > 0 || end > 0;
    if (size < 0 || (size == 0 && grows && mode != "constant")) {
      context.error("Pad of dimension " + std::to_string(d) + " of " + input.str() + " by " +
                    std::to_string(begin) + " and " + std::to_string(end) +
                    " elements is not possible in mode " + mode);
      return {};
    }
    result.shape.setDim(d, left + std::max<int64_t>(begin, 0) + std::max<int64_t>(end, 0));
  }
  return {result};
}

/// The size of an axis, the index of its last element, and twice that.
struct AxisSize {
  AxisSize(OpBuilder &b, const Dim &size, int64_t pad)
      : size(sizeValue(b, size)), last(sizeValue(b, size - 1)),
        twiceLast(sizeValue(b, (size - 1) * 2)), isFar(pad >= size.bounds().min) {}

  OpFoldResult size, last, twiceLast;
  bool isFar; ///< there may be more elements around it than it has: they repeat themselves
};

/// index modulo period, at least 0; 0 for a period of 0.
Value positionInPeriod(OpBuilder &b, Location loc, Value index, Value period) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  period = arith::MaxSIOp::create(b, loc, period, one);
  Value rest = arith::RemSIOp::create(b, loc, index, period);
  Value next = arith::AddIOp::create(b, loc, rest, period);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
  return arith::SelectOp::create(b, loc, isNegative, next, rest);
}

/// The source of the element at `index`, counted from the first one that is not padding, of an
/// axis.
Value sourceOf(OpBuilder &b, Location loc, Value index, const AxisSize &axis,
               const std::string &mode) {
  auto number = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); };
  Value last = number(axis.last), zero = number(b.getIndexAttr(0));
  if (mode == "wrap" && axis.isFar)
    return positionInPeriod(b, loc, index, number(axis.size));
  if (mode == "wrap") {
    auto is = [&](arith::CmpIPredicate relation, Value bound) {
      return arith::CmpIOp::create(b, loc, relation, index, bound);
    };
    Value before = arith::AddIOp::create(b, loc, index, number(axis.size));
    Value behind = arith::SubIOp::create(b, loc, index, number(axis.size));
    Value end = arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::sgt, last), behind, index);
    return arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::slt, zero), before, end);
  }
  if (mode == "reflect") {
    if (axis.isFar)
      index = positionInPeriod(b, loc, index, number(axis.twiceLast));
    Value negative = arith::SubIOp::create(b, loc, zero, index);
    index = arith::MaxSIOp::create(b, loc, index, negative);
    Value mirrored = arith::SubIOp::create(b, loc, number(axis.twiceLast), index);
    return arith::MinSIOp::create(b, loc, index, mirrored);
  }
  return arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, index, zero), last);
}

/// Lowers one Pad; dimensions are in the order of the operand.
class Padding {
public:
  explicit Padding(LoweringContext &c)
      : c(c), mode(c.string("mode")), x(c.operand(0)), type(c.resultTensor()) {
    Pads pads = *padsOf(c);
    int64_t rank = type.getRank();
    begin.resize(rank);
    end.resize(rank);
    for (int64_t d = 0; d < rank; ++d) {
      begin[c.dimensionOf(d, rank)] = pads.begin[d];
      end[c.dimensionOf(d, rank)] = pads.end[d];
    }
  }

  Value lower() {
    if (!isPadded())
      return x;
    if (mode == "constant")
      return withConstant();
    cropAway();
    return withOwnElements();
  }

private:
  using Shape = SmallVector<int64_t>;

  bool isPadded() const {
    auto isZero = [](int64_t count) { return count == 0; };
    return !llvm::all_of(begin, isZero) || !llvm::all_of(end, isZero);
  }

  /// Crops by negative pads.
  void cropAway() {
    Shape offset;
    TensorShape shape = tensorShapeOf(x);
    bool isCropped = false;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t front = std::min<int64_t>(0, begin[d]), behind = std::min<int64_t>(0, end[d]);
      isCropped |= front != 0 || behind != 0;
      offset.push_back(-front);
      shape.setDim(d, shape.dim(d) + front + behind);
      begin[d] = std::max<int64_t>(0, begin[d]);
      end[d] = std::max<int64_t>(0, end[d]);
    }
    if (isCropped)
      x = extractSliceOfShape(c.b, c.loc, x, offset, shape);
  }

  Value withConstant();
  Value withOwnElements();
  Value columns(const Dim &first, const Dim &count, bool isMiddle);

  LoweringContext &c;
  std::string mode;
  Value x;
  RankedTensorType type;
  Shape begin, end;
};

Value Padding::withConstant() {
  Type element = type.getElementType();
  Value number;
  if (Value given = c.operand(2))
    number = tensor::ExtractOp::create(c.b, c.loc, c.reshape(given, {}), ValueRange{});
  else
    number = c.scalar(element, 0.0);
  cropAway();
  if (tensorShapeOf(x).isEmptyTensor())
    return linalg::FillOp::create(c.b, c.loc, number, c.empty(c.resultShape(), element))
        .getResult(0);
  if (!isPadded())
    return x;
  return tensor::PadOp::create(c.b, c.loc, type, x, indices(c.b, begin), indices(c.b, end), number,
                               /*nofold=*/false);
}

/// `count` columns of the result, in its last dimension; `isMiddle`: they are the tensor's own.
Value Padding::columns(const Dim &first, const Dim &count, bool isMiddle) {
  TensorShape inner = tensorShapeOf(x), shape = c.resultShape();
  shape.setDim(shape.size() - 1, count);
  // Before the body: sizes are values of the function.
  SmallVector<OpFoldResult> shifts;
  SmallVector<AxisSize> sizes;
  for (size_t d = 0; d < inner.size(); ++d) {
    shifts.push_back(sizeValue(c.b, (d + 1 == inner.size() ? first : Dim(0)) - begin[d]));
    sizes.emplace_back(c.b, inner.dim(d), std::max(begin[d], end[d]));
  }
  return c.indexed(shape, type.getElementType(), {}, {},
                   [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
                     SmallVector<Value> subscripts(at);
                     for (int64_t d = 0; d < type.getRank(); ++d) {
                       bool isLast = d + 1 == type.getRank();
                       if (!isZeroInteger(shifts[d]))
                         subscripts[d] = arith::AddIOp::create(
                             b, loc, at[d], getValueOrCreateConstantIndexOp(b, loc, shifts[d]));
                       bool isInside = isLast ? isMiddle : begin[d] == 0 && end[d] == 0;
                       if (!isInside)
                         subscripts[d] = sourceOf(b, loc, subscripts[d], sizes[d], mode);
                     }
                     return tensor::ExtractOp::create(b, loc, x, subscripts);
                   });
}

/// The middle of rows is copied as it is, what is added to them element by element.
Value Padding::withOwnElements() {
  if (!isPadded())
    return x;
  TensorShape inner = tensorShapeOf(x);
  Dim size = inner.dim(inner.size() - 1), first = 0;
  if (begin.back() == 0 && end.back() == 0)
    return columns(0, size, /*isMiddle=*/true);
  SmallVector<Value> parts;
  for (const auto &[count, isMiddle] : {std::pair(Dim(begin.back()), false), std::pair(size, true),
                                        std::pair(Dim(end.back()), false)}) {
    if (count != 0)
      parts.push_back(columns(first, count, isMiddle));
    first = first + count;
  }
  return joined(c.b, c.loc, parts, type.getRank() - 1);
}

} // namespace

std::vector<Operator> expandTilePadOperators() {
  Operator expand;
  expand.name = "Expand";
  expand.summary = "broadcast to a shape, which may broadcast, too";
  expand.minInputs = expand.maxInputs = 2;
  expand.infer = inferExpand;
  expand.symbolicDims = SymbolicDims::any();
  expand.elementwise = true;
  expand.fold = foldRepetition;
  expand.foldSizes = foldMovedSizes(foldRepetition);
  expand.shapeInputs = {1};
  expand.lower = [](LoweringContext &c) {
    if (c.input(0) == c.resultType())
      return c.setResult(c.operand(0));
    Broadcast spread = c.broadcast(c.operand(0), c.resultTensor());
    c.setResult(c.genericOfBits(
        c.empty(c.resultShape(), c.resultTensor().getElementType()), spread.value,
        {spread.map, c.b.getMultiDimIdentityMap(c.resultTensor().getRank())}, unchanged));
  };

  Operator tile;
  tile.name = "Tile";
  tile.summary = "the tensor several times along each axis";
  tile.minInputs = tile.maxInputs = 2;
  tile.infer = inferTile;
  tile.symbolicDims = SymbolicDims::any();
  tile.fold = foldRepetition;
  tile.foldSizes = foldMovedSizes(foldRepetition);
  tile.lower = lowerTile;

  Operator pad;
  pad.name = "Pad";
  pad.summary = "more elements around the tensor: a number, or its own; negative pads take away";
  pad.maxInputs = 4;
  pad.attributes = {
      {"mode", AttributeKind::string, std::string("constant"), false,
       "constant, reflect, edge or wrap"},
      optionalIntegers("pads", "beginnings, then ends, as an attribute instead of an input"),
      optionalIntegers("axes",
                       "whose pads they are, as an attribute instead of an input; all, if absent")};
  pad.infer = inferPad;
  pad.symbolicDims = SymbolicDims::any();
  pad.keepsLayout = true;
  pad.lower = [](LoweringContext &c) { c.setResult(Padding(c).lower()); };

  std::vector<Operator> family{expand, tile, pad};
  for (Operator &op : family)
    op.types = allElementTypes();
  return family;
}

} // namespace kgen
