// Strategies for vectorizing one linalg.generic: which of them match, what each costs, and the
// choice between them.
#pragma once

#include "analysis/StoreKinds.h"
#include "costmodel/VectorLoops.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

#include <memory>

namespace kgen {

/// Plan of a strategy for an operation.
class VectorizationPlan {
public:
  virtual ~VectorizationPlan() = default;

  /// Replaces the operation by loops. Scalar loops leave it as it is.
  virtual void emit(mlir::IRRewriter &rewriter) = 0;

  double cost = 0;        ///< cycles for an iteration of the operation's loops
  int64_t dimension = -1; ///< the loop that vectors go along; -1: none
  int64_t lanes = 1;      ///< iterations of that loop in a vector
  int64_t step = 0;       ///< iterations that a vector operation does; 0: those of a vector
  /// Vectors, or steps, that an iteration of the loop over them does; none: not for one to say.
  std::optional<int64_t> unroll;
  /// The elementwise operation that reads the result and is fused; null: none.
  mlir::linalg::GenericOp fusedReader;

  /// `vector` of a lowering configuration: the step of each of the operation's loops, 0 for those
  /// that no vectors go along.
  llvm::SmallVector<int64_t> vector(mlir::linalg::GenericOp op) const;
};

/// A plan, or why there is none.
struct VectorizationMatch {
  std::unique_ptr<VectorizationPlan> plan;
  llvm::StringRef refusal = {}; ///< empty without a plan: the strategy is for other operations
};

struct VectorizationStrategy {
  llvm::StringLiteral name; ///< in `strategy` of a lowering configuration
  llvm::StringLiteral form; ///< for people
  /// True if elementwise operations that read the result are fused: these plans are carried out
  /// first, from the last operation to the first.
  bool fusesReader;
  VectorizationMatch (*match)(mlir::linalg::GenericOp op, TargetAttr target);
  /// Matches tiles of rows of the operation, whose results go to `stores`, if they have as many
  /// rows as the strategy needs; null for strategies that are not chosen by the length of rows.
  VectorizationMatch (*matchRows)(mlir::linalg::GenericOp op, TargetAttr target,
                                  Stores stores) = nullptr;
};

#define KGEN_VECTORIZATION_STRATEGY(name) const VectorizationStrategy &name();
#include "transforms/vectorize/VectorizationStrategies.def"

/// All of them, in the order of VectorizationStrategies.def.
llvm::ArrayRef<const VectorizationStrategy *> vectorizationStrategies();

/// Null if there is none of that name.
const VectorizationStrategy *findVectorizationStrategy(llvm::StringRef name);

/// The choice for one operation.
class VectorizationChoice {
public:
  /// Among those that fit what the lowering configuration of `op` says, if it does: `strategy`,
  /// `vector` and `unroll`.
  VectorizationChoice(mlir::linalg::GenericOp op, TargetAttr target);

  /// False only if nothing fits the lowering configuration.
  explicit operator bool() const { return winner; }
  const VectorizationStrategy &strategy() const { return *winner; }
  VectorizationPlan &plan() const { return *winnersPlan; }
  /// Returns what each strategy offers: its cost or its refusal, for `kgen explain`.
  mlir::ArrayAttr offers(mlir::Builder builder) const;

private:
  struct Offer {
    const VectorizationStrategy *strategy;
    std::optional<double> cost;
    llvm::StringRef refusal;
  };

  llvm::SmallVector<Offer> all;
  const VectorizationStrategy *winner = nullptr;
  std::unique_ptr<VectorizationPlan> winnersPlan;
};

/// The strategy that the lowering configuration of `op` names, its vectors, and how many of them an
/// iteration does; empty, or null, if it has none. What stays in registers has no iterations.
mlir::DenseI64ArrayAttr configuredVector(mlir::Operation *op);
std::optional<int64_t> configuredUnroll(mlir::Operation *op);
llvm::StringRef configuredStrategy(mlir::Operation *op);

/// The plan of the strategy that the lowering configuration of `op` names, with the vectors that it
/// says; null if there is none.
std::unique_ptr<VectorizationPlan> configuredPlan(mlir::linalg::GenericOp op, TargetAttr target);

/// Reports that the lowering configuration names an unknown strategy, one that does not match, or
/// vectors or iterations that no strategy has.
void reportVectorization(mlir::linalg::GenericOp op, TargetAttr target);

/// The cheapest strategy for tiles of whole rows that go to `stores`, if they have as many as it
/// needs; null if there is none.
const VectorizationStrategy *strategyOfRows(mlir::linalg::GenericOp op, TargetAttr target,
                                            Stores stores);

/// The way to memory of rows of `bytes` bytes, or of multiples of these, if no cache keeps them.
RowStores storesOfRows(mlir::Type result, int64_t bytes, const Cpu &cpu);

/// The rows of `op` along loop `dimension`, whose results go to `stores`, for the cost model.
VectorRows vectorRowsOf(mlir::linalg::GenericOp op, int64_t dimension, int64_t lanes,
                        Stores stores);

} // namespace kgen
