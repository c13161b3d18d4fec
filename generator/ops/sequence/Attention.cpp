// Attention of opset 23: softmax(Q K' * scale + mask) V of each head, on heads that are given apart
// or side by side, with the keys and values of earlier calls. Its products and softmax become one
// operation later on (kgen-fuse-attention), as those of graphs do that spell them out.
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/product/MatMulLowering.h"
#include "ops/reduction/Softmax.h"
#include "ops/sequence/AttentionMask.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen::attention {
namespace {

using Dims = std::vector<Dim>;

/// The heads of keys or values, those of earlier calls first: a tensor, and where its dimensions
/// are in (batch, heads, length, width).
struct Source {
  Value value;
  SmallVector<unsigned> order;
};

Source sourceOf(LoweringContext &c, size_t input, size_t past) {
  Heads heads = headsAt(c, input);
  Value now = c.operand(input);
  SmallVector<unsigned> headsFirst{0, 1, 2, 3}, headsLast{0, 2, 1, 3};
  if (!heads.isSplit)
    now = c.withShape(now, Dims{heads.batch, heads.length, heads.count, heads.width});
  if (!c.hasInput(past))
    return {now, heads.isSplit ? headsFirst : headsLast};
  if (!heads.isSplit)
    now = transposed(c.b, c.loc, now, {0, 2, 1, 3});
  return {joined(c.b, c.loc, {c.operand(past), now}, 2), headsFirst};
}

/// An operand of a product over (batch, heads of K, heads of Q for each of them, ...): `dims` has
/// the iteration dimensions of length and width.
Factor factorOf(const InferenceContext &c, const Source &source, unsigned length, unsigned width) {
  SmallVector<unsigned> all{0, 1, length, width};
  Factor factor{source.value, c.input(queries).element, {}};
  for (unsigned dimension : source.order)
    factor.dims.push_back(all[dimension]);
  return factor;
}

/// score -> softcap * tanh(score * scale / softcap) + mask, on [batch, heads of K, heads of Q for
/// each of them, m, n], as far as `mode` goes.
Value scoresOf(LoweringContext &c, Value products, OutputMode mode, const Mask &mask = {}) {
  auto type = cast<RankedTensorType>(products.getType());
  Heads q = headsAt(c, queries);
  double scale = c.hasAttribute("scale") ? c.real("scale") : 1 / std::sqrt(double(q.width));
  double cap = mode >= OutputMode::capped ? c.real("softcap") : 0;
  SmallVector<Value> operands{products};
  if (mask)
    operands.push_back(mask.value);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    auto number = [&](double x) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(v[0].getType(), x));
    };
    Value score = arith::MulFOp::create(b, loc, v[0], number(cap > 0 ? scale / cap : scale));
    if (cap > 0)
      score = arith::MulFOp::create(b, loc, math::TanhOp::create(b, loc, score), number(cap));
    if (v.size() == 1)
      return score;
    if (!mask.isBool)
      return arith::AddFOp::create(b, loc, score, v[1]);
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[1].getType()));
    Value isIn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v[1], none);
    Value lowest = number(-std::numeric_limits<double>::infinity());
    return arith::SelectOp::create(b, loc, isIn, score, lowest);
  };
  return c.elementwise(type, operands, body);
}

/// The products of queries and keys, their scores, and the weights of the values.
struct Stages {
  Value products, scores, weights;
};

/// The fourth result, if there is one.
void setScores(LoweringContext &c, const Stages &stages) {
  if (!c.hasResult(scoresOnTheWay))
    return;
  auto mode = static_cast<OutputMode>(c.integer(outputMode));
  Value wanted = mode < OutputMode::masked    ? scoresOf(c, stages.products, mode)
                 : mode == OutputMode::masked ? stages.scores
                                              : stages.weights;
  Value shaped = c.withShape(wanted, c.resultShape(scoresOnTheWay));
  c.setResult(c.rounded(shaped, c.resultTensor(scoresOnTheWay).getElementType()), scoresOnTheWay);
}

