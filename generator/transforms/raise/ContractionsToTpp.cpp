// Contractions of linalg, known by what they compute and not by name, become tpp.gemm and
// tpp.brgemm, which keep the layout of the operands in affine maps.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/raise/ContractionLoops.h"
#include "transforms/raise/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_CONTRACTIONSTOTPPPASS
#include "transforms/raise/Passes.h.inc"

namespace {

/// The loops of a linalg contraction that are (batch..., m, n, [r,] k).
struct Roles {
  bool swapped;                     ///< true if linalg's second input is A
  std::optional<unsigned> m, n;     ///< nothing: a dimension of size one
  SmallVector<unsigned> batch;      ///< outermost first
  SmallVector<unsigned> reductions; ///< (k) or (r, k)
  std::optional<unsigned> vnni;     ///< the reduction that is innermost in A and B, of VNNI size
  bool isWindow = false;            ///< true if A's indices are sums of loops
};

/// True if the body is one multiplication and one addition of operands that may be extended first.
/// Upstream's contractions may also apply other unary operations to them.
bool onlyMultipliesAndAdds(linalg::LinalgOp op) {
  unsigned multiplications = 0, additions = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool extends = isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(inner) &&
                   isa<BlockArgument>(inner.getOperand(0));
    multiplications += isa<arith::MulFOp, arith::MulIOp>(inner);
    additions += isa<arith::AddFOp, arith::AddIOp>(inner);
    if (!extends && !isa<arith::MulFOp, arith::MulIOp, arith::AddFOp, arith::AddIOp>(inner))
      return false;
  }
  return multiplications == 1 && additions == 1;
}

/// True if the body extends the elements of input `number` as unsigned integers.
bool isUnsigned(linalg::LinalgOp op, unsigned number) {
  return llvm::any_of(op.getBlock()->getArgument(number).getUsers(),
                      [](Operation *user) { return isa<arith::ExtUIOp>(user); });
}

/// True if C has the type in which products of A and B are accumulated.
bool hasTypes(linalg::LinalgOp op) {
  auto c = dyn_cast<RankedTensorType>(op.getDpsInits()[0].getType());
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0]),
       b = getElementTypeOrSelf(op.getDpsInputs()[1]);
  return c && a.isIntOrFloat() && b.isIntOrFloat() && accumulatorOf(a, b) == c.getElementType();
}

/// Finds the form (m, k / v, v) x (k / v, n, v): its reduction v is innermost in both inputs, and
/// the target reads B with groups of its size.
void findVnni(linalg::LinalgOp op, TargetAttr target, AffineMap a, AffineMap b, Roles &roles) {
  Type aType = getElementTypeOrSelf(op.getDpsInputs()[roles.swapped]),
       bType = getElementTypeOrSelf(op.getDpsInputs()[!roles.swapped]);
  unsigned rank = b.getNumResults();
  if (roles.reductions.size() < 2 || !roles.n || a.getNumResults() < 2 || rank < 3 ||
      ShapedType::isDynamic(op.getStaticLoopRanges()[*roles.n]))
    return;
  unsigned v = a.getDimPosition(a.getNumResults() - 1);
  unsigned rows = a.getDimPosition(a.getNumResults() - 2);
  int64_t depth = op.getStaticLoopRanges()[v];
  bool fits = depth > 1 && target.readsPackedDepth(aType, bType, depth) &&
              llvm::is_contained(roles.reductions, v) && b.getDimPosition(rank - 1) == v &&
              b.getDimPosition(rank - 2) == *roles.n && b.getDimPosition(rank - 3) == rows &&
              llvm::is_contained(roles.reductions, rows);
  if (!fits)
    return;
  roles.vnni = v;
  llvm::erase(roles.reductions, v);
}

/// Sorts r before k, which is the inner one in A.
void sortReductions(AffineMap a, Roles &roles) {
  llvm::sort(roles.reductions, [&](unsigned x, unsigned y) {
    return a.getResultPosition(getAffineDimExpr(x, a.getContext())) <
           a.getResultPosition(getAffineDimExpr(y, a.getContext()));
  });
}

