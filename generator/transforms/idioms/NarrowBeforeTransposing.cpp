#include "transforms/idioms/NarrowBeforeTransposing.h"

#include "dialect/kgen/EmptyTensor.h"

#include <mlir/Analysis/SliceAnalysis.h>

using namespace mlir;

namespace kgen {

SetVector<Operation *> computing(arith::TruncIOp bytes) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == bytes->getBlock(); };
  (void)getBackwardSlice(bytes.getOperation(), &slice, options);
  return slice;
}

SmallVector<linalg::GenericOp> narrowBeforeTransposing(IRRewriter &rewriter, linalg::GenericOp op,
                                                       arith::TruncIOp bytes, OpOperand &sums) {
  AffineMap toSums = op.getMatchingIndexingMap(&sums);
  auto type = cast<RankedTensorType>(sums.get().getType());
  if (!toSums.isPermutation() || toSums.isIdentity() || op->getNumResults() != 1)
    return {op};
  rewriter.setInsertionPoint(op);
  const AffineMap toLoops = inversePermutation(toSums);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input).compose(toLoops));
  maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(), utils::IteratorType::parallel);
  Value empty = emptyLike(rewriter, op.getLoc(), sums.get(), bytes.getType());
  auto narrow = linalg::GenericOp::create(
      rewriter, op.getLoc(), empty.getType(), op.getInputs(), empty, maps, parallel,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments().drop_back(), arguments.drop_back());
        for (Operation *inner : computing(bytes))
          b.clone(*inner, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookup<Value>(bytes));
      });
  // The bytes take the place of the sums, which the rest does not read.
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> after = op.getIndexingMapsArray();
  after.insert(after.begin() + static_cast<int64_t>(inputs.size()), toSums);
  inputs.push_back(narrow.getResult(0));
  auto transposed = linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), inputs,
                                              op.getOutputs(), after, op.getIteratorTypesArray());
  Block &body = op.getRegion().front();
  transposed.getRegion().takeBody(op.getRegion());
  Value element = body.insertArgument(inputs.size() - 1, bytes.getType(), bytes.getLoc());
  rewriter.replaceAllUsesWith(bytes, element);
  rewriter.replaceOp(op, transposed);
  return {narrow, transposed};
}

} // namespace kgen
