// Asks for the memory that loops over vectors will read, some time before they do.
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/NonTemporal.h"
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

constexpr int64_t distanceBytes = 2048; ///< measured: 1024 to 8192 are within 3 %
constexpr int64_t shortestLoop = 2 * distanceBytes, shortestRow = 128, leastVector = 32;

int64_t byteWidth(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// A vector that an innermost loop reads from a large tensor, how many elements of it the loop
/// walks through, and how many loops around it do within a part of the tensor.
struct Stream {
  scf::ForOp loop;
  vector::TransferReadOp read;
  int64_t elements, inPart;
};

struct InsertPrefetchesPass : impl::InsertPrefetchesPassBase<InsertPrefetchesPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    largestPart = target.getL1d() / 2;
    largestNear = target.getL2() / 4;
    // By what is read, and where: several loops of a block may read the same.
    llvm::MapVector<std::pair<Value, Block *>, SmallVector<Stream>> streams;
    SmallVector<WindowPrefetch> windows;
    getOperation().walk([&](scf::ForOp loop) {
      llvm::append_range(windows, windowPrefetches(loop, target.getL2()));
      if (!windows.empty() && windows.back().loop == loop)
        return;
      for (Stream stream : streamsOf(loop, target.getL2())) {
        scf::ForOp around = loopOverSlices(stream.read.getBase());
        Block *block = around ? around.getBody() : loop->getBlock();
        streams[{partOf(stream.read.getBase()), block}].push_back(stream);
      }
    });
    for (auto &[where, list] : streams) {
      // Others read all of the part whose pieces these loops read.
      if (!llvm::all_of(list, isPiece))
        llvm::erase_if(list, isPiece);
      bool isSlowSomewhere = llvm::any_of(list, isSlow);
      // Where short rows are not worth it, they are no reason not to ask for the whole.
      if (!isSlowSomewhere && llvm::any_of(list, isFlat) && llvm::any_of(list, isInShortRows))
        llvm::erase_if(list, [](const Stream &stream) { return !isFlat(stream); });
      ArrayRef<Stream> all = list;
      SmallVector<Stream> worthIt =
          llvm::to_vector(llvm::make_filter_range(all, [&](Stream stream) {
            bool isNextKnown = isReadAgain(stream, all) && loopOverSlices(stream.read.getBase());
            if (!isPartOfRow(stream.read, stream.loop) && isOneOfSeveral(stream.read, stream.loop))
              return isNextKnown && isSlowSomewhere;
            return isLong(stream) || isReadAgain(stream, all);
          }));
      if (worthIt.empty() || (llvm::any_of(all, isInShortRows) && !isSlowSomewhere))
        continue;
      scf::ForOp loop = longest(worthIt);
      for (Stream &stream : worthIt)
        if (stream.loop == loop)
          prefetch(stream, isReadAgain(stream, all), llvm::all_of(all, isFlat));
      scf::ForOp last = worthIt.back().loop, early = loop == last ? worthIt.front().loop : loop;
      if (early != last)
        prefetchWritten(worthIt, early, target.getL2());
    }
    llvm::for_each(windows, prefetchWindow);
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getOps<tpp::GemmOp>().empty())
        prefetchBlocks(loop, target.getL2());
    });
  }

