// Kernels for blockwise-quantized weights and quantized rows: dot products of bytes, scaled block
// by block.
//
// Weights are unsigned, rows are signed. The sum of a block of products is exact in i32, and so it
// is as an f32: 256 * 255 * 127 < 2^24. It starts from minus half of the weights' range times the
// sum of the row's block. Zero points are subtracted as floats, which is exact for the same reason.
// Then it is multiplied by both scales and added to the total, in the same order on every target.
//
// Without dot products of four bytes, pairs are added up in i16: 8 * 2 * 15 * 127 < 2^15, so that a
// chunk of 32 values fits if weights have 4 bits. The two halves of 8 bits are multiplied one by
// one.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
namespace {

class NbitsOfRowsKernel : VectorKernel {
public:
  NbitsOfRowsKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), quant(*kernel.getBQuant()), bits(quant.getBits()),
        rowBlock(quant.getRowBlock()), chunk(std::min(rowBlock, maxChunk)),
        hasDotProduct(cpu.hasByteDots(Product::Signs::unequal)) {
    for (Column &column : columns) // panels are padded
      column.width = target.lanes(accumulator);
    together = static_cast<int64_t>(columns.size());
    // A mask, an element of A, scales. Totals may be spilled: they are needed once a block.
    constexpr int64_t others = 4;
    int64_t registers = target.getVectorRegisters();
    auto isTooMuch = [&](int64_t tiles) {
      return (tiles * rows + 2) * together + others > registers;
    };
    const int64_t all = hasDotProduct ? 2 : 3; // sums, totals, and sums in i16
    while (together > 1 && isTooMuch(rows <= 2 ? all : 1))
      together = llvm::divideCeil(together, 2);
    // LLVM would reorder steps that follow each other, and spill what all of them need.
    loopsOverWords = isTooMuch(all);
    // Two chains of a few sums hide the latency of an instruction better than one.
    chains = hasDotProduct && rows * together <= cpu.heuristics.independentChains / 2 ? 2 : 1;
  }

  void build();

private:
  static constexpr int64_t panel = BlockwiseQuantAttr::panelWidth, four = 4;
  /// Values whose products of pairs are added up in i16.
  static constexpr int64_t maxChunk = 32;

  /// A block of weights of the columns from `first` on that are computed together.
  struct Weights {
    Value address;
    ArrayRef<Column> columns;
    SmallVector<Value> scales, zeros;
  };

  Weights weightsAt(Value at, size_t first);
  void addBlock(Tile &totals, Value index, int64_t rowBlocks);
  void addRowBlocks(Tile &totals, const Weights &weights, Value aAt, int64_t count);
  void addRowBlock(Tile &totals, const Weights &weights, Value aAt, Value words);
  Tile sumsOfRows(Value aAt, const Weights &weights);
  void addChunk(Tile &sums, const Weights &weights, Value aAt, Value words);
  void addWords(Tile &sums, const Weights &weights, Value aAt, Value words);
  void addWord(Tile &sums, const Weights &weights, Value aAt, Value words, int64_t number);
  void addNarrow(Tile &sums, ArrayRef<Value> narrow, size_t half, const Weights &weights);
  void scale(Tile &totals, const Tile &sums, const Weights &weights, Value aAt);

  /// Bytes of the words of `values` weights in all columns of a panel.
  int64_t bytesOf(int64_t values) const { return panel * values * bits / 8; }
  /// Weights of a column that share a word.
  int64_t valuesOfWord() const { return 32 / bits; }
  Value bytesAt(Value at, int64_t row, int64_t offset) {
    return address(b.getI8Type(), at, row * kernel.getARow() + offset);
  }
  Value integers(const Column &column, int32_t value) {
    auto type = VectorType::get({column.width}, b.getI32Type());
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
  }
  Value splatAt(Type type, Value at, const Column &column) {
    return splat(loadScalar(type, at), column);
  }
  Value as(Value vector, unsigned width) {
    auto from = cast<VectorType>(vector.getType());
    int64_t all = from.getNumElements() * from.getElementTypeBitWidth();
    return LLVM::BitcastOp::create(b, loc, VectorType::get({all / width}, b.getIntegerType(width)),
                                   vector);
  }
  Value lowHalves(Value words, const Column &column) {
    return arith::AndIOp::create(b, loc, words, integers(column, 0x0f0f0f0f));
  }
  Value highHalves(Value words, const Column &column) {
    return lowHalves(arith::ShRUIOp::create(b, loc, words, integers(column, 4)), column);
  }

  BlockwiseQuantAttr quant;
  int64_t bits, rowBlock, chunk;
  bool hasDotProduct;
  bool loopsOverWords; ///< instead of unrolling these
  int64_t together;    ///< vectors of columns at a time
  int64_t chains = 1;  ///< of sums for each row and vector of columns
};

