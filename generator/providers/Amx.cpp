// The provider `amx`: bf16 and bytes are multiplied in tile registers, 16 x 16 sums in one
// instruction.
//
// The code names the registers itself: all sums of a kernel stay in them over all of k, and LLVM's
// allocator, which would have to save whole tiles, has nothing to do. Which shapes the registers
// have is not set here but by whoever calls the kernel (pass kgen-configure-tiles), once for many
// calls. Nothing beyond A, B and C is touched: registers are as tall and as wide as the tile, and
// the last values of k go through zero-padded copies.
#include "providers/Provider.h"
#include "providers/TileCode.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t registerRows = 16, registerBytes = 64;
/// Sums (of 32 bits), and groups of k beside each other in B, in a row of a register.
constexpr int64_t registerColumns = registerBytes / 4;

/// Which tile register holds what: the sums first, then the tiles of B, then those of A.
class Registers {
public:
  explicit Registers(ukernel::GemmOp kernel)
      : m(kernel.getM()), n(kernel.getN()), rows(llvm::divideCeil(m, registerRows)),
        cols(llvm::divideCeil(n, registerColumns)) {}

  bool areEnough() const { return left() >= (hasShortTile() ? 2 : 1); }

  int64_t ofSum(int64_t row, int64_t col) const { return row * cols + col; }
  int64_t ofB(int64_t col) const { return rows * cols + col; }
  /// Tiles of A share registers of their height, if there are not enough.
  int64_t ofA(int64_t row) const {
    int64_t first = rows * cols + cols;
    if (hasShortTile() && row == rows - 1)
      return first + left() - 1;
    return first + row % (left() - hasShortTile());
  }

  int64_t rowsOf(int64_t row) const { return std::min(registerRows, m - row * registerRows); }
  int64_t colsOf(int64_t col) const { return std::min(registerColumns, n - col * registerColumns); }

  /// The shapes of all registers, as ukernel.configure_tiles takes them.
  ArrayAttr shapes(Builder &b) const {
    SmallVector<int64_t> heights(ukernel::tileRegisters, 0), widths(ukernel::tileRegisters, 0);
    auto set = [&](int64_t number, int64_t height, int64_t width) {
      heights[number] = height;
      widths[number] = width;
    };
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < cols; ++col)
        set(ofSum(row, col), rowsOf(row), 4 * colsOf(col));
    for (int64_t col = 0; col < cols; ++col)
      set(ofB(col), registerRows, 4 * colsOf(col));
    for (int64_t row = 0; row < rows; ++row)
      set(ofA(row), rowsOf(row), registerBytes);
    return b.getArrayAttr({b.getDenseI64ArrayAttr(heights), b.getDenseI64ArrayAttr(widths)});
  }

private:
  int64_t left() const { return ukernel::tileRegisters - rows * cols - cols; }
  /// Whether the last tile is not as tall as those above it.
  bool hasShortTile() const { return rows > 1 && m % registerRows != 0; }

  int64_t m, n;

public:
  int64_t rows, cols; ///< of tiles
};

class AmxKernel : TileCode {
public:
  AmxKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : TileCode(kernel, target, builder), registers(kernel),
        stepK(registerBytes / bytes(element)) {}

  void build() {
    OpBuilder::InsertionGuard guard(b);
    beginFunction("amx");
    b.getInsertionBlock()->getParentOp()->setAttr(ukernel::tilesAttrName, registers.shapes(b));
    Sums sums = placeForSums();
    makeScratch();
    forEachSum(sums, [&](int64_t number, Value at, Value stride) {
      if (kernel.getAccumulate())
        intrinsic("tileloadd64", {registerNumber(number), at, stride});
      else
        intrinsic("tilezero", {registerNumber(number)});
    });
    overBatch();
    forEachSum(sums, [&](int64_t number, Value at, Value stride) {
      intrinsic("tilestored64", {registerNumber(number), at, stride});
    });
    if (hasEpilogue())
      epilogueOverTile(sums);
    func::ReturnOp::create(b, loc);
  }

private:
  /// A tile in memory: where it begins, and from one row to the next, in bytes.
  struct Place {
    Value pointer, stride;
  };

