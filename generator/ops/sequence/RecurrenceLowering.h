// A node that is being lowered: the loop over time is in RecurrenceLowering.cpp, one step of each
// cell in RecurrentCells.cpp.
#pragma once

#include "ops/sequence/GateActivation.h"
#include "ops/sequence/Recurrence.h"

namespace kgen {

/// Lowers one node.
class Recurrence {
public:
  Recurrence(LoweringContext &c, Cell cell);

  void lower();

private:
  /// Values that a loop over time carries: the last h, the last c of an LSTM, and all h so far if
  /// they are wanted.
  struct State {
    mlir::Value h, c, all;
  };

  mlir::Value inputProducts();
  mlir::Value inputBias();
  mlir::Value activeSteps();
  mlir::Value initial(recurrent::Input which, int64_t direction, mlir::Type type);
  /// R of some gates, [gates * hidden, hidden].
  mlir::Value recurrentWeights(int64_t direction, int64_t firstGate, int64_t gates);
  State run(int64_t direction, State state);
  State step(int64_t direction, mlir::Value time, const State &last);
  State lstm(int64_t direction, mlir::Value inputs, mlir::Value active, const State &last);
  mlir::Value gru(int64_t direction, mlir::Value inputs, mlir::Value active, mlir::Value h);
  mlir::Value gruLinearBeforeReset(int64_t direction, mlir::Value inputs, mlir::Value active,
                                   mlir::Value h);
  mlir::Value rnn(int64_t direction, mlir::Value inputs, mlir::Value active, mlir::Value h);
  mlir::Value recurrent(mlir::Value h, mlir::Value weights);
  mlir::Value sum(mlir::Value x, mlir::Value y);
  /// The next state in the memory of the last one. `body` gets the operands' elements, which
  /// broadcast, and that of the last state if it `readsLast`. Sequences that have ended keep their
  /// state.
  mlir::Value update(mlir::Value last, llvm::ArrayRef<mlir::Value> operands, mlir::Value active,
                     bool readsLast, const LoweringContext::Body &body);
  void setStates(llvm::ArrayRef<mlir::Value> ofDirections, size_t result);

  /// A slice, and a tensor with one, of sizes that may be symbolic.
  mlir::Value slice(mlir::Value whole, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                    const TensorShape &sizes, const TensorShape &shape);
  mlir::Value inserted(mlir::Value whole, mlir::Value part,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, const TensorShape &sizes);
  /// Columns from `first` of rows of the batch.
  mlir::Value columnsOf(mlir::Value rows, int64_t first, int64_t columns);
  mlir::Value number(const Dim &size);
  /// Gate `i` of [batch, gates * hidden].
  mlir::Value gate(mlir::Value gates, int64_t i);
  /// Part `i` of input `which`, [directions, parts * hidden], as [hidden].
  mlir::Value hiddenPart(recurrent::Input which, int64_t direction, int64_t i);
  /// Function `i` of the direction, of its clipped argument.
  mlir::Value activate(const Formula &f, mlir::Value x, int64_t direction, size_t i);
  bool isLinearBeforeReset() const {
    return cell == Cell::gru && c.integer("linear_before_reset") == 1;
  }
  bool isReverse(int64_t direction) const {
    return direction == 1 || c.string("direction") == "reverse";
  }

  LoweringContext &c;
  RecurrenceSizes s;
  Cell cell;
  mlir::Type element, accumulator;
  std::vector<GateActivation> activations;
  std::optional<double> clip;
  mlir::Value products; ///< [time, batch, directions * gates * hidden], of `accumulator`
  mlir::Value actives;  ///< [time, batch], with lengths only: whether a step counts
  llvm::SmallVector<mlir::Value>
      matrices; ///< R of the direction that is lowered, whole or in two parts
};

} // namespace kgen