/// Sets m and n from the innermost loops of the result, `order`; those in front of them are the
/// batch.
void takeParallel(AffineMap a, AffineMap b, SmallVector<unsigned> order, Roles &roles) {
  auto takeLast = [&](AffineMap in, AffineMap notIn, std::optional<unsigned> &role) {
    if (order.empty() || !in.isFunctionOfDim(order.back()) || notIn.isFunctionOfDim(order.back()))
      return;
    role = order.pop_back_val();
  };
  takeLast(b, a, roles.n);
  takeLast(a, b, roles.m);
  roles.batch = order;
}

SmallVector<unsigned> loopsOf(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults())
    loops.push_back(cast<AffineDimExpr>(result).getPosition());
  return loops;
}

/// True if the body adds the product of the inputs' elements, which may be extended first, to the
/// accumulator.
bool addsProduct(linalg::GenericOp op) {
  auto extended = [](Value v) {
    Operation *extension = v.getDefiningOp();
    return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(extension)
               ? extension->getOperand(0)
               : v;
  };
  Value sum = op.getBody()->getTerminator()->getOperand(0), old = op.getRegionOutputArgs().front();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum.getDefiningOp()) ||
      !onlyMultipliesAndAdds(op))
    return false;
  ValueRange summands = sum.getDefiningOp()->getOperands();
  Value product = summands[summands[0] == old];
  if (!llvm::is_contained(summands, old) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product.getDefiningOp()))
    return false;
  ValueRange factors = product.getDefiningOp()->getOperands();
  return extended(factors[0]) == op.getRegionInputArgs()[0] &&
         extended(factors[1]) == op.getRegionInputArgs()[1];
}

/// The roles of a contraction whose A is read through a window: rows of A are slices of an image.
/// Nothing for anything else, depthwise windows included.
std::optional<Roles> windowRolesOf(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  if (!generic || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !addsProduct(generic))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap a = maps[0], b = maps[1], c = maps[2];
  auto isSum = [&](AffineExpr index) {
    return tpp::linearCoefficients(index, a.getNumDims()).has_value();
  };
  if (a.isProjectedPermutation() || !llvm::all_of(a.getResults(), isSum) ||
      !b.isProjectedPermutation() || !c.isProjectedPermutation() ||
      c.getNumResults() + op.getNumReductionLoops() != op.getNumLoops())
    return std::nullopt;
  Roles roles;
  roles.swapped = false;
  roles.isWindow = true;
  takeParallel(a, b, loopsOf(c), roles);
  // r before k, as B has them.
  for (unsigned loop : loopsOf(b))
    if (!c.isFunctionOfDim(loop))
      roles.reductions.push_back(loop);
  bool fits =
      roles.m && roles.n && roles.reductions.size() == op.getNumReductionLoops() &&
      llvm::all_of(roles.reductions, [&](unsigned loop) { return a.isFunctionOfDim(loop); });
  return fits && (roles.reductions.size() == 1 || roles.reductions.size() == 2)
             ? std::optional(roles)
             : std::nullopt;
}

/// The roles, or nothing if there are more than two reductions or C's indices are no permutation of
/// the parallel loops.
std::optional<Roles> rolesOf(linalg::LinalgOp op, TargetAttr target) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap c = maps[2];
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      c.getNumResults() + op.getNumReductionLoops() != op.getNumLoops())
    return std::nullopt;
  SmallVector<unsigned> order = loopsOf(c);
  Roles roles;
  roles.swapped = !order.empty() && !maps[1].isFunctionOfDim(order.back());
  AffineMap a = maps[roles.swapped], b = maps[!roles.swapped];
  takeParallel(a, b, order, roles);
  op.getReductionDims(roles.reductions);
  auto inBoth = [&](unsigned loop) { return a.isFunctionOfDim(loop) && b.isFunctionOfDim(loop); };
  if (!llvm::all_of(roles.reductions, inBoth))
    return std::nullopt;
  if (target)
    findVnni(op, target, a, b, roles);
  sortReductions(a, roles);
  return roles.reductions.size() == 1 || roles.reductions.size() == 2 ? std::optional(roles)
                                                                      : std::nullopt;
}

/// The destination of a fill with zero, or null if `init` is none.
Value destinationOfZeroFill(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  bool isZero = fill && (matchPattern(fill.value(), m_PosZeroFloat()) ||
                         matchPattern(fill.value(), m_Zero()));
  return isZero ? fill.output() : Value();
}

