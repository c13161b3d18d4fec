// The interpreter of transform operations has no limits: sequences that include others twice at
// each level, handles that are merged with themselves and loops that are unrolled again and again
// would run for hours. It has no hook for each operation either, so the limits are an operation,
// which looks at arguments that upstream trusts, too.
#include "transforms/schedule/ScriptSteps.h"

#include <mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h>
#include <mlir/Dialect/SCF/TransformOps/SCFTransformOps.h>
#include <mlir/Dialect/Transform/IR/TransformDialect.h>
#include <mlir/Dialect/Transform/IR/TransformOps.h>
#include <mlir/Dialect/Transform/Interfaces/TransformInterfaces.h>
#include <mlir/Interfaces/TilingInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// The steps that a script has taken so far.
class StepCount : public transform::TransformState::Extension {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepCount)

  explicit StepCount(transform::TransformState &state) : Extension(state) {}

  static StepCount &get(transform::TransformState &state) {
    auto *count = state.getExtension<StepCount>();
    return count ? *count : state.addExtension<StepCount>();
  }

  int64_t steps = 0;
};

/// Returns the product, or more than any limit.
int64_t limitedProduct(int64_t a, int64_t b) {
  return a != 0 && b > maxScriptSteps / a ? maxScriptSteps + 1 : a * b;
}

/// Counts the operations within `root`, at most one more than are allowed.
int64_t countOperations(Operation *root) {
  int64_t count = 0;
  root->walk([&](Operation *) {
    return ++count > maxScriptOperations ? WalkResult::interrupt() : WalkResult::advance();
  });
  return count;
}

int64_t elementsOf(Value handle, const transform::TransformState &state) {
  if (isa<transform::TransformHandleTypeInterface>(handle.getType()))
    return llvm::range_size(state.getPayloadOps(handle));
  if (isa<transform::TransformValueHandleTypeInterface>(handle.getType()))
    return llvm::range_size(state.getPayloadValues(handle));
  return static_cast<int64_t>(state.getParams(handle).size());
}

/// Counts the steps of the operation after it, and ends the script before one that would do
/// too much, or whose arguments do not fit what it is applied to.
class CountStepsOp
    : public Op<CountStepsOp, OpTrait::ZeroRegions, OpTrait::ZeroResults, OpTrait::ZeroSuccessors,
                OpTrait::VariadicOperands, transform::TransformOpInterface::Trait,
                MemoryEffectOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountStepsOp)

  using Op::Op;
  static StringRef getOperationName() { return "transform.kgen_count_steps"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
    transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
    transform::onlyReadsPayload(effects);
  }

  DiagnosedSilenceableFailure apply(transform::TransformRewriter &, transform::TransformResults &,
                                    transform::TransformState &state) {
    int64_t operations = countOperations(state.getTopLevel());
    operations += addedOperations(state);
    if (operations > maxScriptOperations)
      return emitDefiniteFailure("the script makes more than ")
             << maxScriptOperations << " operations of its node";
    int64_t &steps = StepCount::get(state).steps;
    steps += 1 + operations + elements(state);
    if (steps > maxScriptSteps)
      return emitDefiniteFailure("the script takes more than ")
             << maxScriptSteps
             << " steps: one for each transform operation that runs, each operation of the node "
                "that it looks at, and each element of its operands";
    if (auto pad = dyn_cast<transform::PadOp>(next()))
      return checkPad(pad, state);
    if (auto fuse = dyn_cast<transform::FuseOp>(next()))
      return checkFuse(fuse, state);
    return DiagnosedSilenceableFailure::success();
  }

private:
  /// Upstream looks for a loop of each size that is not 0.
  DiagnosedSilenceableFailure checkFuse(transform::FuseOp fuse,
                                        const transform::TransformState &state) {
    size_t sizes = fuse.getMixedTileSizes().size();
    for (Operation *target : state.getPayloadOps(fuse.getTarget())) {
      auto tiled = dyn_cast<TilingInterface>(target);
      size_t loops = tiled ? tiled.getLoopIteratorTypes().size() : sizes;
      if (sizes > loops)
        return emitDefiniteFailure("'tile_sizes' has ")
               << sizes << " numbers, and '" << target->getName() << "' has loops for " << loops;
    }
    return DiagnosedSilenceableFailure::success();
  }

  /// Upstream pads every operand whose flag is 1 as if it had dimensions.
  DiagnosedSilenceableFailure checkPad(transform::PadOp pad,
                                       const transform::TransformState &state) {
    for (Operation *target : state.getPayloadOps(pad.getTarget()))
      for (auto [flag, type] : llvm::zip(pad.getNofoldFlags(), target->getOperandTypes()))
        if (cast<IntegerAttr>(flag).getInt() != 0 && !isa<RankedTensorType>(type))
          return emitDefiniteFailure("'nofold_flags' has a 1 for an operand of '")
                 << target->getName() << "' that is no tensor but " << type << ": expected 0 there";
    return DiagnosedSilenceableFailure::success();
  }

  Operation *next() { return getOperation()->getNextNode(); }

  /// Returns how many operations the next one makes, if it makes copies: of others, the count after
  /// them is soon enough.
  int64_t addedOperations(const transform::TransformState &state) {
    auto unroll = dyn_cast<transform::LoopUnrollOp>(next());
    if (!unroll)
      return 0;
    int64_t inLoops = 0;
    for (Operation *loop : state.getPayloadOps(unroll.getTarget()))
      inLoops = std::min(inLoops + countOperations(loop), maxScriptSteps);
    uint64_t factor = std::min<uint64_t>(unroll.getFactor(), maxScriptSteps);
    return limitedProduct(inLoops, static_cast<int64_t>(factor));
  }

  int64_t elements(const transform::TransformState &state) {
    int64_t sum = 0;
    for (Value operand : getOperation()->getOperands())
      sum = std::min(sum + elementsOf(operand, state), maxScriptSteps);
    if (auto replicate = dyn_cast<transform::ReplicateOp>(next()))
      return limitedProduct(sum, elementsOf(replicate.getPattern(), state));
    return sum;
  }
};

class ScriptStepsExtension : public transform::TransformDialectExtension<ScriptStepsExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScriptStepsExtension)

  using Base::Base;
  void init() { registerTransformOps<CountStepsOp>(); }
};

} // namespace

void registerScriptSteps(DialectRegistry &registry) {
  registry.addExtensions<ScriptStepsExtension>();
}

void addStepCounts(ModuleOp library) {
  library.walk([](Operation *sequence) {
    if (!isa<transform::NamedSequenceOp, transform::ForeachOp>(sequence))
      return;
    for (Block &block : sequence->getRegion(0))
      for (Operation &op : llvm::make_early_inc_range(block)) {
        SmallVector<Value> handles = llvm::filter_to_vector(op.getOperands(), [](Value operand) {
          return isa<transform::TransformHandleTypeInterface,
                     transform::TransformValueHandleTypeInterface,
                     transform::TransformParamTypeInterface>(operand.getType());
        });
        OpBuilder b(&op);
        OperationState state(op.getLoc(), CountStepsOp::getOperationName());
        state.addOperands(handles);
        b.create(state);
      }
  });
}

} // namespace kgen
