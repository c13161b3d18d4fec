// A gemm that accumulates into a tile of zeros starts from zero instead.
#include "analysis/TileAliasAnalysis.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/macrokernel/KernelTable.h"
#include "transforms/macrokernel/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDUKERNELFLAGSPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// The memref that `op` fills with zeros without doing anything else; null if there is none.
Value filledWithZeros(Operation &op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureBufferSemantics() && isZero(fill.value()) ? fill.output() : Value();
  if (auto zero = dyn_cast<tpp::ZeroOp>(op))
    return zero->getNumResults() == 0 ? zero.getInit() : Value();
  auto call = dyn_cast<ukernel::CallOp>(op);
  auto map =
      call ? dyn_cast_or_null<ukernel::MapOp>(call.getKernel().getOperation()) : ukernel::MapOp();
  if (!map || !isZero(map.getBody().front().getTerminator()->getOperand(0)))
    return {};
  return call.getTiles().back();
}

/// The fill of exactly the tile that the call accumulates into, in the same block, with nothing
/// between them that may access any of it; null if there is none.
Operation *foldableFill(ukernel::CallOp call, TileAliasAnalysis &aliasing) {
  Value c = call.getTiles()[2];
  for (auto [index, tile] : llvm::enumerate(call.getTiles()))
    if (index != 2 && aliasing.mayOverlap(tile, c))
      return nullptr; // another operand may be the filled tile
  for (Operation *op = call->getPrevNode(); op; op = op->getPrevNode()) {
    Value filled = filledWithZeros(*op);
    if (filled && aliasing.isSame(filled, c))
      return op;
    if (aliasing.mayReadOrWrite(op, c))
      return nullptr;
  }
  return nullptr;
}

FlatSymbolRefAttr withoutAccumulate(KernelTable &kernels, ukernel::GemmOp kernel) {
  OpBuilder b(kernel);
  auto copy = cast<ukernel::GemmOp>(b.clone(*kernel));
  copy.setAccumulate(false);
  return kernels.intern(cast<ukernel::KernelOpInterface>(copy.getOperation()));
}

struct FoldUkernelFlagsPass : impl::FoldUkernelFlagsPassBase<FoldUkernelFlagsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DecisionLog log(module, getArgument());
    KernelTable kernels(module);
    TileAliasAnalysis aliasing(module);
    SmallVector<ukernel::CallOp> calls;
    module.walk([&](ukernel::CallOp call) { calls.push_back(call); });
    for (ukernel::CallOp call : calls)
      if (auto kernel = dyn_cast_or_null<ukernel::GemmOp>(call.getKernel().getOperation()))
        if (kernel.getAccumulate()) {
          Operation *fill = foldableFill(call, aliasing);
          if (!fill) {
            ++numAccumulating;
            continue;
          }
          call.setCalleeAttr(withoutAccumulate(kernels, kernel));
          log.add("zero-init", call.getLoc(), log.details());
          fill->erase();
          ++numFills;
        }
  }
};

} // namespace
} // namespace kgen
