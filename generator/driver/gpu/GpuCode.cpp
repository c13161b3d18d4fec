#include "driver/gpu/GpuCode.h"

#include "codegen/PtxCode.h"
#include "codegen/SpirvCode.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "driver/compile/NodeTemplates.h"
#include "driver/compile/VanishedNodes.h"
#include "driver/crash/PassTrace.h"
#include "driver/gpu/CheckGpuGraphs.h"
#include "driver/gpu/ExplainLaunches.h"
#include "driver/gpu/LaunchTable.h"
#include "driver/gpu/PartJoiner.h"
#include "driver/gpu/Ptxas.h"
#include "ingress/Ingress.h"
#include "pipeline/GpuPipeline.h"
#include "support/Timing.h"
#include "transforms/gpu/GpuAttr.h"
#include "transforms/gpu/KernelBuilder.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/StringSet.h>
#include <llvm/Linker/Linker.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t leastCapability = 8; ///< compute capability, major: code is for sm_80

/// Errors of passes as errors of the spec's, at the nodes that they are about.
class NodeErrors {
public:
  NodeErrors(MLIRContext &context, const Graph &graph, Diagnostics &diagnostics)
      : graph(graph), diagnostics(diagnostics), handler(&context, [this](mlir::Diagnostic &one) {
          if (one.getSeverity() == DiagnosticSeverity::Error)
            add(one);
          return success();
        }) {}

private:
  void add(mlir::Diagnostic &one) {
    for (StringAttr name : namesIn(one.getLocation()))
      for (const Node &node : graph.nodes)
        if (node.name == name.getValue() && reported.insert(node.name).second)
          return diagnostics.error(node.where, "node '" + node.name + "' " + one.str(),
                                   runOnCpuAdvice);
    if (reported.empty())
      diagnostics.error(graph.nodes.empty() ? SourceLoc() : graph.nodes.front().where,
                        "graph '" + StringRef(graph.name).split('$').first.str() +
                            "': " + one.str());
  }

  const Graph &graph;
  Diagnostics &diagnostics;
  std::set<std::string> reported;
  ScopedDiagnosticHandler handler;
};

} // namespace

class GpuCompilation::Compiler {
public:
  Compiler(const GpuSpec &gpu, const GpuCompileOptions &options) : gpu(gpu), options(options) {
    code.interface.target = gpu.name.value;
    const bool isPtx = gpu.language == GpuLanguage::ptx;
    code.interface.api = isPtx ? GpuApi::cuda : GpuApi::vulkan;
    code.interface.majorCapability = isPtx ? leastCapability : 0;
    if (options.explains && isPtx)
      ptxas = findPtxas();
  }

  void compile(const CutGraph &graph, Diagnostics &diagnostics) {
    if (!checkForGpu(graph, gpu, diagnostics))
      return;
    if (!graph.isCut())
      return compile(*graph.whole, diagnostics);
    const size_t errors = diagnostics.errors().size();
    PartJoiner joiner(graph, numCpuParts);
    for (const GraphPart &part : graph.parts) {
      if (part.isOnCpu) {
        joiner.addCpuStep(part);
        continue;
      }
      const size_t before = code.interface.graphs.size();
      compile(part.graph, diagnostics);
      if (code.interface.graphs.size() == before)
        continue; // errors, or no code is asked for
      joiner.addLaunches(part, std::move(code.interface.graphs.back()));
      code.interface.graphs.pop_back();
    }
    numCpuParts += llvm::count_if(graph.parts, [](const GraphPart &part) { return part.isOnCpu; });
    if (options.emitsCode && diagnostics.errors().size() == errors)
      code.interface.graphs.push_back(joiner.take());
  }

  /// A graph, or a part of one, for the card.
  void compile(const Graph &graph, Diagnostics &diagnostics) {
    const size_t before = diagnostics.errors().size();
    GraphTrace trace(graph, gpu.name.value);
    TimedScope timed(graph.name, gpu.name.value);
    MLIRContext context(pipelineDialects(), MLIRContext::Threading::DISABLED);
    context.loadDialect<KgenDialect>();
    tracePasses(context);
    NodeErrors errors(context, graph, diagnostics);
    OwningOpRef<ModuleOp> module = ingress(graph, nullptr, context, graph.name, diagnostics);
    if (!module)
      return;
    if (llvm::Error error = instantiateNodes(*module, graph, TemplateUse::instances))
      return diagnostics.error(gpu.name.where, llvm::toString(std::move(error)));
    setGpu(*module, gpu.facts);
    if (options.explains)
      startDecisions(*module);
    if (failed(runStages(graph, *module)) || !(options.emitsCode || options.explains))
      return;
    addKernels(graph, *module);
    if (options.explains && diagnostics.errors().size() == before)
      code.explanations.push_back(explainLaunches(graph, gpu, *module, code.interface));
  }

