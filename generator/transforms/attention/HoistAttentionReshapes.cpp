// Moves reshapes out of attention, so that its operands can be read where they are.
#include "dialect/kgen/NamedOps.h"
#include "transforms/attention/AttentionPatterns.h"
#include "transforms/attention/Passes.h"
#include "transforms/attention/SoftmaxReshapes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;
using linalg::LinalgOp;

namespace kgen {
#define GEN_PASS_DEF_HOISTATTENTIONRESHAPESPASS
#include "transforms/attention/Passes.h.inc"

namespace {

LinalgOp tensorOp(Value value) {
  auto op = value.getDefiningOp<LinalgOp>();
  return op && op.hasPureTensorSemantics() && op->getNumResults() == 1 ? op : LinalgOp();
}

/// The source of a reshape; null if `value` is none.
Value reshaped(Value value) {
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getSrc();
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  return collapse ? collapse.getSrc() : Value();
}

bool isContraction(LinalgOp op) { return op && linalg::isaContractionOpInterface(op); }

bool isExponential(LinalgOp op) {
  return llvm::any_of(*op.getBlock(),
                      [](Operation &inner) { return isa<math::ExpOp, ExpOrZeroOp>(inner); });
}

/// Returns the operand that `op` copies, transposes, broadcasts or scales: kgen-fuse-attention
/// reads that instead. Null for other operations.
OpOperand *readThrough(LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  if (isa<linalg::TransposeOp, linalg::BroadcastOp>(op) || isCopy(generic, /*mayNarrow=*/true))
    return op.getDpsInputOperand(0);
  std::optional<Scale> scale = scaleOf(generic);
  return scale ? scale->input : nullptr;
}

bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// For each dimension of a softmax, whether it may become several: those that it is not along.
SmallVector<bool> splittable(SoftmaxOp softmax) {
  SmallVector<bool> list;
  for (int64_t d = 0; d < softmax.getInputType().getRank(); ++d)
    list.push_back(!softmax.isAlong(d));
  return list;
}

/// For each dimension of an operand or of what becomes a result, whether it may become several:
/// those of a contraction's batch, and those of other operations that these do not reduce along.
SmallVector<bool> splittable(OpOperand *operand) {
  if (auto softmax = dyn_cast<SoftmaxOp>(operand->getOwner()))
    return splittable(softmax);
  auto op = cast<LinalgOp>(operand->getOwner());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<bool> list;
  for (AffineExpr index : op.getMatchingIndexingMap(operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    bool is = loop && iterators[loop.getPosition()] == utils::IteratorType::parallel;
    if (is && isContraction(op))
      is = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return op.getMatchingIndexingMap(input).isFunctionOfDim(loop.getPosition());
      });
    list.push_back(is);
  }
  return list;
}

/// True if each dimension that is several in a reshape may be so.
bool allowsSplits(ArrayRef<ReassociationIndices> groups, ArrayRef<bool> mayBecomeSeveral) {
  return llvm::all_of(llvm::zip(groups, mayBecomeSeveral),
                      [](auto pair) { return std::get<0>(pair).size() == 1 || std::get<1>(pair); });
}

/// The operations of attentions and the reshapes among them. What replaces some of them joins.
struct Attentions : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    bool isOfOne = isReshape(op) && all.contains(op->getOperand(0).getDefiningOp());
    if (isa<LinalgOp, SoftmaxOp>(op) || isOfOne)
      all.insert(op);
  }
  void notifyOperationErased(Operation *op) override { all.remove(op); }

  /// True if a reshape moves beyond the operation that it reads or that reads it.
  bool mayMove(OpOperand *reshaped) const {
    Operation *producer = reshaped->get().getDefiningOp();
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshaped->getOwner())) {
      if (auto softmax = dyn_cast_or_null<SoftmaxOp>(producer))
        return all.contains(producer) &&
               allowsSplits(expand.getReassociationIndices(), splittable(softmax));
      LinalgOp op = all.contains(producer) ? tensorOp(reshaped->get()) : LinalgOp();
      return op &&
             allowsSplits(expand.getReassociationIndices(), splittable(op.getDpsInitOperand(0)));
    }
    auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer);
    return collapse && all.contains(reshaped->getOwner()) && all.contains(producer) &&
           allowsSplits(collapse.getReassociationIndices(), splittable(reshaped));
  }

  SetVector<Operation *> all;
};

/// The operations of one attention, from what its operands are copied from to its result. Masks are
/// no part of it.
class Slice {
public:
  Slice(SetVector<Operation *> &all, SetVector<Value> &slices) : all(all), slices(slices) {}