/// Builds the tpp.gemm or tpp.brgemm for one contraction.
class Converter {
public:
  Converter(linalg::LinalgOp op, Roles roles, bool strictOrder, TargetAttr target)
      : op(op), roles(std::move(roles)), strictOrder(strictOrder), rewriter(op), loc(op.getLoc()) {
    f16Accumulate = target && !strictOrder &&
                    op->getParentOfType<func::FuncOp>()->hasAttr(f16AccumulateAttrName) &&
                    target.prefersF16Accumulate(getElementTypeOrSelf(op.getDpsInputs()[0]),
                                                getElementTypeOrSelf(op.getDpsInputs()[1]));
  }

  void convert() {
    Value init = op.getDpsInits()[0], unfilled = destinationOfZeroFill(init);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    Value a = op.getDpsInputs()[roles.swapped], b = op.getDpsInputs()[!roles.swapped];
    AffineMap aMap = reorder(maps[roles.swapped]), bMap = reorder(maps[!roles.swapped]);
    int64_t vnni = 1, panel = 0;
    if (roles.vnni) {
      SmallVector<int64_t> ranges = op.getStaticLoopRanges();
      vnni = ranges[*roles.vnni];
      panel = ranges[*roles.n];
      a = joinVnni(a);
      b = panelOf(b);
    }
    Value c = expand(unfilled ? unfilled : init);
    Operation *tile = roles.reductions.size() == 1
                          ? create<tpp::GemmOp>(a, b, c, aMap, bMap, panel, vnni, !unfilled)
                          : create<tpp::BrgemmOp>(a, b, c, aMap, bMap, panel, vnni, !unfilled);
    rewriter.setInsertionPointAfter(tile);
    rewriter.replaceOp(op, collapse(tile->getResult(0)));
  }

private:
  template <typename Op>
  Operation *create(Value a, Value b, Value c, AffineMap aMap, AffineMap bMap, int64_t panel,
                    int64_t vnni, bool accumulate) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto tile =
        Op::create(rewriter, loc, c.getType(), a, b, ValueRange(), c, aMap, bMap,
                   rewriter.getAffineMapArrayAttr({}),
                   panel ? rewriter.getI64IntegerAttr(panel) : IntegerAttr(), vnni, accumulate,
                   strictOrder, isUnsigned(op, roles.swapped), isUnsigned(op, !roles.swapped),
                   BlockwiseQuantAttr(), reductionSizes(), f16Accumulate);
    Type element = getElementTypeOrSelf(c);
    Block *body = rewriter.createBlock(&tile.getEpilogue(), {}, {element}, {loc});
    tpp::YieldOp::create(rewriter, loc, body->getArgument(0));
    return tile;
  }

  /// The sizes of the reductions, which A's shape does not tell if it is read through a window;
  /// null otherwise.
  DenseI64ArrayAttr reductionSizes() {
    if (!roles.isWindow)
      return {};
    SmallVector<int64_t> sizes, ranges = op.getStaticLoopRanges();
    for (unsigned loop : roles.reductions)
      sizes.push_back(ranges[loop]);
    return rewriter.getDenseI64ArrayAttr(sizes);
  }

  /// `map` over (batch..., m, n, [r,] k), without the VNNI dimension.
  AffineMap reorder(AffineMap map) {
    MLIRContext *context = map.getContext();
    SmallVector<AffineExpr> replacement(map.getNumDims());
    unsigned next = 0;
    auto renumber = [&](unsigned loop) { replacement[loop] = getAffineDimExpr(next++, context); };
    llvm::for_each(roles.batch, renumber);
    roles.m ? renumber(*roles.m) : void(++next);
    roles.n ? renumber(*roles.n) : void(++next);
    llvm::for_each(roles.reductions, renumber);
    if (roles.isWindow)
      return map.replaceDimsAndSymbols(replacement, {}, next, 0);
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults())
      if (AffineExpr renumbered = replacement[cast<AffineDimExpr>(result).getPosition()])
        results.push_back(renumbered);
    return AffineMap::get(next, 0, results, context);
  }

  /// C's type as (batch..., m, n), with size one for the dimensions that it lacks.
  RankedTensorType expandedType() {
    auto type = cast<RankedTensorType>(op.getDpsInits()[0].getType());
    SmallVector<int64_t> shape(type.getShape().take_front(roles.batch.size()));
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    shape.push_back(roles.m ? ranges[*roles.m] : 1);
    shape.push_back(roles.n ? ranges[*roles.n] : 1);
    return type.clone(shape);
  }

  Value expand(Value c) {
    auto type = cast<RankedTensorType>(c.getType());
    if (roles.m && roles.n)
      return c;
    auto groups = getReassociationIndicesForReshape(type, expandedType());
    return tensor::ExpandShapeOp::create(rewriter, loc, expandedType(), c, *groups);
  }

  Value collapse(Value c) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (roles.m && roles.n)
      return c;
    auto groups = getReassociationIndicesForReshape(cast<ShapedType>(c.getType()), type);
    return tensor::CollapseShapeOp::create(rewriter, loc, type, c, *groups);
  }

  /// A (..., k / v, v) as (..., k).
  Value joinVnni(Value a) {
    int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
    SmallVector<ReassociationIndices> reassociation;
    for (int64_t i = 0; i + 1 < rank; ++i)
      reassociation.push_back({i});
    reassociation.back().push_back(rank - 1);
    return tensor::CollapseShapeOp::create(rewriter, loc, a, reassociation);
  }

  /// B (..., k / v, n, v) as one panel of n columns.
  Value panelOf(Value b) {
    auto type = cast<RankedTensorType>(b.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t outer = type.getRank() - 3;
    shape.insert(shape.begin() + outer, 1);
    SmallVector<ReassociationIndices> reassociation;
    for (int64_t i = 0; i < type.getRank(); ++i)
      reassociation.push_back({i + (i > outer)});
    reassociation[outer].push_back(outer + 1);
    return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), b, reassociation);
  }

  linalg::LinalgOp op;
  Roles roles;
  bool strictOrder, f16Accumulate;
  IRRewriter rewriter;
  Location loc;
};

