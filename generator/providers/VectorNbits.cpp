// Kernels for blockwise-quantized weights: these are decoded to f32 in registers, so that only
// their few bits are read from memory.
//
// The products of a block are added up before they are scaled: one multiplication for each sum and
// block. If registers are few, groups of a block's columns are computed one after the other, with
// the totals of all blocks spilled.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
namespace {

class NbitsKernel : VectorKernel {
public:
  NbitsKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder);

  void build();

private:
  static constexpr int64_t panel = BlockwiseQuantAttr::panelWidth;
  /// Values of k whose 4-bit weights share a 32-bit word.
  static constexpr int64_t group = 8;
  /// Weights of a word that wordWeight decodes with one shift.
  static constexpr int64_t positions = 2;

  /// A block of weights of some columns.
  struct Block {
    Value address;
    ArrayRef<Column> columns;
    SmallVector<Value> scales, zeros; ///< one for each vector of columns
    /// Numbers that wordWeight subtracts at each position, with the zero point.
    std::array<SmallVector<Value>, positions> offsets;
  };

  Block blockAt(Value at, ArrayRef<Column> of);
  void addBlock(Tile &totals, Value index, int64_t count);
  void addColumns(Tile &totals, Value at, Value aAt, int64_t count, size_t first);
  void addProducts(Tile &tile, const Block &block, Value aAt, int64_t count);
  void addGroup(Tile &tile, const Block &block, Value aAt, Value at, int64_t first, int64_t count);
  Value weight(const Block &block, Value at, int64_t k, size_t index, Value words);
  Value byteWeight(Value at, int64_t k, const Column &column);
  Value wordWeight(const Block &block, Value words, int64_t k, size_t index);
  Value tableWeight(Value words, int64_t k, const Column &column);
  Value maskOfOddLanes(int64_t lanes);
  void makeTables();
  Value splatOfA(Value at, size_t index, const Column &column);
  Value loadWords(Value at, const Column &column);

  /// The power of two in whose mantissa the bits of weight `position` of a word count integers.
  static float powerAt(int64_t position) {
    constexpr int64_t mantissa = 23;
    return static_cast<float>(int64_t(1) << (mantissa - 4 * position));
  }
  int64_t bytesOf(int64_t weights) { return panel * weights * bits / 8; }
  Value splat32(int64_t value, const Column &column) {
    return splat(LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value)),
                 column);
  }
  VectorType integers(const Column &column) {
    return VectorType::get({column.width}, b.getI32Type());
  }

  BlockwiseQuantAttr quant;
  int64_t bits, size;
  bool hasTable;    ///< kgen.dynamic_permute looks up 16 values by the low 4 bits of each lane
  int64_t together; ///< vectors of columns at a time
  int64_t sets;
  Value table, upperTable, upperHalves;
  Value hiddenZero; ///< 0, opaque to LLVM: added to addresses of A (splatOfA)
};

NbitsKernel::NbitsKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
    : VectorKernel(kernel, target, builder), quant(*kernel.getBQuant()), bits(quant.getBits()),
      size(quant.getSize()) {
  int64_t lanes = target.lanes(accumulator);
  for (Column &column : columns) // panels are padded
    column.width = lanes;
  hasTable = bits == 4 && lanes == 16 && cpu.hasI16RegisterGather;
  // Registers for other values than sums and words: tables or constants, weights and an element of
  // A.
  constexpr int64_t others = 6;
  int64_t minSums = cpu.heuristics.minNbitsSums;
  int64_t registers = target.getVectorRegisters();
  together = static_cast<int64_t>(columns.size());
  auto needed = [&] { return std::max(minSums, rows * together) + together + others; };
  while (together > 1 && needed() > registers)
    together = llvm::divideCeil(together, 2);
  // Without a table, decoding a weight takes as long as its multiply-add: half the usual chains are
  // enough.
  sets = independentSums(hasTable ? rows * together : 2 * rows * together, size);
  while (sets > 1 && sets * rows * together + together + others > registers)
    sets /= 2;
}

Value NbitsKernel::loadWords(Value at, const Column &column) {
  Value from = address(bElement, at, column.start * 4);
  return LLVM::LoadOp::create(b, loc, integers(column), from, 4);
}

/// Weight `k` of a word by table lookup, which ignores all but the lowest four bits of a lane or
/// the lowest five of a half lane. The table for half lanes has the upper halves of f32, so one
/// shift serves weights `k` and `k + 4`. The last weight is converted instead, on an execution unit
/// that is idle otherwise.
Value NbitsKernel::tableWeight(Value words, int64_t k, const Column &column) {
  if (k == group - 1) {
    Value integer = arith::ShRSIOp::create(b, loc, words, splat32(28, column));
    return arith::SIToFPOp::create(b, loc, type(column), integer);
  }
  Value index = words;
  if (k % 4 > 0)
    index = arith::ShRUIOp::create(b, loc, words, splat32(4 * (k % 4), column));
  if (k < 4)
    return DynamicPermuteOp::create(b, loc, table, index);
  auto halves = VectorType::get({2 * column.width}, b.getI16Type());
  index = LLVM::BitcastOp::create(b, loc, halves, index);
  Value found = DynamicPermuteOp::create(b, loc, upperTable, index);
  found = arith::SelectOp::create(b, loc, upperHalves, found, zero(halves));
  return LLVM::BitcastOp::create(b, loc, type(column), found);
}

