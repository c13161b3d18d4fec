// Kernels that multiply and add up in f16: twice as many products per instruction as in f32, with
// 11 significant bits. Runs of at most maxF16Products products are added up in f16, their sums in
// f32, which is also what C and the epilogue get.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class F16AccumulateKernel : VectorKernel {
public:
  F16AccumulateKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), batch(kernel.getBatch()), k(kernel.getK()),
        halves(columnsOf(kernel.getN(), target.lanes(element))),
        sets(independentSums(rows * halves.size(), k)) {
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
    mayUnroll = registers() < target.getVectorRegisters();
  }

  void build();

private:
  /// Products whose sum is in f16: `batch` times `k` of them.
  struct Run {
    int64_t batch, k;
    int64_t lines; ///< of B's next panel that it prefetches
  };

  /// Sums, B's row, an element of A, and a mask.
  int64_t registers() {
    int64_t vectors = halves.size();
    return sets * rows * vectors + vectors + 2;
  }

  Tile runs();
  Tile sumsOf(const Run &run, Value aAt, Value bAt);
  void depth(Tile &sums, const Run &run, Value aAt, Value bAt);
  void step(Tile &sums, Value aAt, Value bAt, int64_t set);
  Tile upconverted(ArrayRef<Value> sums);
  Tile added(ArrayRef<Value> left, ArrayRef<Value> right);

  int64_t batch, k;
  SmallVector<Column> halves; ///< of sums in f16
  int64_t sets;
  bool mayUnroll;
};

/// sums[set] += A[:, k] * B[k, :]
void F16AccumulateKernel::step(Tile &sums, Value aAt, Value bAt, int64_t set) {
  SmallVector<Value> bRow;
  for (const Column &half : halves)
    bRow.push_back(load(element, address(element, bAt, half.start), half, kernel.getBPadded()));
  int64_t position = set * rows * halves.size();
  for (int64_t row = 0; row < rows; ++row) {
    Value x = loadScalar(element, address(element, aAt, row * kernel.getARow()));
    for (auto [half, y] : llvm::zip(halves, bRow)) {
      sums[position] = LLVM::FMulAddOp::create(b, loc, ColumnCode::type(half, element),
                                               splat(x, half), y, sums[position]);
      ++position;
    }
  }
}

void F16AccumulateKernel::depth(Tile &sums, const Run &run, Value aAt, Value bAt) {
  int64_t aStep = kernel.getACol(), bStep = kernel.getBRow();
  Loop loop{run.k,
            sets,
            rows * static_cast<int64_t>(halves.size()),
            mayUnroll,
            static_cast<int64_t>(kernel.getBStreams()),
            run.lines};
  emitStepLoop(sums, run.k, loop, [&](Tile &inner, const Step &at) {
    step(inner, address(element, aAt, at.constant * aStep, at.index, aStep),
         address(element, bAt, at.constant * bStep, at.index, bStep), at.set);
  });
}

/// The sums of one run, in f32.
F16AccumulateKernel::Tile F16AccumulateKernel::sumsOf(const Run &run, Value aAt, Value bAt) {
  Tile sums;
  for (int64_t i = 0; i < sets * rows; ++i)
    for (const Column &half : halves)
      sums.push_back(zero(ColumnCode::type(half, element)));
  if (run.batch == 1)
    depth(sums, run, aAt, bAt);
  else
    sums = repeat(run.batch, 1, sums, [&](Value r, Tile &inner) {
      depth(inner, run, address(element, aAt, 0, r, kernel.getABatch()),
            address(element, bAt, 0, r, kernel.getBBatch()));
    });
  addUp(sums, sets);
  return upconverted(sums);
}

/// The sums as f32: a vector of f16 becomes two.
F16AccumulateKernel::Tile F16AccumulateKernel::upconverted(ArrayRef<Value> sums) {
  Tile tile;
  for (int64_t row = 0; row < rows; ++row)
    for (const Column &column : columns) {
      size_t index = column.start / halves.front().width;
      Value slice = sums[row * halves.size() + index];
      if (column.width != halves[index].width)
        slice = vector::ExtractStridedSliceOp::create(
            b, loc, slice, ArrayRef<int64_t>{column.start - halves[index].start},
            ArrayRef<int64_t>{column.width}, ArrayRef<int64_t>{1});
      tile.push_back(arith::ExtFOp::create(b, loc, type(column), slice));
    }
  return tile;
}

F16AccumulateKernel::Tile F16AccumulateKernel::added(ArrayRef<Value> left, ArrayRef<Value> right) {
  Tile tile;
  for (auto [x, y] : llvm::zip(left, right))
    tile.push_back(arith::AddFOp::create(b, loc, x, y));
  return tile;
}

/// All products in runs of at most maxF16Products: ranges of k, or, if k is small, of the batch.
F16AccumulateKernel::Tile F16AccumulateKernel::runs() {
  bool splitsDepth = k > maxF16Products;
  int64_t length = splitsDepth ? k : batch,
          maxLength = splitsDepth ? maxF16Products : maxF16Products / k;
  int64_t count = llvm::divideCeil(length, maxLength);
  int64_t each = std::min<int64_t>(maxLength, llvm::alignTo(llvm::divideCeil(length, count), 8));
  count = llvm::divideCeil(length, each);
  int64_t lines = llvm::divideCeil(linesToPrefetch(), count), last = length - each * (count - 1);
  int64_t aStep = splitsDepth ? kernel.getACol() : kernel.getABatch(),
          bStep = splitsDepth ? kernel.getBRow() : kernel.getBBatch();
  auto runOf = [&](int64_t size) {
    return splitsDepth ? Run{1, size, lines} : Run{size, k, lines};
  };
  // Prefetches are relative to bPointer and prefetchPointer, which advance with the run.
  auto from = [&](Value aAt, Value bAt, Value number, int64_t constant, const Run &run) {
    Value firstB = bPointer, firstPrefetchPointer = prefetchPointer;
    bPointer = address(element, bAt, constant * each * bStep, number, each * bStep);
    if (prefetchPointer && lines > 0)
      prefetchPointer = address(b.getI8Type(), prefetchPointer, constant * lines * cpu.lineBytes,
                                number, lines * cpu.lineBytes);
    Tile sums =
        sumsOf(run, address(element, aAt, constant * each * aStep, number, each * aStep), bPointer);
    bPointer = firstB;
    prefetchPointer = firstPrefetchPointer;
    return sums;
  };
  auto allRuns = [&](Tile sums, Value aAt, Value bAt) {
    sums = repeat(count - 1, 1, sums, [&](Value number, Tile &inner) {
      inner = added(inner, from(aAt, bAt, number, 0, runOf(each)));
    });
    return added(sums, from(aAt, bAt, {}, count - 1, runOf(last)));
  };
  Tile sums = start(1);
  if (!splitsDepth || batch == 1)
    return allRuns(sums, a, bPointer);
  return repeat(batch, 1, sums, [&](Value r, Tile &inner) {
    inner = allRuns(inner, address(element, a, 0, r, kernel.getABatch()),
                    address(element, bPointer, 0, r, kernel.getBBatch()));
  });
}

void F16AccumulateKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (batch * k > maxF16Products) {
    finish(runs());
  } else {
    prefetchC();
    Tile sums = sumsOf({batch, k, linesToPrefetch()}, a, bPointer);
    finish(kernel.getAccumulate() ? added(start(1), sums) : sums);
  }
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorF16Accumulate(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  F16AccumulateKernel(kernel, target, builder).build();
}

} // namespace kgen