  /// All kernels as one text, once all graphs are compiled.
  void finish(Diagnostics &diagnostics) {
    if (ptx)
      finishPtx(diagnostics);
    for (Explanation &explanation : code.explanations)
      explainOccupancy(gpu.facts, explanation);
  }

  GpuCode take() { return std::move(code); }

private:
  void finishPtx(Diagnostics &diagnostics) {
    std::string ir;
    llvm::Expected<std::string> text = ptxText(*ptx, options.dumpCode ? &ir : nullptr);
    if (!text)
      return diagnostics.error(gpu.name.where, llvm::toString(text.takeError()));
    if (options.dumpCode) {
      options.dumpCode("ll", ir);
      options.dumpCode("ptx", *text);
    }
    if (ptxas)
      askForRegisters(*text, diagnostics);
    code.interface.module = std::move(*text);
  }

  void askForRegisters(const std::string &text, Diagnostics &diagnostics) {
    const std::string capability = "sm_" + std::to_string(10 * leastCapability);
    llvm::Expected<std::map<std::string, PtxasFigures>> figures =
        askPtxas(*ptxas, text, capability);
    if (!figures)
      return diagnostics.warning(gpu.name.where, llvm::toString(figures.takeError()),
                                 "registers are estimated");
    for (Explanation &explanation : code.explanations)
      for (ExplainedStep &step : explanation.steps)
        if (auto found = figures->find(step.gpu->kernel); found != figures->end()) {
          step.gpu->registers = found->second.registers;
          step.gpu->spilledBytes = found->second.spilledBytes;
          step.gpu->registersBy = "ptxas";
        }
  }

  LogicalResult runStages(const Graph &graph, ModuleOp module) {
    dump(graph, "ingress", module);
    for (const GpuStage &stage : gpuStages()) {
      TimedScope timed(TimedScope::stage, stage.name);
      PassManager pm(module.getContext(), ModuleOp::getOperationName());
      if (options.explains)
        pm.addInstrumentation(createVanishedNodes());
      addGpuStage(pm, stage, options.weightPrefix, options.verifyStages);
      if (failed(pm.run(module)) || failed(verify(module)))
        return failure();
      dump(graph, stage.name, module);
    }
    return success();
  }

  void dump(const Graph &graph, StringRef stage, ModuleOp module) {
    if (!options.dumpStage)
      return;
    std::string name = graph.name;
    std::replace(name.begin(), name.end(), '$', '-'); // "forward-1", a part
    options.dumpStage(name, stage.str(), module);
  }

