// The provider `vector`: micro-kernels as rows of one-dimensional vectors in registers, for every
// target and epilogue.
//
// Rows as 1-D vectors carried through the loop keep the code away from everything that makes LLVM
// spill; all addresses are one pointer plus a constant. Nothing outside the tile is touched: a
// column remainder is masked. How products are formed is the business of VectorProducts; where
// both operands are contiguous along k, VectorDotProducts makes the kernel, where B holds weights
// of few bits, VectorBlocks, and where sums are in f16, VectorHalfProducts.
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
  if (!inner.empty()) // otherwise the loop has its end already
    scf::YieldOp::create(b, loc, inner);
  return {loop.getResults().begin(), loop.getResults().end()};
}

void VectorKernel::overProducts(Tile &tile, int64_t first, int64_t end,
                                llvm::function_ref<void(Tile &, Value, Value)> depth) {
  int64_t count = end - first, aBatch = kernel.getABatch(), bBatch = kernel.getBBatch();
  Value soonOfAll = soon;
  int64_t rowsOfC = std::exchange(prefetchesCInProducts, false) ? llvm::divideCeil(rows, count) : 0;
  auto product = [&](Tile &inner, Value r) {
    prefetchRowsOfC(r, rowsOfC);
    if (soonOfAll)
      soon = address(bElement, soonOfAll, first * bBatch, r, bBatch);
    depth(inner, address(element, a, first * aBatch, r, aBatch),
          address(bElement, bPointer, first * bBatch, r, bBatch));
  };
  if (count == 1)
    product(tile, {});
  else
    tile = repeat(count, 1, tile, [&](Value r, Tile &inner) { product(inner, r); });
  soon = soonOfAll;
}

/// A body of that many multiplications stays in the cache of decoded instructions.
constexpr int64_t longestBody = 96;

/// The loop asks for a few lines each time around, as evenly as it goes: what is asked for all at
/// once waits for the few lines that a core can have under way, and what needs them now waits
/// behind it. Where the registers do not allow for several steps in the loop's body, overGroups
/// spreads them; loops too short for that ask in each step, until all is asked for. Of a B in place
/// they ask for rows.
VectorKernel::Body VectorKernel::bodyOf(const Loop &loop) {
  int64_t rowsOfB = rowsToPrefetch(),
          wanted = rowsOfB > 0              ? rowsOfB
                   : loop.lines == allLines ? linesToPrefetch()
                                            : loop.lines,
          around = loop.steps / loop.sets;
  Body body;
  if (loop.least > loop.sets && loop.least <= loop.steps)
    body.unroll = loop.least / loop.sets;
  if (wanted == 0 || around == 0 || loop.products == 0)
    return body;
  constexpr int64_t mostSteps = 8;
  int64_t products = loop.products * loop.sets,
          most = rowsOfB > 0 ? std::min(mostSteps, around) : around / wanted;
  while (loop.mayUnroll && 2 * body.unroll * products <= longestBody && 2 * body.unroll <= most)
    body.unroll *= 2;
  body.lines = llvm::divideCeil(wanted * body.unroll, around);
  body.prefetching = llvm::divideCeil(wanted, body.lines);
  return body;
}

