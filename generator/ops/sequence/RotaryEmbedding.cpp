// RotaryEmbedding: pairs of elements of each head are rotated by an angle that depends on the
// position: (x1 cos - x2 sin, x1 sin + x2 cos).
#include "dialect/kgen/NamedOps.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Sizes of X: [batch, heads, positions, size], or [batch, positions, heads * size].
struct Heads {
  Dim batch, positions;
  int64_t heads, size, rotated;
  bool isFlat;

  explicit Heads(const InferenceContext &c) {
    const TensorShape &x = c.input(0).shape;
    isFlat = x.size() == 3;
    batch = x.dim(0);
    heads = isFlat ? std::max<int64_t>(1, c.integer("num_heads")) : x[1];
    positions = isFlat ? x.dim(1) : x.dim(2);
    size = isFlat ? x[2] / heads : x[3];
    rotated = c.integer("rotary_embedding_dim");
    if (rotated == 0)
      rotated = size;
  }

  int64_t pairs() const { return rotated / 2; }
  TensorShape shape() const {
    return isFlat ? std::vector<Dim>{batch, positions, heads, size}
                  : std::vector<Dim>{batch, heads, positions, size};
  }
};

bool checkSizes(const InferenceContext &context) {
  auto fail = [&](const std::string &message) {
    context.error(message);
    return false;
  };
  const TensorType &x = context.input(0);
  if (x.shape.size() != 3 && x.shape.size() != 4)
    return fail(
        "expected [batch, heads, positions, size] or [batch, positions, heads * size], found " +
        x.str());
  int64_t heads = context.integer("num_heads");
  if (x.shape.size() == 3 && (heads < 1 || x.shape[2] % heads != 0))
    return fail("num_heads must divide the last dimension of " + x.str() + ", it is " +
                std::to_string(heads));
  if (x.shape.size() == 4 && heads != 0 && heads != x.shape[1])
    return fail("num_heads is " + std::to_string(heads) + ", but the input is " + x.str());
  int64_t interleaved = context.integer("interleaved");
  if (interleaved != 0 && interleaved != 1)
    return fail("interleaved must be 0 or 1, not " + std::to_string(interleaved));
  Heads h(context);
  if (h.rotated < 0 || h.rotated > h.size || h.rotated % 2 != 0)
    return fail("rotary_embedding_dim must be even and at most the size of a head, " +
                std::to_string(h.size) + "; it is " + std::to_string(h.rotated));
  return true;
}

bool checkCaches(const InferenceContext &context) {
  Heads h(context);
  const TensorType &cosines = context.input(1), &sines = context.input(2);
  bool isIndexed = context.hasInput(3);
  const TensorShape &shape = cosines.shape;
  bool fits = isIndexed ? shape.size() == 2 && shape[0] > 0 && shape[1] == h.pairs()
                        : shape == TensorShape(std::vector<Dim>{h.batch, h.positions, h.pairs()});
  std::string expected = isIndexed ? "[positions, " + std::to_string(h.pairs()) + "]"
                                   : "[" + h.batch.str() + ", " + h.positions.str() + ", " +
                                         std::to_string(h.pairs()) + "]";
  if (!fits || sines.shape != shape) {
    context.error("the caches of cosines and sines must both be " + expected + ", they are " +
                  cosines.str() + " and " + sines.str());
    return false;
  }
  TensorType positions{ElementType::i64, std::vector<Dim>{h.batch, h.positions}};
  if (isIndexed && context.input(3) != positions) {
    context.error("position_ids must be " + positions.str() + ", it is " + context.input(3).str());
    return false;
  }
  return true;
}

std::vector<TensorType> inferRotary(InferenceContext &context) {
  ElementType element = context.input(0).element;
  for (size_t i : {1, 2})
    if (!checkInputType(context, i, i == 1 ? "cos_cache" : "sin_cache", {element}))
      return {};
  if (!checkSizes(context) || !checkCaches(context))
    return {};
  return {context.input(0)};
}

/// The cache's rows of the positions, [batch, positions, pairs]. Beyond the cache, its last or
/// first row.
Value rowsOfPositions(LoweringContext &c, const Heads &h, Value cache, Value positions) {
  auto type = cast<RankedTensorType>(cache.getType());
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value row = arith::MaxSIOp::create(b, loc, v[0], number(0));
    row = arith::MinSIOp::create(b, loc, row, number(type.getDimSize(0) - 1));
    Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), row);
    Value pair = linalg::IndexOp::create(b, loc, 2);
    return tensor::ExtractOp::create(b, loc, cache, ValueRange{at, pair});
  };
  MLIRContext *context = c.b.getContext();
  AffineMap ofPositions =
      AffineMap::get(3, 0, {getAffineDimExpr(0, context), getAffineDimExpr(1, context)}, context);
  Value rows = c.empty(std::vector<Dim>{h.batch, h.positions, h.pairs()}, type.getElementType());
  return c.generic(rows, positions, {ofPositions, c.b.getMultiDimIdentityMap(3)},
                   [&](OpBuilder &b, Location loc, ValueRange v) { return body(b, loc, v); });
}

/// Cosines or sines, [batch, positions, pairs].
Value anglesOf(LoweringContext &c, const Heads &h, size_t input) {
  return c.hasInput(3) ? rowsOfPositions(c, h, c.operand(input), c.operand(3)) : c.operand(input);
}

/// On X with a dimension of heads.
void lowerRotary(LoweringContext &c) {
  Heads h(c);
  Value x = c.withShape(c.operand(0), h.shape()), cosines = anglesOf(c, h, 1),
        sines = anglesOf(c, h, 2);
  const int64_t positions = h.isFlat ? 1 : 2;
  Value rotated = RotaryEmbeddingOp::create(
      c.b, c.loc, x.getType(), x, cosines, sines, c.b.getDenseI64ArrayAttr({0, positions}),
      c.integer("interleaved") == 1 ? c.b.getUnitAttr() : UnitAttr(), /*each_element=*/UnitAttr());
  c.setResult(c.withShape(rotated, c.resultShape()));
}

} // namespace

std::vector<Operator> rotaryEmbeddingOperators() {
  Operator op;
  op.name = "RotaryEmbedding";
  op.summary = "pairs of elements of each head, rotated by the angle of their position";
  op.minInputs = 3;
  op.maxInputs = 4;
  op.attributes = {{"interleaved", AttributeKind::integer, int64_t(0), false,
                    "1: pairs are neighbours; 0: the second elements follow all first ones"},
                   {"num_heads", AttributeKind::integer, int64_t(0), false,
                    "how many heads the last dimension of a tensor of three dimensions has"},
                   {"rotary_embedding_dim", AttributeKind::integer, int64_t(0), false,
                    "how many elements of each head are rotated; 0: all"}};
  op.types = floatTypes();
  op.infer = inferRotary;
  op.symbolicDims = {
      "batch and positions", [](const InferenceContext &c, size_t input, size_t d) {
        const bool isFree =
            input == 0 ? d == 0 || d + 2 == c.input(0).shape.size() : input == 3 || d < 2;
        const bool isTable = c.hasInput(3) && (input == 1 || input == 2);
        return std::string(isFree && !isTable ? "" : "heads, their sizes and caches are numbers");
      }};
  op.lower = lowerRotary;
  return {op};
}

} // namespace kgen