  /// Adds the operations of the attention whose values `values` multiplies, if it is one.
  bool collect(LinalgOp values) {
    if (!isContraction(values) || values.getNumDpsInputs() != 2)
      return false;
    if (!reachesProduct(values.getDpsInputs()[0], 0) || !hasExponential)
      return false;
    all.insert_range(ops);
    all.insert(values);
    for (Operation *op : SmallVector<Operation *>(ops.getArrayRef()))
      if (auto linalgOp = dyn_cast<LinalgOp>(op)) {
        for (Value init : linalgOp.getDpsInits())
          addOperand(init, {});
        if (isContraction(linalgOp))
          for (OpOperand *input : linalgOp.getDpsInputOperands())
            addOperand(input->get(), splittable(input));
      }
    addOperand(values.getDpsInputs()[1], splittable(values.getDpsInputOperand(1)));
    addResult(values->getResult(0), splittable(values.getDpsInitOperand(0)));
    return true;
  }

private:
  /// True if a product leads to `value`, by operations of one tensor each. These are collected.
  bool reachesProduct(Value value, unsigned depth) {
    constexpr unsigned longest = 32; // a softmax, its guard, and some operations on the scores
    if (depth > longest)
      return false;
    if (Value source = reshaped(value)) {
      if (!reachesProduct(source, depth + 1))
        return false;
      ops.insert(value.getDefiningOp());
      return true;
    }
    if (auto softmax = value.getDefiningOp<SoftmaxOp>()) {
      if (!reachesProduct(softmax.getInput(), depth + 1))
        return false;
      hasExponential = true;
      ops.insert(softmax);
      return true;
    }
    LinalgOp op = tensorOp(value);
    if (!op)
      return false;
    if (ops.contains(op))
      return true;
    bool isReached = isContraction(op);
    for (OpOperand *input : op.getDpsInputOperands())
      if (!isContraction(op))
        isReached |= reachesProduct(input->get(), depth + 1);
    if (!isReached)
      return false;
    hasExponential |= isExponential(op);
    ops.insert(op);
    return true;
  }

  /// Follows an operand to what it is copied from, as far as reshapes can move. `mayBecomeSeveral`:
  /// see splittable.
  void addOperand(Value value, SmallVector<bool> mayBecomeSeveral) {
    SmallVector<Operation *> reshapes; // after which no operation to read through has been found
    while (true) {
      if (isSliceOfCopy(value))
        slices.insert(value);
      SmallVector<bool> before;
      if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
        SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
        // A dimension next to some of 1 will be one in repetitions.
        auto repeat = dyn_cast_or_null<linalg::GenericOp>(collapse.getSrc().getDefiningOp());
        if (!isCopy(repeat) && !allowsSplits(groups, mayBecomeSeveral))
          return;
        for (auto [group, is] : llvm::zip(groups, mayBecomeSeveral))
          before.append(group.size(), is);
      } else if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>()) {
        for (const ReassociationIndices &group : expand.getReassociationIndices())
          before.push_back(llvm::all_of(group, [&](int64_t d) { return mayBecomeSeveral[d]; }));
      } else if (LinalgOp op = tensorOp(value)) {
        OpOperand *source = readThrough(op);
        if (source || isa<linalg::FillOp>(op)) {
          all.insert_range(reshapes);
          all.insert(op);
          reshapes.clear();
        }
        if (!source || mayBecomeSeveral.empty())
          return;
        AffineMap result = op.getIndexingMapsArray().back();
        if (!result.isPermutation())
          return;
        AffineMap position = inversePermutation(result);
        for (AffineExpr index : op.getMatchingIndexingMap(source).getResults())
          before.push_back(
              mayBecomeSeveral[position.getDimPosition(cast<AffineDimExpr>(index).getPosition())]);
        value = source->get();
        mayBecomeSeveral = before;
        continue;
      } else {
        return;
      }
      reshapes.push_back(value.getDefiningOp());
      value = reshaped(value);
      mayBecomeSeveral = before;
    }
  }

  /// Follows the result to where it is stored, as far as reshapes can move.
  void addResult(Value value, SmallVector<bool> mayBecomeSeveral) {
    while (value.hasOneUse()) {
      Operation *user = *value.user_begin();
      SmallVector<bool> behind;
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
        SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
        if (!allowsSplits(groups, mayBecomeSeveral))
          return;
        for (auto [group, is] : llvm::zip(groups, mayBecomeSeveral))
          behind.append(group.size(), is);
      } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
        for (const ReassociationIndices &group : collapse.getReassociationIndices())
          behind.push_back(llvm::all_of(group, [&](int64_t d) { return mayBecomeSeveral[d]; }));
      } else {
        auto op = dyn_cast<LinalgOp>(user);
        OpOperand *source = op ? readThrough(op) : nullptr;
        if (!source || source->get() != value)
          return;
        AffineMap read = op.getMatchingIndexingMap(source);
        for (AffineExpr index : op.getIndexingMapsArray().back().getResults()) {
          auto position = read.getResultPosition(index);
          behind.push_back(!position || mayBecomeSeveral[*position]);
        }
      }
      all.insert(user);
      value = user->getResult(0);
      mayBecomeSeveral = behind;
    }
  }

  SetVector<Operation *> &all;
  SetVector<Value> &slices; ///< of copies, perhaps without dimensions of 1
  SetVector<Operation *> ops;
  bool hasExponential = false;
};

