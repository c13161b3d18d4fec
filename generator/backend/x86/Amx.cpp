// The provider `amx`: products of bf16 and bytes in AMX tile registers, 16 x 16 sums in one
// instruction.
#include "backend/x86/AmxKernel.h"

using namespace mlir;

namespace kgen {
namespace {

/// Returns why the provider cannot generate a kernel; empty if it can.
std::string amxRefusal(ukernel::GemmOp kernel, TargetAttr target) {
  Type a = kernel.getElement(), b = kernel.getBElement();
  if (kernel.getBQuant())
    return "B is quantized in blocks";
  if (kernel.getAccumulatorType() != accumulatorOf(a, b))
    return "the sums do not have the accumulator type of A and B";
  if (target.productForm(a, b) != ProductForm::tile)
    return "the target does not multiply these types in AMX tiles";
  if (kernel.getStrictOrder())
    return "it does not support strict_order";
  if (kernel.getSumsRow())
    return "it does not support sums_row";
  if (kernel.getK() == 0)
    return "k is 0";
  if (static_cast<int64_t>(kernel.getVnni()) * b.getIntOrFloatBitWidth() != 32)
    return "B is not packed in groups of k that fill 32 bits";
  if (kernel.getK() > 1 && kernel.getACol() != 1)
    return "the elements of a row of A are not adjacent";
  if (TileRegisters(kernel).cols > TileRegisters::maxCols)
    return "the columns do not fit the tile registers";
  return "";
}

struct AmxProvider : Provider {
  using Provider::cost;
  using Provider::generate;
  StringRef name() const override { return "amx"; }
  StringRef summary() const override { return "tiles of bf16 and of bytes, for AMX"; }

  /// A product takes a cycle for each row of A, and two rows of tile registers are loaded in a
  /// cycle. Sums are stored and reloaded for each pass.
  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    refusal = amxRefusal(kernel, target);
    if (!refusal.empty())
      return std::nullopt;
    TileRows tall(kernel.getM());
    TilePasses passes(kernel, target);
    double rows = tall.tiles * tall.height, cols = TileRegisters(kernel).cols;
    double rowsOfB = static_cast<double>(tileRows) * cols;
    double steps = static_cast<double>(kernel.getBatch()) * (passes.steps + (passes.rest > 0));
    double perRow = target.cost(kernel.getElement().isBF16() ? "tile_bf16" : "tile_i8") / tileRows;
    double multiply = rows * cols * perRow, load = (rows + rowsOfB * tall.blocks()) / 2;
    double copies = passes.rest > 0 ? kernel.getBatch() * (rows + rowsOfB) : 0;
    return steps * std::max(multiply, load) + copies + 2 * rows * cols * passes.count +
           target.tradeoffs().tileCallCycles;
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    buildAmxKernel(kernel, target, builder);
    return success();
  }
};

} // namespace

const Provider &amxProvider() {
  static const AmxProvider provider;
  return provider;
}

} // namespace kgen