void VectorKernel::overSteps(Tile &tile, int64_t steps, const Loop &loop,
                             llvm::function_ref<void(Tile &, const Step &)> step) {
  Body body = bodyOf(loop);
  int64_t by = loop.sets * body.unroll, looped = loop.streams > 0 ? 0 : loop.steps / by * by;
  int64_t rowsOfB = rowsToPrefetch();
  Groups groups = by == 1 && body.lines > 0 && rowsOfB == 0 ? groupsOf(looped) : Groups();
  int64_t prefetching = std::min(body.prefetching * by, looped),
          askingForC = loop.prefetchesC ? rows * by : 0;
  bool hasRoom = groups.count > 0 || prefetching + askingForC <= looped;
  if (loop.prefetchesC && !hasRoom)
    prefetchC();
  if (!hasRoom)
    askingForC = 0;
  if (loop.streams > 0)
    return overStreams(tile, steps, loop, step);
  auto part = [&](int64_t from, int64_t count, llvm::function_ref<void(Value)> ask) {
    if (count == 0)
      return;
    tile = repeat(count, by, tile, [&](Value index, Tile &inner) {
      ask(index);
      for (int64_t i = 0; i < by; ++i)
        step(inner, {index, from + i, i % loop.sets, by - i});
    });
  };
  if (groups.count > 0) {
    overGroups(tile, groups, loop.prefetchesC, step);
    prefetching = groups.count * groups.size;
  } else {
    if (body.unroll > 1 && askingForC == 0) // one loop instead of two
      prefetching = looped;
    part(0, prefetching, [&](Value index) {
      if (rowsOfB == 0)
        return prefetchLines(index, body.lines * lineBytes / by, body.lines);
      Value turn = arith::DivUIOp::create(b, loc, index, number(by));
      for (int64_t i = 0; i < body.lines; ++i)
        prefetchNextRow(turn, body.lines, i);
    });
    part(prefetching, askingForC,
         [&](Value index) { prefetchRowOfC(arith::DivUIOp::create(b, loc, index, number(by))); });
    prefetching += askingForC;
  }
  part(prefetching, looped - prefetching, [](Value) {});
  for (int64_t index = looped; index < steps; ++index)
    step(tile, {Value(), index, (index - looped) % loop.sets});
}

/// A loop over groups of steps, each of which begins with prefetching for a few lines. The groups
/// are as long as one may ask for no more than a core can have under way (12 lines on the smallest
/// of those with AVX-512). Half of the lines come from the second half of what is asked for: what
/// fetches ahead by itself, within a page, then does so in two places. There are none if the steps
/// are too few for such a loop.
VectorKernel::Groups VectorKernel::groupsOf(int64_t steps) {
  constexpr int64_t mostLines = 12, shortest = 8, longest = 128;
  int64_t wanted = linesToPrefetch(), size = longest;
  while (size > shortest && wanted * size > mostLines * steps)
    size /= 2;
  int64_t groups = steps / size;
  if (groups < 2)
    return {};
  auto half = static_cast<int64_t>(llvm::divideCeil(llvm::divideCeil(wanted, groups), 2));
  return {static_cast<int64_t>(llvm::divideCeil(wanted, 2 * half)), size, half};
}

void VectorKernel::overGroups(Tile &tile, const Groups &groups, bool prefetchesC,
                              llvm::function_ref<void(Tile &, const Step &)> step) {
  int64_t count = groups.count, size = groups.size, half = groups.half;
  int64_t rowsOfC = prefetchesC ? llvm::divideCeil(rows, count) : 0;
  tile = repeat(count * size, size, tile, [&](Value start, Tile &outer) {
    Value group = arith::DivUIOp::create(b, loc, start, number(size));
    for (int64_t first : {int64_t(0), count * half})
      prefetchLines(group, half * lineBytes, half, first);
    prefetchRowsOfC(group, rowsOfC);
    outer = repeat(size, 1, outer, [&](Value index, Tile &inner) {
      step(inner, {arith::AddIOp::create(b, loc, start, index), 0, 0});
    });
  });
}

/// Whether so few instructions go with a line of B that those which a core has begun reach many
/// lines: by measurement, and if the panel's rows are read as a whole.
bool VectorKernel::hasManyLinesUnderWay(int64_t products) {
  constexpr int64_t fewRows = 3, fewProducts = 4;
  int64_t rowElements = kernel.getBRow(), rowBytes = rowElements * bytes(bElement);
  bool isWidened = bytes(bElement) < bytes(accumulator);
  return rows <= (isWidened ? 1 : fewRows) && products * lineBytes <= fewProducts * rowBytes &&
         static_cast<int64_t>(kernel.getN() * kernel.getVnni()) == rowElements;
}

