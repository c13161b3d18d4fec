#include "ops/sequence/AttentionShapes.h"

#include "ops/TypeRules.h"

namespace kgen::attention {
namespace {

using Dims = std::vector<Dim>;

int64_t headsOf(const InferenceContext &c, size_t input) {
  const char *name = input == queries ? "q_num_heads" : "kv_num_heads";
  return c.hasAttribute(name) ? c.integer(name) : 0;
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

bool checkMask(const InferenceContext &c) {
  if (!c.hasInput(mask))
    return true;
  Heads q = headsAt(c, queries);
  const TensorType &type = c.input(mask);
  TensorType scores{c.input(queries).element, Dims{q.batch, q.count, q.length, keyLength(c)}};
  if (type.element != ElementType::boolean && type.element != scores.element) {
    c.error("attn_mask is " + type.str() + ", expected bool or " +
            std::string(toString(scores.element)));
    return false;
  }
  if (broadcastShapes(maskShape(c), scores.shape) != scores.shape) {
    c.error("attn_mask " + type.str() + " does not broadcast to the scores, " + scores.str());
    return false;
  }
  return true;
}

bool checkValidKeys(const InferenceContext &c) {
  if (!c.hasInput(validKeys))
    return true;
  const TensorType wanted{ElementType::i64, Dims{headsAt(c, queries).batch}},
      one{ElementType::i64, {1}};
  if (c.input(validKeys) != wanted && c.input(validKeys) != one) {
    c.error("nonpad_kv_seqlen must be " + wanted.str() + ", it is " + c.input(validKeys).str(),
            "i64[1] is for all sequences");
    return false;
  }
  if (c.hasInput(pastKeys)) {
    c.error("nonpad_kv_seqlen counts keys of K, and past_key has others: expected one of them");
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
  for (const char *window : {leftWindow, rightWindow})
    if (c.integer(window) < -1)
      return fail(std::string(window) + " must be at least 0, or -1 for all keys, not " +
                  std::to_string(c.integer(window)));
  if (c.real("softcap") < 0)
    return fail("softcap must not be negative");
  return true;
}

} // namespace

Heads::Heads(const TensorType &type, int64_t heads) : isSplit(type.shape.size() == 4) {
  batch = type.shape.dim(0);
  count = isSplit ? type.shape[1] : heads;
  length = type.shape.dim(isSplit ? 2 : 1);
  width = isSplit ? type.shape[3] : type.shape[2] / heads;
}

Heads headsAt(const InferenceContext &c, size_t input) {
  return Heads(c.input(input), headsOf(c, input));
}

Dim pastLength(const InferenceContext &c) {
  return c.hasInput(pastKeys) ? c.input(pastKeys).shape.dim(2) : 0;
}

Dim keyLength(const InferenceContext &c) { return pastLength(c) + headsAt(c, keys).length; }

std::optional<Dim> knownValidKeys(const InferenceContext &c) {
  std::optional<std::vector<Dim>> counts;
  if (c.hasInput(validKeys))
    counts = c.sizes(validKeys);
  bool isOne = counts && !counts->empty() &&
               std::all_of(counts->begin(), counts->end(),
                           [&](const Dim &count) { return count == counts->front(); });
  return isOne ? std::optional(counts->front()) : std::nullopt;
}

Dim keysBefore(const InferenceContext &c) {
  std::optional<Dim> count = knownValidKeys(c);
  return count ? *count - headsAt(c, queries).length : pastLength(c);
}

TensorShape maskShape(const InferenceContext &c) {
  TensorShape shape = c.input(mask).shape;
  const size_t rank = shape.size();
  const Dim length = keyLength(c);
  if (rank && !shape.isUnit(rank - 1) && (length - shape.dim(rank - 1)).bounds().min >= 0)
    shape.setDim(rank - 1, length);
  return shape;
}

SymbolicDims batchAndLengths() {
  return {"batch and lengths", [](const InferenceContext &c, size_t input, size_t d) {
            const size_t rank = c.input(input).shape.size();
            const bool hasHeads = rank == 4;
            if (input == mask || d == 0 || d == (hasHeads ? 2 : 1))
              return std::string();
            return std::string("heads and their widths are numbers");
          }};
}

std::vector<TensorType> infer(InferenceContext &c) {
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
  if (!checkPast(c) || !checkValidKeys(c) || !checkMask(c))
    return {};
  Dim length = keyLength(c);
  ElementType element = c.input(queries).element;
  TensorType y{element, Dims{q.batch, q.length, q.count * v.width}};
  if (q.isSplit)
    y.shape = Dims{q.batch, q.count, q.length, v.width};
  return {y,
          {element, Dims{k.batch, k.count, length, k.width}},
          {element, Dims{v.batch, v.count, length, v.width}},
          {element, Dims{q.batch, q.count, q.length, length}}};
}

} // namespace kgen::attention