NbitsOfRowsKernel::Weights NbitsOfRowsKernel::weightsAt(Value at, size_t first) {
  Weights result{at, ArrayRef(columns).slice(first).take_front(together), {}, {}};
  Value floats = address(b.getI8Type(), at, quant.weightBytes(panel));
  for (const Column &column : result.columns) {
    result.scales.push_back(blockScale(quant, floats, column));
    if (quant.getZeros())
      result.zeros.push_back(LLVM::LoadOp::create(
          b, loc, type(column), address(accumulator, floats, panel + column.start), 4));
  }
  return result;
}

/// Minus half of the weights' range times the sum of a block of each row; further chains are zero.
VectorKernel::Tile NbitsOfRowsKernel::sumsOfRows(Value aAt, const Weights &weights) {
  Type i32 = b.getI32Type();
  Tile sums;
  for (int64_t row = 0; row < rows; ++row) {
    Value negative = loadScalar(i32, bytesAt(aAt, row, rowBlock + 4));
    for (const Column &column : weights.columns)
      sums.push_back(arith::ShLIOp::create(b, loc, splat(negative, column),
                                           integers(column, static_cast<int32_t>(bits) - 1)));
  }
  for (int64_t chain = 1; chain < chains; ++chain)
    for (int64_t row = 0; row < rows; ++row)
      for (const Column &column : weights.columns)
        sums.push_back(integers(column, 0));
  return sums;
}

/// Adds the products of word `number` of each column.
void NbitsOfRowsKernel::addWord(Tile &sums, const Weights &weights, Value aAt, Value words,
                                int64_t number) {
  Type i32 = b.getI32Type();
  size_t width = weights.columns.size(), ofChain = rows * width;
  bool splits = bits == 4 || !hasDotProduct; // into the halves of bytes
  SmallVector<Value> low, high;
  for (const Column &column : weights.columns) {
    Value at = address(b.getI8Type(), words, (number * panel + column.start) * four);
    Value word = LLVM::LoadOp::create(b, loc, type(column, i32), at, four);
    low.push_back(splits ? lowHalves(word, column) : word);
    if (splits)
      high.push_back(highHalves(word, column));
  }
  auto multiply = [&](ArrayRef<Value> halves, int64_t first, size_t offset) {
    for (int64_t row = 0; row < rows; ++row)
      for (auto [index, half] : llvm::enumerate(halves)) {
        Value x = splatAt(i32, bytesAt(aAt, row, first), weights.columns[index]);
        Value &sum = sums[offset + row * width + index];
        sum = DotOp::create(b, loc, as(half, 8), as(x, 8), sum);
      }
  };
  int64_t first = number * valuesOfWord();
  size_t otherChain = sums.size() > ofChain ? ofChain : 0;
  if (bits == 4) {
    multiply(low, first, 0);
    multiply(high, first + four, hasDotProduct ? otherChain : 0);
  } else if (hasDotProduct) {
    multiply(low, first, number % 2 * otherChain);
  } else {
    multiply(low, first, 0);
    multiply(high, first, ofChain);
  }
}

/// Adds the products of all words of a chunk.
void NbitsOfRowsKernel::addWords(Tile &sums, const Weights &weights, Value aAt, Value words) {
  int64_t count = chunk / valuesOfWord();
  if (!loopsOverWords) {
    for (int64_t number = 0; number < count; ++number)
      addWord(sums, weights, aAt, words, number);
    return;
  }
  sums = repeat(count, 1, sums, [&](Value index, Tile &inner) {
    addWord(inner, weights, address(b.getI8Type(), aAt, 0, index, valuesOfWord()),
            address(b.getI8Type(), words, 0, index, panel * four), 0);
  });
}

/// Adds a chunk's sums in i16 of products with the lower (0) or upper (1) halves of weights.
void NbitsOfRowsKernel::addNarrow(Tile &sums, ArrayRef<Value> narrow, size_t half,
                                  const Weights &weights) {
  const int32_t factor = half == 0 ? 0x00010001 : 0x00100010;
  size_t width = weights.columns.size();
  for (auto [index, pairs] : llvm::enumerate(narrow)) {
    Value factors = as(integers(weights.columns[index % width], factor), 16);
    sums[index] = DotOp::create(b, loc, pairs, factors, sums[index]);
  }
}

/// Adds the products of a chunk of the rows at `aAt` and the weights at `words`.
void NbitsOfRowsKernel::addChunk(Tile &sums, const Weights &weights, Value aAt, Value words) {
  if (hasDotProduct)
    return addWords(sums, weights, aAt, words);
  size_t halves = bits == 8 ? 2 : 1, ofHalf = sums.size();
  Tile narrow;
  for (size_t half = 0; half < halves; ++half)
    for (Value sum : sums)
      narrow.push_back(zero(as(sum, 16).getType()));
  addWords(narrow, weights, aAt, words);
  for (size_t half = 0; half < halves; ++half)
    addNarrow(sums, ArrayRef(narrow).slice(half * ofHalf, ofHalf), half, weights);
}

