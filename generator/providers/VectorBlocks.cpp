// Kernels whose B holds weights of few bits in blocks: they are turned into f32 on the way into the
// multiply-adds, so that only their few bits are read from memory.
//
// With few rows, a block's products are added up before they are scaled: one multiplication for
// each sum and block. With more rows than there are registers for such sums, the weights are
// scaled.
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
  static constexpr int64_t panel = BlocksAttr::panelWidth;
  static constexpr int64_t group =
      8; ///< values of k whose weights share a word if they have 4 bits

  /// A block of weights while its products are formed.
  struct Block {
    Value at;
    SmallVector<Value> scales, zeros; ///< one for each column of vectors
  };

  Block blockAt(Value at);
  void addBlock(Tile &totals, Value index, int64_t count);
  void addProducts(Tile &tile, const Block &block, Value aAt, int64_t count);
  void addGroup(Tile &tile, const Block &block, Value aAt, Value at, int64_t first, int64_t count);
  Value weight(Value at, int64_t k, const Column &column, Value words);
  Value byteWeight(Value at, int64_t k, const Column &column);
  Value wordWeight(Value words, int64_t k, const Column &column);
  Value tableWeight(Value words, int64_t k, const Column &column);
  Value oddLanes(int64_t lanes);
  void makeTables();
  Value elementOfA(Value at, const Column &column);
  Value loadWords(Value at, const Column &column);

  int64_t bytesOf(int64_t weights) { return panel * weights * bits / 8; }
  Value splat32(int64_t value, const Column &column) {
    return splat(LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value)),
                 column);
  }
  VectorType integers(const Column &column) {
    return VectorType::get({column.width}, b.getI32Type());
  }

  BlocksAttr blocks;
  int64_t bits, size;
  bool hasTable; ///< an instruction looks up 16 values by the low 4 bits of each lane
  bool scalesSums;
  int64_t sets, unrolled;
  Value table, upperTable, upperHalves;
};

BlockProducts::BlockProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
    : VectorKernel(kernel, target, builder), blocks(*kernel.getBBlocks()), bits(blocks.getBits()),
      size(blocks.getSize()) {
  int64_t lanes = target.lanes(accumulator);
  for (Column &column : columns) // panels are padded
    column.width = lanes;
  hasTable = bits == 4 && lanes == 16 && target.hasFeature("avx512bw");
  // Besides sums: tables, words, weights and an element of A.
  constexpr int64_t others = 6;
  int64_t sums = rows * columns.size(), most = target.getVectorRegisters() - others;
  scalesSums = 2 * sums <= most;
  // What makes f32 of a weight takes as long as its multiply-add: half the usual chains are enough.
  sets = scalesSums ? independentSums(2 * sums, size) : 1;
  while (sets > 1 && sums + sets * sums > most)
    sets /= 2;
  constexpr int64_t mostProducts = 128, mostUnrolled = 32;
  unrolled = group;
  while (2 * unrolled <= std::min(size, mostUnrolled) && 2 * unrolled * sums <= mostProducts)
    unrolled *= 2;
}

Value BlockProducts::loadWords(Value at, const Column &column) {
  Value from = address(bElement, at, column.start * 4);
  return LLVM::LoadOp::create(b, loc, integers(column), from, 4);
}

/// Bits above the lowest four of a lane do not matter to the table. The upper half of a lane is a
/// lane of its own to the table of bf16, whose numbers are the upper halves of f32: one shift
/// serves weights `k` and `k + 4`.
Value BlockProducts::tableWeight(Value words, int64_t k, const Column &column) {
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
  Value bits = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                        b.getI32IntegerAttr(static_cast<int32_t>(0xaaaaaaaa)));
  Value hidden =
      LLVM::InlineAsmOp::create(b, loc, b.getI32Type(), bits, /*asm_string=*/"",
                                /*constraints=*/"=r,0", /*has_side_effects=*/false,
                                /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                /*asm_dialect=*/{}, /*operand_attrs=*/{})
          .getResult(0);
  return LLVM::BitcastOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), hidden);
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

/// Weight `k` of a word, moved to its upper end and back with its sign.
Value BlockProducts::wordWeight(Value words, int64_t k, const Column &column) {
  Value integer = words;
  if (k < 7)
    integer = arith::ShLIOp::create(b, loc, words, splat32(28 - 4 * k, column));
  integer = arith::ShRSIOp::create(b, loc, integer, splat32(28, column));
  return arith::SIToFPOp::create(b, loc, type(column), integer);
}

