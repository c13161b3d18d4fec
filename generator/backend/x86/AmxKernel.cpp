// AMX kernels.
//
// The code names tile registers explicitly, so that LLVM's register allocator, which would spill
// full tiles, has nothing to do. kgen-insert-amx-config sets their shapes in the callers, once for
// many calls: all tiles of a kernel have the same height.
//
// A kernel processes two tiles of rows at a time, and k in passes whose block of B stays in L1 for
// all rows; A, which is read once, is loaded with a non-temporal hint. Between passes the sums are
// in memory, and the epilogue of a block of rows is computed while the next block is multiplied. No
// memory outside A, B and C is accessed: the last tile of rows overlaps the one before it, and the
// last values of k are copied to zero-padded memory.
#include "backend/x86/AmxKernel.h"

#include "costmodel/Caches.h"
#include "providers/KernelBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

namespace {

class AmxKernel : KernelBuilder {
public:
  AmxKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : KernelBuilder(kernel, target, builder), registers(kernel), tall(kernel.getM()),
        passes(kernel, target), l1d(capacity(target.cpu(), Cache::l1)) {}

  void build();

private:
  /// A tile in memory: its address, and the stride of its rows in bytes.
  struct TileAddress {
    Value pointer, stride;
  };
  /// A block of k for all rows.
  struct Pass {
    Value start; ///< in steps of k
    int64_t steps;
    bool isFirst, isLast;
  };
  /// Rows that are multiplied together, in one or two tiles.
  struct RowBlock {
    Value number;       ///< of the block
    Value row;          ///< its first row
    int64_t tiles;      ///< one or two
    int64_t second;     ///< first row of the second tile, from `row`
    int64_t begin, end; ///< rows from `row` that no other block computes
    int64_t rows() const { return end - begin; }
  };

