// Registration of the pipeline's dialects, and the names of its stages for kgen-opt.
#include "backend/Backend.h"
#include "pipeline/AllPasses.h"
#include "pipeline/Pipeline.h"
#include "pipeline/RenamedStages.h"
#include "pipeline/StageContracts.h"
#include "pipeline/SubPipelines.h"

#include "providers/Provider.h"
#include "templates/Templates.h"
#include "transforms/bufferize/TransferWriteBufferization.h"

#include <mlir/Conversion/UBToLLVM/UBToLLVM.h>
#include <mlir/Dialect/SCF/Transforms/Passes.h>
#include <mlir/InitAllDialects.h>
#include <mlir/InitAllExtensions.h>
#include <mlir/Pass/PassRegistry.h>

using namespace mlir;

namespace kgen {

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> weightPrefix{*this, "weight-prefix",
                                   llvm::cl::desc("Beginning of the symbols of outlined constants"),
                                   llvm::cl::init(PipelineOptions().weightPrefix)};
  Option<int64_t> taskWork{*this, "task-work",
                           llvm::cl::desc("Scalar operations that make a task worth starting"),
                           llvm::cl::init(PipelineOptions().taskWork)};
  Option<std::string> provider{*this, "provider", llvm::cl::desc("Who makes the micro-kernels"),
                               llvm::cl::init(PipelineOptions().provider)};
  Option<bool> decisions{
      *this, "decisions",
      llvm::cl::desc(
          "Number operations, so that what kgen.decisions say about one belongs together"),
      llvm::cl::init(PipelineOptions().recordDecisions)};
  Option<bool> bench{*this, "bench",
                     llvm::cl::desc("Lower operations of the bench dialect to calls of their host"),
                     llvm::cl::init(PipelineOptions().lowersBench)};
  Option<unsigned> indexBits{*this, "index-bits", llvm::cl::desc("Bits of the target's addresses"),
                             llvm::cl::init(PipelineOptions().indexBits)};
  Option<bool> verify{*this, "verify",
                      llvm::cl::desc("Fail if the code after a stage breaks its contract"),
                      llvm::cl::init(true)};
};

PipelineOptions chosen(const StageOptions &options) {
  PipelineOptions result;
  result.weightPrefix = options.weightPrefix;
  result.provider = options.provider;
  result.taskWork = options.taskWork;
  result.recordDecisions = options.decisions;
  result.lowersBench = options.bench;
  result.verifyStages = options.verify;
  result.indexBits = options.indexBits;
  return result;
}

void registerPipeline(const std::string &name, StringRef description, ArrayRef<Stage> stages) {
  PassPipelineRegistration<StageOptions>(name, description,
                                         [stages](OpPassManager &pm, const StageOptions &options) {
                                           addStages(pm, stages, chosen(options));
                                         });
}

/// Says that a stage is called by its old name, on stderr: there is no code yet to point at.
void warnOf(const RenamedStage &stage) {
  llvm::errs() << "kgen-opt: warning: the stage " << stage.warning() << "\n";
}

/// --kgen-OLD-stage, which does the work of the stages that took its place.
void registerRenamedStage(const RenamedStage &renamed) {
  std::string name = "kgen-" + renamed.old.str() + "-stage";
  PassPipelineRegistration<StageOptions>(
      name, "Old name: " + renamed.warning() + ".",
      [&renamed](OpPassManager &pm, const StageOptions &options) {
        warnOf(renamed);
        for (ArrayRef<Stage> all : {optimizedStages(), referenceStages().take_front()})
          for (const Stage &stage : all)
            if (llvm::is_contained(renamed.current, stage.name))
              addStage(pm, stage, chosen(options));
      });
}

void registerTransformPasses() {
  registerKgenSchedulePasses();
  registerKgenIdiomsPasses();
  registerKgenRaisePasses();
  registerKgenDecomposePasses();
  registerKgenFusionPasses();
  registerKgenLayoutPasses();
  registerKgenAttentionPasses();
  registerKgenWindowPasses();
  registerKgenTilingPasses();
  registerKgenVectorizePasses();
  registerKgenBufferizePasses();
  registerKgenMemoryPasses();
  registerKgenMacrokernelPasses();
  registerKgenParallelPasses();
  registerKgenLowerPasses();
  registerKgenGpuPasses();
}

/// --kgen-verify-stage=NAME: the check of a stage's contract by itself.
void registerVerifyStage() {
  registerPassPipeline(
      "kgen-verify-stage", "Check the code against the contract of a stage: =NAME.",
      [](OpPassManager &pm, StringRef name, function_ref<LogicalResult(const Twine &)> report) {
        const RenamedStage *renamed = findRenamedStage(name);
        if (renamed)
          warnOf(*renamed);
        const StageContract *contract = findStageContract(renamed ? renamed->current.back() : name);
        if (!contract)
          return report("there is no stage '" + name + "'");
        pm.addPass(createVerifyStagePass(*contract));
        return LogicalResult::success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}
} // namespace

void registerDialects(DialectRegistry &registry) {
  registerTransferWriteBufferization(registry); // before upstream's
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<KgenDialect, tpp::TppDialect, ukernel::UkernelDialect, bench::BenchDialect>();
  insertTemplateDialect(registry);
  for (const Backend *backend : backends())
    backend->registerDialects(registry);
  registerBufferizationModels(registry);
  tpp::registerBufferizationModels(registry);
  tpp::registerTilingModels(registry);
  bench::registerBufferizationModels(registry);
}

void registerPassesAndPipelines() {
  registerTransformPasses();
  registerKgenProviderPasses();
  registerTemplatePasses();
  for (const Backend *backend : backends())
    backend->registerPasses();
  registerVerifyStage();
  for (const SubPipeline &list : subPipelines())
    PassPipelineRegistration<>("kgen-" + list.name.str(), list.description, list.add);
  for (const Stage &stage : optimizedStages())
    registerPipeline("kgen-" + stage.name.str() + "-stage", stage.description, stage);
  for (const RenamedStage &renamed : renamedStages())
    registerRenamedStage(renamed);
  // Its other stages are among those above.
  const Stage &reference = referenceStages().front();
  registerPipeline("kgen-" + reference.name.str() + "-stage", reference.description, reference);
  PassPipelineRegistration<>(
      "kgen-forall-to-parallel", "Turn scf.forall on memrefs into scf.parallel (upstream's pass).",
      [](OpPassManager &pm) { pm.addNestedPass<func::FuncOp>(createForallToParallelLoopPass()); });
  registerPipeline("kgen-optimize", "All stages of the optimized pipeline but the last.",
                   optimizedStages().drop_back());
  registerPipeline("kgen-reference", "All stages of the reference pipeline but the last.",
                   referenceStages().drop_back());
}

} // namespace kgen
