#include "transforms/vectorize/UnrolledTiles.h"

#include "dialect/kgen/LoweringConfig.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Utils/Utils.h>

using namespace mlir;

namespace kgen {

bool hasRegistersForTiles(TargetAttr target) {
  return target.getVectorRegisters() >= target.tradeoffs().minTileRegisters;
}

/// True if an operation needs hardly any registers besides its operands.
static bool isSimple(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic &&
         static_cast<int64_t>(generic.getBody()->getOperations().size()) <=
             cpuOf(op).heuristics.maxSimpleOperations &&
         llvm::none_of(*generic.getBody(), [](Operation &inner) {
           return isa<arith::DivFOp>(inner) || isMathFunction(&inner);
         });
}

bool fitsInRegisters(ArrayRef<Operation *> operations, int64_t bytes, TargetAttr target) {
  int64_t half = target.getVectorRegisters() / 2;
  return (hasRegistersForTiles(target) || llvm::all_of(operations, isSimple)) &&
         bytes <= half * target.getVectorBits() / 8;
}

void markUnrollFully(ArrayRef<Operation *> operations) {
  for (Operation *op : operations)
    if (LoweringConfigAttr config = loweringConfigOrEmpty(op); !config.getUnroll())
      setLoweringConfig(op, config.withUnroll(0));
}

bool isUnrolledFully(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config && config.getUnroll() == 0;
}

void unrollBetween(Operation *before, Operation *end) {
  SmallVector<scf::ForOp> loops;
  for (Operation *op = end->getPrevNode(); op != before; op = op->getPrevNode())
    op->walk([&](scf::ForOp loop) {
      if (loop.getStaticTripCount())
        loops.push_back(loop);
    });
  for (scf::ForOp loop : loops) {
    LogicalResult unrolled = loopUnrollFull(loop);
    assert(succeeded(unrolled) && "it refuses loops whose ends are not known");
    (void)unrolled;
  }
}

} // namespace kgen
