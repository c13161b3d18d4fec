// One-shot bufferization of any loop: upstream's takes those only whose next states are computed in
// the memory of the previous ones. Where the analysis finds others, they are copied there.
#include "analysis/OperandLiveness.h"
#include "transforms/bufferize/CopyOpenPitches.h"
#include "transforms/bufferize/Passes.h"
#include "transforms/bufferize/SharedResults.h"
#include "transforms/bufferize/SplitReads.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h>
#include <mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h>
#include <mlir/Dialect/Bufferization/Transforms/Transforms.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {
#define GEN_PASS_DEF_BUFFERIZETENSORSPASS
#include "transforms/bufferize/Passes.h.inc"

namespace {

/// Operands that a terminator of a loop's block hands on, and the arguments that stand for their
/// memory.
struct CarriedStates {
  MutableArrayRef<OpOperand> next;
  ArrayRef<BlockArgument> last;
};

/// Of all loops, inner ones first.
SmallVector<CarriedStates> carriedStates(ModuleOp module) {
  SmallVector<CarriedStates> found;
  module.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      found.push_back({*loop.getYieldedValuesMutable(), loop.getRegionIterArgs()});
    auto loop = dyn_cast<scf::WhileOp>(op);
    if (!loop)
      return;
    found.push_back({loop.getConditionOp().getArgsMutable(), loop.getBeforeArguments()});
    found.push_back({loop.getYieldOp().getResultsMutable(), loop.getAfterArguments()});
  });
  return found;
}

/// A state that is computed elsewhere than in the memory of the last one.
struct MovingState {
  OpOperand *next;
  BlockArgument last;
  bool isAliased; ///< its memory may be that of a state of the same loop
};

SmallVector<MovingState> movingStates(ModuleOp module, const OneShotAnalysisState &analysis) {
  SmallVector<MovingState> moving;
  for (CarriedStates &states : carriedStates(module))
    for (auto [next, last] : llvm::zip(states.next, states.last)) {
      Value value = next.get();
      if (!isa<TensorType>(value.getType()) || value.getType() != last.getType() ||
          analysis.areEquivalentBufferizedValues(value, last))
        continue;
      bool isAliased = llvm::any_of(states.last, [&](BlockArgument other) {
        return isa<TensorType>(other.getType()) && mayStartFrom(value, other);
      });
      moving.push_back({&next, last, isAliased});
    }
  return moving;
}

/// Before any of them is copied, those that are states of the same loop are saved: two states may
/// change places.
void copyBack(ArrayRef<MovingState> moving) {
  for (const MovingState &state : moving) {
    if (!state.isAliased)
      continue;
    Operation *terminator = state.next->getOwner();
    OpBuilder b(terminator);
    auto type = cast<RankedTensorType>(state.last.getType());
    state.next->set(AllocTensorOp::create(b, terminator->getLoc(), type, ValueRange(),
                                          /*copy=*/state.next->get(), IntegerAttr()));
  }
  for (const MovingState &state : moving) {
    Operation *terminator = state.next->getOwner();
    OpBuilder b(terminator);
    state.next->set(MaterializeInDestinationOp::create(b, terminator->getLoc(),
                                                       state.last.getType(), state.next->get(),
                                                       state.last)
                        .getResult());
  }
}

struct BufferizeTensorsPass : impl::BufferizeTensorsPassBase<BufferizeTensorsPass> {
  void runOnOperation() override {
    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
    BufferizationState state;
    SplitReads reads(getOperation());
    if (failed(insertCopies(options, state)) ||
        failed(bufferizeModuleOp(getOperation(), options, state)))
      return signalPassFailure();
    copyOperandsWithoutRows(getOperation(), options.bufferAlignment);
  }

private:
  /// Makes the decisions of the analysis explicit. It is done again only where states move.
  LogicalResult insertCopies(OneShotBufferizationOptions &options, BufferizationState &state) {
    ModuleOp module = getOperation();
    dropDestinationsOfStates(module);
    separateStates(module);
    OneShotAnalysisState analysis(module, options);
    options.allowReturnAllocsFromLoops = true;
    LogicalResult isAnalyzed = analyzeModuleOp(module, analysis);
    options.allowReturnAllocsFromLoops = false;
    if (failed(isAnalyzed))
      return failure();
    if (moveOutOfResults(module, analysis))
      return insertCopies(options, state);
    SmallVector<MovingState> moving = movingStates(module, analysis);
    numCopied += moving.size();
    if (moving.empty())
      return insertTensorCopies(module, analysis, state);
    copyBack(moving);
    return insertTensorCopies(module, options, state);
  }
};

} // namespace
} // namespace kgen
