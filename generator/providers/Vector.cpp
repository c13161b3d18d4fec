// The provider `vector`: micro-kernels whose register tile is rows of one-dimensional vectors, for
// every target and epilogue.
//
// One-dimensional vectors that a loop carries, and addresses that are one pointer plus a constant,
// keep LLVM from spilling. No memory outside the tile is accessed: column remainders are masked.
// This file has the loops over k with their prefetches. The products are formed by
//
//     VectorProducts       rows of B times elements of A
//     VectorDotProducts    operands that are contiguous along k
//     VectorInt8           bytes
//     VectorMatrix         bytes and bf16, two rows and two columns in an instruction
//     VectorNbits          blockwise-quantized weights
//     VectorF16Accumulate  sums in f16
#include "dialect/ukernel/KernelAttributes.h"
#include "providers/Provider.h"
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

SmallVector<Value> VectorKernel::repeat(int64_t count, int64_t by, ArrayRef<Value> tile,
                                        llvm::function_ref<void(Value, Tile &)> body) {
  auto loop = scf::ForOp::create(b, loc, number(0), number(count), number(by), tile);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Tile inner(loop.getRegionIterArgs());
  body(loop.getInductionVar(), inner);
  if (!inner.empty()) // otherwise scf::ForOp has created the terminator
    scf::YieldOp::create(b, loc, inner);
  return {loop.getResults().begin(), loop.getResults().end()};
}

void VectorKernel::emitProductLoop(Tile &tile, int64_t first, int64_t end,
                                   llvm::function_ref<void(Tile &, Value, Value)> depth) {
  int64_t count = end - first, aBatch = kernel.getABatch(), bBatch = kernel.getBBatch();
  Value firstPrefetchPointer = prefetchPointer;
  int64_t rowsOfC = std::exchange(prefetchesCInProducts, false) ? llvm::divideCeil(rows, count) : 0;
  auto product = [&](Tile &inner, Value r) {
    prefetchRowsOfC(r, rowsOfC);
    if (firstPrefetchPointer)
      prefetchPointer = address(bElement, firstPrefetchPointer, first * bBatch, r, bBatch);
    depth(inner, address(element, a, first * aBatch, r, aBatch),
          address(bElement, bPointer, first * bBatch, r, bBatch));
  };
  if (count == 1)
    product(tile, {});
  else
    tile = repeat(count, 1, tile, [&](Value r, Tile &inner) { product(inner, r); });
  prefetchPointer = firstPrefetchPointer;
}

bool VectorKernel::isTail() { return kernel->hasAttr(ukernel::oneChainAttrName); }

int64_t VectorKernel::maxBodyProducts() {
  return cpu.heuristics.maxBodyProducts / (isTail() ? 2 : 1);
}

/// Spreads the prefetches evenly over the iterations of the loop. Prefetches in a burst would
/// occupy the line-fill buffers, of which a core has few, and delay the loads that the kernel needs
/// now. If the registers do not allow for unrolling, emitGroupLoop spreads them; loops too short
/// for that prefetch in each iteration until all is prefetched. For a B in place the unit is a row,
/// else a line.
VectorKernel::Body VectorKernel::bodyOf(const Loop &loop) {
  int64_t rowsOfB = rowsToPrefetch(),
          count = rowsOfB > 0              ? rowsOfB
                  : loop.lines == allLines ? linesToPrefetch()
                                           : loop.lines,
          iterations = loop.steps / loop.sets;
  const Heuristics &limits = cpu.heuristics;
  Body body;
  if (loop.minSteps > loop.sets && loop.minSteps <= loop.steps)
    body.unroll = loop.minSteps / loop.sets;
  if (count == 0 || iterations == 0 || loop.products == 0)
    return body;
  int64_t products = loop.products * loop.sets,
          limit = rowsOfB > 0                ? std::min(limits.maxUnroll, iterations)
                  : kernel.getBPrefetchEnd() ? iterations
                                             : iterations / count;
  while (loop.mayUnroll && 2 * body.unroll * products <= maxBodyProducts() &&
         2 * body.unroll <= limit)
    body.unroll *= 2;
  body.lines = llvm::divideCeil(count * body.unroll, iterations);
  body.prefetching = llvm::divideCeil(count, body.lines);
  return body;
}

