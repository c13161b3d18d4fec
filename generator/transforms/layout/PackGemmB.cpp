// Decides which B operands of contractions are packed into panels, and inserts linalg.pack.
#include "analysis/ContiguousRows.h"
#include "analysis/NodeDecisions.h"
#include "analysis/SizeBounds.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/layout/OperandLayouts.h"
#include "transforms/layout/TransposeSource.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
namespace {

using tpp::ContractionOpInterface;

std::optional<int64_t> positionOf(AffineMap map, unsigned dimension) {
  std::optional<unsigned> position =
      map.getResultPosition(getAffineDimExpr(dimension, map.getContext()));
  return position ? std::optional<int64_t>(*position) : std::nullopt;
}

/// True if consecutive values of `dimension` are contiguous.
bool isContiguous(AffineMap map, unsigned dimension) {
  return positionOf(map, dimension) == map.getNumResults() - 1;
}

/// True if consecutive values of k are contiguous in A, also if A is read through windows.
bool isContiguousAlongK(AffineMap aMap) {
  unsigned k = aMap.getNumDims() - 1;
  for (auto [position, index] : llvm::enumerate(aMap.getResults())) {
    auto coefficients = tpp::linearCoefficients(index, aMap.getNumDims());
    if (!coefficients || (*coefficients)[k] != (position + 1 == aMap.getNumResults()))
      return false;
  }
  return aMap.getNumResults() > 0;
}

/// True if panels of one column are estimated to be cheaper than panels of whole vectors. Vectors
/// along k then have no empty lanes, but need a horizontal sum each, and register tiles are small:
/// operands that do not stay in L1 are loaded again for every few rows and columns. Costs are in
/// units of a multiply-add of a vector.
bool isPackingByColumnCheaper(ContractionOpInterface op, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  Type type = op.getBType();
  if (op.getStrictOrder() || !op.hasOneType() || !isa<FloatType>(type) || op.getN() < 2 ||
      !isContiguousAlongK(op.getAMap()))
    return false;
  const Heuristics &costs = cpu.heuristics;
  constexpr int64_t tileRows = 3, tileColumns = 4, narrowBits = 256;
  int64_t lanes = target.lanes(type), n = op.getN(),
          products = op.getReductionRank() == 2 ? *(op.getIterationSizes().end() - 2) : 1,
          k = products * op.getK(), rest = n % lanes;
  // Panels of vectors: on many CPUs half a vector of 512 bits takes less time than a whole one.
  bool isHalf = 2 * rest <= lanes && target.getVectorBits() > narrowBits;
  double vectors = static_cast<double>(n / lanes) + (rest == 0 ? 0
                                                     : isHalf  ? costs.halfVectorCost
                                                               : 1);
  // Panels of one column: a tile of one or two columns has too few accumulators to hide latency.
  const double remainderCost[tileColumns] = {0, costs.oneColumnCost, costs.twoColumnsCost, 0};
  double columns = static_cast<double>(n) + remainderCost[n % tileColumns];
  int64_t tileBytes = (tileRows + tileColumns) * k * bytesOfElement(type),
          iterations = products * llvm::divideCeilSigned(op.getK(), lanes);
  bool isReadRepeatedly =
      n > tileColumns && greatestBytesOf(op.getA()) > 4 * capacity(cpu, Cache::l2);
  double iterationCost = fits(cpu, tileBytes, Cache::l1, Share::half) ? costs.halfL1ProductCost
                         : fits(cpu, tileBytes, Cache::l1)            ? costs.l1ProductCost
                         : isReadRepeatedly                           ? costs.rereadProductCost
                                                                      : costs.l2ProductCost;
  return iterationCost * columns * static_cast<double>(iterations + costs.horizontalSumCost) <
         static_cast<double>(k) * vectors;
}

/// When B is packed ("build", "run", "never"), and why.
struct Choice {
  StringRef when, why;
  bool byColumn = false; ///< in panels of one column each
};

/// Rows of A up to which B in place is cheaper than packing.
int64_t maxRowsInPlace(Type b, TargetAttr target) {
  const Heuristics &limits = target.tradeoffs();
  return b.isInteger(8) ? limits.maxByteRowsInPlace : limits.maxRowsInPlace;
}

/// Values of k that are adjacent in packed B.
int64_t packedDepth(ContractionOpInterface op, TargetAttr target) {
  return target.packedDepth(op.getAType(), op.getBType(), op.getStrictOrder());
}

/// True if B as it is fits into L1: however many rows read it, a copy makes nothing faster. Not for
/// types with a VNNI layout, which must be interleaved in registers.
bool fitsInL1(ContractionOpInterface op, TargetAttr target) {
  int64_t bytes = op.getK() * op.getN() * bytesOfElement(op.getBType());
  return packedDepth(op, target) == 1 && fits(target.cpu(), bytes, Cache::l1);
}

/// Chooses how `b`, indexed by `map`, is read as the operand B of `op`, as if nothing was written.
Choice chooseFreely(ContractionOpInterface op, Value b, AffineMap map, TargetAttr target) {
  unsigned n = op.getCType().getRank() - 1, k = map.getNumDims() - 1;
  Attribute constant;
  if (!positionOf(map, n))
    return {"never", "it has one column"};
  if (matchPattern(b, m_Constant(&constant)))
    return {"build", "it is constant", isPackingByColumnCheaper(op, target)};
  bool dotProducts =
      isContiguous(op.getAMap(), k) && isContiguous(map, k) && hasContiguousRows(op.getA()) &&
      hasContiguousRows(b) && greatestRowsOf(op) <= target.tradeoffs().maxDotProductRows &&
      !op.getStrictOrder() && op.hasOneType() && isa<FloatType>(op.getBType()) && op.getK() > 1;
  if (dotProducts)
    return {"never", "few rows of A: each result is a dot product of contiguous values"};
  if (!isContiguous(map, n) || !hasContiguousRows(b))
    return {"run", "its columns are not contiguous"};
  if (fitsInL1(op, target))
    return {"never", "it stays in the first cache as it is"};
  if (greatestRowsOf(op) > maxRowsInPlace(op.getBType(), target))
    return {"run", "enough rows of A read it to pay for the copy"};
  return {"never", "too few rows of A read it to pay for a copy"};
}

constexpr llvm::StringLiteral saysSo = "its lowering configuration says so";

bool hasColumns(ContractionOpInterface op, AffineMap map) {
  return positionOf(map, op.getCType().getRank() - 1).has_value();
}

/// Returns the choice of the lowering configuration of `op` where it has a possible one, else the
/// free choice.
Choice choose(ContractionOpInterface op, Value b, AffineMap map, TargetAttr target) {
  Choice free = chooseFreely(op, b, map, target);
  StringRef written = layoutOf(op, "rhs");
  if (written == "packed" && free.when == "never" && hasColumns(op, map))
    return {matchPattern(b, m_Constant()) ? "build" : "run", saysSo};
  if (written == "plain" && free.when != "never" && hasContiguousRows(b) &&
      isContiguous(map, op.getCType().getRank() - 1))
    return {"never", saysSo};
  return free;
}

/// Reports a layout in the lowering configuration that B cannot have.
LogicalResult verifyLayout(ContractionOpInterface op, const Choice &choice) {
  StringRef written = layoutOf(op, "rhs");
  if (written == "packed" && choice.when == "never")
    return op->emitOpError() << "has an operand B of one column, which cannot be packed, as its "
                                "lowering_config says; use 'plain'";
  if (written == "plain" && choice.when != "never")
    return op->emitOpError()
           << "has an operand B whose columns are not contiguous, which cannot be "
              "read in place, as its lowering_config says; use 'packed'";
  return success();
}

/// Writes the layouts that schedules chose for nodes on their contractions.
LogicalResult applyUserLayouts(func::FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](ContractionOpInterface op) { ops.push_back(op); });
  for (NodeDecision decision : nodeDecisionsOf(func)) {
    auto layout = decision.all.getAs<DictionaryAttr>("layout");
    if (!layout)
      continue;
    Operation *op = contractionOf(decision.node(), ops);
    if (!op)
      return decision.emitError() << "no product whose operands could have a 'layout'";
    setLoweringConfig(op, loweringConfigOrEmpty(op).withLayout(layout));
  }
  return success();
}