void lower(LoweringContext &c) {
  Heads q = headsAt(c, queries), v = headsAt(c, values);
  Source k = sourceOf(c, keys, pastKeys), vs = sourceOf(c, values, pastValues);
  for (auto [i, source] : {std::pair(presentKeys, k), std::pair(presentValues, vs)})
    if (c.hasResult(i))
      c.setResult(transposed(c.b, c.loc, source.value,
                             SmallVector<int64_t>(source.order.begin(), source.order.end())),
                  i);
  int64_t shared = headsAt(c, keys).count, group = q.count / shared;
  Dim length = keyLength(c);
  Value split =
      c.withShape(c.operand(queries), q.isSplit ? Dims{q.batch, shared, group, q.length, q.width}
                                                : Dims{q.batch, q.length, shared, group, q.width});
  ElementType element = c.input(queries).element;
  Factor left{split, element,
              q.isSplit ? SmallVector<unsigned>{0, 1, 2, 3, 5}
                        : SmallVector<unsigned>{0, 3, 1, 2, 5}};
  Value products = contract(c, Dims{q.batch, shared, group, q.length, length}, left,
                            factorOf(c, k, 4, 5), q.width);
  Mask mask = maskOf(c);
  Value scores = causalScores(c, scoresOf(c, products, OutputMode::masked, mask));
  // Without a mask a query sees at least the first key, if that is not after its own.
  const bool mayHideAll = mask || keysBefore(c).bounds().min < 0;
  Value weights = softmax(c, scores, 4, /*maskedToZero=*/mayHideAll);
  setScores(c, {products, scores, weights});
  Factor right = factorOf(c, vs, 5, 4);
  Value mixed = contract(c, Dims{q.batch, shared, group, q.length, v.width},
                         {weights, element, {0, 1, 2, 3, 5}}, right, length);
  if (!q.isSplit)
    mixed = transposed(c.b, c.loc, mixed, {0, 3, 1, 2, 4});
  c.setResult(c.rounded(c.withShape(mixed, c.resultShape()), c.resultTensor().getElementType()));
}

} // namespace
} // namespace kgen::attention

namespace kgen {

std::vector<Operator> attentionOperators() {
  using namespace attention;
  Operator op;
  op.name = "Attention";
  op.summary =
      "softmax(Q K' * scale + mask) V of each head; a query all of whose keys are masked "
      "gives zeros, and a mask of fewer keys masks the others. Further results: the keys and "
      "values with those of the past, and the scores";
  op.minInputs = 3;
  op.maxInputs = 7;
  op.outputs = 4;
  op.optionalOutputs = 3;
  op.factors = 3;
  auto integer = [](const char *name, std::optional<int64_t> otherwise, const char *doc) {
    AttributeSchema schema{name, AttributeKind::integer, std::nullopt, !otherwise, doc};
    if (otherwise)
      schema.defaultValue = *otherwise;
    return schema;
  };
  op.attributes = {
      integer(
          "is_causal", 0,
          "1: a query sees the keys up to its own, and those of the past; with nonpad_kv_seqlen "
          "the last query's own is the last key that counts"),
      integer("q_num_heads", std::nullopt, "heads of Q, where its last dimension has all of them"),
      integer("kv_num_heads", std::nullopt,
              "heads of K and V, where their last dimension has all of them; a divisor of Q's"),
      optionalAttribute("scale", AttributeKind::real,
                        "factor of the scores; 1 / sqrt(width of a head of Q) if it is not given"),
      {"softcap", AttributeKind::real, 0.0, false,
       "if not 0, a scaled score x becomes softcap * tanh(x / softcap)"},
      integer(outputMode, 0,
              "which scores the fourth result has: 0 scaled, 1 after softcap, 2 with the masks "
              "added, 3 after the softmax"),
      integer(leftWindow, -1, "keys before its own that a query sees; -1: all"),
      integer(rightWindow, -1, "keys after its own that a query sees; -1: all"),
      integer("softmax_precision", std::nullopt, "1: the softmax is computed in f32"),
  };
  op.types = floatTypes();
  op.infer = infer;
  op.symbolicDims = batchAndLengths();
  op.shapeInputs = {validKeys};
  op.lower = lower;
  return {op};
}

} // namespace kgen
