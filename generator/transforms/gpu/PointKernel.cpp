// Kernels of a thread for each element.
#include "transforms/gpu/Kernels.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// The code of one point.
class PointCode {
public:
  PointCode(KernelBuilder &kernel, const GenericLoops &loops, Value point)
      : kernel(kernel), loops(loops), point(point), flat(loops.parallel, loops.sizes),
        indices(loops.sizes.size()) {}

  void build() {
    bool needsIndices = loops.usesIndices() || !loops.reduced.empty();
    for (const auto &operands : {loops.inputs, loops.outputs})
      for (const LoopOperand &operand : operands)
        needsIndices |= !operand.address && !operand.constant;
    if (needsIndices)
      flat.split(kernel.math, point, indices);
    SmallVector<Value> values;
    for (auto [number, output] : llvm::enumerate(loops.outputs))
      values.push_back(start(number, output));
    values = loops.reduced.empty() ? once(values) : addUp(values);
    for (auto [output, value] : llvm::zip_equal(loops.outputs, values))
      kernel.storeAt(value, output.memref, addressAtPoint(output));
  }

private:
  Value addressAtPoint(const LoopOperand &operand) {
    if (!operand.address)
      return addressOf(kernel, operand, indices);
    return kernel.math.add(flat.dot(kernel.math, point, *operand.address),
                           operand.address->constant);
  }

  Value start(unsigned number, const LoopOperand &output) {
    if (TypedAttr value = loops.starts[number])
      return arith::ConstantOp::create(kernel.b, kernel.loc, value);
    if (!loops.readsOutput(number))
      return {};
    return kernel.loadAt(output.memref, addressAtPoint(output));
  }

  /// The body's results for one point of all loops.
  SmallVector<Value> once(ValueRange before) {
    SmallVector<Value> arguments;
    for (const LoopOperand &input : loops.inputs)
      arguments.push_back(input.constant ? elementAt(kernel, input, {})
                                         : elementAt(kernel, input,
                                                     loops.reduced.empty()
                                                         ? addressAtPoint(input)
                                                         : addressOf(kernel, input, indices)));
    for (auto [value, output] : llvm::zip_equal(before, loops.outputs))
      arguments.push_back(value ? value : zeroLike(kernel, output));
    return kernel.inlineBody(*linalg::GenericOp(loops.op).getBody(), arguments, indices);
  }

  /// Loops around the terms, the last one innermost.
  SmallVector<Value> addUp(SmallVector<Value> values) {
    for (auto [number, value] : llvm::enumerate(values))
      if (!value)
        value = zeroLike(kernel, loops.outputs[number]);
    return nest(0, values);
  }

  SmallVector<Value> nest(size_t depth, ValueRange values) {
    if (depth == loops.reduced.size())
      return once(values);
    OpBuilder &b = kernel.b;
    const IndexMath &math = kernel.math;
    unsigned loop = loops.reduced[depth];
    auto made = scf::ForOp::create(b, kernel.loc, math.constant(0),
                                   math.constant(loops.sizes[loop]), math.constant(1), values);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(made.getBody());
    indices[loop] = made.getInductionVar();
    SmallVector<Value> results = nest(depth + 1, made.getRegionIterArgs());
    scf::YieldOp::create(b, kernel.loc, results);
    return llvm::to_vector(llvm::map_range(made.getResults(), [](OpResult r) { return Value(r); }));
  }

  KernelBuilder &kernel;
  const GenericLoops &loops;
  const Value point;
  const FlatLoops flat;
  SmallVector<Value> indices; ///< of all loops
};

} // namespace

Grid gridFor(int64_t points) {
  Grid grid;
  grid.threads[0] =
      std::min(gpuPointThreads, int64_t(llvm::alignTo(std::max<int64_t>(points, 1), 32)));
  grid.setBlocks(llvm::divideCeil(points, grid.threads[0]));
  return grid;
}

void forEachPoint(KernelBuilder &kernel, const Grid &grid, int64_t points,
                  llvm::function_ref<void(Value point)> body) {
  const IndexMath &math = kernel.math;
  Value point = math.add(math.times(kernel.blockNumber(), grid.threads[0]), kernel.thread(0));
  const bool isExact = grid.blocks[0] * grid.blocks[1] * grid.threads[0] == points;
  kernel.where(isExact ? Value() : math.isBelow(point, points), [&] { body(point); });
}

BuiltKernel buildPointKernel(gpu::GPUModuleOp module, StringRef name, const GenericLoops &loops) {
  Grid grid = gridFor(loops.points());
  KernelBuilder kernel(module, loops.op, name, loops.memrefs(), grid);
  forEachPoint(kernel, grid, loops.points(),
               [&](Value point) { PointCode(kernel, loops, point).build(); });
  return {kernel.finish(), "points", kernel.leastBytes()};
}

BuiltKernel buildCopyKernel(gpu::GPUModuleOp module, StringRef name, memref::CopyOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  FlatLoops flat(all, type.getShape());
  Grid grid = gridFor(flat.count());
  KernelBuilder kernel(module, op, name, {op.getSource(), op.getTarget()}, grid);
  auto addressIn = [&](Value memref, Value point) {
    FlatMemory memory = *flatten(memref);
    return kernel.math.add(flat.dot(kernel.math, point, {memory.strides, memory.offset}),
                           memory.offset);
  };
  forEachPoint(kernel, grid, flat.count(), [&](Value point) {
    Value value = kernel.loadAt(op.getSource(), addressIn(op.getSource(), point));
    kernel.storeAt(value, op.getTarget(), addressIn(op.getTarget(), point));
  });
  return {kernel.finish(), "copy", kernel.leastBytes()};
}

} // namespace kgen::gpu_kernels