/// The mask of odd lanes, hidden from LLVM, which would otherwise clear the other lanes by another
/// instruction.
Value NbitsKernel::maskOfOddLanes(int64_t lanes) {
  Value known = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                         b.getI32IntegerAttr(static_cast<int32_t>(0xaaaaaaaa)));
  Value bits = hidden(known);
  return LLVM::BitcastOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), bits);
}

/// Builds the tables of all 4-bit integers: as f32, and as the upper halves of f32.
void NbitsKernel::makeTables() {
  SmallVector<float> values;
  SmallVector<int16_t> halves;
  for (int lane = 0; lane < 32; ++lane) {
    int code = lane % 16;
    float value = code < 8 ? code : code - 16;
    if (lane < 16)
      values.push_back(value);
    halves.push_back(static_cast<int16_t>(llvm::bit_cast<uint32_t>(value) >> 16));
  }
  auto whole = VectorType::get({16}, accumulator), half = VectorType::get({32}, b.getI16Type());
  table = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(whole, ArrayRef(values)));
  upperTable = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(half, ArrayRef(halves)));
  upperHalves = maskOfOddLanes(32);
}

/// Weight `k` of a word, minus the zero point. Its bits become the low together of the mantissa of
/// a power of two, with the sign bit flipped, so that they count from 0; then the power of two and
/// 8 are subtracted, which is exact. Two weights share a shift. Shifting to the upper end and back
/// and converting would take fewer instructions, but most of those used here run on every execution
/// unit.
Value NbitsKernel::wordWeight(const Block &block, Value words, int64_t k, size_t index) {
  const Column &column = block.columns[index];
  int64_t position = k % positions, shift = 4 * (k - position);
  Value bits = words;
  if (shift > 0)
    bits = arith::ShRUIOp::create(b, loc, bits, splat32(shift, column));
  auto power = llvm::bit_cast<int32_t>(powerAt(position));
  bits = arith::AndIOp::create(b, loc, bits, splat32(15 << (4 * position), column));
  bits = arith::XOrIOp::create(b, loc, bits, splat32(power | 8 << (4 * position), column));
  Value value = LLVM::BitcastOp::create(b, loc, type(column), bits);
  return arith::SubFOp::create(b, loc, value, block.offsets[position][index]);
}

Value NbitsKernel::byteWeight(Value at, int64_t k, const Column &column) {
  Value from = address(bElement, at, k * panel + column.start);
  Value bytes = LLVM::LoadOp::create(b, loc, type(column, bElement), from, 1);
  Value integer = arith::ExtSIOp::create(b, loc, integers(column), bytes);
  return arith::SIToFPOp::create(b, loc, type(column), integer);
}

/// Weight `k` of the group at `at` for vector `index` of columns, minus the zero point. `words` are
/// the words of the group if weights have 4 bits.
Value NbitsKernel::weight(const Block &block, Value at, int64_t k, size_t index, Value words) {
  if (bits == 4 && !hasTable)
    return wordWeight(block, words, k, index);
  const Column &column = block.columns[index];
  Value value = bits == 8 ? byteWeight(at, k, column) : tableWeight(words, k, column);
  return quant.getZeros() ? arith::SubFOp::create(b, loc, value, block.zeros[index]) : value;
}

/// An element of A in all lanes. With vectors of 512 bits, the memory operand of a multiply-add is
/// broadcast by the load ports; a separate broadcast for several vectors would occupy the port of
/// the table lookups. `hiddenZero` keeps LLVM from combining the loads.
Value NbitsKernel::splatOfA(Value at, size_t index, const Column &column) {
  if (element == accumulator) {
    if (hiddenZero && index > 0)
      at = address(b.getI8Type(), at, 0, hiddenZero, static_cast<int64_t>(index));
    return splat(loadScalar(element, at), column);
  }
  if (!element.isBF16())
    return splat(arith::ExtFOp::create(b, loc, accumulator, loadScalar(element, at)), column);
  Type i32 = b.getI32Type();
  Value bits = arith::ExtUIOp::create(b, loc, i32, loadScalar(b.getI16Type(), at));
  Value half = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(16));
  bits = arith::ShLIOp::create(b, loc, bits, half);
  return splat(LLVM::BitcastOp::create(b, loc, accumulator, bits), column);
}

