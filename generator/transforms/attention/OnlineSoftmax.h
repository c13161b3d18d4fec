// The vector code of kgen-decompose-attention, on tensors whose last dimension is one of whole
// vectors: one query a lane.
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
  /// A loop that carries values.
  Values loop(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange inits, Body body) {
    return buildFor(b, loc, from, to, step, inits, body);
  }
  /// The same with known bounds: none at all for a single step.
  Values loop(int64_t from, int64_t to, int64_t step, mlir::ValueRange inits, Body body) {
    return buildFor(b, loc, from, to, step, inits, body);
  }

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }

  /// Writes the transposition of `source` [rows, columns], times `factor`, into `target` [columns,
  /// whole vectors of rows], with zeros behind the last row.
  mlir::Value transpose(mlir::Value source, mlir::Value target, double factor = 1);
  /// The same of pairs of neighbours in a row, which stay neighbours: `target` is [pairs of
  /// columns, 2 * whole vectors of rows].
  mlir::Value transposePairs(mlir::Value source, mlir::Value target);

  /// Keys `first + row` are seen by the query of a column where they are at most `last` + column.
  struct Causal {
    mlir::Value first, last;
  };

  struct Maxima {
    mlir::Value scores, largest; ///< without those that are not seen; of each query
  };
  Maxima maxima(mlir::Value scores, std::optional<Causal> causal);

  /// Whether powers of a query's score less its `base` would be large: 1 or 0, for a loop.
  mlir::Value exceeds(mlir::Value largest, mlir::Value base);
  struct Rebased {
    mlir::Value base, sum;
    mlir::Value factor; ///< of what was added up before
  };
  /// The larger one of each query's base and score becomes its base.
  Rebased rebase(mlir::Value largest, mlir::Value base, mlir::Value sum);

  struct Powers {
    mlir::Value powers, sum;
  };
  /// Turns scores [keys, queries] less the base of their query into powers, and adds them to `sum`
  /// (null: to 0).
  Powers powers(mlir::Value scores, mlir::Value base, mlir::Value sum);
  /// The same as bf16, those of two keys side by side: written to `pairs`, [pairs of keys, 2 *
  /// queries].
  Powers pairsOfPowers(mlir::Value scores, mlir::Value base, mlir::Value sum, mlir::Value pairs);

  /// 1 / x of each element.
  mlir::Value reciprocals(mlir::Value tensor);

private:
  mlir::Value number(double value);
  mlir::Value read(mlir::Value tensor, mlir::ValueRange at) {
    return readVector(b, loc, tensor, at, lanes);
  }
  mlir::Value write(mlir::Value value, mlir::Value tensor, mlir::ValueRange at) {
    return writeVector(b, loc, value, tensor, at);
  }
  mlir::Value larger(mlir::Value a, mlir::Value b);
  mlir::Value power(mlir::Value x);
  mlir::Value addressOf(mlir::Value start, int64_t offset);
  mlir::Value transposeTile(mlir::Value source, mlir::Value target, mlir::Value row, int64_t rows,
                            mlir::Value column, int64_t columns, double factor);
  mlir::Value transposeTileOfPairs(mlir::Value source, mlir::Value target, mlir::Value row,
                                   int64_t rows, mlir::Value column, int64_t columns);
  std::pair<mlir::Value, mlir::Value> maximum(mlir::Value scores, mlir::Value column,
                                              std::optional<Causal> causal);
  mlir::Value finite(mlir::Value base);
  mlir::Value roundedPair(mlir::Value first, mlir::Value second);
  /// A row and a column of vectors of scores, and what is subtracted there.
  struct Place {
    mlir::Value row, column, base;
  };
  mlir::Value powerAt(mlir::Value scores, const Place &at, int64_t offset);
  /// Writes powers to `target`, those of `step` keys at a time, and adds them up: `add` returns
  /// what it wrote to, and the sum with them.
  using Add = llvm::function_ref<Values(const Place &, int64_t count, mlir::ValueRange)>;
  Powers sumPowers(mlir::Value scores, mlir::Value base, mlir::Value sum, mlir::Value target,
                   int64_t step, Add add);
  mlir::Value emptyRow(mlir::Value like);
  /// A loop over the vectors of a row of tensors.
  Values overColumns(mlir::Value row, mlir::ValueRange inits, Body body);

  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  mlir::VectorType vector;
  bool areExponents;
};

} // namespace kgen
