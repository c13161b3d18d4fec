// Prefetches of what loops over vectors will read: the reads are described, the cost model plans,
// and the plan is applied.
#include "analysis/IndexRange.h"
#include "analysis/ViewSource.h"
#include "costmodel/PrefetchPlan.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/memory/Passes.h"
#include "transforms/memory/PrefetchBuilder.h"
#include "transforms/memory/WindowPrefetch.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_INSERTPREFETCHESPASS
#include "transforms/memory/Passes.h.inc"

namespace {

/// An access stream: a vector that an innermost loop reads from a large tensor.
struct Stream {
  scf::ForOp loop;
  vector::TransferReadOp read;
  ReadPattern pattern;
};

//===--- What the loops read ---===//

/// True if the index grows by the loop's step in each iteration.
bool advancesWith(Value index, scf::ForOp loop) {
  return LinearIndex(index).coefficientOf(loop.getInductionVar()) == 1;
}

int64_t byteWidth(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// True if the loop reads contiguous memory, in vectors and rows that are worth prefetching.
bool isAlongRow(vector::TransferReadOp read, scf::ForOp loop, int64_t elements) {
  auto memory = dyn_cast<MemRefType>(read.getBase().getType());
  VectorType vector = read.getVectorType();
  if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
      !read.getPermutationMap().isMinorIdentity() || !memory.isLastDimUnitStride() ||
      !advancesWith(read.getIndices().back(), loop))
    return false;
  const Heuristics &limits = cpuOf(loop).heuristics;
  int64_t width = byteWidth(vector.getElementType());
  return vector.getNumElements() * width >= limits.minPrefetchedVectorBytes &&
         elements * width >= limits.minPrefetchedRowBytes;
}

/// True if the loop iterates over contiguous rows, and the vector is at a constant column of one.
bool isAcrossRows(vector::TransferReadOp read, scf::ForOp loop) {
  auto memory = dyn_cast<MemRefType>(read.getBase().getType());
  if (!memory || memory.getRank() < 2 || !memory.hasStaticShape() ||
      !memory.getElementType().isIntOrFloat() || read.getVectorType().getRank() != 1 ||
      !read.getPermutationMap().isMinorIdentity())
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(memory.getStridesAndOffset(strides, offset)) && strides.back() == 1 &&
         strides[strides.size() - 2] == memory.getShape().back() &&
         advancesWith(read.getIndices().drop_back().back(), loop) &&
         getConstantIntValue(read.getIndices().back());
}

/// Arithmetic operations of the loop for each vector of the tensor that `read` reads.
int64_t operationsFor(vector::TransferReadOp read, scf::ForOp loop) {
  int64_t work = 0, vectors = 0;
  for (Operation &op : *loop.getBody()) {
    auto other = dyn_cast<vector::TransferReadOp>(op);
    vectors += other && other.getBase() == read.getBase();
    bool isArithmetic = isa_and_present<arith::ArithDialect>(op.getDialect());
    work += isMathFunction(&op) ? cpuOf(loop).heuristics.functionOperations : isArithmetic;
  }
  return work / vectors;
}

/// Iterations of the loops between `loop` and the loop over slices.
int64_t iterationsInSlice(scf::ForOp loop, scf::ForOp slices) {
  int64_t iterations = 1;
  for (auto around = loop->getParentOfType<scf::ForOp>(); slices && around && around != slices;
       around = around->getParentOfType<scf::ForOp>())
    iterations *= around.getStaticTripCount().value_or(APInt(64, 1)).getSExtValue();
  return iterations;
}

ReadPattern patternOf(vector::TransferReadOp read, scf::ForOp loop, int64_t loopElements) {
  Value memory = read.getBase();
  scf::ForOp slices = loopOverSlices(memory);
  ReadPattern pattern;
  pattern.loop = 0; // by prefetchSlice
  pattern.elementBytes = byteWidth(read.getVectorType().getElementType());
  pattern.loopElements = loopElements;
  pattern.sliceElements = loopElements * iterationsInSlice(loop, slices);
  pattern.isAcrossRows = isAcrossRows(read, loop);
  pattern.isFlat = sliceOf(memory) != memory;
  pattern.hasNextSlice = slices != nullptr;
  pattern.sliceBytes = slices ? bytesOf(memory.getType()) : 0;
  pattern.rowsPerStep = *getConstantIntValue(loop.getStep());
  pattern.readsOfColumn = llvm::count_if(loop.getOps<vector::TransferReadOp>(), [&](auto other) {
    return other.getBase() == memory && other.getIndices().back() == read.getIndices().back();
  });
  pattern.hasFunctions =
      llvm::any_of(*loop.getBody(), [](Operation &op) { return isMathFunction(&op); });
  pattern.operations = operationsFor(read, loop);
  return pattern;
}

/// The streams of `loop` that read tensors larger than `cache` bytes.
SmallVector<Stream> streamsOf(scf::ForOp loop, int64_t cache) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  SmallVector<Stream> found;
  if (!trips || !step)
    return found;
  int64_t elements = trips->getSExtValue() * *step;
  bool isInnermost = loop.getOps<scf::ForOp>().empty();
  for (auto read : loop.getOps<vector::TransferReadOp>()) {
    if (bytesOfSource(read.getBase()) <= cache)
      continue;
    if (isAlongRow(read, loop, elements))
      found.push_back({loop, read, patternOf(read, loop, elements)});
    else if (isInnermost && isAcrossRows(read, loop)) {
      int64_t row = cast<MemRefType>(read.getBase().getType()).getShape().back();
      found.push_back({loop, read, patternOf(read, loop, elements * row)});
    }
  }
  return found;
}

