// One tensor.empty for each use: values that have nothing in common must not share a buffer. They
// are numbered, or else what starts from two of them in the same way would become one value again,
// like the borders of two images.
#include "transforms/Passes.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SPLITEMPTIESPASS
#include "transforms/Passes.h.inc"

namespace {

struct SplitEmptiesPass : impl::SplitEmptiesPassBase<SplitEmptiesPass> {
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    int64_t number = 0;
    for (tensor::EmptyOp empty : empties) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : empty->getUses())
        uses.push_back(&use);
      for (OpOperand *use : uses) {
        OpBuilder builder(use->getOwner());
        Operation *own = builder.clone(*empty);
        own->setAttr("kgen.number", builder.getI64IntegerAttr(number++));
        use->set(own->getResult(0));
      }
      empty.erase();
    }
  }
};

} // namespace
} // namespace kgen