struct ContractionsToTppPass : impl::ContractionsToTppPassBase<ContractionsToTppPass> {
  using ContractionsToTppPassBase::ContractionsToTppPassBase;

  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    DecisionLog log(getOperation(), getArgument());
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && linalg::isaContractionOpInterface(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : contractions)
      joinDynamicRows(rewriter, op);
    SmallVector<std::pair<linalg::LinalgOp, Roles>> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics())
        return;
      if (floatsOnly && op.getNumDpsInits() == 1 &&
          !isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0])))
        return;
      if (auto roles = windowRolesOf(op); roles && hasTypes(op)) {
        found.emplace_back(op, *roles);
        return;
      }
      if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInits() != 1)
        return;
      if (!onlyMultipliesAndAdds(op))
        return refuse(op, "its body does more than extend, multiply and add", log);
      if (!hasTypes(op))
        return fail(op,
                    "A and B must have types that go together, and C the type in which their "
                    "products are added up",
                    log);
      if (auto roles = rolesOf(op, target))
        found.emplace_back(op, *roles);
      else
        fail(op, "more than two dimensions are summed over", log);
    });
    for (auto &[op, roles] : found) {
      log.add("contraction", op.getLoc(), log.details());
      ++(roles.reductions.size() == 1 ? numGemms : numBrgemms);
      Converter(op, roles, strictOrder, target).convert();
    }
  }

private:
  void refuse(linalg::LinalgOp op, StringRef why, DecisionLog &log) {
    log.add("refused", op.getLoc(), log.details().set("why", why));
    ++numRefused;
  }

  /// An error with `require-all`: as plain loops, the contraction would be slower by orders of
  /// magnitude.
  void fail(linalg::LinalgOp op, StringRef why, DecisionLog &log) {
    refuse(op, why, log);
    if (!requireAll)
      return;
    op->emitOpError() << "is a contraction of " << op.getDpsInputs()[0].getType() << " and "
                      << op.getDpsInputs()[1].getType() << " into " << op.getDpsInits()[0].getType()
                      << " that is no tile operation: " << why;
    signalPassFailure();
  }
};

} // namespace
} // namespace kgen
