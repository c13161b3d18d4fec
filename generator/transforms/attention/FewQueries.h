// Attention of fewer queries than half of a vector has lanes, as when a decoder reads one more
// word: keys and values pass through once, and take most of the time.
//
// A vector has elements of a key or of a value; after the products, scores of as many keys as it
// has lanes. Rows are queries of indices of the batch: those of heads whose keys lie side by side,
// and of those that share their keys, are computed block of keys by block of keys.
#pragma once

#include "transforms/attention/AttentionGemms.h"
#include "transforms/attention/AttentionTasks.h"
#include "transforms/attention/OnlineSoftmax.h"

namespace kgen {

class FewQueries {
public:
  FewQueries(mlir::OpBuilder &b, AttentionOp op, TargetAttr target, const AttentionPlan &plan,
             AttentionTasks &tasks, const ScoreScale &scale, OnlineSoftmax &softmax);

  /// Computes a task's part of the result.
  mlir::Value run(mlir::Value tile);

private:
  using Values = OnlineSoftmax::Values;
  /// Tensors that are carried from one block of keys to the next one, by rows.
  enum Carried : size_t { weightedSums, maxima, sums };
  /// Keys from `first` on. `last` is the last one that a row sees; null if all rows see all.
  struct KeyBlock {
    mlir::Value first, last;
  };
  using Rows = llvm::function_ref<Values(mlir::Value row, mlir::ValueRange)>;
  using Vectors = llvm::function_ref<mlir::Value(mlir::ArrayRef<mlir::Value>)>;

  bool isInner(unsigned dimension);
  mlir::Value forOuter(unsigned dimension, mlir::Value tile);
  Values forRows(mlir::ValueRange inits, Rows body, unsigned dimension = 0, mlir::Value row = {});
  mlir::Value average(mlir::Value tile);
  Values noKeys();
  mlir::Value scaledQueries();
  Values addKeys(mlir::Value row, const KeyBlock &keys, mlir::ValueRange before);
  mlir::Value addValues(mlir::Value row, mlir::Value sums, mlir::Value factor,
                        mlir::Value probabilities, mlir::Value first, mlir::OpFoldResult count);
  mlir::Value normalized(mlir::Value row, mlir::ValueRange carried, mlir::Value tile);
  mlir::Value inverseOf(mlir::Value sum);
  mlir::Value seenKeys();
  std::pair<mlir::OpFoldResult, mlir::OpFoldResult> seenByAllAndAny();
  void prefetch(mlir::Value memory, mlir::AffineMap map, mlir::Value key, int64_t size);
  mlir::Value products(mlir::Value row, mlir::Value first, mlir::Value last);
  mlir::Value scores(mlir::Value products, mlir::Value first, mlir::Value seen);
  mlir::Value operandOfScores(mlir::Value tensor, mlir::AffineMap map, mlir::Value first,
                              mlir::Value seen);
  mlir::Value read(mlir::Value tensor, mlir::AffineMap map, mlir::Value key, int64_t from,
                   int64_t size);
  llvm::SmallVector<mlir::Value> indices(mlir::AffineMap map, mlir::Value key, mlir::Value element);
  mlir::Value lanesBelow(int64_t count);
  mlir::Value lanesBelow(mlir::Value count);
  mlir::Value sumOfEach(llvm::SmallVector<mlir::Value> vectors);
  mlir::Value acrossLanes(mlir::Value vector,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value index(int64_t value) { return softmax.index(value); }

  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionPlan &plan;
  AttentionTasks &tasks;
  const ScoreScale &scale;
  OnlineSoftmax &softmax;
  mlir::Type element; ///< the accumulator type
  int64_t lanes, rows = 1;
  mlir::Value distantK, distantV; ///< where keys and values lie that come from memory; or null
  int64_t lineBytes;
  mlir::Value k, v, queries;                    ///< `queries` are scaled, [rows, whole vectors]
  llvm::SmallVector<mlir::Value> batch, inTask; ///< current indices; those within the task
};

} // namespace kgen