/// Lets `op` read the source of a B that is a transposed copy. That copy becomes dead, or the pack
/// replaces it. Not if other operations read the copy and the pack would be an additional copy.
void readTransposeSource(ContractionOpInterface op, TargetAttr target) {
  OpBuilder b(op);
  while (std::optional<TransposeSource> source = transposeSource(b, op.getB())) {
    AffineMap map = source->map.compose(op.getBMap());
    StringRef before = choose(op, op.getB(), op.getBMap(), target).when,
              after = choose(op, source->value, map, target).when;
    if (after != "never" && after != before &&
        (!op.getB().hasOneUse() || layoutOf(op, "rhs") == "plain"))
      return;
    op->setOperand(1, source->value);
    op->setAttr("b_map", AffineMapAttr::get(map));
  }
}

/// Returns the operation in front of which B is packed: the outermost loop around the contraction
/// in which B is invariant; the contraction if there is none.
Operation *packInsertionPoint(ContractionOpInterface op) {
  Operation *before = op;
  for (auto loop = op->getParentOfType<scf::ForOp>();
       loop && loop.isDefinedOutsideOfLoop(op.getB()); loop = loop->getParentOfType<scf::ForOp>())
    before = loop;
  return before;
}

/// Packs B as [batch..., panels, k / vnni, panel(, vnni)], padded with zeros.
linalg::PackOp pack(ContractionOpInterface op, int64_t panel, int64_t vnni) {
  IRRewriter rewriter(packInsertionPoint(op));
  Location loc = withPurpose(rewriter.getFusedLoc({op.getLoc(), op.getB().getLoc()}), "pack");
  AffineMap map = op.getBMap();
  unsigned kDim = map.getNumDims() - 1, nDim = op.getCType().getRank() - 1;
  int64_t n = *positionOf(map, nDim), k = *positionOf(map, kDim);
  auto source = cast<RankedTensorType>(op.getB().getType());
  SmallVector<int64_t> outer, shape;
  SmallVector<AffineExpr> results;
  for (int64_t position = 0; position < source.getRank(); ++position)
    if (position != n && position != k) {
      outer.push_back(position);
      shape.push_back(source.getDimSize(position));
      results.push_back(map.getResult(position));
    }
  outer.append({n, k});
  results.append({map.getResult(k), map.getResult(n)});
  SmallVector<int64_t> innerDims{n}, innerTiles{panel};
  if (vnni > 1) {
    innerDims.push_back(k);
    innerTiles.push_back(vnni);
  }
  shape.append({static_cast<int64_t>(llvm::divideCeil(source.getDimSize(n), panel)),
                static_cast<int64_t>(llvm::divideCeil(source.getDimSize(k), vnni))});
  llvm::append_range(shape, innerTiles);
  Type element = source.getElementType();
  Value empty = emptyTensor(rewriter, loc, shape, element);
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  auto packed =
      linalg::PackOp::create(rewriter, loc, op.getB(), empty, innerDims,
                             getAsIndexOpFoldResult(op.getContext(), innerTiles), zero, outer);
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(1, packed.getResult());
    op->setAttr("panel", rewriter.getI64IntegerAttr(panel));
    op->setAttr("vnni", rewriter.getI64IntegerAttr(vnni));
    op->setAttr("b_map",
                AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, results, map.getContext())));
  });
  return packed;
}

