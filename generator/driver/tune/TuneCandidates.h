// The candidates that kgen tune tries, in order.
#pragma once

#include "target/TargetSpec.h"

#include <functional>
#include <set>

namespace kgen {

/// A target that differs from another one in one choice.
struct TuneCandidate {
  std::string
      kind; ///< "gemm_f32", "block_layout_f32", "reciprocal_throughput", "provider", "heuristics"
  TargetSpec target;
};

/// A choice, and what else it could be: it may depend on what has been chosen before.
using TuneStage = std::function<std::vector<TuneCandidate>(const TargetSpec &current)>;

/// For a library whose contractions have operands of `types` ("f32", ...): first whole plans for
/// each kind of kernel (registers full of sums, moderate blocks), then one choice after the other
/// (register tile, rows of a block, depth of a block), then layouts, instructions and providers;
/// with `heuristics`, each trade-off of code generation halved and doubled, too.
std::vector<TuneStage> tuneStages(const std::set<std::string> &types, bool heuristics);

/// The choice of that kind as text: "mr 12, nr 32, mc 144, kc 1024", "xsmm"; "-" if the target
/// leaves it open, or all trade-offs have their defaults.
std::string choiceText(const TargetSpec &target, const std::string &kind);

} // namespace kgen