/// totals += sums - zero * sum of the row's block, times the weights' scales and that of the row.
/// The row's is last: it is no subnormal number, but its product with another scale may be one.
void NbitsOfRowsKernel::scale(Tile &totals, const Tile &sums, const Weights &weights, Value aAt) {
  size_t width = weights.columns.size(), ofChain = rows * width;
  for (int64_t row = 0; row < rows; ++row) {
    Value rowScale = loadScalar(accumulator, bytesAt(aAt, row, rowBlock));
    Value negative = loadScalar(b.getI32Type(), bytesAt(aAt, row, rowBlock + 4));
    for (auto [index, column] : llvm::enumerate(weights.columns)) {
      size_t at = row * width + index;
      Value sum = sums[at];
      for (int64_t chain = 1; chain < chains; ++chain)
        sum = arith::AddIOp::create(b, loc, sum, sums[chain * ofChain + at]);
      Value real = arith::SIToFPOp::create(b, loc, type(column), sum);
      if (quant.getZeros()) {
        Value ofRow = arith::SIToFPOp::create(b, loc, type(column), splat(negative, column));
        real = LLVM::FMulAddOp::create(b, loc, real.getType(), weights.zeros[index], ofRow, real);
      }
      real = arith::MulFOp::create(b, loc, real, weights.scales[index]);
      Value &total = totals[at];
      total =
          LLVM::FMulAddOp::create(b, loc, total.getType(), real, splat(rowScale, column), total);
    }
  }
}

/// totals += the products of a block of the rows at `aAt` and the weights at `words`.
void NbitsOfRowsKernel::addRowBlock(Tile &totals, const Weights &weights, Value aAt, Value words) {
  Tile sums = sumsOfRows(aAt, weights);
  int64_t chunks = rowBlock / chunk;
  constexpr int64_t unrolled = 2;
  if (chunks <= unrolled)
    for (int64_t i = 0; i < chunks; ++i)
      addChunk(sums, weights, address(b.getI8Type(), aAt, i * chunk),
               address(b.getI8Type(), words, i * bytesOf(chunk)));
  else
    sums = repeat(chunks, 1, sums, [&](Value i, Tile &inner) {
      addChunk(inner, weights, address(b.getI8Type(), aAt, 0, i, chunk),
               address(b.getI8Type(), words, 0, i, bytesOf(chunk)));
    });
  scale(totals, sums, weights, aAt);
}

/// totals += the products of `count` blocks of rows with one block of weights.
void NbitsOfRowsKernel::addRowBlocks(Tile &totals, const Weights &weights, Value aAt,
                                     int64_t count) {
  if (count == 1)
    return addRowBlock(totals, weights, aAt, weights.address);
  totals = repeat(count, 1, totals, [&](Value index, Tile &inner) {
    addRowBlock(inner, weights,
                address(b.getI8Type(), aAt, 0, index, BlockwiseQuantAttr::rowBlockBytes(rowBlock)),
                address(b.getI8Type(), weights.address, 0, index, bytesOf(rowBlock)));
  });
}

/// totals += the products of block `index` of the weights with its blocks of rows.
void NbitsOfRowsKernel::addBlock(Tile &totals, Value index, int64_t rowBlocks) {
  Type i8 = b.getI8Type();
  int64_t rowBytes = quant.getSize() / rowBlock * BlockwiseQuantAttr::rowBlockBytes(rowBlock);
  Value at = address(i8, bPointer, 0, index, kernel.getBRow()),
        aAt = address(i8, a, 0, index, rowBytes);
  size_t width = columns.size();
  for (size_t first = 0; first < width; first += together) {
    Weights weights = weightsAt(at, first);
    size_t count = weights.columns.size();
    Tile part;
    for (int64_t row = 0; row < rows; ++row)
      part.append(totals.begin() + row * width + first,
                  totals.begin() + row * width + first + count);
    addRowBlocks(part, weights, aAt, rowBlocks);
    for (auto [position, total] : llvm::enumerate(part))
      totals[position / count * width + first + position % count] = total;
  }
}

void NbitsOfRowsKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  Tile totals = start(1);
  int64_t depth = quant.depth(kernel.getK()), whole = depth / quant.getSize(),
          rest = depth % quant.getSize() / rowBlock;
  if (whole > 0)
    totals = repeat(whole, 1, totals, [&](Value index, Tile &inner) {
      int64_t lines = llvm::divideCeil(linesToPrefetch(), whole);
      prefetchLines(index, lines * cpu.lineBytes, lines);
      addBlock(inner, index, quant.getSize() / rowBlock);
    });
  if (rest > 0)
    addBlock(totals, number(whole), rest);
  finish(totals);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorNbitsOfRows(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  NbitsOfRowsKernel(kernel, target, builder).build();
}

} // namespace kgen
