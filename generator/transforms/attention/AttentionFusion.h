// Two gemms and the softmax between them, as kgen-fuse-attention replaces them.
#pragma once

#include "transforms/attention/AttentionPatterns.h"
#include "transforms/attention/KeyCounts.h"

namespace kgen {

/// Matches the second gemm of an attention, and replaces the operations that lead to it.
class AttentionFusion {
public:
  AttentionFusion(tpp::GemmOp valueGemm, TargetAttr target)
      : valueGemm(valueGemm), target(target), b(valueGemm.getOperation()) {}

  /// Returns why the gemm is not fused; empty if it is; nothing if it is no attention at all.
  std::optional<llvm::StringRef> refusal();
  void build();
  mlir::Location loc() { return valueGemm.getLoc(); }

private:
  struct Operand {
    mlir::Value value;
    mlir::AffineMap map;
  };
  mlir::Value weightsOf(mlir::Value operand);
  bool matchOperands(mlir::Value weights);
  std::optional<CausalMask> causalMaskOf(mlir::linalg::GenericOp op);
  std::optional<KeyCounts> keyCountsOf(mlir::linalg::GenericOp op);
  mlir::Value scoreBeforeMask(mlir::linalg::GenericOp op);
  llvm::StringRef elementwiseRefusal();
  bool suitsFewQueries();
  Operand operand(mlir::Value value, mlir::AffineMap map, const DimGroups &groups);
  double readThroughCopies(Operand &operand, int64_t last, bool mayScale);
  void writeThroughCopies();
  mlir::AffineMap mapTo(llvm::ArrayRef<unsigned> dimensions) const;
  mlir::Value scoreOf(mlir::linalg::GenericOp op, mlir::Value tensor, mlir::Value below,
                      mlir::Block *body, unsigned &argument);

  tpp::GemmOp valueGemm;
  TargetAttr target;
  mlir::OpBuilder b;
  ScoreChain chain;
  unsigned rank = 0;                ///< of the scores
  llvm::SmallVector<int64_t> sizes; ///< of the iteration space
  Operand q, k, v, result;          ///< `result.value` is replaced by the attention
  std::optional<int64_t> causal;
  bool hasFewQueries = false;
  std::optional<KeyCounts> counts; ///< if there are few queries
  bool maskedToZero = false, nanToZero = false;
  double factor = 1; ///< of Q and K, which are read before they are scaled
  llvm::SmallVector<Operand> epilogueOperands;
  DimGroups ofWeights; ///< of A of the second gemm
  mlir::Type narrow;   ///< the type that all operands of the gemms were rounded to; or null
};

} // namespace kgen
