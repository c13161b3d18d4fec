// Kernels of operations that read in another order than they write: tiles by way of shared memory.
#include "transforms/gpu/Kernels.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

constexpr int64_t unrolledOperations = 256; ///< of a thread's elements together

/// The code of one block: neighbours in the sources are read by neighbouring threads, and then
/// neighbours in the results are written by these.
class TranspositionCode {
public:
  TranspositionCode(KernelBuilder &kernel, const GenericLoops &loops, const Transposition &way)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), math(kernel.math), loops(loops), way(way),
        tile(way.tile), shares(llvm::divideCeil(tile.elements(), gpuPointThreads)) {}

  void build(Value block) {
    const int64_t tilesRead = llvm::divideCeil(way.read.count(), tile.read),
                  tilesWritten = llvm::divideCeil(way.written.count(), tile.written);
    firstRead = math.times(math.modulo(block, tilesRead), tile.read);
    Value rest = math.dividedBy(block, tilesRead);
    firstWritten = math.times(math.modulo(rest, tilesWritten), tile.written);
    batch = math.dividedBy(rest, tilesWritten);
    for (unsigned source : way.sources)
      buffers.push_back(kernel.shared(typeInShared(source), tile.sharedElements()));
    readTile();
    kernel.barrier();
    writeTile();
  }