void VectorKernel::emitStepLoop(Tile &tile, int64_t steps, const Loop &loop,
                                llvm::function_ref<void(Tile &, const Step &)> step) {
  Body body = bodyOf(loop);
  int64_t by = loop.sets * body.unroll, loopEnd = loop.streams > 0 ? 0 : loop.steps / by * by;
  int64_t rowsOfB = rowsToPrefetch();
  bool isEven = kernel.getBPrefetchEnd();
  Groups groups =
      by == 1 && body.lines > 0 && rowsOfB == 0 && !isEven ? groupsOf(loopEnd) : Groups();
  int64_t prefetchingEnd = isEven ? loopEnd : std::min(body.prefetching * by, loopEnd),
          iterationsForC = loop.prefetchesC ? rows * by : 0;
  bool hasIterationsForC = groups.count > 0 || prefetchingEnd + iterationsForC <= loopEnd;
  if (loop.prefetchesC && !hasIterationsForC)
    prefetchC();
  if (!hasIterationsForC)
    iterationsForC = 0;
  if (loop.streams > 0)
    return emitStreamLoop(tile, steps, loop, step);
  auto loopOver = [&](int64_t from, int64_t count, llvm::function_ref<void(Value)> prefetch) {
    if (count == 0)
      return;
    tile = repeat(count, by, tile, [&](Value index, Tile &inner) {
      prefetch(index);
      for (int64_t i = 0; i < by; ++i)
        step(inner, {index, from + i, i % loop.sets, by - i});
    });
  };
  if (groups.count > 0) {
    emitGroupLoop(tile, groups, loop.prefetchesC, step);
    prefetchingEnd = groups.count * groups.size;
  } else {
    if (body.unroll > 1 && iterationsForC == 0) // one loop instead of two
      prefetchingEnd = loopEnd;
    loopOver(0, prefetchingEnd, [&](Value index) {
      if (rowsOfB == 0)
        return prefetchLines(index, body.lines * cpu.lineBytes / by, body.lines);
      Value iteration = arith::DivUIOp::create(b, loc, index, number(by));
      for (int64_t i = 0; i < body.lines; ++i)
        prefetchNextRow(iteration, body.lines, i);
    });
    loopOver(prefetchingEnd, iterationsForC, [&](Value index) {
      prefetchRowOfC(arith::DivUIOp::create(b, loc, index, number(by)));
    });
    prefetchingEnd += iterationsForC;
  }
  loopOver(prefetchingEnd, loopEnd - prefetchingEnd, [](Value) {});
  for (int64_t index = loopEnd; index < steps; ++index)
    step(tile, {Value(), index, (index - loopEnd) % loop.sets});
}

/// Groups of steps that each begin with prefetches of a few lines. A group is so long that its
/// lines fit the line-fill buffers. Half of the lines come
/// from the second half of the range to prefetch, so that the hardware prefetcher, which stays
/// within a page, works on two pages. Empty if there are too few steps for such a loop.
VectorKernel::Groups VectorKernel::groupsOf(int64_t steps) {
  const Heuristics &limits = cpu.heuristics;
  int64_t wanted = linesToPrefetch(), size = limits.maxPrefetchGroup;
  while (size > limits.minPrefetchGroup && wanted * size > cpu.lineFillBuffers * steps)
    size /= 2;
  int64_t groups = steps / size;
  if (groups < 2)
    return {};
  auto half = static_cast<int64_t>(llvm::divideCeil(llvm::divideCeil(wanted, groups), 2));
  return {static_cast<int64_t>(llvm::divideCeil(wanted, 2 * half)), size, half};
}

void VectorKernel::emitGroupLoop(Tile &tile, const Groups &groups, bool prefetchesC,
                                 llvm::function_ref<void(Tile &, const Step &)> step) {
  int64_t count = groups.count, size = groups.size, half = groups.half;
  int64_t rowsOfC = prefetchesC ? llvm::divideCeil(rows, count) : 0;
  tile = repeat(count * size, size, tile, [&](Value start, Tile &outer) {
    Value group = arith::DivUIOp::create(b, loc, start, number(size));
    for (int64_t first : {int64_t(0), count * half})
      prefetchLines(group, half * cpu.lineBytes, half, first);
    prefetchRowsOfC(group, rowsOfC);
    outer = repeat(size, 1, outer, [&](Value index, Tile &inner) {
      step(inner, {arith::AddIOp::create(b, loc, start, index), 0, 0});
    });
  });
}

