#include "transforms/tiling/TileableOps.h"

#include "analysis/SizeBounds.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include <numeric>

using namespace mlir;

namespace kgen {

SmallVector<int64_t> loopSizes(Operation *op) { return *greatestLoopSizesOf(op); }

bool readsThroughWindows(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
}

int64_t workOf(Operation *op) {
  const Heuristics &costs = cpuOf(op).heuristics;
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op)) {
    // A contraction of few rows is bound by the memory that its operands come from.
    int64_t bytes = 0, flops = tile.getFlops();
    for (Value operand : op->getOperands())
      bytes += isa<ShapedType>(operand.getType()) ? greatestBytesOf(operand) : 0;
    for (auto [size, greatest] : llvm::zip_equal(tile.getIterationSizes(), loopSizes(op)))
      flops *= ShapedType::isDynamic(size) ? greatest : 1;
    bool isContraction = isa<tpp::ContractionOpInterface>(op);
    return std::max(flops, isContraction ? costs.cachedMoveCost * bytes : 0);
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  int64_t perElement = costs.moveCost;
  for (Operation &inner : linalgOp.getBlock()->without_terminator())
    perElement +=
        inner.getDialect()->getNamespace() == "arith" ? costs.arithmeticCost : costs.functionCost;
  SmallVector<int64_t> ranges = loopSizes(op);
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
             tpp::IndexInGroup::match(index);
    });
  });
}

bool dividesLoop(Operation *op, unsigned loop) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && llvm::any_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::any_of(map.getResults(), [&](AffineExpr index) {
             auto inGroup = tpp::IndexInGroup::match(index);
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
  auto hasKnownSizes = [](Value operand) {
    auto shaped = dyn_cast<ShapedType>(operand.getType());
    return !shaped || shaped.hasStaticShape() || greatestSizesOf(operand);
  };
  return result && llvm::all_of(op->getOperands(), hasKnownSizes) && greatestLoopSizesOf(op) &&
         !llvm::is_contained(*greatestSizesOf(op->getResult(0)), 0) &&
         operandMap(op, op->getNumOperands() - 1);
}

/// Checks tile sizes of tasks or caches, which are those of loops of the result.
static LogicalResult verifyTiles(Operation *op, DenseI64ArrayAttr tiles) {
  if (!tiles)
    return success();
  if (!isTileable(op))
    return op->emitOpError() << "has a 'lowering_config' with tile sizes, but cannot be tiled";
  SmallVector<int64_t> sizes = loopSizes(op);
  if (tiles.size() != static_cast<int64_t>(sizes.size()))
    return op->emitOpError() << "has " << sizes.size() << " loops, and its 'lowering_config' "
                             << tiles.size() << " tile sizes";
  AffineMap result = operandMap(op, op->getNumOperands() - 1);
  auto tileOp = dyn_cast<tpp::TileOpInterface>(op);
  auto contraction = dyn_cast<tpp::ContractionOpInterface>(op);
  int64_t panel = contraction ? contraction.getPanel().value_or(1) : 1;
  for (auto [loop, tile] : llvm::enumerate(tiles.asArrayRef())) {
    if (tile > sizes[loop])
      return op->emitOpError() << "has " << sizes[loop] << " iterations of loop " << loop
                               << ", its 'lowering_config' tiles of " << tile;
    bool isTiled = tile != 0;
    if (isTiled && contraction && loop == contraction.getBatchRank() + 1 && tile % panel != 0)
      return op->emitOpError() << "has panels of " << panel
                               << " columns, its 'lowering_config' tiles of " << tile
                               << ", which is no multiple";
    if (isTiled && !result.isFunctionOfDim(loop))
      return op->emitOpError() << "adds up along loop " << loop
                               << ": its tile size in 'lowering_config' must be 0";
    if (isTiled && (dividesLoop(op, loop) || (tileOp && !tileOp.canTile(loop))))
      return op->emitOpError() << "cannot be tiled along loop " << loop
                               << ": its tile size in 'lowering_config' must be 0";
  }
  return success();
}

/// Checks the register tile of a contraction: the columns of a panel are whole tiles, and the
/// registers hold the sums of one beside a vector of an operand.
static LogicalResult verifyRegisterTile(Operation *op, DenseI64ArrayAttr tile) {
  auto contraction = dyn_cast<tpp::ContractionOpInterface>(op);
  if (!tile || !contraction)
    return success();
  SmallVector<int64_t> sizes = loopSizes(op);
  if (tile.size() != static_cast<int64_t>(sizes.size()))
    return op->emitOpError() << "has " << sizes.size() << " loops, and the register tile of its "
                             << "'lowering_config' " << tile.size() << " sizes";
  if (contraction.getBQuant())
    return op->emitOpError() << "has blockwise-quantized weights, whose kernels take whole panels; "
                                "its 'lowering_config' has a register tile";
  auto [rows, columns] = *tpp::userRegisterTile(contraction, greatestRowsOf(contraction));
  int64_t panel = contraction.getPanel().value_or(0);
  if (panel % columns != 0)
    return op->emitOpError() << "has panels of " << panel
                             << " columns, which are no multiple of the " << columns
                             << " of a register tile in its 'lowering_config'";
  TargetAttr target = targetOf(op);
  int64_t lanes = target.lanes(contraction.getAccumulatorType()),
          sums = rows * llvm::divideCeil(columns, lanes);
  if (sums >= target.getVectorRegisters())
    return op->emitOpError() << "needs " << sums << " registers for the sums of the " << rows
                             << " x " << columns << " register tile in its 'lowering_config', and "
                             << "one for an operand; " << target.getName() << " has "
                             << target.getVectorRegisters();
  return success();
}

LogicalResult verifyUserTiles(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    LoweringConfigAttr config = loweringConfigOf(op);
    // In a task, the sizes of its own tile are those of all loops.
    bool isInTask = op->getParentOfType<scf::ForallOp>() != nullptr;
    bool isWrong =
        config &&
        ((!isInTask && failed(verifyTiles(op, config.getDistribution()))) ||
         (!op->getParentOfType<scf::ForOp>() && failed(verifyTiles(op, config.getCache()))) ||
         failed(verifyRegisterTile(op, config.getVector())));
    return isWrong ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
} // namespace kgen