//===--- The plan, applied ---===//

/// Prefetches every line of a vector like the one that is read, from `indices` of `memory` on.
void prefetchVector(OpBuilder &b, vector::TransferReadOp read, Value memory, ValueRange indices,
                    PrefetchKind kind) {
  int64_t elements = read.getVectorType().getNumElements();
  prefetchLines(b, read.getLoc(), memory, indices, elements, kind);
}

void emitPrefetch(vector::TransferReadOp read, const ReadPrefetch &prefetch) {
  Value memory = read.getBase();
  OpBuilder b(read);
  Location loc = read.getLoc();
  SmallVector<Value> indices(read.getIndices());
  if (prefetch.ahead == PrefetchAhead::nextSlice)
    memory = nextSlice(loopOverSlices(memory), memory);
  else
    indices.back() = arith::AddIOp::create(
        b, loc, indices.back(), arith::ConstantIndexOp::create(b, loc, prefetch.elements));
  prefetchVector(b, read, memory, indices,
                 {/*isWrite=*/false, prefetch.target == Cache::l1 ? localityL1 : localityL2});
}

/// Lets `early`, streams of one loop, prefetch what the loop of `last` writes at the indices that
/// it reads, to tensors larger than `cache` bytes.
void emitPrefetchesOfWrites(const Stream &last, ArrayRef<Stream> early, int64_t cache) {
  vector::TransferReadOp lastRead = last.read;
  Value slice = lastRead.getBase();
  scf::ForOp around = loopOverSlices(slice), lastLoop = last.loop;
  for (auto write : lastLoop.getOps<vector::TransferWriteOp>()) {
    Value written = write.getBase();
    auto view = written.getDefiningOp<memref::SubViewOp>();
    if (!around || !view || loopOverSlices(written) != around || bytesOfSource(written) <= cache ||
        write.getIndices() != lastRead.getIndices() || written == slice ||
        !llvm::all_of(view->getOperands(), [&](Value v) {
          return v == around.getInductionVar() || around.isDefinedOutsideOfLoop(v);
        }))
      continue;
    OpBuilder b(around.getContext());
    b.setInsertionPointAfter(slice.getDefiningOp());
    Value same = b.clone(*view)->getResult(0);
    for (Stream stream : early) {
      if (stream.read.getIndices().size() != write.getIndices().size())
        continue;
      b.setInsertionPoint(stream.read);
      prefetchVector(b, stream.read, same, stream.read.getIndices(),
                     {/*isWrite=*/true, localityL1});
    }
  }
}

