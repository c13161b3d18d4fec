// Kernels for operands that are contiguous along k: each result is a vector of partial sums that is
// added up in the end.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class DotProducts : VectorKernel {
public:
  DotProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder),
        n(kernel.getN()), whole{0, target.lanes(element), target.lanes(element)},
        steps(kernel.getK() / whole.width), sets(independentSums(rows * n, steps)) {}

  void build();

private:
  /// tile[set] += A[:, k...] * B[k..., :] for the vector of k at `aAt` and `bAt`.
  void step(Tile &tile, Value aAt, Value bAt, int64_t set, const Column &part);
  void depth(Tile &tile, Value aAt, Value bAt);
  Value folded(Value x, Value y, int64_t parts);
  Value totals(ArrayRef<Value> partial, const Column &column);
  Tile results(ArrayRef<Value> tile);

  /// How many elements behind what is read of B the kernel asks for: where the columns of a later
  /// call begin, far enough for memory's latency. None if B is not expected to come from there.
  int64_t distanceAhead();

  int64_t n;
  Column whole; ///< a vector along k
  int64_t steps, sets;
};

void DotProducts::step(Tile &tile, Value aAt, Value bAt, int64_t set, const Column &part) {
  SmallVector<Value> columnsOfB;
  bool isInSameLine = set * whole.width * bytes(bElement) % lineBytes != 0; // as the set before
  int64_t ahead = isInSameLine ? 0 : distanceAhead();
  for (int64_t column = 0; column < n; ++column) {
    Value from = address(element, bAt, column * kernel.getBCol());
    columnsOfB.push_back(load(element, from, part));
    if (ahead > 0)
      LLVM::Prefetch::create(b, loc, address(element, from, ahead), /*rw=*/0,
                             /*hint=*/2, /*cache=*/1);
  }
  int64_t position = set * rows * n;
  for (int64_t row = 0; row < rows; ++row) {
    Value x = load(element, address(element, aAt, row * kernel.getARow()), part);
    for (Value y : columnsOfB) {
      tile[position] = LLVM::FMulAddOp::create(b, loc, type(whole), x, y, tile[position]);
      ++position;
    }
  }
}

int64_t DotProducts::distanceAhead() {
  if (static_cast<int64_t>(kernel.getBStreams()) == 0)
    return 0;
  int64_t all = n * static_cast<int64_t>(kernel.getBCol());
  return static_cast<int64_t>(llvm::divideCeil(streamAhead, all * bytes(bElement))) * all;
}

void DotProducts::depth(Tile &tile, Value aAt, Value bAt) {
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

/// Of two vectors of `parts` parts each, the halves of every part added up: those of `x`, then
/// those of `y`, if there is one.
Value DotProducts::folded(Value x, Value y, int64_t parts) {
  int64_t width = cast<VectorType>(x.getType()).getDimSize(0), half = width / parts / 2;
  SmallVector<int64_t> low, high;
  for (int64_t part = 0; part < (y ? 2 * parts : parts); ++part)
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(part * 2 * half + lane);
      high.push_back(low.back() + half);
    }
  Value other = y ? y : x;
  return arith::AddFOp::create(b, loc, vector::ShuffleOp::create(b, loc, x, other, low),
                               vector::ShuffleOp::create(b, loc, x, other, high));
}

/// The sums of several vectors' elements, in halves: an order that depends on the target's width
/// only. Two vectors become one as long as there are several.
Value DotProducts::totals(ArrayRef<Value> partial, const Column &column) {
  Tile vectors(partial);
  for (int64_t parts = 1, length = whole.width; length > 1; length /= 2) {
    if (vectors.size() == 1) {
      vectors[0] = folded(vectors[0], {}, parts);
      continue;
    }
    Tile pairs;
    for (size_t i = 0; i < vectors.size(); i += 2)
      pairs.push_back(folded(vectors[i], vectors[std::min(i + 1, vectors.size() - 1)], parts));
    vectors = pairs;
    parts *= 2;
  }
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, column.width));
  return vector::ShuffleOp::create(b, loc, vectors[0], vectors[0], lanes);
}

/// The sums as rows of vectors of results, added to C if the kernel accumulates.
VectorKernel::Tile DotProducts::results(ArrayRef<Value> tile) {
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

void DotProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  Tile tile(sets * rows * n, zero(type(whole)));
  overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) { depth(inner, aAt, bAt); });
  addUp(tile, sets);
  finish(results(tile));
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorDotProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  DotProducts(kernel, target, builder).build();
}

} // namespace kgen
