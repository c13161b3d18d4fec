// Builds the loops over vectors for one linalg.generic.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/Stores.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/VectorAddresses.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Builds the loops of one operation.
class Vectorizer {
public:
  Vectorizer(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), sizes(op), ivs(sizes.size()),
        addresses(op) {
    lanes = std::max<int64_t>(1, target.getVectorBits() / bitsOfLanes());
  }

  /// Returns why the operation has a form that stays scalar; empty if it can be vectorized.
  llvm::StringRef refusal();

  /// Chooses the loop that vectors go along, how many of its iterations a vector operation does,
  /// and how many of these an iteration of the loop over vectors, if there is no refusal.
  /// `written`, `unroll`: what a lowering configuration says; what is impossible of it is ignored.
  void chooseVectors(llvm::ArrayRef<int64_t> written = {},
                     std::optional<int64_t> unroll = std::nullopt);
  int64_t dimension() const { return vectorDim; } ///< -1: no loop at all, one element
  int64_t elementsOfVector() const { return lanes; }
  int64_t elementsOfStep() const { return step; }
  int64_t stepsOfIteration() const { return unroll; }

  /// Cycles for an iteration of the operation's loops, whose results go to `stores`.
  double cost(Stores stores);

  /// Builds the loops; returns the value that replaces the operation's result.
  mlir::Value run() {
    b.setInsertionPoint(op);
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      ends.push_back(sizes.value(b, d));
    llvm::SmallVector<int64_t> outer, reductions;
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      if (d != vectorDim)
        (isReduction(d) ? reductions : outer).push_back(d);
    mlir::Value out = op.getDpsInits()[0];
    if (int64_t across = transposedDim(); across >= 0) {
      llvm::erase(outer, across);
      return nest(outer, out, [&](mlir::Value t) { return computeTransposed(t, across); });
    }
    if (vectorDim >= 0 && isReduction(vectorDim)) {
      outer.append(reductions);
      return reduceInMemoryOrder(out, outer);
    }
    return nest(outer, out, [&](mlir::Value tensor) {
      if (vectorDim < 0)
        return nest(reductions, tensor, [&](mlir::Value t) { return computeElements(t, 0); });
      bool isWide =
          !reductions.empty() && sizes.greatest(vectorDim) > lanes && !reducesFewRows(reductions);
      return isWide ? panels(tensor, reductions) : computeVectors(tensor, reductions);
    });
  }

private:
  using Body = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// The widest type in vectors; values that are only indices are in none.
  int64_t bitsOfLanes() {
    return widestBits(op, [&](mlir::Value v) { return addresses.isOnlyIndex(v); });
  }

  bool isReduction(int64_t d) {
    return op.getIteratorTypesArray()[d] == mlir::utils::IteratorType::reduction;
  }

  /// True if the body contains a mathematical function.
  bool hasFunction() {
    return llvm::any_of(*op.getBody(),
                        [](mlir::Operation &inner) { return isMathFunction(&inner); });
  }

  /// Returns the operation that combines a new value with the accumulator; null if there is no
  /// single one with a neutral element.
  mlir::Operation *combiner() {
    llvm::SmallVector<mlir::Operation *> found;
    if (!mlir::matchReduction(op.getRegionOutputArgs(), 0, found) || found.size() != 1)
      return nullptr;
    return mlir::linalg::getCombinerOpKind(found[0]) && mlir::arith::getNeutralElement(found[0])
               ? found[0]
               : nullptr;
  }

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value index(mlir::OpFoldResult value) {
    return mlir::getValueOrCreateConstantIndexOp(b, loc, value);
  }

  /// Builds loops over `dims` that carry the tensor, with `body` in the innermost one.
  mlir::Value nest(llvm::ArrayRef<int64_t> dims, mlir::Value tensor, Body body) {
    if (dims.empty())
      return body(tensor);
    mlir::OpFoldResult first = b.getIndexAttr(0);
    return buildFor(b, loc, first, ends[dims.front()], 1, tensor,
                    [&](mlir::Value i, mlir::Value t) {
                      ivs[dims.front()] = i;
                      return nest(dims.drop_front(), t, body);
                    });
  }

  /// Returns the current indices of an operand.
  llvm::SmallVector<mlir::Value> operandIndices(mlir::AffineMap map) {
    llvm::SmallVector<mlir::Value> result;
    for (mlir::AffineExpr expr : map.getResults()) {
      mlir::Value sum;
      for (auto [value, step] : llvm::zip(ivs, *tpp::linearCoefficients(expr, ivs.size()))) {
        if (step == 0)
          continue;
        mlir::Value part =
            step == 1 ? value : b.createOrFold<mlir::arith::MulIOp>(loc, value, index(step));
        sum = sum ? b.createOrFold<mlir::arith::AddIOp>(loc, sum, part) : part;
      }
      result.push_back(sum ? sum : index(0));
    }
    return result;
  }

