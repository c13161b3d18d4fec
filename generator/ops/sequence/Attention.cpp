// Attention of opset 23: softmax(Q K' * scale + mask) V of each head, on heads that are given apart
// or side by side, with the keys and values of earlier calls. Its products and softmax become one
// operation later on (kgen-fuse-attention), as those of graphs do that spell them out.
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/product/MatMulLowering.h"
#include "ops/reduction/Softmax.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

enum Input : size_t { queries, keys, values, mask, pastKeys, pastValues };
enum Result : size_t { presentKeys = 1, presentValues, scoresOnTheWay };

/// The attribute that says which scores are the fourth result, in the order of their computation.
constexpr const char *outputMode = "qk_matmul_output_mode";
enum class OutputMode : int64_t { scaled, capped, masked, normalized };

/// A tensor of heads, [batch, heads, length, width] or [batch, length, heads * width].
struct Heads {
  bool isSplit;
  int64_t count, width;
  Dim batch, length;

  Heads(const TensorType &type, int64_t heads) : isSplit(type.shape.size() == 4) {
    batch = type.shape.dim(0);
    count = isSplit ? type.shape[1] : heads;
    length = type.shape.dim(isSplit ? 2 : 1);
    width = isSplit ? type.shape[3] : type.shape[2] / heads;
  }
};

using Dims = std::vector<Dim>;

int64_t headsOf(const InferenceContext &c, size_t input) {
  const char *name = input == queries ? "q_num_heads" : "kv_num_heads";
  return c.hasAttribute(name) ? c.integer(name) : 0;
}

Heads headsAt(const InferenceContext &c, size_t input) {
  return Heads(c.input(input), headsOf(c, input));
}

Dim pastLength(const InferenceContext &c) {
  return c.hasInput(pastKeys) ? c.input(pastKeys).shape.dim(2) : 0;
}

/// Batch and lengths, of masks and what was before, too.
SymbolicDims batchAndLengths() {
  return {"batch and lengths", [](const InferenceContext &c, size_t input, size_t d) {
            const size_t rank = c.input(input).shape.size();
            const bool hasHeads = rank == 4;
            if (input == mask || d == 0 || d == (hasHeads ? 2 : 1))
              return std::string();
            return std::string("heads and their widths are numbers");
          }};
}

/// True if q, k or v has a shape of heads.
bool checkHeads(const InferenceContext &c, size_t input, const char *what) {
  const TensorType &type = c.input(input);
  size_t rank = type.shape.size();
  int64_t heads = headsOf(c, input);
  std::string name = input == queries ? "q_num_heads" : "kv_num_heads";
  auto fail = [&](const std::string &why) {
    c.error(why);
    return false;
  };
  if (rank != 3 && rank != 4)
    return fail(std::string("expected ") + what +
                " as [batch, heads, length, width] or [batch, length, heads * width], found " +
                type.str());
  if (rank != c.input(queries).shape.size())
    return fail(std::string(what) + " " + type.str() + " has another number of dimensions than Q " +
                c.input(queries).str());
  if (rank == 3 && heads < 1)
    return fail("needs " + name + ", at least 1, for " + what + " " + type.str());
  if (rank == 3 && type.shape[2] % heads != 0)
    return fail(name + " " + std::to_string(heads) + " does not divide the last dimension of " +
                what + " " + type.str());
  if (rank == 4 && heads != 0 && heads != type.shape[1])
    return fail(name + " is " + std::to_string(heads) + ", but " + what + " is " + type.str());
  if (type.element != c.input(queries).element)
    return fail(std::string(what) + " is " + type.str() + ", but Q is " + c.input(queries).str());
  return true;
}

bool checkPast(const InferenceContext &c) {
  if (c.hasInput(pastKeys) != c.hasInput(pastValues)) {
    c.error("past_key and past_value come together");
    return false;
  }
  if (!c.hasInput(pastKeys))
    return true;
  for (size_t input : {pastKeys, pastValues}) {
    Heads now = headsAt(c, input == pastKeys ? keys : values);
    const TensorType &past = c.input(input);
    bool fits = past.shape.size() == 4 && past.element == c.input(queries).element;
    if (fits) {
      TensorType expected{past.element, Dims{now.batch, now.count, pastLength(c), now.width}};
      fits = past == expected;
    }
    if (!fits) {
      c.error(std::string("expected ") + (input == pastKeys ? "past_key" : "past_value") + " as [" +
              now.batch.str() + ", " + std::to_string(now.count) + ", length, " +
              std::to_string(now.width) + "] of " +
              std::string(toString(c.input(queries).element)) + ", found " + past.str());
      return false;
    }
  }
  return true;
}

/// The mask's shape with all keys: one that has fewer of them, and not one for all, masks the
/// others.
TensorShape maskShape(const InferenceContext &c, const Dim &length) {
  TensorShape shape = c.input(mask).shape;
  const size_t rank = shape.size();
  if (rank && !shape.isUnit(rank - 1) && (length - shape.dim(rank - 1)).bounds().min >= 0)
    shape.setDim(rank - 1, length);
  return shape;
}