private:
  /// An element of the tile.
  struct Place {
    Value read, written; ///< along the runs, in the tile
  };

  /// Bytes, not bits, for truth values.
  Type typeInShared(unsigned source) const {
    Type element = getElementTypeOrSelf(loops.inputs[source].memref.getType());
    return element.isInteger(1) ? b.getI8Type() : element;
  }

  Value shareOf(Value number) {
    return math.add(math.times(number, gpuPointThreads), kernel.thread(0));
  }

  /// The element of the tile that a share of the copy is, in the order of the sources.
  Place inReadOrder(Value share) {
    return {math.modulo(share, tile.read), math.dividedBy(share, tile.read)};
  }

  Place inWrittenOrder(Value share) {
    return {math.dividedBy(share, tile.written), math.modulo(share, tile.written)};
  }

  Value sharedAddress(const Place &place) {
    return math.add(math.times(place.written, tile.pitch()), place.read);
  }

  /// True for what is an element of the tile, where there are more threads; null: all are.
  Value isShare(Value share) {
    return tile.elements() % gpuPointThreads == 0 ? Value() : math.isBelow(share, tile.elements());
  }

  /// True within the tensor; null: all of the tile is.
  Value isInside(const Place &place) {
    Value inside;
    if (way.read.count() % tile.read != 0)
      inside = math.isBelow(math.add(firstRead, place.read), way.read.count());
    if (way.written.count() % tile.written != 0)
      inside = math.both(inside,
                         math.isBelow(math.add(firstWritten, place.written), way.written.count()));
    return inside;
  }

  Value addressAt(const LinearForm &form, const Place &place) {
    Value sum = math.add(way.read.dot(math, math.add(firstRead, place.read), form),
                         way.written.dot(math, math.add(firstWritten, place.written), form));
    return math.add(math.add(sum, way.batch.dot(math, batch, form)), form.constant);
  }

  /// The elements of a thread's share of the tile, one of each source.
  SmallVector<Value> read(Value share) {
    const Place place = inReadOrder(share);
    // Beyond the tensor its first element is read, and not used.
    Value inside = isInside(place);
    SmallVector<Value> values;
    for (unsigned source : way.sources) {
      const LoopOperand &input = loops.inputs[source];
      Value address = math.orZero(inside, addressAt(*input.address, place));
      Value value = kernel.loadAt(input.memref, address);
      values.push_back(value.getType().isInteger(1)
                           ? arith::ExtUIOp::create(b, loc, b.getI8Type(), value).getResult()
                           : value);
    }
    return values;
  }

  void keep(Value share, ArrayRef<Value> values) {
    for (auto [value, buffer] : llvm::zip_equal(values, buffers))
      kernel.storeShared(value, buffer, sharedAddress(inReadOrder(share)));
  }

  /// Reads all that a thread has before it stores the first.
  void readTile() {
    const int64_t full = tile.elements() / gpuPointThreads;
    SmallVector<SmallVector<Value>> values;
    for (int64_t number = 0; number < full; ++number)
      values.push_back(read(shareOf(math.constant(number))));
    for (int64_t number = 0; number < full; ++number)
      keep(shareOf(math.constant(number)), values[number]);
    if (full == shares)
      return;
    Value last = shareOf(math.constant(full));
    kernel.where(isShare(last), [&] { keep(last, read(last)); });
  }

  void writeTile() {
    auto loop =
        scf::ForOp::create(b, loc, math.constant(0), math.constant(shares), math.constant(1));
    Block &body = *linalg::GenericOp(loops.op).getBody();
    if (shares * static_cast<int64_t>(body.getOperations().size()) <= unrolledOperations)
      loop->setAttr("kgen.unroll", b.getUnitAttr());
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value share = shareOf(loop.getInductionVar());
    const Place place = inWrittenOrder(share);
    kernel.where(math.both(isInside(place), isShare(share)), [&] { writeElement(place); });
  }

  /// The indices of all loops, if anything needs them.
  SmallVector<Value> indicesAt(const Place &place) {
    SmallVector<Value> indices(loops.sizes.size());
    const bool areUsed = loops.usesIndices() || llvm::any_of(loops.inputs, [](auto &input) {
                           return !input.address && !input.constant;
                         });
    if (areUsed) {
      way.read.split(math, math.add(firstRead, place.read), indices);
      way.written.split(math, math.add(firstWritten, place.written), indices);
      way.batch.split(math, batch, indices);
    }
    return indices;
  }

  Value inputAt(unsigned number, const Place &place, ValueRange indices) {
    const LoopOperand &input = loops.inputs[number];
    const auto *source = llvm::find(way.sources, number);
    if (source == way.sources.end())
      return elementAt(kernel, input,
                       input.constant  ? Value()
                       : input.address ? addressAt(*input.address, place)
                                       : addressOf(kernel, input, indices));
    Value value =
        kernel.loadShared(buffers[source - way.sources.begin()], sharedAddress(place), 1).front();
    Type element = getElementTypeOrSelf(input.memref.getType());
    return value.getType() == element ? value
                                      : arith::TruncIOp::create(b, loc, element, value).getResult();
  }

  void writeElement(const Place &place) {
    const SmallVector<Value> indices = indicesAt(place);
    SmallVector<Value> arguments, addresses;
    for (size_t number = 0; number < loops.inputs.size(); ++number)
      arguments.push_back(inputAt(number, place, indices));
    for (auto [number, output] : llvm::enumerate(loops.outputs)) {
      addresses.push_back(addressAt(*output.address, place));
      arguments.push_back(loops.readsOutput(number) ? kernel.loadAt(output.memref, addresses.back())
                                                    : zeroLike(kernel, output));
    }
    const SmallVector<Value> results =
        kernel.inlineBody(*linalg::GenericOp(loops.op).getBody(), arguments, indices);
    for (auto [output, address, value] : llvm::zip_equal(loops.outputs, addresses, results))
      kernel.storeAt(value, output.memref, address);
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  const Location loc;
  const IndexMath &math;
  const GenericLoops &loops;
  const Transposition &way;
  const GpuTranspositionTile tile;
  const int64_t shares;       ///< elements of a thread
  SmallVector<Value> buffers; ///< of the sources, in shared memory
  Value firstRead, firstWritten, batch;
};

} // namespace

BuiltKernel buildTranspositionKernel(gpu::GPUModuleOp module, StringRef name,
                                     const GenericLoops &loops, const Transposition &way) {
  const int64_t blocks = way.batch.count() * llvm::divideCeil(way.read.count(), way.tile.read) *
                         llvm::divideCeil(way.written.count(), way.tile.written);
  Grid grid;
  grid.threads[0] = gpuPointThreads;
  grid.setBlocks(blocks);
  KernelBuilder kernel(module, loops.op, name, loops.memrefs(), grid);
  Value block = kernel.blockNumber();
  const bool isExact = grid.blocks[0] * grid.blocks[1] == blocks;
  kernel.where(isExact ? Value() : kernel.math.isBelow(block, blocks),
               [&] { TranspositionCode(kernel, loops, way).build(block); });
  BuiltKernel built{kernel.finish(), "transposition", kernel.leastBytes()};
  built.transposition = way.tile;
  return built;
}

} // namespace kgen::gpu_kernels
