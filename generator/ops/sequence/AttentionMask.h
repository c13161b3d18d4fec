// Masks of Attention: the one that is given, with windows and the keys that count.
#pragma once

#include "ops/Lowering.h"
#include "ops/sequence/AttentionShapes.h"

namespace kgen::attention {

/// A mask on [batch, heads of K, heads of Q for each of them, queries, keys], or fewer dimensions;
/// null where all keys are seen.
struct Mask {
  mlir::Value value;
  bool isBool = false; ///< 0 for what is not seen; otherwise added to scores

  explicit operator bool() const { return bool(value); }
};

/// Returns the mask, with all limits but that of `is_causal`, unless each sequence has its own
/// number of keys.
Mask maskOf(LoweringContext &c);

/// -inf for keys that come after the query, where the mask does not say so.
mlir::Value causalScores(LoweringContext &c, mlir::Value scores);

} // namespace kgen::attention