private:
  /// Whether the loop reads a part as one row, of which other loops may read several.
  static bool isFlat(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    return partOf(read.getBase()) != read.getBase();
  }

  /// Whether the loop reads a piece of a part, as one row.
  static bool isPiece(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    auto part = cast<MemRefType>(read.getBase().getType());
    return isFlat(stream) && loopOverSlices(read.getBase()) && part.hasStaticShape() &&
           2 * stream.inPart <= part.getNumElements();
  }

  static SmallVector<Stream> streamsOf(scf::ForOp loop, int64_t cache) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    SmallVector<Stream> found;
    if (!trips || !step)
      return found;
    int64_t elements = trips->getSExtValue() * *step;
    auto add = [&](vector::TransferReadOp read, int64_t inLoop) {
      int64_t inPart = inLoop;
      scf::ForOp parts = loopOverSlices(read.getBase());
      for (auto around = loop->getParentOfType<scf::ForOp>(); parts && around && around != parts;
           around = around->getParentOfType<scf::ForOp>())
        inPart *= around.getStaticTripCount().value_or(APInt(64, 1)).getSExtValue();
      found.push_back({loop, read, inLoop, inPart});
    };
    bool isInnermost = loop.getOps<scf::ForOp>().empty();
    for (auto read : loop.getOps<vector::TransferReadOp>()) {
      if (bytesOfSource(read.getBase()) <= cache)
        continue;
      if (isStream(read, loop, elements))
        add(read, elements);
      else if (isInnermost && isPartOfRow(read, loop))
        add(read, elements * rowOf(read.getBase()));
    }
    return found;
  }

  /// Whether the loop reads other rows of the same tensor beside this one: the hardware's
  /// prefetcher follows each of them, and has several reads under way. It does not know about the
  /// next part of the tensor, though.
  static bool isOneOfSeveral(vector::TransferReadOp read, scf::ForOp loop) {
    constexpr int64_t several = 4;
    return llvm::count_if(loop.getOps<vector::TransferReadOp>(), [&](auto other) {
             return other.getBase() == read.getBase() &&
                    other.getIndices().back() == read.getIndices().back();
           }) >= several;
  }

  /// Whether the loop is about a row, or some, of several that follow each other.
  static bool isInShortRows(const Stream &stream) {
    vector::TransferReadOp read = stream.read;
    return stream.elements != stream.inPart || isPartOfRow(read, stream.loop);
  }

  /// Whether memory has to wait for the loop, or sees it jump from row to row.
  static bool isSlow(const Stream &stream) {
    constexpr int64_t jumps = 8;
    scf::ForOp loop = stream.loop;
    bool isJumping =
        *getConstantIntValue(loop.getStep()) >= jumps && isPartOfRow(stream.read, loop);
    return isJumping ||
           llvm::any_of(*loop.getBody(), [](Operation &op) { return isMathFunction(&op); });
  }

  /// The loop that does most with a vector, the last one of several: what it asks for comes while
  /// it computes.
  static scf::ForOp longest(ArrayRef<Stream> streams) {
    constexpr int64_t workOfFunction = 20, little = workOfFunction / 2;
    auto workOf = [&](Stream stream) {
      int64_t work = 0, vectors = 0;
      for (Operation &op : *stream.loop.getBody()) {
        auto read = dyn_cast<vector::TransferReadOp>(op);
        vectors += read && read.getBase() == stream.read.getBase();
        bool isArithmetic = isa_and_present<arith::ArithDialect>(op.getDialect());
        work += isMathFunction(&op) ? workOfFunction : isArithmetic;
      }
      return std::max(work / vectors, little);
    };
    Stream found = streams.back();
    for (const Stream &stream : streams)
      if (workOf(stream) > workOf(found) + workOf(found) / 2)
        found = stream;
    return found.loop;
  }

  /// What the last loop writes at the places that it reads, before it does.
  static void prefetchWritten(ArrayRef<Stream> streams, scf::ForOp early, int64_t cache) {
    Stream last = streams.back();
    Value part = last.read.getBase();
    scf::ForOp around = loopOverSlices(part);
    for (auto write : last.loop.getOps<vector::TransferWriteOp>()) {
      Value written = write.getBase();
      auto view = written.getDefiningOp<memref::SubViewOp>();
      if (!around || !view || loopOverSlices(written) != around ||
          bytesOfSource(written) <= cache || write.getIndices() != last.read.getIndices() ||
          written == part || !llvm::all_of(view->getOperands(), [&](Value v) {
            return v == around.getInductionVar() || around.isDefinedOutsideOfLoop(v);
          }))
        continue;
      OpBuilder b(around.getContext());
      b.setInsertionPointAfter(part.getDefiningOp());
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

  /// How many elements of a part the streams of a loop read together: of other rows each, or all of
  /// the same one. Of larger parts the next one would not find room in the second-level cache
  /// beside this one and what is made of it.
  int64_t elementsRead(Stream own, ArrayRef<Stream> all) const {
    auto part = cast<MemRefType>(own.read.getBase().getType());
    if (!loopOverSlices(own.read.getBase()) || !part.hasStaticShape() ||
        bytesOf(part) > largestNear)
      return own.inPart;
    int64_t elements = 0;
    for (const Stream &stream : all)
      elements += stream.loop == own.loop ? stream.inPart : 0;
    return std::min(elements, part.getNumElements());
  }

  /// Whether another loop reads the same row, but for what is left of it beside whole steps.
  bool isReadAgain(Stream stream, ArrayRef<Stream> all) const {
    int64_t own = elementsRead(stream, all);
    return llvm::any_of(all, [&](const Stream &other) {
      int64_t others = elementsRead(other, all);
      return other.loop != stream.loop && 2 * std::min(own, others) > std::max(own, others);
    });
  }

  static bool isLong(Stream stream) {
    Type element = stream.read.getVectorType().getElementType();
    return stream.elements * byteWidth(element) >= shortestLoop;
  }

  /// Whether the loop walks through contiguous memory, and far enough to be worth it for a row.
  static bool isStream(vector::TransferReadOp read, scf::ForOp loop, int64_t elements) {
    auto memory = dyn_cast<MemRefType>(read.getBase().getType());
    VectorType vector = read.getVectorType();
    if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
        !read.getPermutationMap().isMinorIdentity() || !memory.isLastDimUnitStride())
      return false;
    Value index = read.getIndices().back(), i = loop.getInductionVar();
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (index != i && (!sum || !llvm::is_contained(sum.getOperands(), i)))
      return false;
    int64_t width = byteWidth(vector.getElementType());
    return vector.getNumElements() * width >= leastVector && elements * width >= shortestRow;
  }

  static int64_t rowOf(Value memory) {
    return cast<MemRefType>(memory.getType()).getShape().back();
  }

  /// Whether the loop goes from row to row, which lie one behind the other, and the vector is a
  /// part of one.
  static bool isPartOfRow(vector::TransferReadOp read, scf::ForOp loop) {
    auto memory = dyn_cast<MemRefType>(read.getBase().getType());
    if (!memory || memory.getRank() < 2 || !memory.hasStaticShape() ||
        !memory.getElementType().isIntOrFloat() || read.getVectorType().getRank() != 1 ||
        !read.getPermutationMap().isMinorIdentity())
      return false;
    SmallVector<int64_t> strides;
    int64_t offset;
    return succeeded(memory.getStridesAndOffset(strides, offset)) && strides.back() == 1 &&
           strides[strides.size() - 2] == memory.getShape().back() &&
           isOrAddsTo(read.getIndices().drop_back().back(), loop.getInductionVar()) &&
           getConstantIntValue(read.getIndices().back());
  }

  /// Every line of a vector like the one that is read.
  static void prefetchVector(OpBuilder &b, vector::TransferReadOp read, Value memory,
                             ValueRange place, PrefetchKind kind) {
    int64_t elements = read.getVectorType().getNumElements();
    prefetchLines(b, read.getLoc(), memory, place, elements, kind);
  }

  /// The next part or row, where this one was in a cache already.
  void prefetch(Stream &stream, bool isReadAgain, bool isInOneRow) const {
    vector::TransferReadOp read = stream.read;
    Value memory = read.getBase();
    OpBuilder b(read);
    Location loc = read.getLoc();
    SmallVector<Value> indices(read.getIndices());
    scf::ForOp parts = isReadAgain && !isInOneRow ? loopOverSlices(memory) : scf::ForOp();
    if (parts) {
      memory = nextSlice(parts, memory);
    } else {
      int64_t ahead = isReadAgain
                          ? stream.elements
                          : distanceBytes / byteWidth(read.getVectorType().getElementType());
      indices.back() = arith::AddIOp::create(b, loc, indices.back(),
                                             arith::ConstantIndexOp::create(b, loc, ahead));
    }
    // Parts that the first cache has no room for would push out what they are computed from.
    bool isLarge = parts && bytesOf(memory.getType()) > largestPart;
    prefetchVector(b, read, memory, indices,
                   {/*isWrite=*/false, isLarge ? localityL2 : localityL1});
  }

  int64_t largestPart = 0, largestNear = 0; ///< bytes; for the first and the second cache
};

} // namespace
} // namespace kgen
