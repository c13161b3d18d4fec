// The end of a kernel: adding up partial sums, the epilogue, and the stores.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// True if the epilogue is so long that it becomes a loop over the stored tile instead of one copy
/// per register. The last steps of packed bytes are not computed one by one; their roundings and
/// fused multiply-adds are an instruction each.
bool VectorKernel::isHeavy(const std::optional<PackedBytes> &packed) {
  int64_t steps = 0, limit = cpu.heuristics.maxUnrolledEpilogue;
  Operation *last = packed ? packed->number().getDefiningOp() : nullptr;
  for (Operation &op : kernel.getEpilogue().front().without_terminator()) {
    const bool isInstruction = isa<arith::ArithDialect>(op.getDialect()) ||
                               (packed && isa<math::FmaOp, math::RoundEvenOp>(op));
    steps += !isInstruction ? limit + 1 : !op.hasTrait<OpTrait::ConstantLike>();
    if (&op == last)
      break;
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

/// Rows with enough independent sums to hide the latency of an addition; with whole groups of
/// vectors that are packed together.
int64_t VectorKernel::rowsOfGroup() {
  const auto ofRow = static_cast<int64_t>(columns.size());
  int64_t count = std::max<int64_t>(1, cpu.heuristics.minSumVectors / ofRow);
  if (packedBytes())
    while (count * ofRow % PackedBytes::vectors != 0)
      ++count;
  return count;
}

/// Not in registers of 128 bits: products write over their operands there, and one sum more that
/// waits for its epilogue is in memory in each of their steps (0.85 to 1.05 of the speed,
/// measured).
std::optional<PackedBytes> VectorKernel::packedBytes() {
  const int64_t width = columns.front().width;
  const bool areFull = llvm::all_of(
      columns, [&](const Column &column) { return column.isFull() && column.width == width; });
  const bool isAlone = rows == 1 && columns.size() == 1, isShort = width * bytes(accumulator) <= 16;
  if (!hasEpilogue() || isAlone || isShort || !areFull || !PackedBytes::packs(width))
    return std::nullopt;
  return PackedBytes::match(kernel.getEpilogue().front(), targetOf(kernel));
}

/// Neighbouring vectors of a row are stored at once.
void VectorKernel::storeBytes(const PackedBytes &packed, int64_t first, ArrayRef<Value> numbers) {
  const auto count = static_cast<int64_t>(numbers.size()),
             ofRow = static_cast<int64_t>(columns.size()), width = columns.front().width;
  Value bytes = PackedBytes::inOrder(b, loc, packed.packAll(b, loc, numbers));
  for (int64_t i = 0, together = 1; i < count; i += together) {
    const int64_t row = (first + i) / ofRow, column = (first + i) % ofRow;
    together = std::min(count - i, ofRow - column);
    const int64_t lanes = together * width;
    Value part = vector::ExtractStridedSliceOp::create(b, loc, bytes, i * width, lanes, 1);
    store(part, address(result, c, row * kernel.getCRow() + columns[column].start),
          {columns[column].start, lanes, lanes});
  }
}

void VectorKernel::finish(Tile &tile, int64_t together,
                          llvm::function_ref<void(int64_t, int64_t)> complete) {
  std::optional<PackedBytes> packed = packedBytes();
  const bool inRegisters = !hasEpilogue() || !isHeavy(packed);
  if (!inRegisters)
    packed.reset();
  Sums memory{c, static_cast<int64_t>(kernel.getCRow())};
  if (!inRegisters)
    memory = memoryForSums();
  const auto ofRow = static_cast<int64_t>(columns.size());
  auto finishVector = [&](int64_t number) {
    const Column &column = columns[number % ofRow];
    const int64_t row = number / ofRow;
    Value value = tile[number];
    if (inRegisters && hasEpilogue())
      value = epilogue(value, {}, row, column);
    Type type = getElementTypeOrSelf(value);
    store(value, address(type, memory.pointer, row * memory.row + column.start), column);
  };
  auto finishBytes = [&](int64_t first, int64_t end) {
    Tile numbers;
    for (int64_t number = first; number < end; ++number)
      numbers.push_back(
          epilogue(tile[number], {}, number / ofRow, columns[number % ofRow], packed->number()));
    storeBytes(*packed, first, numbers);
  };
  for (int64_t first = 0; first < rows; first += together) {
    int64_t end = std::min(first + together, rows);
    if (first > 0)
      keepOrder();
    complete(first, end);
    const int64_t step = PackedBytes::vectors;
    for (int64_t number = first * ofRow; packed && number < end * ofRow; number += step)
      finishBytes(number, std::min(number + step, end * ofRow));
    for (int64_t number = first * ofRow; !packed && number < end * ofRow; ++number)
      finishVector(number);
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