/// True if so few instructions go with a line of B that the instructions in flight in a core load
/// many lines: for few rows (measured) and if full rows of the panel are read.
bool VectorKernel::keepsManyLinesInFlight(int64_t products) {
  const Heuristics &limits = cpu.heuristics;
  int64_t rowElements = kernel.getBRow(), rowBytes = rowElements * bytes(bElement);
  bool isUpconverted = bytes(bElement) < bytes(accumulator);
  return rows <= (isUpconverted ? 1 : limits.maxInFlightRows) &&
         products * cpu.lineBytes <= limits.maxInFlightProducts * rowBytes &&
         static_cast<int64_t>(kernel.getN() * kernel.getVnni()) == rowElements;
}

/// Each stream prefetches rows of B some steps ahead: far enough for the latency of memory, and in
/// total no more than the line-fill buffers and L1 hold. In its last steps it prefetches the start
/// of its range in the next panel. If the core itself keeps many lines in flight, one line in eight
/// is prefetched: the hardware prefetcher follows, but only within a page that has been accessed,
/// and prefetching all lines would cost a quarter of the speed of closer caches.
void VectorKernel::emitStreamLoop(Tile &tile, int64_t steps, const Loop &loop,
                                  llvm::function_ref<void(Tile &, const Step &)> step) {
  const Heuristics &limits = cpu.heuristics;
  int64_t streams = kernel.getStrictOrder() ? 1 : loop.streams,
          rowBytes = bytes(bElement) * kernel.getBRow();
  bool prefetchesSome = keepsManyLinesInFlight(loop.products);
  int64_t bytesAhead = limits.panelPrefetchDistance / (prefetchesSome ? 1 : 2),
          prefetchInterval = prefetchesSome ? 8 * cpu.lineBytes : cpu.lineBytes;
  int64_t by = std::max<int64_t>(1, loop.sets / streams);
  while (loop.mayUnroll && 2 * by * streams <= limits.maxUnroll &&
         2 * by * streams * loop.products <= maxBodyProducts())
    by *= 2;
  int64_t length = loop.steps / streams / by * by;
  int64_t ahead = std::max<int64_t>(by, bytesAhead / (streams * rowBytes) / by * by);
  ahead = std::min(ahead, length);
  int64_t rowsPerPrefetch = std::max<int64_t>(1, prefetchInterval / rowBytes);
  auto loopOver = [&](int64_t from, int64_t count, int64_t distance) {
    if (count == 0)
      return;
    tile = repeat(count, by, tile, [&](Value index, Tile &inner) {
      for (int64_t i = 0; i < by; ++i)
        for (int64_t stream = 0; stream < streams; ++stream) {
          int64_t at = from + i + stream * length;
          if (i % rowsPerPrefetch == 0)
            prefetchRow(index, at + distance, prefetchInterval);
          step(inner, {index, at, (i * streams + stream) % loop.sets});
        }
    });
  };
  // One loop instead of two where the next panel is at the same distance.
  if (isTail() && streams == 1 && length == steps)
    return loopOver(0, length, ahead);
  loopOver(0, length - ahead, ahead);
  loopOver(length - ahead, ahead, ahead - length + steps);
  for (int64_t index = streams * length; index < steps; ++index)
    step(tile, {Value(), index, index % loop.sets});
}

bool VectorKernel::isLong() {
  return static_cast<int64_t>(kernel.getBatch() * kernel.getK()) >=
         cpu.heuristics.minPrefetchedProducts;
}

void VectorKernel::prefetchC() {
  if (!isLong())
    return;
  for (int64_t row = 0; row < rows; ++row)
    prefetchRowOfC({}, row);
}

void VectorKernel::prefetchRowOfC(Value row, int64_t constant) {
  int64_t distance = static_cast<int64_t>(kernel.getCRow()) * bytes(result),
          size = static_cast<int64_t>(kernel.getN()) * bytes(result);
  for (int64_t at = 0; at < size; at += cpu.lineBytes)
    LLVM::Prefetch::create(b, loc,
                           address(b.getI8Type(), c, constant * distance + at, row, distance),
                           /*rw=*/1, /*hint=*/3, /*cache=*/1);
}

