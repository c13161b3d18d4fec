// Dimension grouping around reductions: adjacent dimensions that every operation of a chain
// iterates in the same way become one.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/RefusalListener.h"
#include "transforms/fusion/Passes.h"

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
#include "transforms/fusion/Passes.h.inc"

namespace {

/// True if linalg::collapseOpIterationDims applies to the operation.
bool canCollapse(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         op.getRegion().getOps<tensor::ExtractOp>().empty() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// True if the operation works on reshaped operands and results as well.
bool acceptsAnyShape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, bufferization::ToTensorOp,
             func::ReturnOp, bufferization::MaterializeInDestinationOp>(op);
}

/// True if the tensor can be created in another shape for each of its users.
bool hasAnyShape(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op));
}

/// For each tensor, the dimensions that can be grouped with the next one. If one operation cannot
/// iterate such a pair as one dimension, none of the tensors that share the pair can group it.
class DimensionPairs {
public:
  explicit DimensionPairs(Block &block) {
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

  /// The operations of chains with a reduction.
  SmallVector<linalg::GenericOp> operations() {
    llvm::SmallDenseSet<Value> reducing;
    for (linalg::GenericOp op : generics)
      if (op.getNumReductionLoops() > 0)
        reducing.insert(chains.getLeaderValue(op.getResult(0)));
    return llvm::to_vector(llvm::make_filter_range(generics, [&](linalg::GenericOp op) {
      return reducing.contains(chains.getLeaderValue(op.getResult(0)));
    }));
  }

  /// Groups of at least two loops that become one.
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

  /// True if an operation could group loops if the other operations of its chain allowed it.
  bool isHeldBack(linalg::GenericOp op) {
    for (unsigned loop = 0; loop + 1 < op.getNumLoops(); ++loop)
      if (isAdjacentInAll(op, loop) && !followsInAll(op, loop))
        return true;
    return false;
  }

private:
  void include(Value tensor, linalg::GenericOp op) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type || hasAnyShape(tensor))
      return;
    chains.unionSets(tensor, op.getResult(0));
    if (pairs.contains(tensor))
      return;
    auto isOpen = [&](Operation *other) {
      auto generic = dyn_cast_or_null<linalg::GenericOp>(other);
      return generic ? canCollapse(generic) : !other || acceptsAnyShape(other);
    };
    bool isFree = isOpen(tensor.getDefiningOp()) && llvm::all_of(tensor.getUsers(), isOpen);
    pairs[tensor] = llvm::SmallBitVector(std::max<int64_t>(type.getRank() - 1, 0), isFree);
  }

  /// True if every operand has the dimensions of a loop and the next one next to each other, or
  /// neither of them, and the loops are of one kind.
  bool isAdjacentInAll(linalg::GenericOp op, unsigned loop) {
    return canGroup(op, loop, [](Value, unsigned) { return true; });
  }

  /// True if isAdjacentInAll holds, and the other operations on those tensors can group the
  /// dimensions, too.
  bool followsInAll(linalg::GenericOp op, unsigned loop) {
    return canGroup(op, loop,
                    [this](Value tensor, unsigned dim) { return mayFollow(tensor, dim); });
  }

  bool canGroup(linalg::GenericOp op, unsigned loop,
                llvm::function_ref<bool(Value tensor, unsigned dim)> isAllowed) {
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
      return *first + 1 == *second && isAllowed(operand.get(), *first) && isAllowed(result, *first);
    });
  }

  bool mayFollow(Value tensor, unsigned dim) {
    return hasAnyShape(tensor) || pairs[tensor].test(dim);
  }

  /// Removes the pairs that `op` cannot iterate as one dimension; true if there were any.
  bool narrow(linalg::GenericOp op) {
    bool isNarrower = false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<Value> tensors = {operand.get()};
      if (op.isDpsInit(&operand))
        tensors.push_back(op.getTiedOpResult(&operand));
      for (unsigned dim = 0; dim + 1 < map.getNumResults(); ++dim) {
        unsigned loop = map.getDimPosition(dim);
        bool follows = map.getDimPosition(dim + 1) == loop + 1 && followsInAll(op, loop);
        for (Value tensor : tensors)
          if (!follows && !hasAnyShape(tensor) && pairs[tensor].test(dim)) {
            pairs[tensor].reset(dim);
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
  using GroupReductionDimsPassBase::GroupReductionDimsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    DimensionPairs pairs(getOperation().getBody().front());
    SmallVector<std::pair<linalg::GenericOp, SmallVector<ReassociationIndices>>> found;
    for (linalg::GenericOp op : pairs.operations())
      if (SmallVector<ReassociationIndices> groups = pairs.groupsOf(op); !groups.empty())
        found.emplace_back(op, groups);
      else if (pairs.isHeldBack(op)) {
        log.add("refused", op.getLoc(),
                log.details().set("why", "another operation of the chain cannot group dimensions"));
        ++numRefused;
      }
    for (auto &[op, groups] : found) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::CollapseResult> collapsed =
          linalg::collapseOpIterationDims(op, groups, rewriter);
      if (failed(collapsed))
        return signalPassFailure();
      log.add("applied", op.getLoc(),
              log.details().set("what", std::to_string(op.getNumLoops()) +
                                            " dimensions are grouped into " +
                                            std::to_string(collapsed->collapsedOp.getNumLoops())));
      ++numGrouped;
      rewriter.replaceOp(op, collapsed->results);
    }
    // Destinations have no contents, so they need no reshape.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setListener(refusalListener()))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
