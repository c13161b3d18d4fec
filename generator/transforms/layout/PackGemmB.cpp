// Decides which B operands are copied into panels, and expresses it as linalg.pack.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/layout/TransposeSource.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PACKGEMMBPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

std::optional<int64_t> positionOf(AffineMap map, unsigned dimension) {
  std::optional<unsigned> position =
      map.getResultPosition(getAffineDimExpr(dimension, map.getContext()));
  return position ? std::optional<int64_t>(*position) : std::nullopt;
}

/// Whether consecutive values of `dimension` lie next to each other.
bool isContiguous(AffineMap map, unsigned dimension) {
  return positionOf(map, dimension) == map.getNumResults() - 1;
}

/// Whether consecutive values of k lie next to each other in A, along windows, too.
bool isContiguousAlongK(AffineMap ofA) {
  unsigned k = ofA.getNumDims() - 1;
  for (auto [position, index] : llvm::enumerate(ofA.getResults())) {
    auto steps = tpp::linearCoefficients(index, ofA.getNumDims());
    if (!steps || (*steps)[k] != (position + 1 == ofA.getNumResults()))
      return false;
  }
  return ofA.getNumResults() > 0;
}

/// Whether a B of few columns is worth reading as columns: vectors along k have all lanes, but a
/// row's sums have to be added up in the end, and tiles are small: what does not stay in the first
/// cache comes for each few rows and columns again. Numbers are measured on Zen 4, with vectors of
/// 256 and 512 bits.
bool areColumnsCheaper(ContractionOpInterface op, TargetAttr target) {
  Type type = op.getBType();
  if (op.getStrictOrder() || !op.hasOneType() || !isa<FloatType>(type) || op.getN() < 2 ||
      !isContiguousAlongK(op.getAMap()))
    return false;
  constexpr int64_t toAddUp = 2, rowsOfTile = 3, columnsOfTile = 4, leastBits = 256;
  int64_t lanes = target.lanes(type), n = op.getN(),
          products = op.getReductionRank() == 2 ? *(op.getIterationSizes().end() - 2) : 1,
          k = products * op.getK(), rest = n % lanes;
  // Panels: half a vector of 512 bits takes less time than a whole one on many CPUs.
  bool isHalf = 2 * rest <= lanes && target.getVectorBits() > leastBits;
  double vectors = static_cast<double>(n / lanes) + (rest == 0 ? 0 : isHalf ? 0.7 : 1);
  // Columns: one or two in a tile of their own have few sums to go on with.
  constexpr double atEnd[columnsOfTile] = {0, 1.75, 0.7, 0};
  double columns = static_cast<double>(n) + atEnd[n % columnsOfTile];
  int64_t bytesOfTile = (rowsOfTile + columnsOfTile) * k * bytesOfElement(type),
          steps = products * llvm::divideCeilSigned(op.getK(), lanes);
  bool isReadAgain = n > columnsOfTile && bytesOf(op.getA().getType()) > 4 * target.getL2();
  double timeOfStep = bytesOfTile <= target.getL1d() / 2 ? 1.05
                      : bytesOfTile <= target.getL1d()   ? 1.25
                      : isReadAgain                      ? 2
                                                         : 1.45;
  return timeOfStep * columns * static_cast<double>(steps + toAddUp) <
         static_cast<double>(k) * vectors;
}

/// How B is packed, and why.
struct Choice {
  StringRef when, why;
  bool columns = false; ///< in panels of one column each
};

/// Rows up to which dot products are cheaper than packing.
constexpr int64_t fewRows = 4;

/// Rows up to which B in place is cheaper than packing. Rows of bytes are put together in
/// registers, by fours and for every tile: that is worth avoiding earlier.
int64_t rowsInPlace(Type b) { return b.isInteger(8) ? 48 : 64; }

/// Whether a matrix B stays in the first cache as it is, however many rows read it: a copy would
/// take as long as many of them, and make nothing faster. Pairs and fours along k are another
/// matter, as above.
bool staysInFirstCache(ContractionOpInterface op, TargetAttr target) {
  int64_t bytes = op.getK() * op.getN() * bytesOfElement(op.getBType());
  return target.vnniFactor(op.getBType()) == 1 && bytes <= target.getL1d();
}