void VectorKernel::prefetchRowsOfC(Value group, int64_t count) {
  if (count == 0)
    return;
  if (!group)
    group = number(0);
  Value row = arith::MulIOp::create(b, loc, group, number(count));
  row = arith::MinUIOp::create(b, loc, row, number(rows - count));
  for (int64_t i = 0; i < count; ++i)
    prefetchRowOfC(row, i);
}

bool VectorKernel::mayPrefetchCInSteps() { return isLong() && kernel.getBatch() == 1; }

VectorKernel::Tile VectorKernel::start(int64_t sets, bool readsC, bool prefetchesC) {
  bool accumulates = readsC && kernel.getAccumulate();
  if (!accumulates && prefetchesC)
    prefetchC();
  Tile tile;
  for (int64_t set = 0; set < sets; ++set)
    for (int64_t row = 0; row < rows; ++row)
      for (const Column &column : columns) {
        Value from = sums ? sums : accumulates ? c : Value();
        if (!from || set > 0) {
          tile.push_back(zero(type(column)));
          continue;
        }
        int64_t distance = sums ? kernel.getSumsRow() : kernel.getCRow();
        Value at = address(accumulator, from, row * distance + column.start);
        tile.push_back(load(accumulator, at, column));
      }
  return tile;
}

int64_t VectorKernel::independentSums(int64_t chains, int64_t steps) {
  if (kernel.getStrictOrder() || isTail())
    return 1;
  auto sets = static_cast<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(cpu.chains, chains)));
  while (sets > 1 && sets > steps / 2)
    sets /= 2;
  return sets;
}

namespace {

/// True if B is packed in longer groups of k than dot products take.
bool hasMatrixGroups(ukernel::GemmOp kernel) {
  return static_cast<int64_t>(kernel.getVnni()) > vnniFactor(elementOf(kernel.getBElement()));
}

struct VectorProvider : Provider {
  StringRef name() const override { return "vector"; }
  StringRef summary() const override { return "kgen's own vector code"; }

  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    Type accumulator = kernel.getAccumulatorType();
    if (accumulator != accumulatorOf(kernel.getAValueType(), kernel.getBValueType())) {
      refusal = "the sums do not have the accumulator type of A and B";
      return std::nullopt;
    }
    bool areBytes = kernel.getElement().isInteger(8);
    Type a = kernel.getElement(), b = areBytes ? kernel.getBElement() : kernel.getBValueType();
    if (hasMatrixGroups(kernel) && !target.readsPackedDepth(a, b, kernel.getVnni())) {
      refusal = "the target multiplies no groups of " + std::to_string(kernel.getVnni()) +
                " adjacent values of k";
      return std::nullopt;
    }
    double products = static_cast<double>(kernel.getM()) * kernel.getBatch() * kernel.getK();
    if (kernel.isDotProducts())
      return products * kernel.getN() * 2 * target.productCost(ProductForm::multiplyAdd, a, b);
    int64_t lanes = target.lanes(kernel.getF16Accumulate() ? a : accumulator);
    double columns = llvm::divideCeil(kernel.getN(), lanes) * lanes;
    if (kernel.getF16Accumulate())
      return products * columns * target.cost("fma_f16") / lanes;
    ProductForm form =
        hasMatrixGroups(kernel) ? ProductForm::matrix : target.vectorProductForm(a, b);
    return products * columns * target.productCost(form, a, b);
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    auto quant = kernel.getBQuant();
    auto build = quant && quant->quantizesRows()    ? buildVectorNbitsOfRows
                 : quant                            ? buildVectorNbits
                 : kernel.getF16Accumulate()        ? buildVectorF16Accumulate
                 : kernel.isDotProducts()           ? buildVectorDotProducts
                 : hasMatrixGroups(kernel)          ? buildVectorMatrix
                 : kernel.getElement().isInteger(8) ? buildVectorInt8
                                                    : buildVectorProducts;
    build(kernel, target, builder);
    return success();
  }

  std::optional<double> cost(ukernel::MapOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    int64_t vectors = llvm::divideCeil(kernel.getN(), vectorMapLanes(kernel, target));
    return static_cast<double>(kernel.getM()) * vectors *
           kernel.getBody().front().getOperations().size();
  }

  LogicalResult generate(ukernel::MapOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    buildVectorMap(kernel, target, builder);
    return success();
  }
};

} // namespace

const Provider &vectorProvider() {
  static const VectorProvider provider;
  return provider;
}

} // namespace kgen