Value BlockProducts::byteWeight(Value at, int64_t k, const Column &column) {
  Value from = address(bElement, at, k * panel + column.start);
  Value bytes = LLVM::LoadOp::create(b, loc, type(column, bElement), from, 1);
  Value integer = arith::ExtSIOp::create(b, loc, integers(column), bytes);
  return arith::SIToFPOp::create(b, loc, type(column), integer);
}

/// Weight `k` of the group at `at`, without zero point and scale; `words` are the group's if they
/// have 4 bits.
Value BlockProducts::weight(Value at, int64_t k, const Column &column, Value words) {
  if (bits == 8)
    return byteWeight(at, k, column);
  return hasTable ? tableWeight(words, k, column) : wordWeight(words, k, column);
}

Value BlockProducts::elementOfA(Value at, const Column &column) {
  if (element == accumulator)
    return splat(loadScalar(element, at), column);
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
  SmallVector<Value> words(columns.size());
  for (auto [column, word] : llvm::zip(columns, words))
    if (bits == 4)
      word = loadWords(at, column);
  for (int64_t step = 0; step < group; ++step) {
    // Those that share a shift follow each other.
    int64_t k = hasTable ? step / 2 + step % 2 * 4 : step;
    if (k >= count)
      continue;
    SmallVector<Value> weights;
    for (auto [index, column] : llvm::enumerate(columns)) {
      Value value = weight(at, k, column, words[index]);
      if (blocks.getZeros())
        value = arith::SubFOp::create(b, loc, value, block.zeros[index]);
      if (!scalesSums)
        value = arith::MulFOp::create(b, loc, value, block.scales[index]);
      weights.push_back(value);
    }
    Value *sum = &tile[(first + step) % sets * rows * columns.size()];
    for (int64_t row = 0; row < rows; ++row)
      for (auto [column, value] : llvm::zip(columns, weights)) {
        Value x = elementOfA(address(element, aAt, row * kernel.getARow() + k * kernel.getACol()),
                             column);
        *sum = LLVM::FMulAddOp::create(b, loc, type(column), x, value, *sum);
        ++sum;
      }
  }
}

/// Products of the block's first `count` values of k.
void BlockProducts::addProducts(Tile &tile, const Block &block, Value aAt, int64_t count) {
  int64_t aStep = kernel.getACol(), looped = count / unrolled * unrolled;
  auto add = [&](Tile &inner, Value aFrom, Value from, int64_t first, int64_t wanted) {
    for (int64_t k = 0; k < wanted; k += group)
      addGroup(inner, block, address(element, aFrom, k * aStep),
               address(bElement, from, bytesOf(k)), first + k, std::min(group, wanted - k));
  };
  if (looped > 0)
    tile = repeat(looped, unrolled, tile, [&](Value k, Tile &inner) {
      add(inner, address(element, aAt, 0, k, aStep),
          address(bElement, block.at, 0, k, bytesOf(group) / group), 0, unrolled);
    });
  if (count > looped)
    add(tile, address(element, aAt, looped * aStep), address(bElement, block.at, bytesOf(looped)),
        looped, count - looped);
}

BlockProducts::Block BlockProducts::blockAt(Value at) {
  Block block{at, {}, {}};
  Value scales = address(bElement, at, blocks.weightBytes(panel));
  for (const Column &column : columns) {
    auto floats = [&](int64_t index) {
      return LLVM::LoadOp::create(b, loc, type(column), address(accumulator, scales, index), 4);
    };
    block.scales.push_back(floats(column.start));
    if (blocks.getZeros())
      block.zeros.push_back(floats(panel + column.start));
  }
  return block;
}

/// totals += the products of the first `count` values of k of block `index`.
void BlockProducts::addBlock(Tile &totals, Value index, int64_t count) {
  Block block = blockAt(address(bElement, bPointer, 0, index, kernel.getBRow()));
  Value aAt = address(element, a, 0, index, size * kernel.getACol());
  if (!scalesSums)
    return addProducts(totals, block, aAt, count);
  Tile sums;
  for (int64_t set = 0; set < sets * rows; ++set)
    for (const Column &column : columns)
      sums.push_back(zero(type(column)));
  addProducts(sums, block, aAt, count);
  addUp(sums, sets);
  for (auto [index, sum] : llvm::enumerate(sums)) {
    size_t column = index % columns.size();
    totals[index] = LLVM::FMulAddOp::create(b, loc, type(columns[column]), sum,
                                            block.scales[column], totals[index]);
  }
}

void BlockProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (hasTable)
    makeTables();
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
