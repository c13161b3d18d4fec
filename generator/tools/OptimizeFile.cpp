#include "tools/OptimizeFile.h"

#include "templates/Templates.h"
#include "tools/DebugOnly.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Support/FileUtilities.h>
#include <mlir/Support/ToolUtilities.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>

#include <llvm/Support/ToolOutputFile.h>

using namespace mlir;

namespace kgen {
namespace {

LogicalResult readAndOptimize(TemplateFile &file, MLIRContext &context,
                              const MlirOptMainConfig &config, raw_ostream &out) {
  OwningOpRef<ModuleOp> module = file.parse(context, config.shouldVerifyOnParsing());
  if (!module)
    return failure();
  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(config.shouldVerifyPasses());
  if (failed(applyPassManagerCLOptions(pm)) || failed(config.setupPassPipeline(pm)) ||
      failed(pm.run(*module)))
    return failure();
  module->print(out);
  out << "\n";
  return success();
}

/// A file, or what stands between two `// -----`.
LogicalResult optimizePart(std::unique_ptr<llvm::MemoryBuffer> part, DialectRegistry &registry,
                           const MlirOptMainConfig &config, raw_ostream &out) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  context.printOpOnDiagnostic(false); // instances are not in the file
  TemplateFile file(std::move(part));
  if (!config.shouldVerifyDiagnostics()) {
    SourceMgrDiagnosticHandler handler(file.shown, &context);
    return readAndOptimize(file, context, config, out);
  }
  SourceMgrDiagnosticVerifierHandler handler(file.shown, &context, config.verifyDiagnosticsLevel());
  (void)readAndOptimize(file, context, config, out); // its errors may be expected
  return handler.verify();
}

} // namespace

LogicalResult optimizeFile(int argc, char **argv, DialectRegistry &registry) {
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "kgen's optimizer driver\n", registry);
  if (failed(applyDebugOnly()))
    return failure();
  const MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  bool readsStdin = input == "-";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (!readsStdin && !config.shouldListPasses() && !config.shouldShowDialects())
    file = openInputFile(input, &error);
  if (!file || !hasTemplates(file->getBuffer()))
    return MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(output, &error);
  if (!out) {
    llvm::errs() << error << "\n";
    return failure();
  }
  auto optimize = [&](std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &os) {
    return optimizePart(std::move(part), registry, config, os);
  };
  if (failed(splitAndProcessBuffer(std::move(file), optimize, out->os(), config.inputSplitMarker(),
                                   config.outputSplitMarker())))
    return failure();
  out->keep();
  return success();
}

} // namespace kgen
