// Chains with reductions get fewer dimensions: those that all of their operations walk through
// together become one.
#include "transforms/Passes.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/SmallBitVector.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_GROUPREDUCTIONDIMSPASS
#include "transforms/Passes.h.inc"

namespace {

bool canCollapse(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         op.getRegion().getOps<tensor::ExtractOp>().empty() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// Whether an operation does not care for the dimensions of a tensor that it makes or takes.
bool takesAnyShape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, bufferization::ToTensorOp,
             func::ReturnOp, bufferization::MaterializeInDestinationOp>(op);
}

/// Whether a tensor can be made in any shape for each of its users.
bool hasAnyShape(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op));
}

/// Which dimensions of each tensor may become one with the next one. A pair that any operation
/// cannot walk through as one is none in all tensors that the operation walks through with it.
class Pairs {
public:
  explicit Pairs(Block &block) {
    for (Operation &op : block)
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && canCollapse(generic))
        generics.push_back(generic);
    for (linalg::GenericOp op : generics) {
      for (Value operand : op->getOperands())
        include(operand, op);
      for (Value result : op->getResults())
        include(result, op);
    }
    for (bool isNarrower = true; isNarrower;) {
      isNarrower = false;
      for (linalg::GenericOp op : generics)
        isNarrower |= narrow(op);
    }
  }

  /// Operations of chains in which something is reduced.
  SmallVector<linalg::GenericOp> operations() {
    llvm::SmallDenseSet<Value> reducing;
    for (linalg::GenericOp op : generics)
      if (op.getNumReductionLoops() > 0)
        reducing.insert(chains.getLeaderValue(op.getResult(0)));
    return llvm::to_vector(llvm::make_filter_range(generics, [&](linalg::GenericOp op) {
      return reducing.contains(chains.getLeaderValue(op.getResult(0)));
    }));
  }

  /// Loops of an operation that become one.
  SmallVector<ReassociationIndices> groupsOf(linalg::GenericOp op) {
    SmallVector<ReassociationIndices> groups;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop > 0 && followsInAll(op, loop - 1))
        groups.back().push_back(loop);
      else
        groups.push_back({loop});
    llvm::erase_if(groups, [](const ReassociationIndices &group) { return group.size() < 2; });
    return groups;
  }

private:
  void include(Value tensor, linalg::GenericOp op) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type || hasAnyShape(tensor))
      return;
    chains.unionSets(tensor, op.getResult(0));
    auto isOpen = [&](Operation *other) {
      auto generic = dyn_cast_or_null<linalg::GenericOp>(other);
      return generic ? canCollapse(generic) : !other || takesAnyShape(other);
    };
    bool isFree = isOpen(tensor.getDefiningOp()) && llvm::all_of(tensor.getUsers(), isOpen);
    pairs[tensor] = llvm::SmallBitVector(std::max<int64_t>(type.getRank() - 1, 0), isFree);
  }

  /// Whether every operand walks through a loop and the next one as one, or through neither.
  bool followsInAll(linalg::GenericOp op, unsigned loop) {
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    if (kinds[loop] != kinds[loop + 1] ||
        llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
          return index.getDim() == loop || index.getDim() == loop + 1;
        }))
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Value result = op.isDpsInit(&operand) ? op.getTiedOpResult(&operand) : operand.get();
      auto first = map.getResultPosition(getAffineDimExpr(loop, op.getContext())),
           second = map.getResultPosition(getAffineDimExpr(loop + 1, op.getContext()));
      if (!first || !second)
        return !first && !second;
      return *first + 1 == *second && mayFollow(operand.get(), *first) && mayFollow(result, *first);
    });
  }

  bool mayFollow(Value tensor, unsigned at) {
    return hasAnyShape(tensor) || pairs[tensor].test(at);
  }

  /// Whether pairs of its tensors turned out not to be some.
  bool narrow(linalg::GenericOp op) {
    bool isNarrower = false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<Value> tensors = {operand.get()};
      if (op.isDpsInit(&operand))
        tensors.push_back(op.getTiedOpResult(&operand));
      for (unsigned at = 0; at + 1 < map.getNumResults(); ++at) {
        unsigned loop = map.getDimPosition(at);
        bool follows = map.getDimPosition(at + 1) == loop + 1 && followsInAll(op, loop);
        for (Value tensor : tensors)
          if (!follows && !hasAnyShape(tensor) && pairs[tensor].test(at)) {
            pairs[tensor].reset(at);
            isNarrower = true;
          }
      }
    }
    return isNarrower;
  }

  SmallVector<linalg::GenericOp> generics;
  llvm::DenseMap<Value, llvm::SmallBitVector> pairs;
  llvm::EquivalenceClasses<Value> chains;
};

struct GroupReductionDimsPass : impl::GroupReductionDimsPassBase<GroupReductionDimsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    Pairs pairs(getOperation().getBody().front());
    SmallVector<std::pair<linalg::GenericOp, SmallVector<ReassociationIndices>>> found;
    for (linalg::GenericOp op : pairs.operations())
      if (SmallVector<ReassociationIndices> groups = pairs.groupsOf(op); !groups.empty())
        found.emplace_back(op, groups);
    for (auto &[op, groups] : found) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::CollapseResult> collapsed =
          linalg::collapseOpIterationDims(op, groups, rewriter);
      if (failed(collapsed))
        return signalPassFailure();
      rewriter.replaceOp(op, collapsed->results);
    }
    // What a collapsed operation writes to has no contents.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
