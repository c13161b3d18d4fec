#include "ops/Extern.h"

#include "dialect/kgen/Kgen.h"
#include "ops/Lowering.h"

using namespace mlir;

namespace kgen {

/// Tensors without elements are no operands; their places among the pointers are noted.
void lowerExtern(LoweringContext &c) {
  const ExternCall &external = *c.node.external;
  SmallVector<Value> inputs, outputs;
  SmallVector<int64_t> empty;
  int64_t place = 0;
  for (size_t i = 0; i < c.inputCount(); ++i, ++place) {
    if (c.input(i).elementCount() == 0)
      empty.push_back(place);
    else
      inputs.push_back(c.operand(i));
  }
  SmallVector<Type> types;
  for (size_t i = 0; i < external.outputs.size(); ++i, ++place) {
    Value destination = c.empty(c.resultTensor(i));
    if (external.outputs[i].elementCount() == 0) {
      empty.push_back(place);
      c.setResult(destination, i);
      continue;
    }
    outputs.push_back(destination);
    types.push_back(destination.getType());
  }
  IntegerAttr bytes =
      external.workspaceBytes ? c.b.getI64IntegerAttr(external.workspaceBytes) : IntegerAttr();
  auto places = empty.empty() ? DenseI64ArrayAttr() : c.b.getDenseI64ArrayAttr(empty);
  auto call =
      ExternOp::create(c.b, c.loc, types, c.b.getStringAttr(external.symbol.value), inputs, outputs,
                       /*workspace=*/Value(), bytes, places);
  size_t next = 0;
  for (size_t i = 0; i < external.outputs.size(); ++i)
    if (external.outputs[i].elementCount() != 0)
      c.setResult(call.getResult(next++), i);
}

} // namespace kgen