struct HoistAttentionReshapesPass
    : impl::HoistAttentionReshapesPassBase<HoistAttentionReshapesPass> {
  void runOnOperation() override {
    Attentions attentions;
    // Slices of copies are made copies of slices first.
    SetVector<Value> slices;
    getOperation().walk([&](LinalgOp op) { Slice(attentions.all, slices).collect(op); });
    IRRewriter plain(&getContext());
    for (Value slice : slices)
      sliceBeforeCopy(plain, slice);
    if (!slices.empty())
      attentions.all.clear();
    slices.clear();
    unsigned count = 0;
    getOperation().walk([&](LinalgOp op) { count += Slice(attentions.all, slices).collect(op); });
    if (attentions.all.empty())
      return;
    func::FuncOp before = getOperation().clone();
    generalize(attentions);
    dropUnitLoopsOfResults(attentions);
    dropUnitDims(attentions);
    if (succeeded(moveReshapes(attentions)))
      numHoisted += count;
    else // upstream's patterns move some reshapes back and forth
      getOperation().getBody().takeBody(before.getBody());
    before.erase();
  }

private:
  /// Upstream's patterns do not know all named operations.
  void generalize(Attentions &attentions) {
    IRRewriter rewriter(&getContext(), &attentions);
    for (Operation *op : SmallVector<Operation *>(attentions.all.getArrayRef())) {
      rewriter.setInsertionPoint(op);
      if (!isa<linalg::GenericOp, linalg::FillOp>(op) && isa<LinalgOp>(op))
        (void)linalg::generalizeNamedOp(rewriter, cast<LinalgOp>(op));
    }
  }

  /// Drops loops of one that only the result has, as torch-mlir writes them (an operand is read at
  /// 0 there, which canonicalization makes a collapsed operand). Expanded by a reshape of the
  /// operand, such an operation would have one more of them, the next one would get a reshape of
  /// that, and so on without end.
  void dropUnitLoopsOfResults(Attentions &attentions) {
    IRRewriter rewriter(&getContext(), &attentions);
    linalg::ControlDropUnitDims options;
    options.controlFn = [](Operation *op) {
      auto generic = cast<linalg::GenericOp>(op);
      SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
      auto isOfResult = [&](unsigned loop) {
        return sizes[loop] == 1 && llvm::none_of(generic.getDpsInputOperands(), [&](OpOperand *in) {
                 return generic.getMatchingIndexingMap(in).isFunctionOfDim(loop);
               });
      };
      return llvm::to_vector(
          llvm::make_filter_range(llvm::seq<unsigned>(0, sizes.size()), isOfResult));
    };
    for (Operation *op : SmallVector<Operation *>(attentions.all.getArrayRef())) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      if (!generic || generic.getNumDpsInputs() == 0 || options.controlFn(op).empty())
        continue;
      rewriter.setInsertionPoint(op);
      if (auto dropped = linalg::dropUnitDims(rewriter, generic, options); succeeded(dropped))
        rewriter.replaceOp(op, dropped->replacements);
    }
  }

  void dropUnitDims(Attentions &attentions) {
    IRRewriter rewriter(&getContext(), &attentions);
    for (Operation *op : SmallVector<Operation *>(attentions.all.getArrayRef()))
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
        dropUnitDimsOfRepetition(rewriter, collapse);
  }

  LogicalResult moveReshapes(Attentions &attentions) {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [&](OpOperand *operand) { return attentions.mayMove(operand); });
    populateSoftmaxReshapePatterns(patterns,
                                   [&](OpOperand *operand) { return attentions.mayMove(operand); });
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setListener(&attentions);
    constexpr int64_t maxRewritesPerOperation = 16; // each reshape passes an operation once
    config.setMaxNumRewrites(maxRewritesPerOperation * static_cast<int64_t>(attentions.all.size()));
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
} // namespace kgen
