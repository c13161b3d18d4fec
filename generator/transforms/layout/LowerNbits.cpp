// Matmuls with blockwise quantized weights become contractions.
#include "transforms/layout/MatmulNbits.h"
#include "transforms/layout/Passes.h"
#include "transforms/layout/WeightBytes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERNBITSPASS
#include "transforms/layout/Passes.h.inc"

namespace {

struct LowerNbitsPass : impl::LowerNbitsPassBase<LowerNbitsPass> {
  using LowerNbitsPassBase::LowerNbitsPassBase;

  void runOnOperation() override {
    FreeUnusedResources freeUnused(getOperation());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      SmallVector<MatmulNbitsOp> matmuls;
      func.walk([&](MatmulNbitsOp op) { matmuls.push_back(op); });
      DecisionLog log(func, getArgument());
      if (prepackConstants)
        llvm::erase_if(matmuls, [&](MatmulNbitsOp op) {
          bool isPrepacked = prepack(op, log);
          ++(isPrepacked ? numPrepacked : numRefused);
          return isPrepacked;
        });
      for (MatmulNbitsOp op : matmuls)
        decompose(op, log);
      numDecomposed += matmuls.size();
      if (!prepackConstants && failed(lowerRows(func)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult lowerRows(func::FuncOp func) {
    SmallVector<QuantizeRowsOp> found;
    func.walk([&](QuantizeRowsOp op) { found.push_back(op); });
    TargetAttr target = found.empty() ? TargetAttr() : requireTarget(func);
    for (QuantizeRowsOp op : found) {
      if (!target)
        return failure();
      lowerQuantizedRows(op, target, taskWork);
    }
    return success();
  }
};

} // namespace
} // namespace kgen
