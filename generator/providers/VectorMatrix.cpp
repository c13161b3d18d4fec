// Kernels of matrix products (Product::Kind::matrix): a vector of sums is a block of two rows and
// two columns, and an instruction adds the products of two rows of A and two columns of B, each
// with a group of adjacent values of k.
//
// B is packed in such groups, so that two columns of it are a vector. A may be packed likewise, as
// products of one group each whose rows are in runs of two (GemmPackedA.cpp). If it is not, two
// rows of it, of which a load has two groups, are interleaved; the last one of an odd number of
// rows is alone in its vector, and half of its sums are dropped. Sums become rows of C at the end,
// and so do the initial ones blocks.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class MatrixKernel : VectorKernel {
public:
  MatrixKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), depth(kernel.getVnni()),
        // The first factor of an instruction for unequal signs is the unsigned one.
        isTransposed(!kernel.getAUnsigned() && kernel.getBUnsigned()),
        pairs(llvm::divideCeil(rows, side)), steps(llvm::divideCeil(kernel.getK(), depth)) {
    for (Column &column : columns) {
      int64_t readable = kernel.getBPadded() ? column.width : column.lanes;
      for (int64_t start = 0; start < column.lanes; start += side)
        blocks.push_back({column.start + start, std::min(side, readable - start)});
      column.width = side * side;
    }
    auto sums = static_cast<int64_t>(pairs * blocks.size());
    sets = independentSums(sums, steps);
    int64_t ofA = rows + pairs, ofB = 2; // of A as it is loaded, and interleaved
    while (sets > 1 && sets * sums + ofA + ofB > target.getVectorRegisters())
      sets /= 2;
  }

  void build();

private:
  /// Rows and columns of a block of sums, and groups of A in a load.
  static constexpr int64_t side = 2;
  /// The columns of B from `start` on that a vector has, at most two.
  struct Columns {
    int64_t start, count;
  };

  Value shuffled(Value x, Value y, ArrayRef<int64_t> lanes) {
    return vector::ShuffleOp::create(b, loc, x, y, lanes);
  }
  int64_t blocksOf(const Column &column) { return llvm::divideCeil(column.lanes, side); }
  Tile blocksOfRows(ArrayRef<Value> tile);
  Tile rowsOfBlocks(ArrayRef<Value> tile);
  Value groupsOfB(Value at, const Columns &block);
  Value groupOfRow(Value at, int64_t count);
  /// True if a group of one row of A is followed by that of the next one: A is packed.
  bool isPacked() {
    return kernel.getARunRows() == side && kernel.getACol() == 1 &&
           static_cast<int64_t>(kernel.getARow()) == depth;
  }
  Value pairOfA(int64_t pair, Value at, int64_t count);
  Value multiplyAdd(Value x, Value y, Value sum);
  void step(Tile &tile, const Step &at, Value aAt, Value bAt);
  void emitSteps(Tile &tile, Value aAt, Value bAt);

  int64_t depth;
  bool isTransposed; ///< blocks are stored by columns, since B is the first factor
  int64_t pairs;     ///< of rows
  int64_t steps, sets = 1;
  SmallVector<Columns> blocks; ///< of a pair of rows
  SmallVector<Value> loaded;   ///< two groups of each row of A
  int64_t left = 0;            ///< groups of them that are not multiplied yet
  bool prefetchesC = false;
};

/// Blocks of sums, for each pair of rows, from rows of columns.
VectorKernel::Tile MatrixKernel::blocksOfRows(ArrayRef<Value> tile) {
  const int64_t low[][4] = {{0, 1, 4, 5}, {0, 4, 1, 5}}, high[][4] = {{2, 3, 6, 7}, {2, 6, 3, 7}};
  Tile result;
  auto width = static_cast<int64_t>(columns.size());
  for (int64_t row = 0; row < rows; row += side)
    for (int64_t index = 0; index < width; ++index) {
      Value first = tile[row * width + index],
            second = row + 1 < rows ? tile[(row + 1) * width + index] : first;
      result.push_back(shuffled(first, second, low[isTransposed]));
      if (blocksOf(columns[index]) > 1)
        result.push_back(shuffled(first, second, high[isTransposed]));
    }
  return result;
}

/// The reverse.
VectorKernel::Tile MatrixKernel::rowsOfBlocks(ArrayRef<Value> tile) {
  const int64_t lanes[][2][4] = {{{0, 1, 4, 5}, {2, 3, 6, 7}}, {{0, 2, 4, 6}, {1, 3, 5, 7}}};
  Tile result;
  for (int64_t row = 0; row < rows; ++row) {
    size_t at = row / side * blocks.size();
    for (const Column &column : columns) {
      int64_t count = blocksOf(column);
      result.push_back(shuffled(tile[at], tile[at + count - 1], lanes[isTransposed][row % side]));
      at += count;
    }
  }
  return result;
}

/// Two columns of B, or one with undefined values in place of the other one.
Value MatrixKernel::groupsOfB(Value at, const Columns &block) {
  at = address(bElement, at, block.start * depth);
  auto vector = VectorType::get({block.count * depth}, bElement);
  Value groups = LLVM::LoadOp::create(b, loc, vector, at, bytes(bElement));
  if (block.count == side)
    return groups;
  SmallVector<int64_t> all;
  for (int64_t lane = 0; lane < side * depth; ++lane)
    all.push_back(lane < depth ? lane : -1);
  return shuffled(groups, groups, all);
}

