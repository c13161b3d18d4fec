// Operands and results of Attention: which is which, their heads, and the sizes that follow.
#pragma once

#include "graph/Operator.h"

namespace kgen::attention {

enum Input : size_t { queries, keys, values, mask, pastKeys, pastValues, validKeys };
enum Result : size_t { presentKeys = 1, presentValues, scoresOnTheWay };

/// The attribute that says which scores are the fourth result, in the order of their computation.
constexpr const char *outputMode = "qk_matmul_output_mode";
enum class OutputMode : int64_t { scaled, capped, masked, normalized };

/// Attributes: keys before and after the query's own that it sees; -1: all.
constexpr const char *leftWindow = "left_window_size", *rightWindow = "right_window_size";

/// A tensor of heads, [batch, heads, length, width] or [batch, length, heads * width].
struct Heads {
  bool isSplit;
  int64_t count, width;
  Dim batch, length;

  Heads(const TensorType &type, int64_t heads);
};

/// Returns the heads of Q, K or V.
Heads headsAt(const InferenceContext &c, size_t input);
/// Returns the number of keys of earlier calls.
Dim pastLength(const InferenceContext &c);
/// Returns the number of all keys.
Dim keyLength(const InferenceContext &c);
/// Returns the number of keys that count, where the graph knows it as a size: the same of all
/// sequences.
std::optional<Dim> knownValidKeys(const InferenceContext &c);
/// Returns the number of keys before the first query's own, where it is one size.
Dim keysBefore(const InferenceContext &c);
/// Returns the mask's shape with all keys: one that has fewer of them, and not one for all, masks
/// the others.
TensorShape maskShape(const InferenceContext &c);

/// Batch and lengths, of masks and what was before, too.
SymbolicDims batchAndLengths();
std::vector<TensorType> infer(InferenceContext &c);

} // namespace kgen::attention