struct InsertPrefetchesPass : impl::InsertPrefetchesPassBase<InsertPrefetchesPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    int64_t l2 = capacity(target.cpu(), Cache::l2);
    // By what is read in which block: several loops of a block may read the same slice.
    llvm::MapVector<std::pair<Value, Block *>, SmallVector<Stream>> streams;
    SmallVector<WindowPrefetch> windows;
    getOperation().walk([&](scf::ForOp loop) {
      llvm::append_range(windows, windowPrefetches(loop, l2));
      if (!windows.empty() && windows.back().loop == loop)
        return;
      for (Stream stream : streamsOf(loop, l2)) {
        scf::ForOp around = loopOverSlices(stream.read.getBase());
        Block *block = around ? around.getBody() : loop->getBlock();
        streams[{sliceOf(stream.read.getBase()), block}].push_back(stream);
      }
    });
    for (auto &[key, list] : streams)
      prefetchSlice(list, target.cpu(), log);
    for (WindowPrefetch &window : windows)
      if (prefetchWindow(window)) {
        log.add("prefetch", window.last.getLoc(),
                detailsOf(window.last, log).set("pattern", "window"));
        ++numWindows;
      } else {
        refuse(window.last, "a window's lines are no whole number, or too many", log);
      }
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getOps<tpp::GemmOp>().empty())
        numBlocks += prefetchBlocks(loop, l2);
    });
  }

private:
  static Details detailsOf(vector::TransferReadOp read, DecisionLog &log) {
    return log.details().set("bytes", bytesOfSource(read.getBase()));
  }

  void refuse(vector::TransferReadOp read, StringRef why, DecisionLog &log) {
    ++numRefused;
    log.add("refused", read.getLoc(), detailsOf(read, log).set("why", why));
  }

  /// Streams that read one slice in one block, in the order of the program.
  void prefetchSlice(ArrayRef<Stream> streams, const Cpu &cpu, DecisionLog &log) {
    std::vector<ReadPattern> patterns;
    for (const Stream &stream : streams) {
      patterns.push_back(stream.pattern);
      patterns.back().loop =
          llvm::find_if(streams, [&](const Stream &other) { return other.loop == stream.loop; }) -
          streams.begin();
    }
    PrefetchPlan plan = planPrefetches(cpu, patterns);
    if (plan.refusal)
      return refuse(vector::TransferReadOp(streams.front().read), plan.refusal, log);
    for (auto [stream, prefetch] : llvm::zip_equal(streams, plan.reads))
      if (prefetch.ahead != PrefetchAhead::none) {
        emitPrefetch(stream.read, prefetch);
        record(stream, prefetch, log);
        ++numStreams;
      }
    SmallVector<Stream> early;
    for (size_t number : plan.writers)
      early.push_back(streams[number]);
    if (!early.empty())
      emitPrefetchesOfWrites(streams[plan.last], early, capacity(cpu, Cache::l2));
  }

  static void record(const Stream &stream, const ReadPrefetch &prefetch, DecisionLog &log) {
    Details details = detailsOf(stream.read, log);
    details.set("pattern", "stream").set("cache", prefetch.target == Cache::l1 ? "L1" : "L2");
    if (prefetch.ahead == PrefetchAhead::nextSlice)
      details.set("ahead", "next slice");
    else
      details.set("ahead_bytes", prefetch.elements * stream.pattern.elementBytes);
    vector::TransferReadOp read = stream.read;
    log.add("prefetch", read.getLoc(), details);
  }
};

} // namespace
} // namespace kgen
