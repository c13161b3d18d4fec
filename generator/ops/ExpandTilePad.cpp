// Tensors that grow by their own elements, or by a number around them: Expand, Tile, Pad.
#include "ops/Axes.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

Value unchanged(OpBuilder &, mlir::Location, ValueRange x) { return x[0]; }

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
    result.shape[d] = boundedProduct(result.shape[d], (*repeats)[d]);
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
  auto type = cast<RankedTensorType>(x.getType());
  RankedTensorType result = c.resultTensor();
  SmallVector<int64_t> shape, single;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    shape.append({result.getDimSize(d) / type.getDimSize(d), type.getDimSize(d)});
    single.append({1, type.getDimSize(d)});
  }
  Value spread = c.movedElements(type.clone(shape), c.reshape(x, single), unchanged);
  c.setResult(c.reshape(spread, result.getShape()));
}

/// How many elements are added around each dimension; a negative number takes elements away.
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
    int64_t size = boundedSum(boundedSum(input.shape[d], std::min<int64_t>(begin, 0)),
                              std::min<int64_t>(end, 0));
    int64_t maxPad = mode == "reflect" ? size - 1 : size;
    bool grows = begin > 0 || end > 0;
    bool isBad = mode == "constant" ? false
                 : mode == "edge"   ? grows && size == 0
                                    : std::max(begin, end) > std::max<int64_t>(maxPad, 0);
    if (isBad || size < 0) {
      context.error("Pad of dimension " + std::to_string(d) + " of " + input.str() + " by " +
                    std::to_string(begin) + " and " + std::to_string(end) +
                    " elements is not possible in mode " + mode);
      return {};
    }
    result.shape[d] =
        boundedSum(boundedSum(size, std::max<int64_t>(begin, 0)), std::max<int64_t>(end, 0));
  }
  return {result};
}

/// The source of the element at `index`, counted from the first one that is not padding, of an axis
/// of `size`.
Value sourceOf(OpBuilder &b, mlir::Location loc, Value index, int64_t size,
               const std::string &mode) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value last = number(size - 1), zero = number(0);
  if (mode == "wrap") {
    auto is = [&](arith::CmpIPredicate relation, Value bound) {
      return arith::CmpIOp::create(b, loc, relation, index, bound);
    };
    Value before = arith::AddIOp::create(b, loc, index, number(size));
    Value behind = arith::SubIOp::create(b, loc, index, number(size));
    Value end = arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::sgt, last), behind, index);
    return arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::slt, zero), before, end);
  }
  if (mode == "reflect") {
    Value negative = arith::SubIOp::create(b, loc, zero, index);
    index = arith::MaxSIOp::create(b, loc, index, negative);
    Value mirrored = arith::SubIOp::create(b, loc, number(2 * (size - 1)), index);
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
    if (x.getType() == type && llvm::all_of(begin, [](int64_t n) { return n == 0; }))
      return x;
    if (mode == "constant")
      return withConstant();
    cropAway();
    return withOwnElements();
  }

private:
  using Shape = SmallVector<int64_t>;

  /// Crops by negative pads.
  void cropAway() {
    Shape offset, size;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
    for (auto [d, length] : llvm::enumerate(shape)) {
      offset.push_back(std::max<int64_t>(0, -begin[d]));
      size.push_back(length + std::min<int64_t>(0, begin[d]) + std::min<int64_t>(0, end[d]));
      begin[d] = std::max<int64_t>(0, begin[d]);
      end[d] = std::max<int64_t>(0, end[d]);
    }
    x = extractSlice(c.b, c.loc, x, offset, size);
  }

  Value withConstant();
  Value withOwnElements();
  Value columns(int64_t first, int64_t count);

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
  if (c.input(0).elementCount() == 0)
    return c.movedElements(type,
                           c.hasInput(2) ? c.reshape(c.operand(2), {})
                                         : c.filled(type.clone(ArrayRef<int64_t>{}), 0.0),
                           unchanged);
  cropAway();
  if (cast<ShapedType>(x.getType()).getNumElements() == 0)
    return c.b.create<tensor::SplatOp>(c.loc, number, type);
  if (x.getType() == type)
    return x;
  return tensor::PadOp::create(c.b, c.loc, type, x, indices(c.b, begin), indices(c.b, end), number,
                               /*nofold=*/false);
}

/// `count` columns of the result, in its last dimension.
Value Padding::columns(int64_t first, int64_t count) {
  auto inner = cast<RankedTensorType>(x.getType());
  Shape shape(type.getShape());
  shape.back() = count;
  bool isMiddle = first >= begin.back() && first + count <= begin.back() + inner.getShape().back();
  return c.indexed(type.clone(shape), {}, {},
                   [&](OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange) -> Value {
                     SmallVector<Value> subscripts(at);
                     for (int64_t d = 0; d < type.getRank(); ++d) {
                       bool isLast = d + 1 == type.getRank();
                       int64_t by = (isLast ? first : 0) - begin[d];
                       if (by)
                         subscripts[d] = arith::AddIOp::create(
                             b, loc, at[d], arith::ConstantIndexOp::create(b, loc, by));
                       bool isInside = isLast ? isMiddle : begin[d] == 0 && end[d] == 0;
                       if (!isInside)
                         subscripts[d] = sourceOf(b, loc, subscripts[d], inner.getDimSize(d), mode);
                     }
                     return tensor::ExtractOp::create(b, loc, x, subscripts);
                   });
}

/// The middle of rows is copied as it is, what is added to them element by element.
Value Padding::withOwnElements() {
  if (x.getType() == type)
    return x;
  int64_t size = cast<ShapedType>(x.getType()).getShape().back();
  if (begin.back() == 0 && end.back() == 0)
    return columns(0, size);
  SmallVector<Value> parts;
  int64_t first = 0;
  for (int64_t count : {begin.back(), size, end.back()}) {
    if (count != 0)
      parts.push_back(columns(first, count));
    first += count;
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
  pad.keepsLayout = true;
  pad.lower = [](LoweringContext &c) { c.setResult(Padding(c).lower()); };

  std::vector<Operator> family{expand, tile, pad};
  for (Operator &op : family)
    op.types = allElementTypes();
  return family;
}

} // namespace kgen