  int64_t rest() { return kernel.getK() % stepK; }
  Value registerNumber(int64_t number) {
    return LLVM::ConstantOp::create(b, loc, b.getI8Type(), b.getI8IntegerAttr(number));
  }
  void intrinsic(StringRef name, ValueRange operands) {
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86." + name), operands);
  }
  Value scratch(int64_t count) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), number(count), registerBytes);
  }
  Value scratchStrideOfB() { return number(registers.cols * registerBytes); }
  void makeScratch() {
    if (rest() == 0)
      return;
    scratchA = scratch(rows * registerBytes);
    scratchB = scratch(registerRows * registers.cols * registerBytes);
  }

  void forEachSum(const Sums &sums, llvm::function_ref<void(int64_t, Value, Value)> action);
  void overBatch();
  void depth(Value aAt, Value bAt);
  void step(Place aTile, Place bTile);
  void copyRestOfA(Value at);
  void copyRestOfB(Value at);
  StringRef product();

  Registers registers;
  int64_t stepK; ///< values of k in a row of a register
  Value scratchA, scratchB;
};

/// With the register, the address and the stride in bytes of each tile of sums.
void AmxKernel::forEachSum(const Sums &sums,
                           llvm::function_ref<void(int64_t, Value, Value)> action) {
  Value stride = number(sums.row * bytes(accumulator));
  for (int64_t row = 0; row < registers.rows; ++row)
    for (int64_t col = 0; col < registers.cols; ++col)
      action(
          registers.ofSum(row, col),
          address(accumulator, sums.pointer, row * registerRows * sums.row + col * registerColumns),
          stride);
}

