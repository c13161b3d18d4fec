// The vector code of kgen-expand-attention, on tensors whose last dimension is one of whole
// vectors: one query a lane.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "transforms/loops/VectorLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

class AttentionVectors {
public:
  AttentionVectors(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element, TargetAttr target)
      : b(b), loc(loc), lanes(target.lanes(element)),
        vector(mlir::VectorType::get({lanes}, element)) {}

  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  /// A loop that carries values.
  Values loop(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange inits, Body body) {
    return carryingLoop(b, loc, from, to, step, inits, body);
  }
  /// The same with known bounds: none at all for a single step.
  Values loop(int64_t from, int64_t to, int64_t step, mlir::ValueRange inits, Body body) {
    return carryingLoop(b, loc, from, to, step, inits, body);
  }

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }

  /// Writes the transposition of `source` [rows, columns] into `target` [columns, whole vectors of
  /// rows], with zeros behind the last row.
  mlir::Value transpose(mlir::Value source, mlir::Value target);

  /// Keys `first + row` are seen by the query of a column where they are at most `last` + column.
  struct Causal {
    mlir::Value first, last;
  };

  /// What blocks of keys leave to those after them: per query, the largest score and the sum of
  /// powers.
  struct State {
    mlir::Value largest, sum;
  };
  struct Block {
    mlir::Value powers;
    State state;
    mlir::Value factor; ///< of what was added up before, for each query; null in the first block
  };
  /// Turns `scores` [keys, queries] into powers, and adds them up.
  Block powers(mlir::Value scores, std::optional<Causal> causal, std::optional<State> before);

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
                            mlir::Value column, int64_t columns);
  std::pair<mlir::Value, mlir::Value> maximum(mlir::Value scores, mlir::Value column,
                                              std::optional<Causal> causal, mlir::Value start);
  std::pair<mlir::Value, mlir::Value> exponentials(mlir::Value scores, mlir::Value column,
                                                   mlir::Value largest, mlir::Value sum);
  mlir::Value finite(mlir::Value largest);

  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  mlir::VectorType vector;
};

} // namespace kgen
