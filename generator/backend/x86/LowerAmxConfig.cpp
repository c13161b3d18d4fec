// The operations around AMX kernels as instructions.
#include "backend/x86/Passes.h"

using namespace mlir;

namespace kgen::x86 {
namespace {

/// The operand of `ldtilecfg`: the palette, then two bytes for the width of each register and one
/// for its rows.
SmallVector<int8_t> tileShapes(ukernel::ConfigureTilesOp op) {
  SmallVector<int8_t> memory(64, 0);
  memory[0] = 1;
  for (auto [number, bytes] : llvm::enumerate(op.getBytes()))
    memory[16 + 2 * number] = static_cast<int8_t>(bytes);
  for (auto [number, rows] : llvm::enumerate(op.getRows()))
    memory[48 + number] = static_cast<int8_t>(rows);
  return memory;
}

/// Lowers AMX configurations, with their shapes as constants of the module.
class AmxConfigurations {
public:
  explicit AmxConfigurations(ModuleOp module) : module(module), b(module.getContext()) {}

  void lower(ukernel::ConfigureTilesOp op) {
    LLVM::GlobalOp constant = constantFor(op);
    b.setInsertionPoint(op);
    Value address = LLVM::AddressOfOp::create(b, op.getLoc(), constant);
    LLVM::CallIntrinsicOp::create(b, op.getLoc(), b.getStringAttr("llvm.x86.ldtilecfg"), address);
    op.erase();
  }

  void lower(ukernel::ReleaseTilesOp op) {
    b.setInsertionPoint(op);
    LLVM::CallIntrinsicOp::create(b, op.getLoc(), b.getStringAttr("llvm.x86.tilerelease"),
                                  ValueRange{});
    op.erase();
  }

private:
  LLVM::GlobalOp constantFor(ukernel::ConfigureTilesOp op) {
    LLVM::GlobalOp &constant = constants[{op.getRowsAttr(), op.getBytesAttr()}];
    if (constant)
      return constant;
    b.setInsertionPointToStart(module.getBody());
    SmallVector<int8_t> memory = tileShapes(op);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), memory.size());
    auto value = DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(memory.size())}, b.getI8Type()),
        ArrayRef(memory));
    constant =
        LLVM::GlobalOp::create(b, op.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                               "uk_tiles_" + std::to_string(constants.size()), value,
                               /*alignment=*/64);
    return constant;
  }

  ModuleOp module;
  OpBuilder b;
  DenseMap<std::pair<Attribute, Attribute>, LLVM::GlobalOp> constants;
};

} // namespace

int64_t lowerAmxConfigurations(ModuleOp module) {
  AmxConfigurations configurations(module);
  int64_t count = 0;
  module.walk([&](Operation *op) {
    if (auto configure = dyn_cast<ukernel::ConfigureTilesOp>(op)) {
      configurations.lower(configure);
      ++count;
    } else if (auto release = dyn_cast<ukernel::ReleaseTilesOp>(op)) {
      configurations.lower(release);
    }
  });
  return count;
}

} // namespace kgen::x86
