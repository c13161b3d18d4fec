// Online softmax (Milakov and Gimelshein, 2018) as vector code on tensors whose last dimension is a
// whole number of vectors; a vector lane is a query.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

class OnlineSoftmax {
public:
  /// `areExponents`: scores are exponents of 2 instead of e.
  OnlineSoftmax(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element, TargetAttr target,
                bool areExponents)
      : b(b), loc(loc), lanes(target.lanes(element)),
        vector(mlir::VectorType::get({lanes}, element)), areExponents(areExponents) {}

  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  /// A loop with iter_args.
  Values loop(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange inits, Body body) {
    return buildFor(b, loc, from, to, step, inits, body);
  }
  /// A loop with constant bounds; a single iteration becomes code without a loop.
  Values loop(int64_t from, int64_t to, int64_t step, mlir::ValueRange inits, Body body) {
    return buildFor(b, loc, from, to, step, inits, body);
  }

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }

  mlir::Value number(double value);
  mlir::Value maximumOf(mlir::Value a, mlir::Value b);
  mlir::Value exponential(mlir::Value x);
  mlir::Value finite(mlir::Value runningMax);

  /// Writes the transpose of `source` [rows, columns], times `factor`, to `target` [columns, rows
  /// rounded up to whole vectors]; zeros follow the last row.
  mlir::Value transpose(mlir::Value source, mlir::Value target, double factor = 1);
  /// Transposes for VNNI: two neighbours in a row of `source` stay neighbours. `target` is [pairs
  /// of columns, 2 * rows rounded up to whole vectors].
  mlir::Value transposeVnni(mlir::Value source, mlir::Value target);

  /// A causal mask: the query of column c sees key `first + row` if that is at most `last + c`.
  struct Causal {
    mlir::Value first, last;
  };

  struct Maxima {
    mlir::Value scores; ///< -inf where the mask hides them
    mlir::Value max;    ///< of each query
  };
  Maxima maxima(mlir::Value scores, std::optional<Causal> causal);

  /// -inf in all rows of `scores` from `first` on: of keys that there are not.
  mlir::Value hideRows(mlir::Value scores, mlir::Value first);
  /// A row of -inf, as long as those of `like`.
  mlir::Value minusInfRow(mlir::Value like);
  /// A row of zeros, as long as those of `like`.
  mlir::Value rowOfZeros(mlir::Value like);

  /// The trip count of the rescaling: 1 if a score of any query exceeds its running maximum so far
  /// that exp(score - runningMax) might overflow, else 0.
  mlir::Value needsRescale(mlir::Value max, mlir::Value runningMax);
  struct Rescaled {
    mlir::Value runningMax, sum;
    mlir::Value factor; ///< exp(old runningMax - new runningMax) of each query
  };
  /// Raises the running maximum of each query to `max` where that is larger, and scales `sum`.
  Rescaled rescale(mlir::Value max, mlir::Value runningMax, mlir::Value sum);

  struct Probabilities {
    mlir::Value probabilities, sum; ///< not normalized; `sum` is over keys
  };
  /// Replaces scores [keys, queries] by exp(scores - runningMax), and adds these to `sum` (null: to
  /// 0).
  Probabilities probabilities(mlir::Value scores, mlir::Value runningMax, mlir::Value sum);
  /// Probabilities in bf16 for VNNI, written to `pairs` [pairs of keys, 2 * queries]: those of two
  /// keys side by side.
  Probabilities probabilityPairs(mlir::Value scores, mlir::Value runningMax, mlir::Value sum,
                                 mlir::Value pairs);

  /// 1 / x of each element; with `zeroOfZero`, 0 for 0; 0 where `isNothing`, an i1, says that no
  /// key was added up.
  mlir::Value reciprocals(mlir::Value tensor, bool zeroOfZero, mlir::Value isNothing);

private:
  mlir::Value read(mlir::Value tensor, mlir::ValueRange indices) {
    return readVector(b, loc, tensor, indices, lanes);
  }
  mlir::Value write(mlir::Value value, mlir::Value tensor, mlir::ValueRange indices) {
    return writeVector(b, loc, value, tensor, indices);
  }
  mlir::Value indexAt(mlir::Value start, int64_t offset);
  mlir::Value transposeTile(mlir::Value source, mlir::Value target, mlir::Value row, int64_t rows,
                            mlir::Value column, int64_t columns, double factor);
  mlir::Value transposeTileVnni(mlir::Value source, mlir::Value target, mlir::Value row,
                                int64_t rows, mlir::Value column, int64_t columns);
  std::pair<mlir::Value, mlir::Value> columnMaximum(mlir::Value scores, mlir::Value column,
                                                    std::optional<Causal> causal);
  mlir::Value bf16Pair(mlir::Value first, mlir::Value second);
  /// The row (key) and column (first query of a vector) of scores, and their running maximum.
  struct Position {
    mlir::Value row, column, runningMax;
  };
  mlir::Value probabilityAt(mlir::Value scores, const Position &at, int64_t offset);
  /// Writes the probabilities of `step` keys at a time to `target` and sums them up. `add` returns
  /// the updated target and sum.
  using Add = llvm::function_ref<Values(const Position &, int64_t count, mlir::ValueRange)>;
  Probabilities sumProbabilities(mlir::Value scores, mlir::Value runningMax, mlir::Value sum,
                                 mlir::Value target, int64_t step, Add add);
  mlir::Value emptyRow(mlir::Value like);
  mlir::Value rowOf(mlir::Value like, mlir::Value vector);
  /// A loop over the vectors of a row of tensors.
  Values emitColumnLoop(mlir::Value row, mlir::ValueRange inits, Body body);

  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  mlir::VectorType vector;
  bool areExponents;
};

} // namespace kgen
