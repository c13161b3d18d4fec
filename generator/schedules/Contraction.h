// A contraction as schedules see it: loops with names, operands with theirs.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct ScheduledOperand {
  std::string name;         ///< "lhs"
  std::string dims;         ///< its dimensions' loops in order, "mk"
  std::string tileDims;     ///< in the order that linalg.pack gives inner tiles: that of the loops
  mlir::Type elementType;
};

/// Loops of one letter each: m, n and k of a product, b, c, d ... of its batch. Operands are lhs, rhs
/// and out.
struct ScheduledOperator {
  std::string loops; ///< in the operation's order
  std::vector<int64_t> sizes;
  std::string reductions; ///< those of `loops` that are not parallel
  std::vector<ScheduledOperand> operands; ///< out is the last one

  int64_t sizeOf(char loop) const { return sizes[loops.find(loop)]; }
  bool isReduction(char loop) const { return reductions.find(loop) != std::string::npos; }
  const ScheduledOperand *find(const std::string &name) const;
};

/// Nothing if the operation is no contraction of two operands with one loop of rows, columns and depth
/// each, or its sizes are not known.
std::optional<ScheduledOperator> scheduledOperator(mlir::linalg::LinalgOp op);

} // namespace kgen