/// What happens to `b` as the operand B, read by `map`.
Choice choose(ContractionOpInterface op, Value b, AffineMap map, TargetAttr target) {
  unsigned n = op.getCType().getRank() - 1, k = map.getNumDims() - 1;
  Attribute constant;
  if (!positionOf(map, n))
    return {"never", "it has one column"};
  if (matchPattern(b, m_Constant(&constant)))
    return {"build", "it is constant", areColumnsCheaper(op, target)};
  bool dotProducts = isContiguous(op.getAMap(), k) && isContiguous(map, k) &&
                     op.getM() <= fewRows && !op.getStrictOrder() && op.hasOneType() &&
                     isa<FloatType>(op.getBType());
  if (dotProducts)
    return {"never", "few rows of A: each result is a dot product of contiguous values"};
  if (!isContiguous(map, n))
    return {"run", "its columns are not contiguous"};
  if (staysInFirstCache(op, target))
    return {"never", "it stays in the first cache as it is"};
  if (op.getM() > rowsInPlace(op.getBType()))
    return {"run", "enough rows of A read it to pay for the copy"};
  return {"never", "too few rows of A read it to pay for a copy"};
}

/// Reads B where a transposition has it from: that copy is not made then, or the one that packs it
/// takes its place. Not where others read the copy, and what packs it would be one more.
void readInPlace(ContractionOpInterface op, TargetAttr target) {
  OpBuilder b(op);
  while (std::optional<TransposeSource> source = transposeSource(b, op.getB())) {
    AffineMap map = source->map.compose(op.getBMap());
    StringRef before = choose(op, op.getB(), op.getBMap(), target).when,
              after = choose(op, source->value, map, target).when;
    if (after != "never" && after != before && !op.getB().hasOneUse())
      return;
    op->setOperand(1, source->value);
    op->setAttr("b_map", AffineMapAttr::get(map));
  }
}

/// The operation in front of which B is packed: the contraction, or the outermost loop around it in
/// which B does not change.
Operation *placeOfPack(ContractionOpInterface op) {
  Operation *place = op;
  for (auto loop = op->getParentOfType<scf::ForOp>();
       loop && loop.isDefinedOutsideOfLoop(op.getB()); loop = loop->getParentOfType<scf::ForOp>())
    place = loop;
  return place;
}

/// B as [batch..., panels, k / vnni, panel(, vnni)], padded with zeros.
void pack(ContractionOpInterface op, int64_t panel, int64_t vnni) {
  IRRewriter rewriter(placeOfPack(op));
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
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value packed =
      linalg::PackOp::create(rewriter, loc, op.getB(), empty, innerDims,
                             getAsIndexOpFoldResult(op.getContext(), innerTiles), zero, outer)
          .getResult();
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(1, packed);
    op->setAttr("panel", rewriter.getI64IntegerAttr(panel));
    op->setAttr("vnni", rewriter.getI64IntegerAttr(vnni));
    op->setAttr("b_map",
                AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, results, map.getContext())));
  });
}

struct PackGemmBPass : impl::PackGemmBPassBase<PackGemmBPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    getOperation().walk([&](ContractionOpInterface op) {
      auto type = dyn_cast<RankedTensorType>(op.getB().getType());
      if (!type || op.getPanel() || type.getNumElements() == 0)
        return;
      readInPlace(op, target);
      GemmBlocking blocking = target.gemmBlocking(op.getAType(), op.getBType(), op.getM(),
                                                  op.getN(), op.getK(), /*packed=*/true);
      Choice choice = choose(op, op.getB(), op.getBMap(), target);
      Details details = log.details().setNames("operand", op.getB().getLoc());
      bool worth = choice.when != "never";
      int64_t panel = choice.columns ? 1 : blocking.panel;
      if (worth)
        pack(op, panel, target.vnniFactor(op.getBType()));
      details.set("when", choice.when).set("why", choice.why);
      details.set("panel", worth ? panel : 0);
      log.add("operand-b", op.getLoc(), details.set("bytes", bytesOf(op.getB().getType())));
    });
    // Copies that nobody reads any more.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
} // namespace kgen