/// `count` values of A along k from address `at` on as an i64, missing ones are zero.
Value MatrixKernel::groupOfRow(Value at, int64_t count) {
  Type i64 = b.getI64Type();
  if (count == depth && kernel.getACol() == 1)
    return LLVM::LoadOp::create(b, loc, i64, at, bytes(element));
  int64_t half = depth / 2;
  Value group = arith::ExtUIOp::create(b, loc, i64, groupOfA(at, std::min(count, half)));
  if (count <= half)
    return group;
  Value high = groupOfA(address(element, at, half * kernel.getACol()), count - half);
  high = arith::ExtUIOp::create(b, loc, i64, high);
  Value bits = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(32));
  return arith::OrIOp::create(b, loc, group, arith::ShLIOp::create(b, loc, high, bits));
}

/// A group of `count` values of two rows of A from address `at` on. The last row of an odd number
/// has undefined values next to it.
Value MatrixKernel::pairOfA(int64_t pair, Value at, int64_t count) {
  int64_t first = side * pair, second = first + 1;
  bool isAlone = second == rows;
  if (isPacked() && count == depth) {
    Value both = address(element, at, kernel.getRowOffsetInA(first));
    return LLVM::LoadOp::create(b, loc, VectorType::get({side * depth}, element), both,
                                bytes(element));
  }
  Value groups;
  if (left > 0) {
    int64_t group = side - left;
    if (isAlone)
      groups = group == 0 ? loaded[first] : shuffled(loaded[first], loaded[first], {1, 0});
    else
      groups = shuffled(loaded[first], loaded[second], {group, side + group});
  } else {
    auto rowAt = [&](int64_t row) { return address(element, at, kernel.getRowOffsetInA(row)); };
    auto vector = VectorType::get({side}, b.getI64Type());
    groups =
        vector::InsertOp::create(b, loc, groupOfRow(rowAt(first), count), zero(vector), int64_t(0));
    if (!isAlone)
      groups =
          vector::InsertOp::create(b, loc, groupOfRow(rowAt(second), count), groups, int64_t(1));
  }
  return LLVM::BitcastOp::create(b, loc, VectorType::get({side * depth}, element), groups);
}

/// sum + x * y, where x has rows of A and y columns of B.
Value MatrixKernel::multiplyAdd(Value x, Value y, Value sum) {
  bool areOfOneSign = kernel.getAUnsigned() == kernel.getBUnsigned(), areBytes = depth == 8;
  if (isTransposed)
    std::swap(x, y);
  return MatrixDotOp::create(b, loc, sum.getType(), x, y, sum,
                             /*both_signed=*/areBytes && areOfOneSign && !kernel.getAUnsigned(),
                             /*both_unsigned=*/areBytes && areOfOneSign && kernel.getAUnsigned());
}

/// One group of k of one product. Where another one follows in the loop body, rows of A are loaded
/// for both.
void MatrixKernel::step(Tile &tile, const Step &at, Value aAt, Value bAt) {
  int64_t aStep = depth * kernel.getACol(), bStep = kernel.getBRow(), k = kernel.getK(),
          count = at.index ? depth : std::min(depth, k - at.constant * depth);
  Value a = address(element, aAt, at.constant * aStep, at.index, aStep);
  left = std::max<int64_t>(left - 1, 0);
  if (left == 0 && at.following >= side && kernel.getACol() == 1) {
    left = side;
    loaded.clear();
    for (int64_t row = 0; row < rows; ++row)
      loaded.push_back(LLVM::LoadOp::create(b, loc, VectorType::get({side}, b.getI64Type()),
                                            address(element, a, kernel.getRowOffsetInA(row)),
                                            bytes(element)));
  }
  SmallVector<Value> ofA;
  for (int64_t pair = 0; pair < pairs; ++pair)
    ofA.push_back(pairOfA(pair, a, count));
  Value bRow = address(bElement, bAt, at.constant * bStep, at.index, bStep);
  auto width = static_cast<int64_t>(blocks.size());
  for (int64_t index = 0; index < width; ++index) {
    Value y = groupsOfB(bRow, blocks[index]);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      Value &sum = tile[(at.set * pairs + pair) * width + index];
      sum = multiplyAdd(ofA[pair], y, sum);
    }
  }
}

/// All of k for one product.
void MatrixKernel::emitSteps(Tile &tile, Value aAt, Value bAt) {
  auto products = static_cast<int64_t>(pairs * blocks.size());
  Loop loop{static_cast<int64_t>(kernel.getK()) / depth, sets, products, /*mayUnroll=*/false,
            static_cast<int64_t>(kernel.getBStreams())};
  loop.prefetchesC = prefetchesC;
  if (kernel.getACol() == 1)
    loop.minSteps = side;
  left = 0;
  emitStepLoop(tile, steps, loop, [&](Tile &inner, const Step &at) { step(inner, at, aAt, bAt); });
}

void MatrixKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  prefetchesC = mayPrefetchCInSteps() && !kernel.getAccumulate();
  Tile tile = blocksOfRows(start(/*sets=*/1, /*readsC=*/true, /*prefetchesC=*/!prefetchesC));
  tile.resize(tile.size() * sets, zero(tile.front().getType()));
  emitProductLoop(tile, [&](Tile &inner, Value aAt, Value bAt) { emitSteps(inner, aAt, bAt); });
  addUp(tile, sets);
  finish(rowsOfBlocks(tile));
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorMatrix(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  MatrixKernel(kernel, target, builder).build();
}

} // namespace kgen
