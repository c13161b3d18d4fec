// AMX instructions become calls of functions that do the same, for tests on other CPUs.
#include "transforms/Passes.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EMULATEAMXPASS
#include "transforms/Passes.h.inc"

namespace {

/// The instruction's name without LLVM's prefix, or nothing if it is not one of AMX.
std::optional<StringRef> tileInstruction(StringRef intrinsic) {
  if (!intrinsic.consume_front("llvm.x86.") ||
      !(intrinsic.starts_with("tile") || intrinsic.starts_with("tdp") || intrinsic == "ldtilecfg"))
    return std::nullopt;
  return intrinsic;
}

struct EmulateAmxPass : impl::EmulateAmxPassBase<EmulateAmxPass> {
  void runOnOperation() override {
    SmallVector<LLVM::CallIntrinsicOp> calls;
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      if (tileInstruction(call.getIntrin()))
        calls.push_back(call);
    });
    for (LLVM::CallIntrinsicOp call : calls)
      replace(call);
  }

private:
  void replace(LLVM::CallIntrinsicOp call) {
    OpBuilder b(call);
    SmallVector<Value> operands;
    // Registers are numbers that the callee reads as a C int.
    for (Value operand : call.getArgs())
      operands.push_back(
          operand.getType().isInteger(8)
              ? LLVM::ZExtOp::create(b, call.getLoc(), b.getI32Type(), operand).getResult()
              : operand);
    std::string name = "kgen_emulated_" + tileInstruction(call.getIntrin())->str();
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
} // namespace kgen