  void addKernels(const Graph &graph, ModuleOp module) {
    TimedScope timed(TimedScope::stage, gpu.language == GpuLanguage::ptx ? "PTX" : "SPIR-V");
    llvm::StringMap<size_t> numbers;
    auto kernels = *module.getOps<gpu::GPUModuleOp>().begin();
    renameTaken(kernels, module);
    PassManager toSpirv(module.getContext(), ModuleOp::getOperationName());
    addSpirvPasses(toSpirv);
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
      GpuKernel made = describe(kernel);
      if (options.emitsCode && gpu.language == GpuLanguage::spirv &&
          failed(addSpirv(kernel, toSpirv, made)))
        return;
      numbers[kernel.getName()] = code.interface.kernels.size();
      code.interface.kernels.push_back(std::move(made));
    }
    if (gpu.language == GpuLanguage::ptx && (options.emitsCode || ptxas) && failed(addPtx(kernels)))
      return;
    addLaunches(graph, module, numbers, options.weightPrefix, code.interface, code.weights);
  }

  /// Gives kernels whose names another graph's have others: node b_c of graph a, c of a_b.
  void renameTaken(gpu::GPUModuleOp kernels, ModuleOp module) {
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
      const std::string name = kernel.getName().str();
      std::string free = name;
      auto isTaken = [&] {
        Operation *own = kernels.lookupSymbol(free);
        return names.contains(free) || (own && own != kernel);
      };
      for (int number = 1; isTaken(); ++number)
        free = name + "_" + std::to_string(number);
      names.insert(free);
      if (free == name)
        continue;
      auto renamed = StringAttr::get(module.getContext(), free);
      if (failed(SymbolTable::replaceAllSymbolUses(kernel, renamed, module)))
        kernel.emitError("its name cannot be changed");
      kernel.setName(renamed);
    }
  }

  GpuKernel describe(gpu::GPUFuncOp kernel) {
    GpuKernel made;
    made.name = kernel.getName().str();
    llvm::copy(*kernel.getKnownBlockSize(), made.threads.begin());
    made.sharedBytes = gpu_kernels::sharedBytes(kernel);
    GpuFeatures &features = code.interface.features;
    features.sharedBytes = std::max(features.sharedBytes, made.sharedBytes);
    return made;
  }

  /// The kernels of a graph, beside those of the graphs before.
  LogicalResult addPtx(gpu::GPUModuleOp kernels) {
    OpBuilder b(kernels.getContext());
    OwningOpRef<ModuleOp> module = ModuleOp::create(b, kernels.getLoc());
    b.setInsertionPointToStart(module->getBody());
    auto copy = cast<gpu::GPUModuleOp>(b.clone(*kernels));
    PassManager pm(kernels.getContext(), ModuleOp::getOperationName());
    addNvvmPasses(pm);
    if (failed(pm.run(*module)))
      return failure();
    llvm::Expected<std::unique_ptr<llvm::Module>> made = ptxModule(copy, llvmContext);
    if (!made)
      return kernels.emitError() << llvm::toString(made.takeError());
    if (!ptx)
      ptx = std::move(*made);
    else if (llvm::Linker::linkModules(*ptx, std::move(*made)))
      return kernels.emitError("kernels of two graphs cannot be one module");
    return success();
  }

  /// One kernel as SPIR-V, by itself: drivers look at all of a module for each of its kernels.
  LogicalResult addSpirv(gpu::GPUFuncOp kernel, PassManager &toSpirv, GpuKernel &made) {
    OpBuilder b(kernel.getContext());
    OwningOpRef<ModuleOp> module = ModuleOp::create(b, kernel.getLoc());
    b.setInsertionPointToStart(module->getBody());
    auto kernels = gpu::GPUModuleOp::create(b, kernel.getLoc(), "kernels");
    b.setInsertionPointToStart(kernels.getBody());
    b.clone(*kernel);
    if (failed(toSpirv.run(*module)))
      return failure();
    auto spirv = *module->getOps<spirv::ModuleOp>().begin();
    addFeatures(spirv, code.interface.features);
    llvm::Expected<std::string> bytes = spirvBytes(spirv);
    if (!bytes)
      return kernel.emitError() << llvm::toString(bytes.takeError());
    made.code = std::move(*bytes);
    return success();
  }

  static void addFeatures(spirv::ModuleOp module, GpuFeatures &features) {
    std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
    if (!triple)
      return;
    for (spirv::Capability capability : triple->getCapabilities())
      switch (capability) {
      case spirv::Capability::Float16:
        features.usesFloat16 = true;
        break;
      case spirv::Capability::Float64:
        features.usesFloat64 = true;
        break;
      case spirv::Capability::Int8:
        features.usesInt8 = true;
        break;
      case spirv::Capability::Int16:
        features.usesInt16 = true;
        break;
      case spirv::Capability::Int64:
        features.usesInt64 = true;
        break;
      case spirv::Capability::StorageBuffer8BitAccess:
        features.stores8Bits = true;
        break;
      case spirv::Capability::StorageBuffer16BitAccess:
        features.stores16Bits = true;
        break;
      default:
        break;
      }
    for (auto mode : module.getOps<spirv::ExecutionModeOp>())
      if (mode.getExecutionMode() == spirv::ExecutionMode::SignedZeroInfNanPreserve) {
        const int64_t width = cast<IntegerAttr>(mode.getValues()[0]).getInt();
        features.keepsSpecials[width == 16 ? 0 : width == 32 ? 1 : 2] = true;
      }
  }

  const GpuSpec &gpu;
  const GpuCompileOptions &options;
  GpuCode code;
  size_t numCpuParts = 0;  ///< of the graphs so far
  llvm::StringSet<> names; ///< of the kernels so far
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> ptx; ///< of all graphs so far
  std::optional<std::string> ptxas;  ///< the program, where it is wanted and there
};

GpuCompilation::GpuCompilation(const GpuSpec &gpu, const GpuCompileOptions &options)
    : compiler(std::make_unique<Compiler>(gpu, options)) {}

GpuCompilation::~GpuCompilation() = default;

bool GpuCompilation::add(const Graph &graph, Diagnostics &diagnostics) {
  return add(CutGraph{&graph, {}}, diagnostics);
}

bool GpuCompilation::add(const CutGraph &graph, Diagnostics &diagnostics) {
  const size_t before = diagnostics.errors().size();
  compiler->compile(graph, diagnostics);
  return diagnostics.errors().size() == before;
}

std::optional<GpuCode> GpuCompilation::finish(Diagnostics &diagnostics) {
  const size_t before = diagnostics.errors().size();
  compiler->finish(diagnostics);
  return diagnostics.errors().size() == before ? std::optional(compiler->take()) : std::nullopt;
}

std::optional<GpuCode> compileForGpu(const std::vector<CutGraph> &graphs, const GpuSpec &gpu,
                                     const GpuCompileOptions &options, Diagnostics &diagnostics) {
  GpuCompilation compilation(gpu, options);
  bool areGood = true;
  for (const CutGraph &graph : graphs)
    areGood &= compilation.add(graph, diagnostics);
  return areGood ? compilation.finish(diagnostics) : std::nullopt;
}

} // namespace kgen
