// Operators that move data without computing: Identity, Dropout, Reshape, Transpose, DepthToSpace,
// SpaceToDepth.
#include "ops/Axes.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/window/Window.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// The elements of `whole` over those of `part`: sizes of `part` are sizes of `whole`, or factors
/// of its elements.
std::optional<Dim> quotient(TensorShape whole, const TensorShape &part) {
  Dim rest = 1;
  for (const Dim &dim : part.dims()) {
    size_t d = 0;
    while (d < whole.size() && (dim.isNumber() || whole.dim(d) != dim))
      ++d;
    if (d == whole.size())
      rest = rest * dim;
    else
      whole.eraseDim(d);
  }
  return whole.elements().exactDiv(rest);
}

/// The shape that Reshape's second input stands for: 0 copies a dimension, -1 is what remains.
std::optional<TensorShape> requestedShape(InferenceContext &context,
                                          const std::vector<Dim> &wanted) {
  const TensorType &input = context.input(0);
  std::optional<size_t> unknown;
  TensorShape shape(wanted);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape.isSymbolic(i))
      continue;
    if (shape[i] == 0 && !context.integer("allowzero")) {
      if (i >= input.shape.size()) {
        context.error("Reshape's shape has 0 (copy the dimension) at position " +
                      std::to_string(i) + ", but the input " + input.str() +
                      " has no such dimension");
        return std::nullopt;
      }
      shape.setDim(i, input.shape.dim(i));
      continue;
    }
    if (shape[i] < -1 || (shape[i] == -1 && unknown)) {
      context.error(shape[i] == -1
                        ? "Reshape's shape has more than one -1"
                        : "Reshape's shape has the negative dimension " + std::to_string(shape[i]));
      return std::nullopt;
    }
    if (shape[i] == -1)
      unknown = i;
  }
  if (!unknown)
    return shape;
  TensorShape others = shape;
  others.eraseDim(*unknown);
  std::optional<Dim> rest = quotient(input.shape, others);
  if (!rest) {
    context.error("Reshape cannot infer the dimension -1: " + input.str() + " has " +
                  input.shape.elements().str() + " elements, the other dimensions make " +
                  others.elements().str());
    return std::nullopt;
  }
  shape.setDim(*unknown, *rest);
  return shape;
}

std::vector<TensorType> inferReshape(InferenceContext &context) {
  const TensorType &wanted = context.input(1);
  auto constant = context.sizes(1);
  if (wanted.element != ElementType::i64 || wanted.shape.size() != 1 || !constant) {
    context.error("Reshape's shape (input 2) must be a weight of type i64[n], so that shapes are "
                  "known when code is generated; it is " +
                  found(context, 1));
    return {};
  }
  auto shape = requestedShape(context, *constant);
  if (!shape)
    return {};
  TensorType result{context.input(0).element, *shape};
  const Dim elements = context.input(0).shape.elements(), after = result.shape.elements();
  if (elements != after) {
    context.error("Reshape of " + context.input(0).str() + " to " + result.str() +
                  " changes the number of elements from " + elements.str() + " to " + after.str());
    return {};
  }
  return {result};
}

/// The permutation of a Transpose, or nothing if `perm` is none.
std::optional<std::vector<int64_t>> permutation(const InferenceContext &context, size_t rank) {
  std::vector<int64_t> perm(rank);
  if (!context.hasAttribute("perm")) {
    std::iota(perm.rbegin(), perm.rend(), 0);
    return perm;
  }
  std::vector<bool> seen(rank);
  perm = context.integers("perm");
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[axis])
      return std::nullopt;
    seen[axis] = true;
  }
  if (perm.size() != rank)
    return std::nullopt;
  return perm;
}

std::vector<TensorType> inferTranspose(InferenceContext &context) {
  const TensorType &input = context.input(0);
  auto perm = permutation(context, input.shape.size());
  if (!perm) {
    context.error("perm must name each dimension of " + input.str() + " once, from 0 to " +
                  std::to_string(static_cast<int64_t>(input.shape.size()) - 1));
    return {};
  }
  TensorType result{input.element, {}};
  for (int64_t axis : *perm)
    result.shape.push_back(input.shape.dim(axis));
  return {result};
}

