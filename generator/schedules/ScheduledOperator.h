// An operation as schedules see it: loops with names, operands with theirs.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct ScheduledOperand {
  std::string name; ///< "lhs"
  /// The loops of each dimension with their factors: y and u, 1 each, of an image's rows.
  std::vector<std::map<char, int64_t>> subscripts;
  std::string dims;     ///< the loop of each dimension in order, "mk"; empty if one has several
  std::string tileDims; ///< in the order that linalg.pack gives inner tiles: that of the loops
  mlir::Type elementType;
  bool isRepeated = false; ///< one in front of it is the same part of the same value

  bool isProjection() const { return dims.size() == subscripts.size(); }
  /// Elements that parts of the loops of these sizes read or write.
  int64_t elements(const std::map<char, int64_t> &sizes) const;
};

enum class ScheduledKind {
  product,    ///< loops m, n and k, and b, c, d ... of its batch; operands lhs, rhs and out
  window,     ///< loops b, y, x and f of the result, u and k of the sum; operands lhs, rhs and out
  elementwise ///< loops m and n, and b, c, d ... around them; operands in0, in1 ... and out
};

/// Loops have one letter each.
struct ScheduledOperator {
  ScheduledKind kind = ScheduledKind::product;
  std::string loops; ///< in the operation's order
  std::vector<int64_t> sizes;
  std::string reductions;                 ///< those of `loops` that are not parallel
  std::vector<ScheduledOperand> operands; ///< out is the last one

  int64_t sizeOf(char loop) const { return sizes[loops.find(loop)]; }
  bool has(char loop) const { return loops.find(loop) != std::string::npos; }
  bool isReduction(char loop) const { return reductions.find(loop) != std::string::npos; }
  const ScheduledOperand *find(const std::string &name) const;
};

/// Nothing if the operation is none of the kinds, or its sizes are not known.
std::optional<ScheduledOperator> scheduledOperator(mlir::linalg::LinalgOp op);

} // namespace kgen