  Value registerNumber(int64_t number) {
    return LLVM::ConstantOp::create(b, loc, b.getI8Type(), b.getI8IntegerAttr(number));
  }
  void intrinsic(StringRef name, ValueRange operands) {
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86." + name), operands);
  }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value times(Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(loc, x, number(factor));
  }
  Value scratch(int64_t count) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), number(count), tileBytes);
  }
  template <typename Body> void loop(Value from, Value to, Body body) {
    auto loop = scf::ForOp::create(b, loc, from, to, number(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  bool hasOwnSums() {
    bool addsTwice = tall.overlaps() && (kernel.getAccumulate() || passes.count > 1);
    return hasEpilogue() || result != accumulator || addsTwice;
  }
  /// True if a block of A does not stay in L1 until the next panel: then loads of A should not
  /// evict B (non-temporal hint).
  bool isReadOnce() { return tall.blocks() > 1 && tall.count * passes.each * tileBytes > l1d / 2; }
  int64_t rowOfScratchB() { return registers.cols * tileBytes; }
  int64_t rowOfOwnSums() { return registers.cols * tileColumns; }
  int64_t stepOfB() { return tileRows * static_cast<int64_t>(kernel.getBRow()); }
  void makeScratch();

  RowBlock fullBlock(Value number);
  RowBlock lastBlock();
  Value sumsOf(const RowBlock &block);
  void forEachSum(const RowBlock &block, Value pointer, int64_t row,
                  llvm::function_ref<void(int64_t, Value, Value)> action);
  void emitRowLoop(const Pass &pass);
  void multiply(const RowBlock &block, const Pass &pass, const RowBlock *finished);
  void emitBatchLoop(const RowBlock &block, const Pass &pass);
  void emitStepLoop(const RowBlock &block, const Pass &pass, const RowBlock *finished);
  void depth(const RowBlock &block, Value aAt, Value bAt, Value k);
  void emitDepthRemainder(const RowBlock &block);
  void step(const RowBlock &block, TileAddress aTile, int64_t secondOfA, TileAddress bTile);
  void prefetchPanel(const RowBlock &block, const Pass &pass, Value k);
  void finishRow(const RowBlock &block, Value row);
  void finish(const RowBlock &block);
  void copyRemainderOfA(const RowBlock &block, Value aAt);
  void copyRemainderOfB(Value at);
  StringRef product();

  TileRegisters registers;
  TileRows tall;
  TilePasses passes;
  int64_t l1d;
  Value scratchA, scratchB;
  Value ownSums; ///< memory for sums of the blocks in progress; null if C has the sums
};

void AmxKernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("amx");
  b.getInsertionBlock()->getParentOp()->setAttr(ukernel::tileShapesAttrName, registers.shapes(b));
  makeScratch();
  if (passes.rest > 0 && kernel.getBatch() == 1)
    copyRemainderOfB(address(bElement, bPointer, passes.steps * stepOfB()));
  if (passes.count == 1) {
    emitRowLoop({number(0), passes.last, true, true});
  } else {
    emitRowLoop({number(0), passes.each, true, false});
    if (passes.count > 2)
      loop(number(1), number(passes.count - 1), [&](Value pass) {
        emitRowLoop({times(pass, passes.each), passes.each, false, false});
      });
    emitRowLoop({number((passes.count - 1) * passes.each), passes.last, false, true});
  }
  func::ReturnOp::create(b, loc);
}

/// Allocates memory for sums: of two blocks, one of which is finished while the next one is
/// multiplied; or of all blocks if there are several passes.
void AmxKernel::makeScratch() {
  if (hasOwnSums()) {
    int64_t waiting = passes.count > 1 ? tall.blocks() : std::min<int64_t>(2, tall.blocks());
    ownSums = scratch(waiting * 2 * tileRows * rowOfOwnSums() * bytes(accumulator));
  }
  if (passes.rest == 0)
    return;
  scratchA = scratch(std::min(rows, 2 * tileRows) * tileBytes);
  scratchB = scratch(tileRows * rowOfScratchB());
}

AmxKernel::RowBlock AmxKernel::fullBlock(Value number) {
  return {number, times(number, 2 * tall.height), 2, tall.height, 0, 2 * tall.height};
}

/// The rows after the full blocks: two tiles that may overlap each other, or one that may overlap
/// the block before it.
AmxKernel::RowBlock AmxKernel::lastBlock() {
  Value before = number(tall.whole);
  if (tall.rest > tall.height)
    return {before, number(tall.whole * 2 * tall.height), 2, tall.rest - tall.height, 0, tall.rest};
  return {before, number(tall.count - tall.height), 1, 0, tall.height - tall.rest, tall.height};
}

/// The address of the sums of a block.
Value AmxKernel::sumsOf(const RowBlock &block) {
  if (!ownSums)
    return address(accumulator, c, 0, block.row, kernel.getCRow());
  Value index = block.number;
  if (passes.count == 1) // two buffers in turn
    index = b.createOrFold<arith::AndIOp>(loc, index, number(1));
  return address(accumulator, ownSums, 0, index, 2 * tileRows * rowOfOwnSums());
}

/// Calls `action` with the register, the address and the row stride in bytes of each tile of sums.
void AmxKernel::forEachSum(const RowBlock &block, Value pointer, int64_t row,
                           llvm::function_ref<void(int64_t, Value, Value)> action) {
  Value stride = number(row * bytes(accumulator));
  for (int64_t tile = 0; tile < block.tiles; ++tile)
    for (int64_t col = 0; col < registers.cols; ++col)
      action(TileRegisters::registerOfSum(tile, col),
             address(accumulator, pointer, tile * block.second * row + col * tileColumns), stride);
}

/// All blocks of rows. In the last pass, each block is finished while the next one is multiplied.
void AmxKernel::emitRowLoop(const Pass &pass) {
  // More rows in a step would need more registers for addresses than there are.
  constexpr int64_t maxRowsInStep = 4;
  bool mayDelay = pass.isLast && ownSums && kernel.getBatch() == 1 &&
                  pass.steps * maxRowsInStep >= 2 * tall.height;
  std::optional<RowBlock> finished;
  auto next = [&](const RowBlock &block) {
    multiply(block, pass, finished ? &*finished : nullptr);
    finished.reset();
    if (mayDelay)
      finished = block;
    else if (pass.isLast && ownSums)
      finish(block);
  };
  int64_t first = 0;
  if (mayDelay && tall.whole > 0) {
    next(fullBlock(number(0)));
    first = 1;
  }
  if (tall.whole - first == 1)
    next(fullBlock(number(first)));
  else if (tall.whole > first) {
    loop(number(first), number(tall.whole), [&](Value block) {
      if (mayDelay)
        finished = fullBlock(plus(block, number(-1)));
      next(fullBlock(block));
    });
    if (mayDelay)
      finished = fullBlock(number(tall.whole - 1));
  }
  if (tall.rest > 0)
    next(lastBlock());
  if (finished)
    finish(*finished);
}

/// Multiplies one block of rows; meanwhile, `finished`, if not null, gets its epilogue.
void AmxKernel::multiply(const RowBlock &block, const Pass &pass, const RowBlock *finished) {
  auto load = [&](int64_t number, Value at, Value stride) {
    intrinsic("tileloadd64", {registerNumber(number), at, stride});
  };
  Value sums = sumsOf(block);
  int64_t row = ownSums ? rowOfOwnSums() : static_cast<int64_t>(kernel.getCRow());
  if (!pass.isFirst)
    forEachSum(block, sums, row, load);
  else if (kernel.getAccumulate())
    forEachSum(block, address(accumulator, c, 0, block.row, kernel.getCRow()), kernel.getCRow(),
               load);
  else
    forEachSum(block, sums, row, [&](int64_t number, Value, Value) {
      intrinsic("tilezero", registerNumber(number));
    });
  if (kernel.getBatch() > 1)
    emitBatchLoop(block, pass);
  else
    emitStepLoop(block, pass, finished);
  forEachSum(block, sums, row, [&](int64_t number, Value at, Value stride) {
    intrinsic("tilestored64", {registerNumber(number), at, stride});
  });
}

void AmxKernel::emitBatchLoop(const RowBlock &block, const Pass &pass) {
  Value aBlock = address(element, a, 0, block.row, kernel.getARow());
  loop(number(0), number(kernel.getBatch()), [&](Value r) {
    Value aAt = address(element, aBlock, 0, r, kernel.getABatch()),
          bAt = address(bElement, bPointer, 0, r, kernel.getBBatch());
    if (passes.rest > 0) {
      copyRemainderOfB(address(bElement, bAt, passes.steps * stepOfB()));
      copyRemainderOfA(block, aAt);
    }
    if (passes.steps > 0)
      loop(number(0), number(passes.steps), [&](Value k) { depth(block, aAt, bAt, k); });
    if (passes.rest > 0)
      emitDepthRemainder(block);
  });
}

/// The steps of a pass for one block. Each of the first steps finishes some rows of `finished`.
void AmxKernel::emitStepLoop(const RowBlock &block, const Pass &pass, const RowBlock *finished) {
  Value aAt = address(element, a, 0, block.row, kernel.getARow());
  bool hasRemainder = pass.isLast && passes.rest > 0;
  if (hasRemainder)
    copyRemainderOfA(block, aAt);
  auto loopOver = [&](int64_t from, int64_t to, int64_t finishedRows) {
    if (from == to)
      return;
    loop(plus(pass.start, number(from)), plus(pass.start, number(to)), [&](Value k) {
      depth(block, aAt, bPointer, k);
      prefetchPanel(block, pass, k);
      Value step = b.createOrFold<arith::SubIOp>(loc, k, pass.start);
      for (int64_t i = 0; i < finishedRows; ++i)
        finishRow(*finished, plus(times(step, finishedRows), number(finished->begin + i)));
    });
  };
  int64_t finishing = 0;
  if (finished) {
    int64_t rowsPerStep = llvm::divideCeil(finished->rows(), pass.steps);
    finishing = finished->rows() / rowsPerStep;
    loopOver(0, finishing, rowsPerStep);
    for (int64_t row = finishing * rowsPerStep; row < finished->rows(); ++row)
      finishRow(*finished, number(finished->begin + row));
  }
  loopOver(finishing, pass.steps, 0);
  if (hasRemainder)
    emitDepthRemainder(block);
}

/// Step `k`.
void AmxKernel::depth(const RowBlock &block, Value aAt, Value bAt, Value k) {
  step(block,
       {address(element, aAt, 0, k, passes.stepK), number(kernel.getARow() * bytes(element))},
       block.second * kernel.getARow(),
       {address(bElement, bAt, 0, k, stepOfB()), number(kernel.getBRow() * bytes(bElement))});
}

void AmxKernel::emitDepthRemainder(const RowBlock &block) {
  step(block, {scratchA, number(tileBytes)}, block.second * passes.stepK,
       {scratchB, number(rowOfScratchB())});
}

void AmxKernel::step(const RowBlock &block, TileAddress aTile, int64_t secondOfA,
                     TileAddress bTile) {
  auto loadB = [&](int64_t col) {
    intrinsic("tileloadd64",
              {registerNumber(TileRegisters::registerOfB(col)),
               address(b.getI8Type(), bTile.pointer, col * tileBytes), bTile.stride});
  };
  loadB(0);
  for (int64_t row = 0; row < block.tiles; ++row) {
    Value tileOfA = registerNumber(TileRegisters::registerOfA(row));
    intrinsic(aTile.pointer != scratchA && isReadOnce() ? "tileloaddt164" : "tileloadd64",
              {tileOfA, address(element, aTile.pointer, row * secondOfA), aTile.stride});
    for (int64_t col = 1; row == 0 && col < registers.cols; ++col)
      loadB(col);
    for (int64_t col = 0; col < registers.cols; ++col)
      intrinsic(product(), {registerNumber(TileRegisters::registerOfSum(row, col)), tileOfA,
                            registerNumber(TileRegisters::registerOfB(col))});
  }
}

/// Prefetches the same number of lines in every step of the kernel.
void AmxKernel::prefetchPanel(const RowBlock &block, const Pass &pass, Value k) {
  int64_t wanted = linesToPrefetch();
  if (wanted == 0)
    return;
  int64_t lines = llvm::divideCeil(wanted, passes.steps * tall.blocks());
  Value before = plus(times(pass.start, tall.blocks()), times(block.number, pass.steps));
  Value position = plus(before, b.createOrFold<arith::SubIOp>(loc, k, pass.start));
  prefetchLines(position, lines * cpu.lineBytes, lines);
}

/// The epilogue of row `row` of a block.
void AmxKernel::finishRow(const RowBlock &block, Value row) {
  Value sums = sumsOf(block), rowOfC = plus(block.row, row);
  for (const Column &column : columns) {
    Value from = address(accumulator, sums, column.start, row, rowOfOwnSums());
    Value value = load(accumulator, from, column, /*padded=*/true);
    if (hasEpilogue())
      value = epilogue(value, rowOfC, 0, column);
    store(value, address(result, c, column.start, rowOfC, kernel.getCRow()), column);
  }
}

void AmxKernel::finish(const RowBlock &block) {
  loop(number(block.begin), number(block.end), [&](Value row) { finishRow(block, row); });
}

/// Copies the remainders of rows of A, with zeros up to the width of a tile register. Early: there
/// is no store-to-load forwarding to tile loads.
void AmxKernel::copyRemainderOfA(const RowBlock &block, Value aAt) {
  int64_t from = passes.steps * passes.stepK;
  Type bits = b.getIntegerType(8 * bytes(element));
  int64_t count = block.tiles == 2 ? block.second + tall.height : tall.height;
  for (int64_t row = 0; row < count; ++row) {
    Value values = load(bits, address(element, aAt, row * kernel.getARow() + from),
                        {0, passes.stepK, passes.rest});
    store(values, address(b.getI8Type(), scratchA, row * tileBytes),
          {0, passes.stepK, passes.stepK});
  }
}

/// Copies the remaining rows of B, with rows of zeros: the corresponding values of A are zero, but
/// zero times memory beyond B could be NaN. The zeros are stored from tile registers, because LLVM
/// would combine so many stores into a call of memset.
void AmxKernel::copyRemainderOfB(Value at) {
  for (int64_t col = 0; col < registers.cols; ++col) {
    Value tileOfB = registerNumber(TileRegisters::registerOfB(col));
    intrinsic("tilezero", {tileOfB});
    intrinsic("tilestored64", {tileOfB, address(b.getI8Type(), scratchB, col * tileBytes),
                               number(rowOfScratchB())});
  }
  int64_t groups = llvm::divideCeil(passes.rest, static_cast<int64_t>(kernel.getVnni()));
  for (int64_t row = 0; row < groups; ++row)
    for (auto [number, column] : llvm::enumerate(columns)) {
      Value from = address(bElement, at, row * kernel.getBRow() + column.start * kernel.getVnni());
      int64_t offset = (row * registers.cols + number) * tileBytes;
      store(load(b.getI32Type(), from, column, false, bElement),
            address(b.getI8Type(), scratchB, offset), {0, column.width, column.width});
    }
}

StringRef AmxKernel::product() {
  if (element.isBF16())
    return "tdpbf16ps";
  if (kernel.getAUnsigned())
    return kernel.getBUnsigned() ? "tdpbuud" : "tdpbusd";
  return kernel.getBUnsigned() ? "tdpbsud" : "tdpbssd";
}

} // namespace

void buildAmxKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  AmxKernel(kernel, target, builder).build();
}

} // namespace kgen
