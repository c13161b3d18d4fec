// Kernels whose B holds weights of few bits in blocks: they are turned into f32 on the way into the
// multiply-adds, so that only their few bits are read from memory.
//
// A block's products are added up before they are scaled: one multiplication for each sum and
// block. Where registers are few, some of a block's columns come after the others; what was added
// up of all blocks then waits in memory.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
namespace {

class BlockProducts : VectorKernel {
public:
  BlockProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder);

  void build();

private:
  static constexpr int64_t panel = BlockwiseQuantAttr::panelWidth;
  /// Values of k whose weights share a word if they have 4 bits.
  static constexpr int64_t group = 8;
  /// Weights of a word that wordWeight takes where they are.
  static constexpr int64_t places = 2;

  /// A block of weights, in some of the columns, while its products are formed.
  struct Block {
    Value at;
    ArrayRef<Column> columns;
    SmallVector<Value> scales, zeros; ///< one for each column of vectors
    /// What wordWeight subtracts at each place: it has the zero point in it.
    std::array<SmallVector<Value>, places> offsets;
  };

  Block blockAt(Value at, ArrayRef<Column> of);
  void addBlock(Tile &totals, Value index, int64_t count);
  void addPart(Tile &totals, Value at, Value aAt, int64_t count, size_t first);
  void addProducts(Tile &tile, const Block &block, Value aAt, int64_t count);
  void addGroup(Tile &tile, const Block &block, Value aAt, Value at, int64_t first, int64_t count);
  Value weight(const Block &block, Value at, int64_t k, size_t index, Value words);
  Value byteWeight(Value at, int64_t k, const Column &column);
  Value wordWeight(const Block &block, Value words, int64_t k, size_t index);
  Value tableWeight(Value words, int64_t k, const Column &column);
  Value oddLanes(int64_t lanes);
  void makeTables();
  Value elementOfA(Value at, size_t index, const Column &column);
  Value loadWords(Value at, const Column &column);

  /// The number whose mantissa counts integers from the bits of weight `place` of a word on.
  static float powerAt(int64_t place) {
    constexpr int64_t mantissa = 23;
    return static_cast<float>(int64_t(1) << (mantissa - 4 * place));
  }
  int64_t bytesOf(int64_t weights) { return panel * weights * bits / 8; }
  Value splat32(int64_t value, const Column &column) {
    return splat(LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value)),
                 column);
  }
  VectorType integers(const Column &column) {
    return VectorType::get({column.width}, b.getI32Type());
  }

  BlockwiseQuantAttr blocks;
  int64_t bits, size;
  bool hasTable; ///< an instruction looks up 16 values by the low 4 bits of each lane
  int64_t part;  ///< columns of vectors at a time
  int64_t sets;
  Value table, upperTable, upperHalves;
  Value apart; ///< 0, which is how far A is from itself for all columns of vectors but the first
};

BlockProducts::BlockProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
    : VectorKernel(kernel, target, builder), blocks(*kernel.getBBlocks()), bits(blocks.getBits()),
      size(blocks.getSize()) {
  int64_t lanes = target.lanes(accumulator);
  for (Column &column : columns) // panels are padded
    column.width = lanes;
  hasTable = bits == 4 && lanes == 16 && target.hasFeature("avx512bw");
  // Besides sums and words: tables or numbers to combine with, weights and an element of A.
  constexpr int64_t others = 6, leastSums = 8;
  int64_t registers = target.getVectorRegisters();
  part = static_cast<int64_t>(columns.size());
  auto needed = [&] { return std::max(leastSums, rows * part) + part + others; };
  while (part > 1 && needed() > registers)
    part = llvm::divideCeil(part, 2);
  // What makes f32 of a weight takes as long as its multiply-add, if it does not look it up: half
  // the usual chains are enough.
  sets = independentSums(hasTable ? rows * part : 2 * rows * part, size);
  while (sets > 1 && sets * rows * part + part + others > registers)
    sets /= 2;
}

Value BlockProducts::loadWords(Value at, const Column &column) {
  Value from = address(bElement, at, column.start * 4);
  return LLVM::LoadOp::create(b, loc, integers(column), from, 4);
}