/// Everything about a pack but its operands.
std::string formOf(linalg::PackOp pack) {
  std::string text;
  llvm::raw_string_ostream(text) << pack.getDestType() << pack->getAttrDictionary();
  return text;
}

} // namespace

FailureOr<PanelCounts> assignPanelsOfB(func::FuncOp func, TargetAttr target, DecisionLog &log) {
  if (failed(applyUserLayouts(func)))
    return failure();
  PanelCounts counts;
  RepeatedWork repeated(log);
  SmallVector<Operation *> products;
  func.walk([&](ContractionOpInterface op) { products.push_back(op); });
  BlockNodes nodes(log.isOn() ? products : ArrayRef<Operation *>());
  WalkResult all = func.walk([&](ContractionOpInterface op) {
    auto type = dyn_cast<RankedTensorType>(op.getB().getType());
    // A pack has static panels of static depth.
    if (!type || op.getPanel() || !type.hasStaticShape() || type.getNumElements() == 0)
      return WalkResult::advance();
    readTransposeSource(op, target);
    GemmBlocking blocking = target.gemmBlocking(op.getAType(), op.getBType(), greatestRowsOf(op),
                                                op.getN(), op.getK(), /*packed=*/true);
    Choice choice = choose(op, op.getB(), op.getBMap(), target);
    if (failed(verifyLayout(op, choice)))
      return WalkResult::interrupt();
    Details details = log.details().setNames("operand", op.getB().getLoc());
    bool isPacked = choice.when != "never";
    if (log.isOn() && hasColumns(op, op.getBMap()))
      log.add("tiles", nodes.locationOf(op),
              log.details()
                  .set("key", "layout")
                  .set("choice", isPacked ? "{rhs: packed}" : "{rhs: plain}"));
    int64_t panel = choice.byColumn ? 1 : blocking.panel;
    if (isPacked) {
      Value b = op.getB();
      linalg::PackOp packed = pack(op, panel, packedDepth(op, target));
      if (choice.when == "run")
        repeated.add(b, op.getLoc(), "packed", formOf(packed), bytesOf(b.getType()));
    }
    ++(!isPacked ? counts.inPlace : choice.when == "build" ? counts.atBuild : counts.atRun);
    details.set("when", choice.when).set("why", choice.why);
    details.set("panel", isPacked ? panel : 0);
    log.add("operand-b", op.getLoc(), details.set("bytes", bytesOf(op.getB().getType())));
    return WalkResult::advance();
  });
  if (all.wasInterrupted())
    return failure();
  // Erase transposed copies that nothing reads any more.
  IRRewriter rewriter(func.getContext());
  (void)runRegionDCE(rewriter, func->getRegions());
  return counts;
}

} // namespace kgen
