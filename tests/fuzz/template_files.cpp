// Files with templates as kgen-opt reads them: definitions are tried, calls become instances.
#include "templates/Templates.h"
#include "templates/dialect/Template.h"
#include "templates/transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>

#include <cstdlib>

using namespace mlir;

namespace {

/// While it lives, every error has a place in the file.
class PlacedErrors : public ScopedDiagnosticHandler {
public:
  PlacedErrors(MLIRContext *context, bool saysPlaces)
      : ScopedDiagnosticHandler(context, [=](Diagnostic &diagnostic) {
          bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
          if (isError && !saysPlaces &&
              !diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
            llvm::errs() << "no place: " << diagnostic << "\n";
            std::abort();
          }
          count += isError;
        }) {}
  unsigned count = 0;
};

void run(ModuleOp module, PlacedErrors &errors, std::unique_ptr<Pass> pass, bool leavesNone) {
  PassManager passes(module->getContext());
  passes.addPass(std::move(pass));
  bool isDone = succeeded(passes.run(module));
  if (isDone != (errors.count == 0))
    std::abort();
  if (isDone && leavesNone)
    module.walk([](Operation *op) {
      if (op->getName().getDialectNamespace() == "template" && isa<ModuleOp>(op->getParentOp()))
        std::abort();
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, kgen::templates::TemplateDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // Text may say that it is from nowhere.
  PlacedErrors errors(&context, text.contains("loc"));
  kgen::TemplateFile file(llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.mlir"));
  OwningOpRef<ModuleOp> module = file.parse(context);
  if (!module && errors.count == 0)
    std::abort();
  if (!module)
    return 0;
  errors.count = 0;
  OwningOpRef<ModuleOp> copy(module->clone());
  run(*copy, errors, kgen::createCheckTemplatesPass(), false);
  errors.count = 0;
  kgen::InstantiateTemplatesPassOptions limits;
  limits.maxDepth = 16;
  limits.maxInstances = 64;
  limits.maxUnroll = 256;
  limits.maxText = 1 << 16;
  run(*module, errors, kgen::createInstantiateTemplatesPass(limits), true);
  return 0;
}