  mlir::Value read(mlir::Value tensor, mlir::AffineMap map, int64_t count);
  mlir::Value write(mlir::Value tensor, mlir::Value value, int64_t count);
  mlir::Value compute(mlir::Value accumulator, int64_t count);
  void computeIndex(mlir::Operation &inner, mlir::IRMapping &first, bool uniformOnly);
  mlir::IRMapping uniformIndices();
  mlir::Value extract(mlir::tensor::ExtractOp inner, const mlir::IRMapping &values,
                      const mlir::IRMapping &first, int64_t count);
  mlir::Value computeElements(mlir::Value tensor, int64_t count);
  mlir::Value computeVectors(mlir::Value tensor, llvm::ArrayRef<int64_t> reductions);
  void chooseVectorDim(std::optional<int64_t> only);
  bool hasWiderSteps();
  bool mayUnroll();
  int64_t vectorElements();
  bool reducesFewRows(llvm::ArrayRef<int64_t> reductions);
  mlir::Value reduceInChains(mlir::Value start, int64_t reduced, int64_t count);
  mlir::Value panels(mlir::Value tensor, llvm::ArrayRef<int64_t> reductions);
  mlir::Value indexVector(int64_t dimension, int64_t count);
  /// Independent chains of partial results of a row.
  int64_t chainsOfRow() const { return unroll; }
  mlir::Value neutral(int64_t count);
  bool masksRemainder();
  mlir::Value masked(mlir::Value count, llvm::function_ref<mlir::Value()> body);
  mlir::Value vectorLoop(mlir::OpFoldResult size, llvm::ArrayRef<int64_t> widths,
                         mlir::Value tensor,
                         llvm::function_ref<mlir::Value(mlir::Value, int64_t, mlir::Value)> body);
  llvm::SmallVector<mlir::Value> partialResultsInChains(mlir::OpFoldResult end);
  mlir::Value combineParts(llvm::SmallVector<mlir::Value> parts);
  mlir::Value partialResults(int64_t shortRowLanes);
  mlir::Value partialResultsOfDynamicRow();
  llvm::SmallVector<mlir::Value> partsOfRemainder(mlir::Value begin);
  mlir::Value partByElement(mlir::Value begin, mlir::Value count);
  mlir::Value either(mlir::Value condition, llvm::function_ref<mlir::Value()> yes,
                     llvm::function_ref<mlir::Value()> no);
  mlir::Value reduceHorizontally(mlir::Value tensor);
  mlir::Value reduceRows(mlir::Value tensor, int64_t rowDim, int64_t count);
  mlir::Value reduceLikeJointRow(mlir::Value tensor);
  int64_t jointRowDim();
  mlir::Value reduceInMemoryOrder(mlir::Value tensor, llvm::ArrayRef<int64_t> loops);
  int64_t transposedDim();
  bool isTransposed(mlir::OpOperand *input);
  int64_t transposeBlockSize() const;
  llvm::SmallVector<mlir::Value> readTransposed(mlir::OpOperand *input, int64_t across,
                                                int64_t rows, int64_t columns);
  mlir::Value computeTransposed(mlir::Value tensor, int64_t across);
  mlir::Value hasBlocks(int64_t dimension, int64_t step);

  mlir::IRRewriter &b;
  mlir::linalg::GenericOp op;
  mlir::Location loc;
  TargetAttr target;
  LoopSizes sizes;
  llvm::SmallVector<mlir::OpFoldResult> ends; ///< the sizes, while loops are built
  llvm::SmallVector<mlir::Value> ivs;         ///< the current index of each dimension
  int64_t vectorDim = -1;                     ///< -1: no dimension at all, one element
  int64_t lanes = 1;
  int64_t step = 1;   ///< elements that a vector operation of the loop over vectors does
  int64_t unroll = 1; ///< such operations in an iteration: of reductions, independent chains
  VectorAddresses addresses;
  mlir::Value mask; ///< the lanes that are read and written; null: all
  /// Rows of operands that were read for a whole tile, and the one of them that is computed.
  llvm::SmallDenseMap<unsigned, llvm::SmallVector<mlir::Value>> transposed;
  int64_t tileRow = 0;
  mlir::IRMapping hoisted; ///< indices that are the same in all lanes
};

} // namespace kgen
