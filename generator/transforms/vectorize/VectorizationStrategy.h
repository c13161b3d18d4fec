// Strategies for vectorizing one linalg.generic: which of them match, what each costs, and the
// choice between them.
#pragma once

#include "costmodel/VectorLoops.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

#include <memory>

namespace kgen {

/// What a strategy would do with an operation.
class VectorizationPlan {
public:
  virtual ~VectorizationPlan() = default;

  /// Replaces the operation by loops. Scalar loops leave it as it is.
  virtual void emit(mlir::IRRewriter &rewriter) = 0;

  double cost = 0;        ///< cycles for an iteration of the operation's loops
  int64_t dimension = -1; ///< the loop that vectors go along; -1: none
  int64_t lanes = 1;      ///< iterations of that loop in a vector
};

/// A plan, or why there is none.
struct VectorizationMatch {
  std::unique_ptr<VectorizationPlan> plan;
  llvm::StringRef refusal = {}; ///< empty without a plan: the strategy is for other operations
};

enum class VectorizationStage {
  beforeTiling, ///< a query: dimensions will be collapsed, and tiles have fewer rows
  final         ///< the operation as it is
};

struct VectorizationStrategy {
  llvm::StringLiteral name; ///< in `strategy` of a lowering configuration
  llvm::StringLiteral form; ///< for people
  /// True if elementwise operations that read the result are fused: these plans are carried out
  /// first, from the last operation to the first.
  bool fusesReader;
  VectorizationMatch (*match)(mlir::linalg::GenericOp op, TargetAttr target,
                              VectorizationStage stage);
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
  /// `only`: the strategy that a lowering configuration names; empty: any.
  VectorizationChoice(mlir::linalg::GenericOp op, TargetAttr target, llvm::StringRef only = {});

  /// False only if the lowering configuration names a strategy that does not match.
  explicit operator bool() const { return winner; }
  const VectorizationStrategy &strategy() const { return *winner; }
  VectorizationPlan &plan() const { return *winnersPlan; }
  /// Why `other` does not match; empty if it does, or if it is for other operations.
  llvm::StringRef refusalOf(const VectorizationStrategy &other) const;
  /// What each strategy offers: its cost or its refusal, for `kgen explain`.
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

/// The strategy that the lowering configuration of `op` names; empty if it names none.
llvm::StringRef writtenVectorization(mlir::Operation *op);

/// Chooses a strategy and writes it as lowering configuration, unless there is one.
void selectVectorization(mlir::linalg::GenericOp op, TargetAttr target);

/// Reports that the strategy that the lowering configuration names is unknown or does not match.
void reportVectorization(mlir::linalg::GenericOp op, llvm::StringRef name,
                         const VectorizationChoice &choice);

/// True if `strategy` matches tiles of `op` that have whole rows: asked by passes that choose tiles
/// for it.
bool suits(const VectorizationStrategy &strategy, mlir::linalg::LinalgOp op, TargetAttr target);

/// The rows of `op` along loop `dimension`, for the cost model.
VectorRows vectorRowsOf(mlir::linalg::GenericOp op, int64_t dimension, int64_t lanes,
                        TargetAttr target);

/// True if an operand of `op`, or a tensor that it is a slice of, exceeds the last-level cache.
bool usesMemory(mlir::linalg::GenericOp op, TargetAttr target);

} // namespace kgen