/// Each part asks for rows of B some steps ahead, far enough for memory's latency, and all of them
/// for no more than a core can have under way and keep in its first cache. In its last steps it
/// asks for the beginning of its part in the next panel. Where the core itself has many lines under
/// way, one in eight is asked for: what fetches ahead by itself follows, but only within a page
/// that has been read from. All of them would take a quarter of the speed of nearer caches.
void VectorKernel::overStreams(Tile &tile, int64_t steps, const Loop &loop,
                               llvm::function_ref<void(Tile &, const Step &)> step) {
  constexpr int64_t mostSteps = 8;
  int64_t streams = kernel.getStrictOrder() ? 1 : loop.streams,
          rowBytes = bytes(bElement) * kernel.getBRow();
  bool asksForSome = hasManyLinesUnderWay(loop.products);
  int64_t bytesAhead = asksForSome ? streamAhead : streamAhead / 2,
          bytesApart = asksForSome ? 512 : lineBytes;
  int64_t by = std::max<int64_t>(1, loop.sets / streams);
  while (loop.mayUnroll && 2 * by * streams <= mostSteps &&
         2 * by * streams * loop.products <= longestBody)
    by *= 2;
  int64_t length = loop.steps / streams / by * by;
  int64_t ahead = std::max<int64_t>(by, bytesAhead / (streams * rowBytes) / by * by);
  ahead = std::min(ahead, length);
  int64_t rowsApart = std::max<int64_t>(1, bytesApart / rowBytes);
  auto part = [&](int64_t from, int64_t count, int64_t distance) {
    if (count == 0)
      return;
    tile = repeat(count, by, tile, [&](Value index, Tile &inner) {
      for (int64_t i = 0; i < by; ++i)
        for (int64_t stream = 0; stream < streams; ++stream) {
          int64_t at = from + i + stream * length;
          if (i % rowsApart == 0)
            prefetchRow(index, at + distance, bytesApart);
          step(inner, {index, at, (i * streams + stream) % loop.sets});
        }
    });
  };
  part(0, length - ahead, ahead);
  part(length - ahead, ahead, ahead - length + steps);
  for (int64_t index = streams * length; index < steps; ++index)
    step(tile, {Value(), index, index % loop.sets});
}

bool VectorKernel::isLong() {
  constexpr int64_t longEnough = 64;
  return kernel.getBatch() * kernel.getK() >= longEnough;
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
  for (int64_t at = 0; at < size; at += lineBytes)
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
  if (kernel.getStrictOrder())
    return 1;
  // Eight are needed to keep two units with a latency of four busy.
  int64_t sets = std::min<int64_t>(8, llvm::PowerOf2Ceil(llvm::divideCeil(8, chains)));
  while (sets > 1 && sets > steps / 2)
    sets /= 2;
  return sets;
}

namespace {

struct VectorProvider : Provider {
  StringRef name() const override { return "vector"; }

  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    Type accumulator = kernel.getAccumulatorType();
    if (accumulator != accumulatorOf(kernel.getElement(), kernel.getBValueType())) {
      refusal = "the sums are not of the type in which products of A and B are added up";
      return std::nullopt;
    }
    Type a = kernel.getElement(), b = kernel.getBValueType();
    double products = static_cast<double>(kernel.getM()) * kernel.getBatch() * kernel.getK();
    if (kernel.isDotProducts())
      return products * kernel.getN() * 2 * target.productCost(ProductForm::multiplyAdd, a, b);
    int64_t lanes = target.lanes(kernel.getF16Accumulate() ? a : accumulator);
    double columns = llvm::divideCeil(kernel.getN(), lanes) * lanes;
    if (kernel.getF16Accumulate())
      return products * columns * target.cost("fma_f16") / lanes;
    return products * columns * target.productCost(target.vectorProductForm(a, b), a, b);
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    auto build = kernel.getBBlocks()                ? buildVectorBlocks
                 : kernel.getF16Accumulate()        ? buildVectorHalfProducts
                 : kernel.isDotProducts()           ? buildVectorDotProducts
                 : kernel.getElement().isInteger(8) ? buildVectorIntegerProducts
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