bool checkMask(const InferenceContext &c, const Dim &length) {
  if (!c.hasInput(mask))
    return true;
  Heads q = headsAt(c, queries);
  const TensorType &type = c.input(mask);
  TensorType scores{c.input(queries).element, Dims{q.batch, q.count, q.length, length}};
  if (type.element != ElementType::boolean && type.element != scores.element) {
    c.error("attn_mask is " + type.str() + ", expected bool or " +
            std::string(toString(scores.element)));
    return false;
  }
  if (broadcastShapes(maskShape(c, length), scores.shape) != scores.shape) {
    c.error("attn_mask " + type.str() + " does not broadcast to the scores, " + scores.str());
    return false;
  }
  return true;
}

bool checkModes(const InferenceContext &c) {
  auto fail = [&](const std::string &why, const std::string &hint = "") {
    c.error(why, hint);
    return false;
  };
  if (c.integer("is_causal") != 0 && c.integer("is_causal") != 1)
    return fail("is_causal must be 0 or 1, not " + std::to_string(c.integer("is_causal")));
  if (int64_t mode = c.integer(outputMode); mode < 0 || mode > 3)
    return fail("qk_matmul_output_mode must be 0 to 3, not " + std::to_string(mode));
  if (c.hasAttribute("softmax_precision") && c.integer("softmax_precision") != 1 &&
      c.input(queries).element != ElementType::f64)
    return fail("expected softmax_precision 1, found " +
                    std::to_string(c.integer("softmax_precision")),
                "the softmax is computed in f32, and in f64 for f64");
  if (c.real("softcap") < 0)
    return fail("softcap must not be negative");
  return true;
}

std::vector<TensorType> inferAttention(InferenceContext &c) {
  if (!checkInputType(c, queries, "Q", floatTypes()) || !checkModes(c) ||
      !checkHeads(c, queries, "Q") || !checkHeads(c, keys, "K") || !checkHeads(c, values, "V"))
    return {};
  Heads q = headsAt(c, queries), k = headsAt(c, keys), v = headsAt(c, values);
  std::string operands = "Q " + c.input(queries).str() + ", K " + c.input(keys).str() + " and V " +
                         c.input(values).str();
  auto fail = [&](const std::string &why) {
    c.error(operands + ": " + why);
    return std::vector<TensorType>();
  };
  if (q.batch != k.batch || q.batch != v.batch)
    return fail("the batches differ");
  if (k.count != v.count || k.length != v.length)
    return fail("K and V have other heads or lengths");
  if (q.width != k.width)
    return fail("the heads of Q are " + std::to_string(q.width) + " wide, those of K " +
                std::to_string(k.width));
  if (k.count == 0 ? q.count != 0 : q.count % k.count != 0)
    return fail(std::to_string(q.count) + " heads of Q cannot share " + std::to_string(k.count) +
                " heads of K");
  if (!checkPast(c))
    return {};
  Dim length = pastLength(c) + k.length;
  if (!checkMask(c, length))
    return {};
  ElementType element = c.input(queries).element;
  TensorType y{element, Dims{q.batch, q.length, q.count * v.width}};
  if (q.isSplit)
    y.shape = Dims{q.batch, q.count, q.length, v.width};
  return {y,
          {element, Dims{k.batch, k.count, length, k.width}},
          {element, Dims{v.batch, v.count, length, v.width}},
          {element, Dims{q.batch, q.count, q.length, length}}};
}

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

/// The mask, with a place for each key.
Value maskOfKeys(LoweringContext &c, const TensorShape &shape) {
  Value given = c.operand(mask);
  const TensorShape &from = c.input(mask).shape;
  if (from == shape)
    return given;
  mlir::Type element = getElementTypeOrSelf(given.getType());
  Value masked = c.scalar(element, isa<FloatType>(element) ? -HUGE_VAL : 0);
  SmallVector<OpFoldResult> before(shape.size(), c.b.getIndexAttr(0)), after(before);
  after.back() = sizeValue(c.b, shape.dim(shape.size() - 1) - from.dim(from.size() - 1));
  return tensor::PadOp::create(c.b, c.loc, tensorOf(shape, element), given, before, after, masked,
                               /*nofold=*/false);
}

/// The mask, with the heads as those of the scores are.
Value groupedMask(LoweringContext &c, int64_t shared, int64_t group) {
  TensorShape shape = maskShape(c, pastLength(c) + headsAt(c, keys).length);
  Value value = maskOfKeys(c, shape);
  if (shape.size() < 3)
    return value;
  const bool isOne = shape.isUnit(shape.size() - 3);
  shape.setDim(shape.size() - 3, isOne ? 1 : shared);
  shape.insertDim(shape.size() - 2, isOne ? 1 : group);
  return c.withShape(value, shape);
}

