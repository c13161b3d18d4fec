// The provider `vector`: micro-kernels as rows of one-dimensional vectors in registers, for every
// target and epilogue.
//
// Rows as 1-D vectors carried through the loop keep the code away from everything that makes LLVM
// spill; all addresses are one pointer plus a constant. Nothing outside the tile is touched: a
// column remainder is masked.
#include "providers/Provider.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

/// A vector of the tile's columns: `lanes` of `width` are inside the tile.
struct Column {
  int64_t start, width, lanes;
  bool isWhole() const { return lanes == width; }
};

SmallVector<Column> columnsOf(int64_t n, int64_t lanes) {
  SmallVector<Column> columns;
  for (int64_t start = 0; start < n; start += lanes) {
    int64_t count = std::min(lanes, n - start);
    columns.push_back({start, static_cast<int64_t>(llvm::PowerOf2Ceil(count)), count});
  }
  return columns;
}

class KernelBuilder {
public:
  KernelBuilder(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : kernel(kernel), b(builder), loc(kernel.getLoc()), element(kernel.getElement()),
        columns(columnsOf(kernel.getN(), target.lanes(element))), rows(kernel.getM()) {
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

  VectorType type(const Column &column) { return VectorType::get({column.width}, element); }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
  }
  /// pointer + dynamic * scale + constant, in elements.
  Value address(Value pointer, int64_t constant, Value dynamic = {}, int64_t scale = 1) {
    if (dynamic && scale != 0) {
      Value offset = arith::MulIOp::create(b, loc, dynamic, number(scale));
      pointer =
          LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer, ValueRange{offset});
    }
    if (constant == 0)
      return pointer;
    return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)});
  }
  unsigned alignment() const { return element.getIntOrFloatBitWidth() / 8; }
  Value mask(const Column &column) {
    SmallVector<bool> bits(column.width, false);
    std::fill_n(bits.begin(), column.lanes, true);
    auto maskType = VectorType::get({column.width}, b.getI1Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(maskType, bits));
  }
  Value zero(Type t) { return arith::ConstantOp::create(b, loc, b.getZeroAttr(t)); }

  Value load(Value pointer, const Column &column, bool padded = false) {
    if (column.isWhole() || padded)
      return LLVM::LoadOp::create(b, loc, type(column), pointer, alignment());
    return LLVM::MaskedLoadOp::create(b, loc, type(column), pointer, mask(column),
                                      zero(type(column)), alignment());
  }
  void store(Value value, Value pointer, const Column &column) {
    if (column.isWhole())
      LLVM::StoreOp::create(b, loc, value, pointer, alignment());
    else
      LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask(column), alignment());
  }

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
  Value epilogue(Value accumulator, Value row, int64_t constantRow, const Column &column);
  void finish(Tile &tile);

  ukernel::GemmOp kernel;
  OpBuilder &b;
  Location loc;
  Type element;
  SmallVector<Column> columns;
  int64_t rows, sets;
  Value a, bPointer, c;
  SmallVector<Value> extras;
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

/// The epilogue of one vector; its row is `row` (if given) plus a constant.
Value KernelBuilder::epilogue(Value accumulator, Value row, int64_t constantRow,
                              const Column &column) {
  Block &body = kernel.getEpilogue().front();
  IRMapping values;
  values.map(body.getArgument(0), accumulator);
  auto widen = [&](Value v) -> Value {
    if (isa<VectorType>(v.getType()))
      return v;
    return vector::BroadcastOp::create(b, loc, VectorType::get({column.width}, v.getType()), v);
  };
  for (auto [index, argument] : llvm::enumerate(body.getArguments().drop_front())) {
    int64_t rowStride = kernel.getExtraRows()[index], colStride = kernel.getExtraCols()[index];
    Value at =
        address(extras[index], constantRow * rowStride + column.start * colStride, row, rowStride);
    values.map(argument, colStride == 1
                             ? load(at, column)
                             : widen(LLVM::LoadOp::create(b, loc, element, at, alignment())));
  }
  for (Operation &op : body.without_terminator()) {
    for (Value operand : op.getOperands())
      values.map(operand, widen(values.lookup(operand)));
    Operation *clone = b.clone(op, values);
    if (!op.hasTrait<OpTrait::ConstantLike>())
      for (Value result : clone->getResults())
        result.setType(VectorType::get({column.width}, result.getType()));
    values.map(op.getResults(), clone->getResults());
  }
  return widen(values.lookup(body.getTerminator()->getOperand(0)));
}

void KernelBuilder::finish(Tile &tile) {
  bool trivial = kernel.getEpilogue().front().getTerminator()->getOperand(0) ==
                 kernel.getEpilogue().getArgument(0);
  bool heavy = !trivial && isHeavy();
  size_t position = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (const Column &column : columns) {
      Value value = tile[position++];
      if (!trivial && !heavy)
        value = epilogue(value, {}, row, column);
      store(value, address(c, row * kernel.getCRow() + column.start), column);
    }
  if (!heavy)
    return;
  auto loop = scf::ForOp::create(b, loc, number(0), number(rows), number(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  for (const Column &column : columns) {
    Value at = address(c, column.start, row, kernel.getCRow());
    store(epilogue(load(at, column), row, 0, column), at, column);
  }
}

void KernelBuilder::build() {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> arguments(3 + kernel.getExtraRows().size(), pointer);
  auto function =
      func::FuncOp::create(b, loc, kernel.getSymName(), b.getFunctionType(arguments, {}));
  function.setPrivate();
  for (unsigned i : {0u, 1u}) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
  function->setAttr("kgen.provider", b.getStringAttr("vector"));
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  a = entry->getArgument(0);
  bPointer = entry->getArgument(1);
  c = entry->getArgument(2);
  extras.assign(entry->args_begin() + 3, entry->args_end());
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
