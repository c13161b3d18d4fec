// Kernels for operands that are contiguous along k: each result has a vector of partial sums, whose
// elements are added up at the end.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class DotProductKernel : VectorKernel {
public:
  DotProductKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder),
        n(kernel.getN()), whole{0, target.lanes(element), target.lanes(element)},
        steps(kernel.getK() / whole.width), sets(independentSums(rows * n, steps)) {}

  void build();

private:
  /// tile[set] += A[:, k...] * B[k..., :] for the vector of k at `aAt` and `bAt`.
  void step(Tile &tile, Value aAt, Value bAt, int64_t set, const Column &lanes);
  void depth(Tile &tile, Value aAt, Value bAt);
  Value folded(Value x, Value y, int64_t segments);
  Value totals(ArrayRef<Value> partial, const Column &column);
  Tile results(ArrayRef<Value> tile);

  /// Elements of B between what is read and what is prefetched: the columns of a later call, which
  /// covers the latency of memory. 0 if B is not expected to come from memory.
  int64_t distanceAhead();

  int64_t n;
  Column whole; ///< a vector along k
  int64_t steps, sets;
};

void DotProductKernel::step(Tile &tile, Value aAt, Value bAt, int64_t set, const Column &lanes) {
  SmallVector<Value> columnsOfB;
  bool isInSameLine =
      set * whole.width * bytes(bElement) % cpu.lineBytes != 0; // as for the set before
  int64_t ahead = isInSameLine ? 0 : distanceAhead();
  for (int64_t column = 0; column < n; ++column) {
    Value from = address(element, bAt, column * kernel.getBCol());
    columnsOfB.push_back(load(element, from, lanes));
    if (ahead > 0)
      LLVM::Prefetch::create(b, loc, address(element, from, ahead), /*rw=*/0,
                             /*hint=*/2, /*cache=*/1);
  }
  int64_t position = set * rows * n;
  for (int64_t row = 0; row < rows; ++row) {
    Value x = load(element, address(element, aAt, row * kernel.getARow()), lanes);
    for (Value y : columnsOfB) {
      tile[position] = LLVM::FMulAddOp::create(b, loc, type(whole), x, y, tile[position]);
      ++position;
    }
  }
}

int64_t DotProductKernel::distanceAhead() {
  if (static_cast<int64_t>(kernel.getBStreams()) == 0)
    return 0;
  int64_t all = n * static_cast<int64_t>(kernel.getBCol());
  return static_cast<int64_t>(
             llvm::divideCeil(cpu.heuristics.panelPrefetchDistance, all * bytes(bElement))) *
         all;
}

void DotProductKernel::depth(Tile &tile, Value aAt, Value bAt) {
  int64_t looped = steps / sets * sets, width = whole.width, rest = kernel.getK() % width;
  if (looped > 0)
    tile = repeat(looped, sets, tile, [&](Value k, Tile &inner) {
      for (int64_t set = 0; set < sets; ++set)
        step(inner, address(element, aAt, set * width, k, width),
             address(element, bAt, set * width, k, width), set, whole);
    });
  for (int64_t k = looped; k < steps; ++k)
    step(tile, address(element, aAt, k * width), address(element, bAt, k * width), k - looped,
         whole);
  if (rest > 0)
    step(tile, address(element, aAt, steps * width), address(element, bAt, steps * width), 0,
         {0, width, rest});
}

/// Adds up the halves of each of the `segments` segments of `x`, and of `y` if it is not null, into
/// one vector.
Value DotProductKernel::folded(Value x, Value y, int64_t segments) {
  int64_t width = cast<VectorType>(x.getType()).getDimSize(0), half = width / segments / 2;
  SmallVector<int64_t> low, high;
  for (int64_t segment = 0; segment < (y ? 2 * segments : segments); ++segment)
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(segment * 2 * half + lane);
      high.push_back(low.back() + half);
    }
  Value other = y ? y : x;
  return arith::AddFOp::create(b, loc, vector::ShuffleOp::create(b, loc, x, other, low),
                               vector::ShuffleOp::create(b, loc, x, other, high));
}

/// Horizontal sums of several vectors by a tree of halves, whose order depends only on the vector
/// width. Each level combines pairs of vectors into one while there are several.
Value DotProductKernel::totals(ArrayRef<Value> partial, const Column &column) {
  Tile vectors(partial);
  for (int64_t segments = 1, length = whole.width; length > 1; length /= 2) {
    if (vectors.size() == 1) {
      vectors[0] = folded(vectors[0], {}, segments);
      continue;
    }
    Tile pairs;
    for (size_t i = 0; i < vectors.size(); i += 2)
      pairs.push_back(folded(vectors[i], vectors[std::min(i + 1, vectors.size() - 1)], segments));
    vectors = pairs;
    segments *= 2;
  }
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, column.width));
  return vector::ShuffleOp::create(b, loc, vectors[0], vectors[0], lanes);
}

/// The sums as rows of vectors of results, added to C if the kernel accumulates.
VectorKernel::Tile DotProductKernel::results(ArrayRef<Value> tile) {
  Tile rowsOfResults;
  for (int64_t row = 0; row < rows; ++row)
    for (const Column &column : columns) {
      Value sums = totals(tile.slice(row * n + column.start, column.lanes), column);
      if (kernel.getAccumulate()) {
        Value at = address(accumulator, c, row * kernel.getCRow() + column.start);
        sums = arith::AddFOp::create(b, loc, load(accumulator, at, column), sums);
      }
      rowsOfResults.push_back(sums);
    }
  return rowsOfResults;
}

void DotProductKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  Tile tile(sets * rows * n, zero(type(whole)));
  emitProductLoop(tile, [&](Tile &inner, Value aAt, Value bAt) { depth(inner, aAt, bAt); });
  addUp(tile, sets);
  finish(results(tile));
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorDotProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  DotProductKernel(kernel, target, builder).build();
}

} // namespace kgen
