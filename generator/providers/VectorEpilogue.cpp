// The end of a kernel: adding up partial sums, the epilogue, and the stores.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {

/// True if the epilogue is so long that it becomes a loop over the stored tile instead of one copy
/// per register.
bool VectorKernel::isHeavy() {
  int64_t steps = 0, limit = cpu.heuristics.maxUnrolledEpilogue;
  for (Operation &op : kernel.getEpilogue().front().without_terminator()) {
    bool isMath = !isa<arith::ArithDialect>(op.getDialect());
    steps += isMath ? limit + 1 : !op.hasTrait<OpTrait::ConstantLike>();
  }
  return steps > limit;
}

int64_t VectorKernel::stepsByRows(int64_t steps, int64_t sets) {
  const Heuristics &limits = cpu.heuristics;
  bool storesLines = columns.front().width * bytes(accumulator) == cpu.lineBytes,
       isOneLoop = kernel.getBatch() == 1 && kernel.getBStreams() == 0 && sets == 1;
  return storesLines && isOneLoop && !isTail() && rows > rowsOfGroup() &&
                 steps >= limits.minPeeledSteps
             ? limits.peeledSteps
             : 0;
}

/// Rows with enough independent sums to hide the latency of an addition.
int64_t VectorKernel::rowsOfGroup() {
  return std::max<int64_t>(1, cpu.heuristics.minSumVectors / static_cast<int64_t>(columns.size()));
}

void VectorKernel::finish(Tile &tile, int64_t together,
                          llvm::function_ref<void(int64_t, int64_t)> complete) {
  bool inRegisters = !hasEpilogue() || !isHeavy();
  Sums memory{c, static_cast<int64_t>(kernel.getCRow())};
  if (!inRegisters)
    memory = memoryForSums();
  auto finishRow = [&](int64_t row) {
    for (auto [index, column] : llvm::enumerate(columns)) {
      Value value = tile[row * columns.size() + index];
      if (inRegisters && hasEpilogue())
        value = epilogue(value, {}, row, column);
      Type type = getElementTypeOrSelf(value);
      store(value, address(type, memory.pointer, row * memory.row + column.start), column);
    }
  };
  for (int64_t first = 0; first < rows; first += together) {
    int64_t end = std::min(first + together, rows);
    if (first > 0)
      keepOrder();
    complete(first, end);
    for (int64_t row = first; row < end; ++row)
      finishRow(row);
  }
  if (!inRegisters)
    epilogueOverTile(memory);
}

/// A single-thread fence emits no instruction.
void VectorKernel::keepOrder() {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst, "singlethread");
}

Value VectorKernel::sumOf(Value x, Value y) {
  if (isa<FloatType>(accumulator))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}

void VectorKernel::addUp(Tile &tile, int64_t sets) {
  size_t size = tile.size() / sets;
  for (int64_t step = sets / 2; step > 0; step /= 2)
    for (size_t i = 0; i < step * size; ++i)
      tile[i] = sumOf(tile[i], tile[i + step * size]);
  tile.resize(size);
}

void VectorKernel::addC(Tile &tile, int64_t first, int64_t end) {
  for (int64_t row = first; row < end; ++row)
    for (auto [index, column] : llvm::enumerate(columns)) {
      Value &value = tile[row * columns.size() + index];
      Value at = address(accumulator, c, row * kernel.getCRow() + column.start);
      value = sumOf(value, load(accumulator, at, column));
    }
}

} // namespace kgen
