// kgen-test-crash: defects on purpose, to see what is said of them.
#include "lib/TestPasses.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include <llvm/Support/ErrorHandling.h>

#include <csignal>
#include <cstdlib>

using namespace mlir;

namespace kgen::tests {
namespace {

/// Without an end, and never a loop: what it returns depends on its frame.
int recurse(volatile char *outer) {
  volatile char frame[256] = {};
  frame[0] = outer[0];
  return recurse(frame) + frame[outer[1] & 1];
}

struct CrashPass : PassWrapper<CrashPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashPass)
  CrashPass() = default;
  CrashPass(const CrashPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "kgen-test-crash"; }
  StringRef getDescription() const override {
    return "Fail or crash in a chosen way at the last operation of a function (a test pass).";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && function.getName().contains(in)) {
        crash(function.getBody().front().getTerminator()->getPrevNode());
        return;
      }
  }

private:
  LLVM_ATTRIBUTE_NOINLINE void crash(Operation *op) {
    if (how == "segfault")
      *reinterpret_cast<Operation *volatile *>(uintptr_t(8)) = op;
    else if (how == "abort")
      std::abort();
    else if (how == "fatal")
      llvm::report_fatal_error("on purpose");
    else if (how == "usage") // without a signal
      llvm::report_fatal_error("on purpose", /*gen_crash_diag=*/false);
    else if (how == "recursion") {
      volatile char first[2] = {};
      recurse(first);
    } else if (how == "silent")
      signalPassFailure();
    else if (how == "instruction") // which the code generator cannot select
      LLVM::CallIntrinsicOp::create(*builder(op), op->getLoc(),
                                    builder(op)->getStringAttr("llvm.aarch64.hint"),
                                    ValueRange{zero(op)});
    else if (how == "assembly") // which is reported through LLVM's context
      LLVM::InlineAsmOp::create(*builder(op), op->getLoc(), Type(), ValueRange(), "nonsense", "",
                                /*has_side_effects=*/true, /*is_align_stack=*/false,
                                LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    else
      op->emitError("there is no way '" + how + "' to crash"), signalPassFailure();
  }
  std::unique_ptr<OpBuilder> builder(Operation *op) { return std::make_unique<OpBuilder>(op); }
  Value zero(Operation *op) {
    OpBuilder b(op);
    return LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(), b.getI32IntegerAttr(0));
  }

  Option<std::string> how{*this, "how", llvm::cl::desc("segfault, abort, fatal, ...")};
  Option<std::string> in{*this, "in", llvm::cl::desc("A part of the function's name")};
};

} // namespace

std::unique_ptr<Pass> createCrashPass() { return std::make_unique<CrashPass>(); }

} // namespace kgen::tests
