// Fuses a gemm and the elementwise operation on its result into one micro-kernel.
#include "analysis/TileAliasAnalysis.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/macrokernel/KernelTable.h"
#include "transforms/macrokernel/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_COMBINEUKERNELSPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

/// One call of a gemm, followed by a call of a map.
class GemmAndMap {
public:
  GemmAndMap(ukernel::CallOp gemmCall, ukernel::CallOp mapCall, TileAliasAnalysis &aliasing)
      : gemmCall(gemmCall), mapCall(mapCall), aliasing(aliasing),
        gemm(cast<ukernel::GemmOp>(gemmCall.getKernel().getOperation())),
        map(cast<ukernel::MapOp>(mapCall.getKernel().getOperation())), c(gemmCall.getTiles()[2]),
        out(mapCall.getTiles().back()) {}

  /// A gemm that stores up-converted B stays where it is, before the kernels that read that.
  bool canFuse() {
    return !gemm.getBUpconvertedRow() && matchInputs() && isDestinationFree() && isUndisturbed();
  }

  void fuse(KernelTable &kernels) {
    OpBuilder b(gemm);
    auto copy = cast<ukernel::GemmOp>(b.clone(*gemm));
    appendMap(copy);
    SmallVector<Value> tiles(gemmCall.getTiles());
    tiles[2] = out;
    for (unsigned number : epilogueInputs)
      tiles.push_back(mapCall.getTiles()[number]);
    b.setInsertionPoint(mapCall);
    Location loc = b.getFusedLoc({gemmCall.getLoc(), mapCall.getLoc()});
    FlatSymbolRefAttr symbol =
        kernels.intern(cast<ukernel::KernelOpInterface>(copy.getOperation()));
    ukernel::CallOp::create(b, loc, symbol, tiles);
    gemmCall.erase();
    mapCall.erase();
  }

private:
  /// Divides the map's inputs into those that are the gemm's result and those that become epilogue
  /// inputs.
  bool matchInputs() {
    if (map.getM() != gemm.getM() || map.getN() != gemm.getN())
      return false;
    int64_t row = gemm.getCRow();
    for (unsigned number = 0; number < map.getInRows().size(); ++number) {
      Value input = mapCall.getTiles()[number];
      if (!aliasing.isSame(input, c)) {
        // An epilogue input is read while C is written.
        if (aliasing.mayOverlap(input, c) || aliasing.mayOverlap(input, out))
          return false;
        epilogueInputs.push_back(number);
        continue;
      }
      bool sameRows = gemm.getM() == 1 || map.getInRows()[number] == row;
      bool sameCols = gemm.getN() == 1 || map.getInCols()[number] == 1;
      if (!sameRows || !sameCols ||
          map.getBody().getArgument(number).getType() != gemm.getResultType())
        return false;
      products.push_back(number);
    }
    return !products.empty();
  }

  /// True if the result may overwrite C; or may be written elsewhere, because the gemm does not
  /// accumulate and nothing else reads C.
  bool isDestinationFree() {
    // Sums that are added to C have its type.
    if (gemm.getAccumulate() && map.getResultType() != gemm.getResultType())
      return false;
    if (aliasing.isSame(c, out))
      return gemm.getM() == 1 || map.getOutRow() == gemm.getCRow();
    if (gemm.getAccumulate() || aliasing.mayOverlap(c, out) || !isReadHereOnly())
      return false;
    return llvm::none_of(llvm::enumerate(gemmCall.getTiles()), [&](auto tile) {
      return tile.index() != 2 && aliasing.mayOverlap(tile.value(), out);
    });
  }

  /// True if C is in an allocation that nothing but the two calls uses.
  bool isReadHereOnly() {
    Value root = TileAliasAnalysis::rootOf(c);
    if (!root.getDefiningOp<memref::AllocOp>() && !root.getDefiningOp<memref::AllocaOp>())
      return false;
    SmallVector<Value> views{root};
    while (!views.empty()) {
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp>(user))
          llvm::append_range(views, user->getResults());
        else if (user != gemmCall && user != mapCall && !isa<memref::DeallocOp>(user))
          return false;
      }
    }
    return true;
  }

  /// True if the gemm can move to the map: nothing between them writes what the gemm reads, or
  /// accesses C.
  bool isUndisturbed() {
    for (Operation *op = gemmCall->getNextNode(); op != mapCall; op = op->getNextNode()) {
      if (aliasing.mayReadOrWrite(op, c))
        return false;
      for (auto [index, tile] : llvm::enumerate(gemmCall.getTiles()))
        if (index != 2 && aliasing.mayWrite(op, tile))
          return false;
    }
    return true;
  }

  void appendMap(ukernel::GemmOp copy) {
    Block &body = copy.getEpilogue().front(), &source = map.getBody().front();
    Operation *yield = body.getTerminator();
    IRMapping mapping;
    for (unsigned number : products)
      mapping.map(source.getArgument(number), yield->getOperand(0));
    SmallVector<int64_t> rows(copy.getEpilogueRows()), cols(copy.getEpilogueCols());
    for (unsigned number : epilogueInputs) {
      BlockArgument argument = source.getArgument(number);
      mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
      rows.push_back(map.getInRows()[number]);
      cols.push_back(map.getInCols()[number]);
    }
    copy.setEpilogueRows(rows);
    copy.setEpilogueCols(cols);
    copy.setCRow(map.getOutRow());
    OpBuilder b(yield);
    for (Operation &inner : source.without_terminator())
      b.clone(inner, mapping);
    yield->setOperand(0, mapping.lookupOrDefault(source.getTerminator()->getOperand(0)));
  }

  ukernel::CallOp gemmCall, mapCall;
  TileAliasAnalysis &aliasing;
  ukernel::GemmOp gemm;
  ukernel::MapOp map;
  Value c, out;
  SmallVector<unsigned> products, epilogueInputs; ///< numbers of the map's inputs
};

/// The last gemm before the map whose C is an input of the map; null if there is none.
ukernel::CallOp producer(ukernel::CallOp map, TileAliasAnalysis &aliasing) {
  for (Operation *op = map->getPrevNode(); op; op = op->getPrevNode()) {
    auto call = dyn_cast<ukernel::CallOp>(op);
    if (!call || !isa_and_nonnull<ukernel::GemmOp>(call.getKernel().getOperation()))
      continue;
    for (Value input : map.getTiles().drop_back())
      if (aliasing.isSame(input, call.getTiles()[2]))
        return call;
  }
  return {};
}

struct CombineUkernelsPass : impl::CombineUkernelsPassBase<CombineUkernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DecisionLog log(module, getArgument());
    KernelTable kernels(module);
    TileAliasAnalysis aliasing(module);
    SmallVector<ukernel::CallOp> maps;
    module.walk([&](ukernel::CallOp call) {
      if (isa_and_nonnull<ukernel::MapOp>(call.getKernel().getOperation()))
        maps.push_back(call);
    });
    for (ukernel::CallOp map : maps) {
      ukernel::CallOp gemm = producer(map, aliasing);
      if (!gemm)
        continue;
      GemmAndMap pair(gemm, map, aliasing);
      bool canFuse = pair.canFuse();
      log.add(canFuse ? "fused" : "refused", map.getLoc(),
              log.details().setNames("into", gemm.getLoc()));
      ++(canFuse ? numFused : numRefused);
      if (canFuse)
        pair.fuse(kernels);
      else
        traceRefusal(map.getLoc(), "is no part of the product before it: of other elements, or "
                                   "something between them reads or writes these");
    }
  }
};

} // namespace
} // namespace kgen
