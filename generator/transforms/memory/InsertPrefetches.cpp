// Prefetches of what loops over vectors will read.
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/analysis/IndexRange.h"
#include "transforms/analysis/ViewSource.h"
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
#include "transforms/Passes.h.inc"

namespace {

/// True if the index grows by the loop's step in each iteration.
bool advancesWith(Value index, scf::ForOp loop) {
  return LinearIndex(index).coefficientOf(loop.getInductionVar()) == 1;
}

int64_t byteWidth(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// An access stream: a vector that an innermost loop reads from a large tensor.
struct Stream {
  scf::ForOp loop;
  vector::TransferReadOp read;
  int64_t elements; ///< that the loop reads
  int64_t inSlice;  ///< that it and the loops around it read of one slice of the tensor
};

struct InsertPrefetchesPass : impl::InsertPrefetchesPassBase<InsertPrefetchesPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    maxSliceInL1 = capacity(target.cpu(), Cache::l1, Share::half);
    maxSliceInL2 = capacity(target.cpu(), Cache::l2, Share::quarter);
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
      prefetchStreams(list, l2, log);
    for (WindowPrefetch &window : windows)
      if (prefetchWindow(window)) {
        record(log, window.last, "window");
        ++numWindows;
      }
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getOps<tpp::GemmOp>().empty())
        numBlocks += prefetchBlocks(loop, l2);
    });
  }

