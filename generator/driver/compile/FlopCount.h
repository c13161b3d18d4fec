// Number of operations that a graph computes, whatever the target.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace mlir {
class ModuleOp;
}

namespace kgen {

struct GraphWork {
  /// Scalar operations of one run, by the element type that they begin from: a multiply-add counts
  /// twice, exp and the like once, conversions and choices not at all.
  std::map<std::string, int64_t> flops;
  /// Those of sums of products only.
  std::map<std::string, int64_t> contractionFlops;
  std::set<std::string> factorTypes; ///< of both operands of sums of products

  int64_t total() const;
  /// The type that most of the contractions' work is done on, or, without any, most of all work;
  /// "" if there is none.
  std::string mainType() const;
};

/// Of a module as the ingress makes it: linalg on tensors. Loops of a size that is known at run
/// time only do not count.
GraphWork countWork(mlir::ModuleOp module);

} // namespace kgen
