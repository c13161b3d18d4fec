// mlir-opt with kgen's dialects, passes and stages, and --kgen-target.
#include "dialect/kgen/MakeTarget.h"
#include "driver/crash/CrashReport.h"
#include "driver/crash/PassTrace.h"
#include "driver/machines/Machines.h"
#include "pipeline/GpuPipeline.h"
#include "pipeline/Pipeline.h"
#include "tools/DebugOnly.h"
#include "tools/FillElidedWeights.h"
#include "tools/OptimizeFile.h"
#include "tools/RenamedFlags.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/BuiltinDialect.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/InitAllPasses.h>
#include <mlir/Pass/Pass.h>

#include <iostream>

using namespace mlir;

namespace {

/// A module's target by name: `kgen.target = "x86-64-v4"` becomes #kgen.target<...>, and a module
/// without a target gets `otherwise`, if that is given.
class AttachTarget : public PassWrapper<AttachTarget, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttachTarget)

  explicit AttachTarget(std::string otherwise) : otherwise(std::move(otherwise)) {}
  StringRef getName() const override { return "kgen-target"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<kgen::KgenDialect>();
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto named = module->getAttrOfType<StringAttr>(kgen::targetAttrName);
    std::string name = named ? named.str() : otherwise;
    if (name.empty() || kgen::targetOf(module))
      return;
    // Names and files in the module are found from where it stands, those of the flag from here.
    auto place = dyn_cast<FileLineColLoc>(module.getLoc());
    std::string origin = named && place ? place.getFilename().str() : "";
    kgen::Diagnostics diagnostics;
    auto target = kgen::findTarget({name, {}}, origin, {}, diagnostics);
    if (!target) {
      module.emitError(diagnostics.errors().front().message);
      return signalPassFailure();
    }
    for (const kgen::Diagnostic &warning : diagnostics.warnings())
      module.emitWarning(warning.where.str() + ": " + warning.message);
    module->setAttr(kgen::targetAttrName, kgen::makeTargetAttr(*target, &getContext()));
  }

private:
  std::string otherwise;
};

/// --kgen-target=NAME, before the passes that read the target.
void registerTargetOption() {
  registerPassPipeline(
      "kgen-target",
      "Attach a target to modules without one: =NAME of a built-in one, or =FILE.yaml; a module's "
      "own kgen.target may be such a name, too.",
      [](OpPassManager &pm, StringRef name, function_ref<LogicalResult(const Twine &)>) {
        pm.addPass(std::make_unique<AttachTarget>(name.str()));
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

} // namespace

#ifdef KGEN_TEST_PASSES
namespace kgen::tests {
void registerTestPasses(); // tests/lib
}
#endif

int main(int argc, char **argv) {
  kgen::handleCrashes(
      "kgen-opt", 3,
      "This is a defect of kgen-opt, unless the input is wrong: please report it with "
      "the file that the same\ncommand writes with "
      "--mlir-pass-pipeline-crash-reproducer=FILE");
  std::vector<std::string> arguments =
      kgen::withNewFlagNames(std::vector<std::string>(argv, argv + argc), std::cerr);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  registerAllPasses();
  kgen::registerPassesAndPipelines();
  kgen::registerGpuPipeline();
  kgen::registerMachinePipeline();
  registerTargetOption();
  kgen::registerDebugOnly();
  kgen::registerFillElidedWeights();
#ifdef KGEN_TEST_PASSES
  kgen::tests::registerTestPasses();
#endif
  DialectRegistry registry;
  kgen::registerDialects(registry);
  registry.addExtension(
      +[](MLIRContext *context, BuiltinDialect *) { kgen::tracePasses(*context); });
  return succeeded(kgen::optimizeFile(argc, pointers.data(), registry)) ? EXIT_SUCCESS
                                                                        : EXIT_FAILURE;
}
