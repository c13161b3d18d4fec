// Kernels that multiply f16 and add up in f16: twice as many products an instruction as in f32,
// with eleven digits. Runs of a limited length are added up so, and their sums in f32; C and the
// epilogue see nothing else.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class HalfProducts : VectorKernel {
public:
  HalfProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), batch(kernel.getBatch()), k(kernel.getK()),
        halves(columnsOf(kernel.getN(), target.lanes(element))),
        sets(independentSums(rows * halves.size(), k)) {
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
    mayUnroll = registers() < target.getVectorRegisters();
  }

  void build();

private:
  /// Products that are added up in f16: `batch` times `k` of them.
  struct Run {
    int64_t batch, k;
    int64_t lines; ///< of B's next panel that it asks for
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
  Tile widened(ArrayRef<Value> sums);
  Tile added(ArrayRef<Value> left, ArrayRef<Value> right);

  int64_t batch, k;
  SmallVector<Column> halves; ///< of sums in f16
  int64_t sets;
  bool mayUnroll;
};

/// sums[set] += A[:, k] * B[k, :]
void HalfProducts::step(Tile &sums, Value aAt, Value bAt, int64_t set) {
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

void HalfProducts::depth(Tile &sums, const Run &run, Value aAt, Value bAt) {
  int64_t aStep = kernel.getACol(), bStep = kernel.getBRow();
  Loop loop{run.k,
            sets,
            rows * static_cast<int64_t>(halves.size()),
            mayUnroll,
            static_cast<int64_t>(kernel.getBStreams()),
            run.lines};
  overSteps(sums, run.k, loop, [&](Tile &inner, const Step &at) {
    step(inner, address(element, aAt, at.constant * aStep, at.index, aStep),
         address(element, bAt, at.constant * bStep, at.index, bStep), at.set);
  });
}

/// The sums of one run, in f32.
HalfProducts::Tile HalfProducts::sumsOf(const Run &run, Value aAt, Value bAt) {
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
  return widened(sums);
}

/// Columns of f32, of which one of f16 holds two.
HalfProducts::Tile HalfProducts::widened(ArrayRef<Value> sums) {
  Tile tile;
  for (int64_t row = 0; row < rows; ++row)
    for (const Column &column : columns) {
      size_t index = column.start / halves.front().width;
      Value part = sums[row * halves.size() + index];
      if (column.width != halves[index].width)
        part = vector::ExtractStridedSliceOp::create(
            b, loc, part, ArrayRef<int64_t>{column.start - halves[index].start},
            ArrayRef<int64_t>{column.width}, ArrayRef<int64_t>{1});
      tile.push_back(arith::ExtFOp::create(b, loc, type(column), part));
    }
  return tile;
}

HalfProducts::Tile HalfProducts::added(ArrayRef<Value> left, ArrayRef<Value> right) {
  Tile tile;
  for (auto [x, y] : llvm::zip(left, right))
    tile.push_back(arith::AddFOp::create(b, loc, x, y));
  return tile;
}

/// All products in runs of at most halfSumsRun: parts of k, or, of few k, several of the batch.
HalfProducts::Tile HalfProducts::runs() {
  bool cutsDepth = k > halfSumsRun;
  int64_t length = cutsDepth ? k : batch, most = cutsDepth ? halfSumsRun : halfSumsRun / k;
  int64_t count = llvm::divideCeil(length, most);
  int64_t each = std::min<int64_t>(most, llvm::alignTo(llvm::divideCeil(length, count), 8));
  count = llvm::divideCeil(length, each);
  int64_t lines = llvm::divideCeil(linesToPrefetch(), count), last = length - each * (count - 1);
  int64_t aStep = cutsDepth ? kernel.getACol() : kernel.getABatch(),
          bStep = cutsDepth ? kernel.getBRow() : kernel.getBBatch();
  auto runOf = [&](int64_t size) { return cutsDepth ? Run{1, size, lines} : Run{size, k, lines}; };
  // Starts later: what is asked for ahead of time is counted from there.
  auto from = [&](Value aAt, Value bAt, Value number, int64_t constant, const Run &run) {
    Value wholeB = bPointer, wholeSoon = soon;
    bPointer = address(element, bAt, constant * each * bStep, number, each * bStep);
    if (soon && lines > 0)
      soon = address(b.getI8Type(), soon, constant * lines * lineBytes, number, lines * lineBytes);
    Tile sums =
        sumsOf(run, address(element, aAt, constant * each * aStep, number, each * aStep), bPointer);
    bPointer = wholeB;
    soon = wholeSoon;
    return sums;
  };
  auto cut = [&](Tile sums, Value aAt, Value bAt) {
    sums = repeat(count - 1, 1, sums, [&](Value number, Tile &inner) {
      inner = added(inner, from(aAt, bAt, number, 0, runOf(each)));
    });
    return added(sums, from(aAt, bAt, {}, count - 1, runOf(last)));
  };
  Tile sums = start(1);
  if (!cutsDepth || batch == 1)
    return cut(sums, a, bPointer);
  return repeat(batch, 1, sums, [&](Value r, Tile &inner) {
    inner = cut(inner, address(element, a, 0, r, kernel.getABatch()),
                address(element, bPointer, 0, r, kernel.getBBatch()));
  });
}

void HalfProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (batch * k > halfSumsRun) {
    finish(runs());
  } else {
    prefetchC();
    Tile sums = sumsOf({batch, k, linesToPrefetch()}, a, bPointer);
    finish(kernel.getAccumulate() ? added(start(1), sums) : sums);
  }
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorHalfProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  HalfProducts(kernel, target, builder).build();
}

} // namespace kgen