/// Adds the products of `count` values of k, at most a group, from the block's value `first` on,
/// which are at `aAt` and `at`.
void NbitsKernel::addGroup(Tile &tile, const Block &block, Value aAt, Value at, int64_t first,
                           int64_t count) {
  size_t width = block.columns.size();
  SmallVector<Value> words(width);
  for (auto [column, word] : llvm::zip(block.columns, words))
    if (bits == 4)
      word = loadWords(at, column);
  for (int64_t step = 0; step < group; ++step) {
    // Weights that share a shift are adjacent.
    int64_t k = hasTable ? step / 2 + step % 2 * 4 : step;
    if (k >= count)
      continue;
    SmallVector<Value> weights;
    for (size_t index = 0; index < width; ++index)
      weights.push_back(weight(block, at, k, index, words[index]));
    Value *sum = &tile[(first + step) % sets * rows * width];
    for (int64_t row = 0; row < rows; ++row)
      for (auto [index, value] : llvm::enumerate(weights)) {
        Value x = splatOfA(address(element, aAt, row * kernel.getARow() + k * kernel.getACol()),
                           index, block.columns[index]);
        *sum = LLVM::FMulAddOp::create(b, loc, x.getType(), x, value, *sum);
        ++sum;
      }
  }
}

/// Adds the products of the block's first `count` values of k.
void NbitsKernel::addProducts(Tile &tile, const Block &block, Value aAt, int64_t count) {
  int64_t aStep = kernel.getACol(), looped = count / group * group;
  if (looped > 0)
    tile = repeat(looped, group, tile, [&](Value k, Tile &inner) {
      addGroup(inner, block, address(element, aAt, 0, k, aStep),
               address(bElement, block.address, 0, k, bytesOf(group) / group), 0, group);
    });
  if (count > looped)
    addGroup(tile, block, address(element, aAt, looped * aStep),
             address(bElement, block.address, bytesOf(looped)), looped, count - looped);
}

} // namespace

Value VectorKernel::blockScale(BlockwiseQuantAttr quant, Value scales, const Column &column) {
  if (!quant.getF16Scales())
    return LLVM::LoadOp::create(b, loc, type(column), address(accumulator, scales, column.start),
                                4);
  Type f16 = b.getF16Type();
  Value halves =
      LLVM::LoadOp::create(b, loc, type(column, f16), address(f16, scales, column.start), 2);
  return arith::ExtFOp::create(b, loc, type(column), halves);
}

namespace {

NbitsKernel::Block NbitsKernel::blockAt(Value at, ArrayRef<Column> of) {
  Block block{at, of, {}, {}, {}};
  Value scales = address(bElement, at, quant.weightBytes(panel));
  for (const Column &column : of) {
    block.scales.push_back(blockScale(quant, scales, column));
    if (quant.getZeros())
      block.zeros.push_back(LLVM::LoadOp::create(
          b, loc, type(column), address(accumulator, scales, panel + column.start), 4));
    for (auto [position, offsets] : llvm::enumerate(block.offsets)) {
      auto offset = b.getF32FloatAttr(powerAt(static_cast<int64_t>(position)) + 8);
      offsets.push_back(splat(LLVM::ConstantOp::create(b, loc, accumulator, offset), column));
      if (quant.getZeros())
        offsets.back() = arith::AddFOp::create(b, loc, offsets.back(), block.zeros.back());
    }
  }
  return block;
}

/// totals += the products of the first `count` values of k of block `index`.
void NbitsKernel::addBlock(Tile &totals, Value index, int64_t count) {
  Value at = address(bElement, bPointer, 0, index, kernel.getBRow());
  Value aAt = address(element, a, 0, index, size * kernel.getACol());
  for (size_t first = 0; first < columns.size(); first += together)
    addColumns(totals, at, aAt, count, first);
}

/// Adds the products of the vectors of columns from `first` on that are computed together.
void NbitsKernel::addColumns(Tile &totals, Value at, Value aAt, int64_t count, size_t first) {
  Block block = blockAt(at, ArrayRef(columns).slice(first).take_front(together));
  Tile sums;
  for (int64_t set = 0; set < sets * rows; ++set)
    for (const Column &column : block.columns)
      sums.push_back(zero(type(column)));
  addProducts(sums, block, aAt, count);
  addUp(sums, sets);
  size_t width = block.columns.size();
  for (auto [index, sum] : llvm::enumerate(sums)) {
    Value &total = totals[index / width * columns.size() + first + index % width];
    total =
        LLVM::FMulAddOp::create(b, loc, total.getType(), sum, block.scales[index % width], total);
  }
}

void NbitsKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (hasTable)
    makeTables();
  if (columns.front().width * bytes(accumulator) == 64)
    hiddenZero = hidden(number(0));
  Tile totals = start(1);
  int64_t whole = kernel.getK() / size, rest = kernel.getK() % size;
  if (whole > 0)
    totals = repeat(whole, 1, totals, [&](Value index, Tile &inner) {
      int64_t lines = llvm::divideCeil(linesToPrefetch(), whole);
      prefetchLines(index, lines * cpu.lineBytes, lines);
      addBlock(inner, index, size);
    });
  if (rest > 0)
    addBlock(totals, number(whole), rest);
  finish(totals);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorNbits(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  NbitsKernel(kernel, target, builder).build();
}

} // namespace kgen