void lowerTranspose(LoweringContext &c) {
  auto perm = *permutation(c, c.input(0).shape.size());
  if (std::is_sorted(perm.begin(), perm.end()))
    return c.setResult(c.operand(0));
  // Between images and the same with their channels last, only the name of the order changes.
  SmallVector<int64_t> last = channelsLastOrder(perm.size());
  if (perm.size() > 2 && ArrayRef(perm) == ArrayRef(last))
    return c.setResult(c.channelsLast(0));
  if (perm.size() > 2 && ArrayRef(perm) == ArrayRef(invertPermutationVector(last)))
    return c.setChannelsLast(c.operand(0));
  Value empty = c.empty(c.resultShape(), c.resultTensor().getElementType());
  c.setResult(linalg::TransposeOp::create(c.b, c.loc, c.operand(0), empty, perm).getResult()[0]);
}

/// The elements of a weight in another order.
std::vector<WeightData> foldTranspose(InferenceContext &c, const std::vector<TensorType> &types) {
  const TensorType &input = c.input(0);
  if (!c.constantData(0))
    return {};
  auto perm = *permutation(c, input.shape.size());
  std::vector<int64_t> from(perm.size());
  return {movedElements(*c.constantData(0), byteWidth(input.element), types.front().shape,
                        [&](ArrayRef<int64_t> at) {
                          for (size_t d = 0; d < perm.size(); ++d)
                            from[perm[d]] = at[d];
                          return elementNumber(from, input.shape);
                        })};
}

std::vector<TensorType> inferDropout(InferenceContext &context) {
  auto trains = context.constantIntegers(2);
  if (context.hasInput(2) && (!trains || trains->size() != 1 || trains->front() != 0)) {
    context.error("Dropout's training_mode (input 3) must be a weight that is false");
    return {};
  }
  return {context.input(0), {ElementType::boolean, context.input(0).shape}};
}

/// Blocks of `blocksize` by `blocksize` points and their channels, or those of the result; nothing
/// after reporting an error.
std::vector<TensorType> inferBlocks(InferenceContext &context, bool toSpace) {
  TensorType type = context.input(0);
  int64_t size = context.integer("blocksize");
  bool fits = size > 0 && type.shape.size() == 4;
  if (fits && toSpace)
    fits = type.shape[1] % boundedProduct(size, size) == 0;
  else if (fits)
    fits = type.shape[2] % size == 0 && type.shape[3] % size == 0;
  if (!fits) {
    context.error(context.node.op->name + " of " + type.str() + " with blocks of " +
                  std::to_string(size) + ": images are [n, c, h, w], and blocks must divide " +
                  (toSpace ? "c twice" : "h and w"));
    return {};
  }
  if (toSpace && context.string("mode") != "DCR" && context.string("mode") != "CRD") {
    context.error("'" + context.string("mode") + "' is no mode of DepthToSpace",
                  "expected DCR or CRD");
    return {};
  }
  int64_t points = boundedProduct(size, size);
  type.shape[1] = toSpace ? type.shape[1] / points : boundedProduct(type.shape[1], points);
  for (size_t d : {2, 3})
    type.shape[d] = toSpace ? boundedProduct(type.shape[d], size) : type.shape[d] / size;
  return {type};
}

/// Splits the image's dimensions into blocks and permutes them.
void lowerBlocks(LoweringContext &c, bool toSpace) {
  const TensorShape &shape = toSpace ? c.input(0).shape : c.resultType().shape;
  int64_t b = c.integer("blocksize"), h = shape[2], w = shape[3], depth = shape[1] / (b * b);
  Dim n = shape.dim(0);
  bool isLast = c.dimensionOf(1, 4) == 3, channelsFirst = toSpace && c.string("mode") == "CRD";
  std::vector<Dim> blockShape;
  SmallVector<int64_t> order;
  if (!toSpace) {
    blockShape =
        isLast ? std::vector<Dim>{n, h, b, w, b, depth} : std::vector<Dim>{n, depth, h, b, w, b};
    order =
        isLast ? SmallVector<int64_t>{0, 1, 3, 2, 4, 5} : SmallVector<int64_t>{0, 3, 5, 1, 2, 4};
  } else if (isLast) {
    blockShape = channelsFirst ? std::vector<Dim>{n, h, w, depth, b, b}
                               : std::vector<Dim>{n, h, w, b, b, depth};
    order = channelsFirst ? SmallVector<int64_t>{0, 1, 4, 2, 5, 3}
                          : SmallVector<int64_t>{0, 1, 3, 2, 4, 5};
  } else {
    blockShape = channelsFirst ? std::vector<Dim>{n, depth, b, b, h, w}
                               : std::vector<Dim>{n, b, b, depth, h, w};
    order = channelsFirst ? SmallVector<int64_t>{0, 1, 4, 2, 5, 3}
                          : SmallVector<int64_t>{0, 3, 4, 1, 5, 2};
  }
  Value moved = transposed(c.b, c.loc, c.withShape(c.operand(0), blockShape), order);
  c.setResult(c.withShape(moved, c.resultShape()));
}

