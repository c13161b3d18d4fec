// What LSTM, GRU and RNN have in common: which cell it is, its inputs and their sizes.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

enum class Cell { lstm, gru, rnn };

/// Which input is which; not all cells have all of them.
namespace recurrent {
enum Input : size_t { sequence, weights, recurrence, bias, lengths, initialH, initialC, peepholes };
}

struct CellTraits {
  int64_t gates;
  std::vector<std::string> activations;
  bool hasCellState;
};

const CellTraits &traitsOf(Cell cell);

/// Sizes of a node's tensors. With `batchFirst` (ONNX's layout 1) the batch comes before time and
/// direction.
struct RecurrenceSizes {
  int64_t steps, batch, inputs, hidden, directions, gates;
  bool batchFirst;

  RecurrenceSizes(const InferenceContext &c, Cell cell);

  int64_t columns() const { return gates * hidden; }
  /// [directions, batch, hidden], in that order or with the batch first.
  llvm::SmallVector<int64_t> state() const {
    return batchFirst ? llvm::SmallVector<int64_t>{batch, directions, hidden}
                      : llvm::SmallVector<int64_t>{directions, batch, hidden};
  }
  llvm::SmallVector<int64_t> results() const {
    return batchFirst ? llvm::SmallVector<int64_t>{batch, steps, directions, hidden}
                      : llvm::SmallVector<int64_t>{steps, directions, batch, hidden};
  }
};

/// Lowers a node whose types were inferred.
void lowerRecurrence(LoweringContext &c, Cell cell);

} // namespace kgen
