// Upstream's elimination of empty tensors, in time that grows with the reads of the graph.
#include "transforms/bufferize/Passes.h"
#include "transforms/bufferize/SplitReads.h"

#include <mlir/Dialect/Bufferization/Transforms/Transforms.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ELIMINATEEMPTIESPASS
#include "transforms/bufferize/Passes.h.inc"

namespace {

struct EliminateEmptiesPass : impl::EliminateEmptiesPassBase<EliminateEmptiesPass> {
  void runOnOperation() override {
    SplitReads reads(getOperation());
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::eliminateEmptyTensors(rewriter, getOperation())))
      return signalPassFailure();
    reads.join();
  }
};

} // namespace
} // namespace kgen
