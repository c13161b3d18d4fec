// The provider `amx`: bf16 and bytes are multiplied in tile registers, 16 x 16 sums in one
// instruction.
#include "providers/AmxKernel.h"

using namespace mlir;

namespace kgen {
namespace {

/// Why a kernel cannot be made; empty if it can.
std::string reasonAgainst(ukernel::GemmOp kernel, TargetAttr target) {
  Type a = kernel.getElement(), b = kernel.getBElement();
  if (kernel.getAccumulatorType() != accumulatorOf(a, b))
    return "the sums are not of the type in which products of A and B are added up";
  if (target.productForm(a, b) != ProductForm::tiles)
    return "the target does not multiply these types in tiles";
  if (kernel.getStrictOrder())
    return "the order of its sums is its own";
  if (kernel.getSumsRow())
    return "it starts from sums beside C";
  if (kernel.getK() == 0)
    return "no products to add";
  if (static_cast<int64_t>(kernel.getVnni()) * b.getIntOrFloatBitWidth() != 32)
    return "B is not packed in groups of k that fill 32 bits";
  if (kernel.getK() > 1 && kernel.getACol() != 1)
    return "the elements of a row of A are not adjacent";
  if (TileRegisters(kernel).cols > TileRegisters::most)
    return "the columns do not fit the tile registers";
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
    TileRows tall(kernel.getM());
    TilePasses passes(kernel, target);
    double rows = tall.tiles * tall.height, cols = TileRegisters(kernel).cols;
    double rowsOfB = static_cast<double>(tileRows) * cols;
    double steps = static_cast<double>(kernel.getBatch()) * (passes.steps + (passes.rest > 0));
    double perRow = target.cost(kernel.getElement().isBF16() ? "tile_bf16" : "tile_i8") / tileRows;
    double multiply = rows * cols * perRow, load = (rows + rowsOfB * tall.blocks()) / 2;
    double copies = passes.rest > 0 ? kernel.getBatch() * (rows + rowsOfB) : 0;
    constexpr double callCycles = 40;
    return steps * std::max(multiply, load) + copies + 2 * rows * cols * passes.count + callCycles;
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
