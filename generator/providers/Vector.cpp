// The provider `vector`: micro-kernels as rows of one-dimensional vectors in registers, for every
// target and epilogue.
//
// Rows as 1-D vectors carried through the loop keep the code away from everything that makes LLVM
// spill; all addresses are one pointer plus a constant. Nothing outside the tile is touched: a
// column remainder is masked.
#include "providers/Provider.h"
#include "providers/TileCode.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class KernelBuilder : TileCode {
public:
  KernelBuilder(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : TileCode(kernel, target, builder) {
    // Chains of dependent multiply-adds: eight are needed to keep two units with a latency of four
    // busy.
    int64_t chains = rows * columns.size();
    sets = std::min<int64_t>(8, llvm::PowerOf2Ceil(llvm::divideCeil(8, chains)));
    while (sets > 1 && sets > kernel.getK() / 2)
      sets /= 2;
  }

  void build();

private:
  using Tile = SmallVector<Value>; ///< rows x columns vectors, row by row

  /// Asks for the cache lines of B that lie `b_prefetch` elements after the row at `row`.
  void prefetch(Value row) {
    if (kernel.getBPrefetch() == 0)
      return;
    int64_t line = 64 / alignment();
    for (const Column &column : columns)
      if (column.start % line == 0)
        LLVM::Prefetch::create(b, loc, address(row, column.start + kernel.getBPrefetch()),
                               /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }

  Tile start();
  void step(Tile &tile, Value k, int64_t ahead, int64_t set);
  Tile accumulate(Tile tile);
  bool isHeavy();
  void finish(Tile &tile);

  int64_t sets;
};

KernelBuilder::Tile KernelBuilder::start() {
  Tile tile;
  for (int64_t set = 0; set < sets; ++set)
    for (int64_t row = 0; row < rows; ++row)
      for (const Column &column : columns) {
        bool fromC = kernel.getAccumulate() && set == 0;
        tile.push_back(fromC ? load(address(c, row * kernel.getCRow() + column.start), column)
                             : zero(type(column)));
      }
  return tile;
}

/// tile[set] += A[:, k + ahead] * B[k + ahead, :].
void KernelBuilder::step(Tile &tile, Value k, int64_t ahead, int64_t set) {
  SmallVector<Value> bRow;
  Value bAt = address(bPointer, ahead * kernel.getBRow(), k, kernel.getBRow());
  Value aAt = address(a, ahead * kernel.getACol(), k, kernel.getACol());
  for (const Column &column : columns)
    bRow.push_back(load(address(bAt, column.start), column, kernel.getBPadded()));
  prefetch(bAt);
  int64_t position = set * rows * columns.size();
  for (int64_t row = 0; row < rows; ++row) {
    Value scalar =
        LLVM::LoadOp::create(b, loc, element, address(aAt, row * kernel.getARow()), alignment());
    for (auto [column, value] : llvm::zip(columns, bRow)) {
      Value wide = vector::BroadcastOp::create(b, loc, type(column), scalar);
      tile[position] = LLVM::FMulAddOp::create(b, loc, type(column), wide, value, tile[position]);
      ++position;
    }
  }
}

/// The whole depth: a loop over `sets` steps at a time, what is left of it unrolled, then the sum
/// of the sets.
KernelBuilder::Tile KernelBuilder::accumulate(Tile tile) {
  int64_t depth = kernel.getK(), whole = depth / sets * sets;
  if (whole > 0) {
    Value from = number(0), to = number(whole), by = number(sets);
    auto loop = scf::ForOp::create(b, loc, from, to, by, tile);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Tile inner(loop.getRegionIterArgs());
    for (int64_t set = 0; set < sets; ++set)
      step(inner, loop.getInductionVar(), set, set);
    scf::YieldOp::create(b, loc, inner);
    tile.assign(loop.getResults().begin(), loop.getResults().end());
  }
  for (int64_t k = whole; k < depth; ++k)
    step(tile, number(k), 0, k - whole);
  size_t size = rows * columns.size();
  for (int64_t step = sets / 2; step > 0; step /= 2)
    for (size_t i = 0; i < step * size; ++i)
      tile[i] = arith::AddFOp::create(b, loc, tile[i], tile[i + step * size]);
  tile.resize(size);
  return tile;
}

/// Whether the epilogue is long enough to be a loop of its own over the stored tile instead of one
/// copy per register.
bool KernelBuilder::isHeavy() {
  int64_t steps = 0;
  for (Operation &op : kernel.getEpilogue().front().without_terminator()) {
    bool isMath = !isa<arith::ArithDialect>(op.getDialect());
    steps += isMath ? 100 : !op.hasTrait<OpTrait::ConstantLike>();
  }
  return steps > 12;
}

void KernelBuilder::finish(Tile &tile) {
  bool inRegisters = hasEpilogue() && !isHeavy();
  size_t position = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (const Column &column : columns) {
      Value value = tile[position++];
      if (inRegisters)
        value = epilogue(value, {}, row, column);
      store(value, address(c, row * kernel.getCRow() + column.start), column);
    }
  if (hasEpilogue() && !inRegisters)
    epilogueOverTile();
}

void KernelBuilder::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  Tile tile = accumulate(start());
  finish(tile);
  func::ReturnOp::create(b, loc);
}

struct VectorProvider : Provider {
  StringRef name() const override { return "vector"; }

  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    Type element = kernel.getElement();
    if (!isa<Float32Type, Float64Type>(element)) {
      refusal = "only f32 and f64 are accumulated";
      return std::nullopt;
    }
    if (!llvm::all_equal(kernel.getEpilogue().getArgumentTypes())) {
      refusal = "extras must have the accumulator's type";
      return std::nullopt;
    }
    double vectors =
        kernel.getM() * static_cast<double>(llvm::divideCeil(kernel.getN(), target.lanes(element)));
    return vectors * kernel.getK() / 2;
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    KernelBuilder(kernel, target, builder).build();
    return success();
  }
};

} // namespace

const Provider &vectorProvider() {
  static const VectorProvider provider;
  return provider;
}

} // namespace kgen
