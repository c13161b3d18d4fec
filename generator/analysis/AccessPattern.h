// The access of an operation's loops to one of its operands, and what its body does with the
// elements.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/AffineMap.h>

#include <optional>

namespace kgen {

/// The kind of an operand whose loops are rows and, innermost, the elements of a row.
enum class BroadcastKind {
  none,      ///< one element for each iteration
  perRow,    ///< one element for each row: broadcast along the innermost loop
  perColumn, ///< one row for all rows
  scalar,    ///< one element for all iterations
  other      ///< transposed, or broadcast along other loops
};

/// The access of an operand, whose indices are `map` of the loops.
class AccessPattern {
public:
  explicit AccessPattern(mlir::AffineMap map) : map(map) {}
  AccessPattern(mlir::linalg::LinalgOp op, mlir::OpOperand &operand)
      : map(op.getMatchingIndexingMap(&operand)) {}

  BroadcastKind broadcastKind() const;
  bool isFull() const { return broadcastKind() == BroadcastKind::none; }

  /// The loop whose iterations read neighbours in memory; nothing if the last index is no loop
  /// alone.
  std::optional<unsigned> contiguousLoop() const;
  /// The contiguous loop of an operand that is transposed against a result which is contiguous
  /// along `innermost`: another loop, where the operand depends on `innermost`, too.
  std::optional<unsigned> transposedLoop(unsigned innermost) const;
  /// True if the operand has a dimension for each loop but `loop`, in order: it is broadcast along
  /// this one.
  bool isBroadcastAlongOnly(unsigned loop) const;
  /// True if iterations of `loop` read elements that are no neighbours in memory.
  bool isStridedAlong(unsigned loop) const;
  /// True if the index of a dimension is `loop` alone, or if none depends on it: no windows slide
  /// along it.
  bool movesPlainlyAlong(unsigned loop) const;

private:
  mlir::AffineMap map;
};

/// True if the body consists of scalar operations only, which have a form on vectors.
bool hasScalarBody(mlir::linalg::GenericOp op);

/// True if the body yields an element of an input as it is.
bool hasCopyBody(mlir::linalg::GenericOp op);

} // namespace kgen
