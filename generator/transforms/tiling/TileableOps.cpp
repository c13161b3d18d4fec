#include "transforms/tiling/TileableOps.h"

#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"

#include <numeric>

using namespace mlir;

namespace kgen {

SmallVector<int64_t> loopSizes(Operation *op) {
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op))
    return tile.getIterationSizes();
  return cast<linalg::LinalgOp>(op).getStaticLoopRanges();
}

bool readsThroughWindows(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
}

int64_t workOf(Operation *op) {
  const Heuristics &costs = cpuOf(op).heuristics;
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op)) {
    // A contraction of few rows is bound by the memory that its operands come from.
    int64_t bytes = 0;
    for (Type type : op->getOperandTypes())
      bytes += isa<ShapedType>(type) ? bytesOf(type) : 0;
    bool isContraction = isa<tpp::ContractionOpInterface>(op);
    return std::max(tile.getFlops(), isContraction ? costs.cachedMoveCost * bytes : 0);
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  int64_t perElement = costs.moveCost;
  for (Operation &inner : linalgOp.getBlock()->without_terminator())
    perElement +=
        inner.getDialect()->getNamespace() == "arith" ? costs.arithmeticCost : costs.functionCost;
  SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
  return std::accumulate(ranges.begin(), ranges.end(), perElement, std::multiplies<>());
}

AffineMap operandMap(Operation *op, unsigned number) {
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
    if (number == 1 && contraction.getPanel())
      return {};
  AffineMap map;
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op))
    map = tile.getOperandMap(number);
  else
    map = cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&op->getOpOperand(number));
  return map.isProjectedPermutation() ? map : AffineMap();
}

/// True if a tile of the loops reads a slice of each operand. Divided indices, as those of
/// blockwise-quantized weights, do not; channels within a group do, as they are not tiled.
static bool readsSlices(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr index) {
      return isa<AffineConstantExpr>(index) || tpp::linearCoefficients(index, map.getNumDims()) ||
             tpp::IndexInGroup::of(index);
    });
  });
}

bool dividesLoop(Operation *op, unsigned loop) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && llvm::any_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::any_of(map.getResults(), [&](AffineExpr index) {
             auto inGroup = tpp::IndexInGroup::of(index);
             return inGroup && inGroup->channel == loop;
           });
         });
}

bool isTileable(Operation *op) {
  if (!isa<tpp::TileOpInterface, linalg::LinalgOp>(op) || op->getNumResults() != 1)
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && (!linalgOp.hasPureTensorSemantics() || !readsSlices(linalgOp)))
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto hasStaticShape = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return result && llvm::all_of(op->getOperandTypes(), hasStaticShape) &&
         result.getNumElements() > 0 && operandMap(op, op->getNumOperands() - 1);
}
} // namespace kgen