void AmxKernel::overBatch() {
  int64_t batch = kernel.getBatch();
  if (batch == 1)
    return depth(a, bPointer);
  auto loop = scf::ForOp::create(b, loc, number(0), number(batch), number(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value r = loop.getInductionVar();
  depth(address(element, a, 0, r, kernel.getABatch()),
        address(bElement, bPointer, 0, r, kernel.getBBatch()));
}

/// All of k for one product.
void AmxKernel::depth(Value aAt, Value bAt) {
  int64_t whole = kernel.getK() / stepK, bStep = registerRows * kernel.getBRow();
  if (whole > 0) {
    Value aStride = number(kernel.getARow() * bytes(element)),
          bStride = number(kernel.getBRow() * bytes(bElement));
    auto loop = scf::ForOp::create(b, loc, number(0), number(whole), number(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar(), bTile = address(bElement, bAt, 0, k, bStep);
    step({address(element, aAt, 0, k, stepK), aStride}, {bTile, bStride});
    int64_t lines = llvm::divideCeil(linesToPrefetch(), whole);
    prefetchLines(k, lines * lineBytes, lines);
  }
  if (rest() == 0)
    return;
  copyRestOfA(address(element, aAt, whole * stepK));
  copyRestOfB(address(bElement, bAt, whole * bStep));
  step({scratchA, number(registerBytes)}, {scratchB, scratchStrideOfB()});
}

void AmxKernel::step(Place aTile, Place bTile) {
  int64_t aRow = aTile.pointer == scratchA ? stepK : static_cast<int64_t>(kernel.getARow());
  for (int64_t col = 0; col < registers.cols; ++col)
    intrinsic("tileloadd64",
              {registerNumber(registers.ofB(col)),
               address(b.getI8Type(), bTile.pointer, col * registerBytes), bTile.stride});
  for (int64_t row = 0; row < registers.rows; ++row) {
    Value tileOfA = registerNumber(registers.ofA(row));
    intrinsic("tileloadd64",
              {tileOfA, address(element, aTile.pointer, row * registerRows * aRow), aTile.stride});
    for (int64_t col = 0; col < registers.cols; ++col)
      intrinsic(product(), {registerNumber(registers.ofSum(row, col)), tileOfA,
                            registerNumber(registers.ofB(col))});
  }
}

/// What is left of A's rows, and zeros up to a register's width.
void AmxKernel::copyRestOfA(Value at) {
  Type bits = b.getIntegerType(8 * bytes(element));
  for (int64_t row = 0; row < rows; ++row) {
    Value values = load(bits, address(element, at, row * kernel.getARow()), {0, stepK, rest()});
    store(values, address(b.getI8Type(), scratchA, row * registerBytes), {0, stepK, stepK});
  }
}

/// What is left of B's groups of k, and rows of zeros: what they meet in A is zero, but zero times
/// whatever lies beyond B could be NaN. The zeros come from B's own registers: LLVM would make a
/// call of memset of so many stores.
void AmxKernel::copyRestOfB(Value at) {
  for (int64_t col = 0; col < registers.cols; ++col) {
    Value tileOfB = registerNumber(registers.ofB(col));
    intrinsic("tilezero", {tileOfB});
    intrinsic("tilestored64",
              {tileOfB, address(b.getI8Type(), scratchB, col * registerBytes), scratchStrideOfB()});
  }
  int64_t groups = llvm::divideCeil(rest(), kernel.getVnni());
  for (int64_t row = 0; row < groups; ++row)
    for (auto [number, column] : llvm::enumerate(columns)) {
      Value from = address(bElement, at, row * kernel.getBRow() + column.start * kernel.getVnni());
      int64_t place = (row * registers.cols + number) * registerBytes;
      store(load(b.getI32Type(), from, column, false, bElement),
            address(b.getI8Type(), scratchB, place), {0, column.width, column.width});
    }
}

StringRef AmxKernel::product() {
  if (element.isBF16())
    return "tdpbf16ps";
  if (kernel.getAUnsigned())
    return kernel.getBUnsigned() ? "tdpbuud" : "tdpbusd";
  return kernel.getBUnsigned() ? "tdpbsud" : "tdpbssd";
}

/// Why a kernel cannot be made; empty if it can.
std::string reasonAgainst(ukernel::GemmOp kernel, TargetAttr target) {
  Type a = kernel.getElement(), b = kernel.getBElement();
  if (kernel.getAccumulatorType() != accumulatorOf(a, b))
    return "the sums are not of the type in which products of A and B are added up";
  if (target.productForm(a, b) != ProductForm::tiles)
    return "the target does not multiply these types in tiles";
  if (kernel.getSequential())
    return "the order of its sums is its own";
  if (kernel.getK() == 0)
    return "no products to add";
  if (static_cast<int64_t>(kernel.getVnni()) * b.getIntOrFloatBitWidth() != 32)
    return "B is not packed in groups of k that fill 32 bits";
  if (kernel.getK() > 1 && kernel.getACol() != 1)
    return "the elements of a row of A are not adjacent";
  if (!Registers(kernel).areEnough())
    return "the tile does not fit the tile registers";
  return "";
}

struct AmxProvider : Provider {
  using Provider::cost;
  using Provider::generate;
  StringRef name() const override { return "amx"; }

  /// The unit needs a cycle for each row of A, and two rows of registers are loaded in one; then
  /// sums go through memory.
  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    refusal = reasonAgainst(kernel, target);
    if (!refusal.empty())
      return std::nullopt;
    Registers registers(kernel);
    int64_t stepK = registerBytes * 8 / kernel.getElement().getIntOrFloatBitWidth();
    double rows = kernel.getM(), cols = registers.cols;
    double steps = static_cast<double>(kernel.getBatch()) * llvm::divideCeil(kernel.getK(), stepK);
    double perRow = target.cost(kernel.getElement().isBF16() ? "tile_bf16" : "tile_i8") / 16;
    double multiply = rows * cols * perRow, load = (rows + registerRows * cols) / 2;
    bool hasRest = kernel.getK() % stepK != 0;
    double copies = hasRest ? kernel.getBatch() * (rows + registerRows * cols) : 0;
    constexpr double callCycles = 40;
    return steps * std::max(multiply, load) + copies + 2 * rows * cols + callCycles;
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    AmxKernel(kernel, target, builder).build();
    return success();
  }
};

} // namespace

const Provider &amxProvider() {
  static const AmxProvider provider;
  return provider;
}

} // namespace kgen