/// Bits above the lowest four of a lane do not matter to the table. The upper half of a lane is a
/// lane of its own to the table of bf16, whose numbers are the upper halves of f32: one shift
/// serves weights `k` and `k + 4`. The last one needs no table, and the unit that converts it has
/// nothing else to do.
Value BlockProducts::tableWeight(Value words, int64_t k, const Column &column) {
  if (k == group - 1) {
    Value integer = arith::ShRSIOp::create(b, loc, words, splat32(28, column));
    return arith::SIToFPOp::create(b, loc, type(column), integer);
  }
  Value index = words;
  if (k % 4 > 0)
    index = arith::ShRUIOp::create(b, loc, words, splat32(4 * (k % 4), column));
  auto lookUp = [&](Type result, StringRef suffix, Value from, Value by) {
    auto name = b.getStringAttr("llvm.x86.avx512.permvar." + suffix.str() + ".512");
    return LLVM::CallIntrinsicOp::create(b, loc, result, name, ValueRange{from, by}).getResult(0);
  };
  if (k < 4)
    return lookUp(type(column), "sf", table, index);
  auto halves = VectorType::get({2 * column.width}, b.getI16Type());
  index = LLVM::BitcastOp::create(b, loc, halves, index);
  Value found = lookUp(halves, "hi", upperTable, index);
  found = arith::SelectOp::create(b, loc, upperHalves, found, zero(halves));
  return LLVM::BitcastOp::create(b, loc, type(column), found);
}

/// The mask of odd lanes. LLVM must not know its value: it would clear the others by an instruction
/// more.
Value BlockProducts::oddLanes(int64_t lanes) {
  Value known = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                         b.getI32IntegerAttr(static_cast<int32_t>(0xaaaaaaaa)));
  Value bits = hidden(known);
  return LLVM::BitcastOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), bits);
}

/// The values of all integers of 4 bits, for a table of f32 and one of their upper halves.
void BlockProducts::makeTables() {
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
  upperHalves = oddLanes(32);
}

/// Weight `k` of a word, less by the zero point. Its bits become part of a number whose mantissa
/// counts integers from them on; the upper one flips, so that they count from 0. Then both are
/// subtracted, which is exact. Two weights share a shift. That takes more instructions than a shift
/// to the upper end, one back, and a conversion, but most of them are ones that every unit
/// executes.
Value BlockProducts::wordWeight(const Block &block, Value words, int64_t k, size_t index) {
  const Column &column = block.columns[index];
  int64_t place = k % places, shift = 4 * (k - place);
  Value bits = words;
  if (shift > 0)
    bits = arith::ShRUIOp::create(b, loc, bits, splat32(shift, column));
  auto power = llvm::bit_cast<int32_t>(powerAt(place));
  bits = arith::AndIOp::create(b, loc, bits, splat32(15 << (4 * place), column));
  bits = arith::XOrIOp::create(b, loc, bits, splat32(power | 8 << (4 * place), column));
  Value value = LLVM::BitcastOp::create(b, loc, type(column), bits);
  return arith::SubFOp::create(b, loc, value, block.offsets[place][index]);
}

Value BlockProducts::byteWeight(Value at, int64_t k, const Column &column) {
  Value from = address(bElement, at, k * panel + column.start);
  Value bytes = LLVM::LoadOp::create(b, loc, type(column, bElement), from, 1);
  Value integer = arith::ExtSIOp::create(b, loc, integers(column), bytes);
  return arith::SIToFPOp::create(b, loc, type(column), integer);
}

/// Weight `k` of the group at `at` in column `index` of vectors, less by the zero point; `words`
/// are the group's if they have 4 bits.
Value BlockProducts::weight(const Block &block, Value at, int64_t k, size_t index, Value words) {
  if (bits == 4 && !hasTable)
    return wordWeight(block, words, k, index);
  const Column &column = block.columns[index];
  Value value = bits == 8 ? byteWeight(at, k, column) : tableWeight(words, k, column);
  return blocks.getZeros() ? arith::SubFOp::create(b, loc, value, block.zeros[index]) : value;
}