/// score -> softcap * tanh(score * scale / softcap) + mask, on [batch, heads of K, heads of Q for
/// each of them, m, n], as far as `mode` goes.
Value scoresOf(LoweringContext &c, Value products, OutputMode mode) {
  auto type = cast<RankedTensorType>(products.getType());
  bool hasMask = mode >= OutputMode::masked && c.hasInput(mask);
  Heads q = headsAt(c, queries);
  double scale = c.hasAttribute("scale") ? c.real("scale") : 1 / std::sqrt(double(q.width));
  double cap = mode >= OutputMode::capped ? c.real("softcap") : 0;
  SmallVector<Value> operands{products};
  if (hasMask)
    operands.push_back(groupedMask(c, type.getDimSize(1), type.getDimSize(2)));
  bool isBool = hasMask && c.input(mask).element == ElementType::boolean;
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    auto number = [&](double x) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(v[0].getType(), x));
    };
    Value score = arith::MulFOp::create(b, loc, v[0], number(cap > 0 ? scale / cap : scale));
    if (cap > 0)
      score = arith::MulFOp::create(b, loc, math::TanhOp::create(b, loc, score), number(cap));
    if (v.size() == 1)
      return score;
    if (!isBool)
      return arith::AddFOp::create(b, loc, score, v[1]);
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[1].getType()));
    Value isIn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v[1], none);
    Value lowest = number(-std::numeric_limits<double>::infinity());
    return arith::SelectOp::create(b, loc, isIn, score, lowest);
  };
  return c.elementwise(type, operands, body);
}

/// -inf for keys that come after the query.
Value causalScores(LoweringContext &c, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  OpFoldResult length = sizeValue(c.b, pastLength(c));
  return c.elementwise(type, scores, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value key = linalg::IndexOp::create(b, loc, 4), query = linalg::IndexOp::create(b, loc, 3);
    Value past = getValueOrCreateConstantIndexOp(b, loc, length);
    Value last = arith::AddIOp::create(b, loc, query, past);
    Value seen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, key, last);
    double infinity = std::numeric_limits<double>::infinity();
    Value lowest = arith::ConstantOp::create(b, loc, b.getFloatAttr(v[0].getType(), -infinity));
    return arith::SelectOp::create(b, loc, seen, v[0], lowest);
  });
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

void lowerAttention(LoweringContext &c) {
  Heads q = headsAt(c, queries), v = headsAt(c, values);
  Source k = sourceOf(c, keys, pastKeys), vs = sourceOf(c, values, pastValues);
  for (auto [i, source] : {std::pair(presentKeys, k), std::pair(presentValues, vs)})
    if (c.hasResult(i))
      c.setResult(transposed(c.b, c.loc, source.value,
                             SmallVector<int64_t>(source.order.begin(), source.order.end())),
                  i);
  int64_t shared = headsAt(c, keys).count, group = q.count / shared;
  Dim length = pastLength(c) + v.length;
  Value split =
      c.withShape(c.operand(queries), q.isSplit ? Dims{q.batch, shared, group, q.length, q.width}
                                                : Dims{q.batch, q.length, shared, group, q.width});
  ElementType element = c.input(queries).element;
  Factor left{split, element,
              q.isSplit ? SmallVector<unsigned>{0, 1, 2, 3, 5}
                        : SmallVector<unsigned>{0, 3, 1, 2, 5}};
  Value products = contract(c, Dims{q.batch, shared, group, q.length, length}, left,
                            factorOf(c, k, 4, 5), q.width);
  Value scores = scoresOf(c, products, OutputMode::masked);
  if (c.integer("is_causal")) // a query sees at least the first key
    scores = causalScores(c, scores);
  Value weights = softmax(c, scores, 4, /*maskedToZero=*/c.hasInput(mask));
  setScores(c, {products, scores, weights});
  Factor right = factorOf(c, vs, 5, 4);
  Value mixed = contract(c, Dims{q.batch, shared, group, q.length, v.width},
                         {weights, element, {0, 1, 2, 3, 5}}, right, length);
  if (!q.isSplit)
    mixed = transposed(c.b, c.loc, mixed, {0, 3, 1, 2, 4});
  c.setResult(c.rounded(c.withShape(mixed, c.resultShape()), c.resultTensor().getElementType()));
}

} // namespace

std::vector<Operator> attentionOperators() {
  Operator op;
  op.name = "Attention";
  op.summary =
      "softmax(Q K' * scale + mask) V of each head; a query all of whose keys are masked "
      "gives zeros, and a mask of fewer keys masks the others. Further results: the keys and "
      "values with those of the past, and the scores";
  op.minInputs = 3;
  op.maxInputs = 6;
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
      integer("is_causal", 0, "1: a query sees the keys up to its own, and those of the past"),
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
      integer("softmax_precision", std::nullopt, "1: the softmax is computed in f32"),
  };
  op.types = floatTypes();
  op.infer = inferAttention;
  op.symbolicDims = batchAndLengths();
  op.lower = lowerAttention;
  return {op};
}

} // namespace kgen