Operator movement(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = allElementTypes();
  op.infer = inferUnary;
  return op;
}

Operator blocksOperator(std::string name, std::string summary, bool toSpace) {
  Operator op = movement(std::move(name), std::move(summary));
  op.keepsLayout = true;
  op.symbolicDims = numberOfImages();
  op.attributes = {
      {"blocksize", AttributeKind::integer, std::nullopt, false, "rows and columns of a block"}};
  op.infer = [toSpace](InferenceContext &c) { return inferBlocks(c, toSpace); };
  op.lower = [toSpace](LoweringContext &c) { lowerBlocks(c, toSpace); };
  return op;
}

} // namespace

std::vector<Operator> reshapeTransposeOperators() {
  Operator identity = movement("Identity", "the input, unchanged");
  identity.elementwise = true;
  identity.symbolicDims = SymbolicDims::any();
  identity.fold = foldSameBytes;
  identity.foldSizes = foldMovedSizes(foldSameBytes);
  identity.lower = [](LoweringContext &c) { c.setResult(c.operand(0)); };

  Operator reshape = movement("Reshape", "the elements in a different shape");
  reshape.minInputs = reshape.maxInputs = 2;
  reshape.attributes = {{"allowzero", AttributeKind::integer, int64_t(0), false,
                         "1: a 0 in the shape is an empty dimension instead of a copied one"}};
  reshape.infer = inferReshape;
  reshape.symbolicDims = SymbolicDims::any();
  reshape.fold = foldSameBytes;
  reshape.foldSizes = foldMovedSizes(foldSameBytes);
  reshape.shapeInputs = {1};
  reshape.lower = [](LoweringContext &c) {
    c.setResult(c.withShape(c.operand(0), c.resultShape()));
  };

  Operator transpose = movement("Transpose", "the dimensions in another order");
  transpose.attributes = {optionalIntegers(
      "perm", "result dimension i is input dimension perm[i]; reversed if absent")};
  transpose.infer = inferTranspose;
  transpose.symbolicDims = SymbolicDims::any();
  transpose.fold = foldTranspose;
  transpose.foldSizes = foldMovedSizes(foldTranspose);
  transpose.lower = lowerTranspose;

  Operator dropout = movement("Dropout", "the input, unchanged, and a mask that is true");
  dropout.maxInputs = 3;
  dropout.outputs = 2;
  dropout.optionalOutputs = 1;
  dropout.attributes = {optionalAttribute("seed", AttributeKind::integer, "of no effect")};
  dropout.infer = inferDropout;
  dropout.lower = [](LoweringContext &c) {
    c.setResult(c.operand(0));
    if (c.hasResult(1))
      c.setResult(c.filled(c.resultTensor(1), 1.0), 1);
  };

  Operator toSpace = blocksOperator("DepthToSpace", "blocks of points from the channels of each",
                                    /*toSpace=*/true);
  toSpace.attributes.push_back(
      {"mode", AttributeKind::string, std::string("DCR"), false,
       "order of the depth: DCR: block, then channel; CRD: channel, then block"});
  Operator toDepth =
      blocksOperator("SpaceToDepth", "channels from the points of each block", /*toSpace=*/false);
  return {identity, dropout, reshape, transpose, toSpace, toDepth};
}

} // namespace kgen
