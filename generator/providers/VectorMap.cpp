// Elementwise kernels: a loop over rows, and one over columns if there are many.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

int64_t vectorMapLanes(ukernel::MapOp kernel, TargetAttr target) {
  int64_t lanes = target.lanes(kernel.getResultType());
  auto limitTo = [&](Type type) { lanes = std::min(lanes, target.lanes(type)); };
  for (Type type : kernel.getBody().getArgumentTypes())
    limitTo(type);
  for (Operation &op : kernel.getBody().front().without_terminator())
    for (Type type : op.getResultTypes())
      if (!type.isInteger(1))
        limitTo(type);
  return lanes;
}

namespace {

class Map : ColumnCode {
public:
  Map(ukernel::MapOp kernel, TargetAttr target, OpBuilder &builder)
      : ColumnCode(kernel, builder), kernel(kernel), lanes(vectorMapLanes(kernel, target)),
        unrolled(target.tradeoffs().maxUnrolledVectors) {}

  void build() {
    OpBuilder::InsertionGuard guard(b);
    func::FuncOp function = beginFunction(kernel.getSymName(), "vector", kernel.getTileCount());
    for (auto [index, pointer] : llvm::enumerate(function.getArguments().drop_back()))
      inputs.push_back({pointer, kernel.getInRows()[index], kernel.getInCols()[index]});
    out = function.getArguments().back();
    repeat(kernel.getM(), 1, [&](Value row) { emitColumnLoop(row); });
    func::ReturnOp::create(b, loc);
  }

private:
  void repeat(int64_t count, int64_t by, llvm::function_ref<void(Value)> body) {
    if (count == 0)
      return;
    auto loop = scf::ForOp::create(b, loc, number(0), number(count), number(by));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  void emitColumnLoop(Value row) {
    int64_t n = kernel.getN(), step = unrolled * lanes;
    int64_t looped = n > step ? n / step * step : 0;
    repeat(looped, step, [&](Value start) { columns(row, start, 0, step); });
    columns(row, {}, looped, n);
  }

  /// Columns [from, to), counted from column `start` if that is not null.
  void columns(Value row, Value start, int64_t from, int64_t to) {
    SmallVector<Input> moved(inputs);
    for (auto [input, argument] : llvm::zip(moved, kernel.getBody().getArguments()))
      input.pointer = address(argument.getType(), input.pointer, 0, start, input.colStride);
    Type result = kernel.getResultType();
    Value rowStart = address(result, out, 0, start);
    for (Column column : columnsOf(to - from, lanes)) {
      column.start += from;
      Value value = apply(kernel.getBody().front(), {}, moved, row, 0, column);
      store(value, address(result, rowStart, column.start, row, kernel.getOutRow()), column);
    }
  }

  ukernel::MapOp kernel;
  int64_t lanes;
  int64_t unrolled; ///< vectors of a row that needs no loop
  SmallVector<Input> inputs;
  Value out;
};

} // namespace

void buildVectorMap(ukernel::MapOp kernel, TargetAttr target, OpBuilder &builder) {
  Map(kernel, target, builder).build();
}

} // namespace kgen
