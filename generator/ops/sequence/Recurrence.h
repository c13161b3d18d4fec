// Common parts of LSTM, GRU and RNN: which cell it is, its inputs and their sizes.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

enum class Cell { lstm, gru, rnn };

/// Numbers of the inputs; not all cells have all of them.
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
  Dim steps, batch;
  int64_t inputs, hidden, directions, gates;
  bool batchFirst;

  RecurrenceSizes(const InferenceContext &c, Cell cell);

  int64_t columns() const { return gates * hidden; }
  /// [directions, batch, hidden], in that order or with the batch first.
  TensorShape state() const {
    return batchFirst ? std::vector<Dim>{batch, directions, hidden}
                      : std::vector<Dim>{directions, batch, hidden};
  }
  TensorShape results() const {
    return batchFirst ? std::vector<Dim>{batch, steps, directions, hidden}
                      : std::vector<Dim>{steps, directions, batch, hidden};
  }
};

/// Lowers a node whose types were inferred.
void lowerRecurrence(LoweringContext &c, Cell cell);

} // namespace kgen
