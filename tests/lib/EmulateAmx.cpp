// kgen-emulate-amx: AMX instructions become calls of functions that do the same, so that variants
// for AMX run on any CPU with AVX-512.
#include "lib/TestPasses.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

using namespace mlir;

namespace kgen::tests {
namespace {

/// The instruction's name without LLVM's prefix, or nothing if it is not one of AMX.
std::optional<StringRef> amxInstruction(StringRef intrinsic) {
  if (!intrinsic.consume_front("llvm.x86.") ||
      !(intrinsic.starts_with("tile") || intrinsic.starts_with("tdp") || intrinsic == "ldtilecfg"))
    return std::nullopt;
  return intrinsic;
}

/// Each call of an intrinsic `llvm.x86.<name>` of AMX becomes one of `kgen_emulated_<name>`, which
/// tests/end_to_end/tiles.c defines; numbers of tile registers become i32.
struct EmulateAmxPass : PassWrapper<EmulateAmxPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmulateAmxPass)

  StringRef getArgument() const override { return "kgen-emulate-amx"; }
  StringRef getDescription() const override {
    return "Replace AMX instructions by calls of functions that do the same (a test pass).";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    SmallVector<LLVM::CallIntrinsicOp> calls;
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      if (amxInstruction(call.getIntrin()))
        calls.push_back(call);
    });
    for (LLVM::CallIntrinsicOp call : calls)
      replace(call);
  }

private:
  void replace(LLVM::CallIntrinsicOp call) {
    OpBuilder b(call);
    SmallVector<Value> operands;
    // The callee reads the number of a tile register as a C int.
    for (Value operand : call.getArgs())
      operands.push_back(
          operand.getType().isInteger(8)
              ? LLVM::ZExtOp::create(b, call.getLoc(), b.getI32Type(), operand).getResult()
              : operand);
    std::string name = "kgen_emulated_" + amxInstruction(call.getIntrin())->str();
    LLVM::CallOp::create(b, call.getLoc(), declare(name, ValueRange(operands).getTypes()),
                         operands);
    call.erase();
  }

  LLVM::LLVMFuncOp declare(StringRef name, TypeRange arguments) {
    if (auto function = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name))
      return function;
    OpBuilder b(getOperation().getBodyRegion());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            SmallVector<Type>(arguments));
    return LLVM::LLVMFuncOp::create(b, getOperation().getLoc(), name, type);
  }
};

} // namespace

std::unique_ptr<Pass> createEmulateAmxPass() { return std::make_unique<EmulateAmxPass>(); }

} // namespace kgen::tests