private:
  static void record(DecisionLog &log, vector::TransferReadOp read, StringRef pattern) {
    log.add("prefetch", read.getLoc(),
            log.details().set("pattern", pattern).set("bytes", bytesOfSource(read.getBase())));
  }

  void refuse(ArrayRef<Stream> streams, StringRef why, DecisionLog &log) {
    if (streams.empty())
      return;
    numRefused += streams.size();
    vector::TransferReadOp read = streams.front().read;
    log.add("refused", read.getLoc(),
            log.details().set("bytes", bytesOfSource(read.getBase())).set("why", why));
  }

  /// Streams that read one slice in one block. Chooses the loop that prefetches the next one.
  void prefetchStreams(SmallVectorImpl<Stream> &list, int64_t cache, DecisionLog &log) {
    // A loop that reads a subslice is redundant beside one that reads all of the slice.
    if (!llvm::all_of(list, isSubslice))
      llvm::erase_if(list, isSubslice);
    bool isAnySlow = llvm::any_of(list, isSlow);
    // Short rows that are not worth prefetching do not keep the whole slice from it.
    if (!isAnySlow && llvm::any_of(list, isFlat) && llvm::any_of(list, isInShortRows))
      llvm::erase_if(list, [](const Stream &stream) { return !isFlat(stream); });
    ArrayRef<Stream> all = list;
    SmallVector<Stream> profitable =
        llvm::to_vector(llvm::make_filter_range(all, [&](Stream stream) {
          bool isNextKnown = isReadAgain(stream, all) && loopOverSlices(stream.read.getBase());
          if (!isSliceOfRow(stream.read, stream.loop) && isOneOfSeveral(stream.read, stream.loop))
            return isNextKnown && isAnySlow;
          return isLong(stream) || isReadAgain(stream, all);
        }));
    if (profitable.empty())
      return refuse(all, "too short, or rows side by side", log);
    if (llvm::any_of(all, isInShortRows) && !isAnySlow)
      return refuse(all, "short rows in fast loops", log);
    scf::ForOp loop = loopWithMostWork(profitable);
    for (Stream &stream : profitable)
      if (stream.loop == loop) {
        prefetch(stream, isReadAgain(stream, all), llvm::all_of(all, isFlat));
        record(log, stream.read, "stream");
        ++numStreams;
      }
    scf::ForOp last = profitable.back().loop, early = loop == last ? profitable.front().loop : loop;
    if (early != last)
      prefetchWritten(profitable, early, cache);
  }

  /// True if the loop reads a slice as one row, of which other loops may read several.
  static bool isFlat(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    return sliceOf(read.getBase()) != read.getBase();
  }

  /// True if the loop reads a part of a slice, at most half of it, as one row.
  static bool isSubslice(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    auto slice = cast<MemRefType>(read.getBase().getType());
    return isFlat(stream) && loopOverSlices(read.getBase()) && slice.hasStaticShape() &&
           2 * stream.inSlice <= slice.getNumElements();
  }

  /// The streams of `loop` that read tensors larger than `cache` bytes.
  static SmallVector<Stream> streamsOf(scf::ForOp loop, int64_t cache) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    SmallVector<Stream> found;
    if (!trips || !step)
      return found;
    int64_t elements = trips->getSExtValue() * *step;
    auto add = [&](vector::TransferReadOp read, int64_t inLoop) {
      int64_t inSlice = inLoop;
      scf::ForOp slices = loopOverSlices(read.getBase());
      for (auto around = loop->getParentOfType<scf::ForOp>(); slices && around && around != slices;
           around = around->getParentOfType<scf::ForOp>())
        inSlice *= around.getStaticTripCount().value_or(APInt(64, 1)).getSExtValue();
      found.push_back({loop, read, inLoop, inSlice});
    };
    bool isInnermost = loop.getOps<scf::ForOp>().empty();
    for (auto read : loop.getOps<vector::TransferReadOp>()) {
      if (bytesOfSource(read.getBase()) <= cache)
        continue;
      if (isStream(read, loop, elements))
        add(read, elements);
      else if (isInnermost && isSliceOfRow(read, loop))
        add(read, elements * rowOf(read.getBase()));
    }
    return found;
  }

  /// True if the loop reads other rows of the same tensor at the same column. The hardware
  /// prefetcher follows each of them, and several reads are under way. It does not know the next
  /// slice.
  static bool isOneOfSeveral(vector::TransferReadOp read, scf::ForOp loop) {
    return llvm::count_if(loop.getOps<vector::TransferReadOp>(), [&](auto other) {
             return other.getBase() == read.getBase() &&
                    other.getIndices().back() == read.getIndices().back();
           }) >= cpuOf(loop).heuristics.hardwareStreams;
  }

  /// True if the loop reads one or more rows of a slice of several contiguous rows.
  static bool isInShortRows(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    return stream.elements != stream.inSlice || isSliceOfRow(read, stream.loop);
  }

  /// True if the loop computes mathematical functions, or advances many rows in an iteration.
  static bool isSlow(const Stream &stream) {
    scf::ForOp loop = stream.loop;
    bool isJumping = *getConstantIntValue(loop.getStep()) >= cpuOf(loop).heuristics.minSlowRows &&
                     isSliceOfRow(stream.read, loop);
    return isJumping ||
           llvm::any_of(*loop.getBody(), [](Operation &op) { return isMathFunction(&op); });
  }

  /// The loop with the most arithmetic for each vector, the last of several: what it prefetches
  /// arrives while it computes. Another loop is preferred to the last one if it has 1.5 times its
  /// work.
  static scf::ForOp loopWithMostWork(ArrayRef<Stream> streams) {
    // In arithmetic operations; loops with less than half a function do not differ.
    const int64_t workOfFunction = cpuOf(streams.front().loop).heuristics.functionOperations,
                  minWork = workOfFunction / 2;
    auto workOf = [&](Stream stream) {
      int64_t work = 0, vectors = 0;
      for (Operation &op : *stream.loop.getBody()) {
        auto read = dyn_cast<vector::TransferReadOp>(op);
        vectors += read && read.getBase() == stream.read.getBase();
        bool isArithmetic = isa_and_present<arith::ArithDialect>(op.getDialect());
        work += isMathFunction(&op) ? workOfFunction : isArithmetic;
      }
      return std::max(work / vectors, minWork);
    };
    Stream found = streams.back();
    for (const Stream &stream : streams)
      if (workOf(stream) > workOf(found) + workOf(found) / 2)
        found = stream;
    return found.loop;
  }

  /// Lets the loop `early` prefetch what the last loop writes at the indices that it reads.
  static void prefetchWritten(ArrayRef<Stream> streams, scf::ForOp early, int64_t cache) {
    Stream last = streams.back();
    Value slice = last.read.getBase();
    scf::ForOp around = loopOverSlices(slice);
    for (auto write : last.loop.getOps<vector::TransferWriteOp>()) {
      Value written = write.getBase();
      auto view = written.getDefiningOp<memref::SubViewOp>();
      if (!around || !view || loopOverSlices(written) != around ||
          bytesOfSource(written) <= cache || write.getIndices() != last.read.getIndices() ||
          written == slice || !llvm::all_of(view->getOperands(), [&](Value v) {
            return v == around.getInductionVar() || around.isDefinedOutsideOfLoop(v);
          }))
        continue;
      OpBuilder b(around.getContext());
      b.setInsertionPointAfter(slice.getDefiningOp());
      Value same = b.clone(*view)->getResult(0);
      for (Stream stream : streams) {
        if (stream.loop != early || stream.read.getIndices().size() != write.getIndices().size())
          continue;
        b.setInsertionPoint(stream.read);
        prefetchVector(b, stream.read, same, stream.read.getIndices(),
                       {/*isWrite=*/true, localityL1});
      }
    }
  }

  /// Elements of a slice that the streams of a loop read together, whether they read different rows
  /// or all the same one. Slices of more than a quarter of the second-level cache count as one
  /// stream: the next one would not fit beside this one and what is computed from it.
  int64_t elementsRead(Stream own, ArrayRef<Stream> all) const {
    auto slice = cast<MemRefType>(own.read.getBase().getType());
    if (!loopOverSlices(own.read.getBase()) || !slice.hasStaticShape() ||
        bytesOf(slice) > maxSliceInL2)
      return own.inSlice;
    int64_t elements = 0;
    for (const Stream &stream : all)
      elements += stream.loop == own.loop ? stream.inSlice : 0;
    return std::min(elements, slice.getNumElements());
  }

  /// True if another loop reads the same slice, but for a remainder: less than twice, more than
  /// half.
  bool isReadAgain(Stream stream, ArrayRef<Stream> all) const {
    int64_t own = elementsRead(stream, all);
    return llvm::any_of(all, [&](const Stream &other) {
      int64_t others = elementsRead(other, all);
      return other.loop != stream.loop && 2 * std::min(own, others) > std::max(own, others);
    });
  }

  /// True if the loop is prefetched for its own sake: half of it is behind the prefetch distance.
  static bool isLong(Stream stream) {
    Type element = stream.read.getVectorType().getElementType();
    return stream.elements * byteWidth(element) >=
           2 * cpuOf(stream.loop).heuristics.prefetchDistance;
  }

  /// True if the loop reads contiguous memory, in vectors and rows that are worth prefetching.
  static bool isStream(vector::TransferReadOp read, scf::ForOp loop, int64_t elements) {
    auto memory = dyn_cast<MemRefType>(read.getBase().getType());
    VectorType vector = read.getVectorType();
    if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
        !read.getPermutationMap().isMinorIdentity() || !memory.isLastDimUnitStride())
      return false;
    if (!advancesWith(read.getIndices().back(), loop))
      return false;
    const Heuristics &limits = cpuOf(loop).heuristics;
    int64_t width = byteWidth(vector.getElementType());
    return vector.getNumElements() * width >= limits.minPrefetchedVectorBytes &&
           elements * width >= limits.minPrefetchedRowBytes;
  }

  static int64_t rowOf(Value memory) {
    return cast<MemRefType>(memory.getType()).getShape().back();
  }

  /// True if the loop iterates over contiguous rows, and the vector is at a constant column of one.
  static bool isSliceOfRow(vector::TransferReadOp read, scf::ForOp loop) {
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

  /// Prefetches every line of a vector like the one that is read, from `indices` of `memory` on.
  static void prefetchVector(OpBuilder &b, vector::TransferReadOp read, Value memory,
                             ValueRange indices, PrefetchKind kind) {
    int64_t elements = read.getVectorType().getNumElements();
    prefetchLines(b, read.getLoc(), memory, indices, elements, kind);
  }

  /// Prefetches the next slice or row if this one is read again, else what is the prefetch distance
  /// ahead.
  void prefetch(Stream &stream, bool isReadAgain, bool isInOneRow) const {
    vector::TransferReadOp read = stream.read;
    Value memory = read.getBase();
    OpBuilder b(read);
    Location loc = read.getLoc();
    SmallVector<Value> indices(read.getIndices());
    scf::ForOp slices = isReadAgain && !isInOneRow ? loopOverSlices(memory) : scf::ForOp();
    if (slices) {
      memory = nextSlice(slices, memory);
    } else {
      int64_t ahead = isReadAgain ? stream.elements
                                  : cpuOf(stream.loop).heuristics.prefetchDistance /
                                        byteWidth(read.getVectorType().getElementType());
      indices.back() = arith::AddIOp::create(b, loc, indices.back(),
                                             arith::ConstantIndexOp::create(b, loc, ahead));
    }
    // A slice of more than half of the first-level cache would evict what the loop works on.
    bool isLarge = slices && bytesOf(memory.getType()) > maxSliceInL1;
    prefetchVector(b, read, memory, indices,
                   {/*isWrite=*/false, isLarge ? localityL2 : localityL1});
  }

  int64_t maxSliceInL1 = 0,
          maxSliceInL2 = 0; ///< bytes of a slice that is prefetched into that cache
};

} // namespace
} // namespace kgen