/// With vectors of 512 bits a multiply-add spreads an element itself, by the units that load.
/// Spreading it once for several columns would take those that look weights up. So each column of
/// vectors seems to have an A of its own.
Value BlockProducts::elementOfA(Value at, size_t index, const Column &column) {
  if (element == accumulator) {
    if (apart && index > 0)
      at = address(b.getI8Type(), at, 0, apart, static_cast<int64_t>(index));
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

/// Products of `count` values of k, at most a group, from the block's value `first` on; `aAt` and
/// `at` are where they are.
void BlockProducts::addGroup(Tile &tile, const Block &block, Value aAt, Value at, int64_t first,
                             int64_t count) {
  size_t width = block.columns.size();
  SmallVector<Value> words(width);
  for (auto [column, word] : llvm::zip(block.columns, words))
    if (bits == 4)
      word = loadWords(at, column);
  for (int64_t step = 0; step < group; ++step) {
    // Those that share a shift follow each other.
    int64_t k = hasTable ? step / 2 + step % 2 * 4 : step;
    if (k >= count)
      continue;
    SmallVector<Value> weights;
    for (size_t index = 0; index < width; ++index)
      weights.push_back(weight(block, at, k, index, words[index]));
    Value *sum = &tile[(first + step) % sets * rows * width];
    for (int64_t row = 0; row < rows; ++row)
      for (auto [index, value] : llvm::enumerate(weights)) {
        Value x = elementOfA(address(element, aAt, row * kernel.getARow() + k * kernel.getACol()),
                             index, block.columns[index]);
        *sum = LLVM::FMulAddOp::create(b, loc, x.getType(), x, value, *sum);
        ++sum;
      }
  }
}

/// Products of the block's first `count` values of k.
void BlockProducts::addProducts(Tile &tile, const Block &block, Value aAt, int64_t count) {
  int64_t aStep = kernel.getACol(), looped = count / group * group;
  if (looped > 0)
    tile = repeat(looped, group, tile, [&](Value k, Tile &inner) {
      addGroup(inner, block, address(element, aAt, 0, k, aStep),
               address(bElement, block.at, 0, k, bytesOf(group) / group), 0, group);
    });
  if (count > looped)
    addGroup(tile, block, address(element, aAt, looped * aStep),
             address(bElement, block.at, bytesOf(looped)), looped, count - looped);
}

BlockProducts::Block BlockProducts::blockAt(Value at, ArrayRef<Column> of) {
  Block block{at, of, {}, {}, {}};
  Value scales = address(bElement, at, blocks.weightBytes(panel));
  for (const Column &column : of) {
    auto floats = [&](int64_t index) {
      return LLVM::LoadOp::create(b, loc, type(column), address(accumulator, scales, index), 4);
    };
    block.scales.push_back(floats(column.start));
    if (blocks.getZeros())
      block.zeros.push_back(floats(panel + column.start));
    for (auto [place, offsets] : llvm::enumerate(block.offsets)) {
      auto offset = b.getF32FloatAttr(powerAt(static_cast<int64_t>(place)) + 8);
      offsets.push_back(splat(LLVM::ConstantOp::create(b, loc, accumulator, offset), column));
      if (blocks.getZeros())
        offsets.back() = arith::AddFOp::create(b, loc, offsets.back(), block.zeros.back());
    }
  }
  return block;
}

/// totals += the products of the first `count` values of k of block `index`.
void BlockProducts::addBlock(Tile &totals, Value index, int64_t count) {
  Value at = address(bElement, bPointer, 0, index, kernel.getBRow());
  Value aAt = address(element, a, 0, index, size * kernel.getACol());
  for (size_t first = 0; first < columns.size(); first += part)
    addPart(totals, at, aAt, count, first);
}

/// The same in a part of the columns, which begins at `first`.
void BlockProducts::addPart(Tile &totals, Value at, Value aAt, int64_t count, size_t first) {
  Block block = blockAt(at, ArrayRef(columns).slice(first).take_front(part));
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

void BlockProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (hasTable)
    makeTables();
  if (columns.front().width * bytes(accumulator) == 64)
    apart = hidden(LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(0)));
  Tile totals = start(1);
  int64_t whole = kernel.getK() / size, rest = kernel.getK() % size;
  if (whole > 0)
    totals = repeat(whole, 1, totals, [&](Value index, Tile &inner) {
      int64_t lines = llvm::divideCeil(linesToPrefetch(), whole);
      prefetchLines(index, lines * lineBytes, lines);
      addBlock(inner, index, size);
    });
  if (rest > 0)
    addBlock(totals, number(whole), rest);
  finish(totals);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorBlocks(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  BlockProducts(kernel, target, builder).build();
}

} // namespace kgen
