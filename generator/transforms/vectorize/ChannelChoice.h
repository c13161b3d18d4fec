// Results that are computed in one of two ways, by a number of their channel.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// The only selection in the body of an elementwise operation, if it is by a comparison of one of
/// its operands with a constant. A branch can take its place where code is for few channels.
class ChannelChoice {
public:
  ChannelChoice() = default; ///< nothing is selected
  /// Finds nothing if the body selects in another way, or by what `isOfChannels` is false for.
  ChannelChoice(mlir::linalg::GenericOp op,
                llvm::function_ref<bool(mlir::OpOperand &)> isOfChannels);

  /// True if something is selected.
  explicit operator bool() const { return compared; }
  /// Finds out which way the channels take whose code follows. `read` returns the operand's numbers
  /// for them: one, or a vector of which all must be so for the first way to be taken.
  void begin(mlir::OpBuilder &b, mlir::Location loc,
             llvm::function_ref<mlir::Value(mlir::OpOperand &)> read);
  /// Builds `body`, which has a list of results, in a branch for each way.
  mlir::SmallVector<mlir::Value> build(mlir::OpBuilder &b, mlir::Location loc,
                                       llvm::function_ref<mlir::SmallVector<mlir::Value>()> body);
  /// Returns the value that takes the place of `inner` in the branch that is built, if `inner` is
  /// the selection; null for other operations.
  mlir::Value taken(mlir::Operation &inner);

private:
  mlir::arith::SelectOp selection;
  mlir::OpOperand *compared = nullptr;
  mlir::Value condition; ///< of the current channels
  bool takesFirst = false;
};

} // namespace kgen
