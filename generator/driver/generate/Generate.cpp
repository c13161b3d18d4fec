#include "driver/generate/Generate.h"

#include "driver/compile/StageDump.h"
#include "driver/crash/CrashReport.h"
#include "driver/generate/Architectures.h"
#include "driver/generate/Artefacts.h"
#include "driver/generate/Budgets.h"
#include "driver/generate/DescribeGraphs.h"
#include "driver/generate/PartCompilation.h"
#include "driver/gpu/GpuCode.h"
#include "driver/load/BackendChecks.h"
#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryInterface.h"
#include "driver/load/LibraryTemplates.h"
#include "driver/load/Load.h"
#include "driver/machines/Machines.h"
#include "providers/Provider.h"
#include "support/Workers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Threading.h>

#include <chrono>
#include <mutex>

namespace kgen {
namespace {

using Clock = std::chrono::steady_clock;
using StageDumper = std::function<void(const std::string &stage, const std::string &text)>;

/// A library being generated: what was loaded, and what has been compiled so far.
class Generator {
public:
  Generator(const GenerateOptions &options, const LoadedLibrary &library, GenerateResult &result)
      : options(options), library(library), result(result), hash(specHash(library)),
        kind(objectKind(options)),
        cuts(options.gpus && !library.gpus.empty() ? cutGraphs(library.graphs, library.onCpu)
                                                   : std::vector<CutGraph>()),
        measures(hasBudgets(library.spec) && (options.keepsBudgets || options.explain)) {}

  llvm::Error run();
  bool isUpToDate();
  /// Adds the errors and warnings of schedules to `diagnostics`. Returns whether there were errors.
  bool reportScheduleErrors(Diagnostics &diagnostics) const {
    for (const Diagnostic &one : scheduleErrors.errors())
      diagnostics.error(one.where, one.message, one.hint);
    for (const Diagnostic &one : scheduleErrors.warnings())
      diagnostics.warning(one.where, one.message, one.hint);
    return scheduleErrors.hasErrors();
  }

private:
  struct Job {
    const Graph *graph;    ///< of a version: its code
    const std::string *of; ///< the name of the graph, or of a part of it
    SizeValues sizes;      ///< of a version
    const TargetSpec *target;
    const std::string *whole = of; ///< of a part: the name of the graph

    std::string part() const { return partName(*of, sizes); }
  };

  bool isWhole() const { return options.onlyGraph.empty(); }
  bool makesLibrary() const { return kgen::makesLibrary(options); }

  std::vector<Job> jobs() const;
  llvm::Error compileAll(const std::vector<Job> &jobs);
  StageDumper stageDumper(const std::string &graph, const std::string &target);
  std::unique_ptr<GraphCompilation> compilationOf(const Job &job);
  void runStep(PartCompilation &compilation, Part &part, llvm::function_ref<llvm::Error()> step);
  llvm::Error store(const Job &job, CompiledGraph compiled, Part &part);
  llvm::Error readParts(const std::vector<Job> &jobs);
  llvm::Error checkParts(const std::vector<Job> &jobs) const;
  llvm::Error scheduleForMachines();
  llvm::Error compileForGpus();
  void identify() { kgen::identify(options, library, hash, result.library); }

  const GenerateOptions &options;
  const LoadedLibrary &library;
  GenerateResult &result;
  std::string hash;
  ObjectKind kind;
  const std::vector<CutGraph> cuts; ///< for graphics cards
  const bool measures;              ///< what parts take of budgets
  FileSet objects;
  std::shared_ptr<ScratchFile> scratch = ScratchFile::create(); ///< has large weights
  std::mutex mutex; ///< guards `objects`, `result.weightBytes`, `scheduleErrors` and the callbacks
  Diagnostics scheduleErrors;
};

std::vector<Generator::Job> Generator::jobs() const {
  std::vector<Job> list;
  for (const Graph &graph : library.graphs)
    for (const TargetSpec &target : library.targets) {
      if (!isWhole() &&
          (graph.name != options.onlyGraph || target.name.value != options.onlyTarget))
        continue;
      list.push_back({&graph, &graph.name, {}, &target});
      for (const LoadedLibrary::Version &version : library.versions)
        if (version.graph == graph.name)
          list.push_back({&version.code, &graph.name, version.sizes, &target});
      for (const CutGraph &cut : cuts)
        for (const GraphPart &part : cut.parts)
          if (cut.whole == &graph && part.isOnCpu)
            list.push_back({&part.graph, &part.graph.name, {}, &target, &graph.name});
    }
  return list;
}

llvm::Error Generator::store(const Job &job, CompiledGraph compiled, Part &part) {
  if (llvm::Error error = checkAddresses(*job.graph, *job.target, compiled.workspaceBytes))
    return error;
  part.workspaceBytes = compiled.workspaceBytes;
  part.workspaceSizes = compiled.workspaceSizes;
  part.textBytes = compiled.textBytes;
  part.stackBytes = compiled.codeCosts.stackBytes;
  part.instructions = compiled.audit.instructions;
  if (!compiled.schedules.warnings.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Diagnostic &one : compiled.schedules.warnings)
      scheduleErrors.warning(one.where, one.message, one.hint);
  }
  if (measures)
    part.costs = costsOf(compiled);
  if (options.explain)
    part.explanation = std::move(compiled.explanation);
  part.work = std::move(compiled.work);
  part.vectorInstructions = std::move(compiled.audit.vectorInstructions);
  if (options.emit == EmitKind::nothing)
    return llvm::Error::success();
  std::string stem = job.part() + "." + job.target->name.value;
  if (!makesLibrary()) {
    std::lock_guard<std::mutex> lock(mutex);
    objects[stem + (options.emit == EmitKind::llvm ? ".ll" : ".mlir")] = std::move(compiled.code);
    return llvm::Error::success();
  }
  for (WeightBlob &weight : compiled.weights) {
    part.weights.push_back(weight.symbol);
    std::string path = weightObjectPath(weight.symbol, kind);
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!objects.try_emplace(path).second) // another variant has the same
        continue;
      result.weightBytes += weight.bytes().size();
      result.weightSizes[weight.symbol] = weight.bytes().size();
    }
    llvm::Expected<FileContents> file = weightFile(weight, job.target->triple, kind, scratch);
    if (!file)
      return file.takeError();
    std::lock_guard<std::mutex> lock(mutex);
    objects[path] = std::move(*file);
    weight.data = nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  objects[objectPath(job.part(), job.target->name.value, kind)] = std::move(compiled.code);
  return llvm::Error::success();
}

/// Numbers the stages of one graph and target.
StageDumper Generator::stageDumper(const std::string &graph, const std::string &target) {
  return [this, graph, target, number = 0](const std::string &stage,
                                           const std::string &text) mutable {
    std::string path = llvm::formatv("{0}.{1}/{2,0+2}-{3}.mlir", graph, target, ++number, stage);
    std::lock_guard<std::mutex> lock(mutex);
    options.dumpStage(path, text);
  };
}

std::unique_ptr<GraphCompilation> Generator::compilationOf(const Job &job) {
  const std::string &name = library.spec.library.value, &target = job.target->name.value;
  CompileOptions compileOptions;
  const bool isMeasuredOnly = measures && options.emit == EmitKind::nothing;
  compileOptions.emit = isMeasuredOnly ? EmitKind::object : options.emit;
  compileOptions.reference = options.reference;
  compileOptions.provider = providerFor(options.provider, *job.target);
  compileOptions.prefix = name + "_";
  compileOptions.verifyStages = options.verifyStages;
  compileOptions.explain = options.explain || measures;
  compileOptions.schedules = &library.spec.schedules;
  compileOptions.templates = templatesOf(library, *job.whole);
  compileOptions.timeSteps = options.timeSteps;
  compileOptions.dumpWeights = options.dumpWeights;
  if (options.dumpStage)
    compileOptions.dumpStage = stageDumper(job.part(), target);
  return std::make_unique<GraphCompilation>(*job.graph, *job.target,
                                            kernelSymbol(name, *job.of, target, job.sizes),
                                            std::move(compileOptions));
}

void Generator::runStep(PartCompilation &compilation, Part &part,
                        llvm::function_ref<llvm::Error()> step) {
  llvm::Error error = compilation.run(part, step);
  if (!error)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    error = takeScheduleErrors(std::move(error), scheduleErrors);
  }
  compilation.keep(std::move(error));
}

llvm::Error Generator::compileAll(const std::vector<Job> &list) {
  result.parts.resize(list.size());
  std::vector<PartCompilation> compilations(list.size());
  size_t done = 0;
  unsigned threads = llvm::hardware_concurrency(options.jobs).compute_thread_count();
  auto begin = [&](size_t i) {
    Part &part = result.parts[i];
    part.graph = *list[i].of;
    part.sizes = list[i].sizes;
    part.target = list[i].target->name.value;
    part.specHash = hash;
    runStep(compilations[i], part, [&] {
      compilations[i].graph = compilationOf(list[i]);
      return compilations[i].graph->optimize();
    });
  };
  auto finish = [&](size_t i) {
    runStep(compilations[i], result.parts[i], [&]() -> llvm::Error {
      llvm::Expected<CompiledGraph> compiled = compilations[i].graph->emit();
      compilations[i].graph.reset();
      if (!compiled)
        return compiled.takeError();
      return store(list[i], std::move(*compiled), result.parts[i]);
    });
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (options.progress)
      options.progress(done, list.size(), list[i].part() + "." + result.parts[i].target);
  };
  runStepsInParallel(threads, list.size(), begin, finish);
  return errorOf(compilations, scheduleErrors);
}

/// An error says everything once: what is missing of a part may be missing for all its versions.
llvm::Error Generator::readParts(const std::vector<Job> &list) {
  std::vector<std::string> errors;
  for (const Job &job : list) {
    llvm::Expected<Part> part = readPart(options.partsDirectory, *job.of, job.sizes,
                                         job.target->name.value, hash, kind, objects);
    if (part)
      result.parts.push_back(std::move(*part));
    else if (std::string error = llvm::toString(part.takeError());
             !llvm::is_contained(errors, error))
      errors.push_back(std::move(error));
  }
  return errors.empty() ? llvm::Error::success()
                        : llvm::createStringError(llvm::join(errors, "\n"));
}

/// A library without one of its functions is never written, whatever the reason.
llvm::Error Generator::checkParts(const std::vector<Job> &list) const {
  llvm::Error all = llvm::Error::success();
  for (const Job &job : list)
    all =
        llvm::joinErrors(std::move(all), checkPart(objects, job.part(), job.target->name.value,
                                                   kernelSymbol(library.spec.library.value, *job.of,
                                                                job.target->name.value, job.sizes),
                                                   kind));
  return all;
}

bool Generator::isUpToDate() {
  identify();
  return options.isUpToDate && isWhole() && makesLibrary() && options.isUpToDate(result.library);
}

/// For each graph and machine <graph>.<machine>.mlir.
llvm::Error Generator::scheduleForMachines() {
  bool isWanted =
      makesLibrary() || options.explain || options.dumpStage || options.emit == EmitKind::mlir;
  if (!isWhole() || !isWanted)
    return llvm::Error::success();
  mlir::MLIRContext context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED);
  for (const Graph &graph : library.graphs)
    for (const MachineSpec &machine : library.machines) {
      DumpMachineStage dumpMachineStage;
      if (options.dumpStage)
        dumpMachineStage = [this, dump = stageDumper(graph.name, machine.name.value)](
                               const std::string &stage, mlir::ModuleOp module) mutable {
          dump(stage, dumpText(module, options.dumpWeights));
        };
      llvm::Expected<MachineGraph> code =
          scheduleGraph(graph, machine, library.spec.schedules, {}, "", context, dumpMachineStage);
      if (!code) {
        llvm::Error error = takeScheduleErrors(code.takeError(), scheduleErrors);
        if (error)
          return error;
        continue;
      }
      if (options.explain) {
        Part &part = result.parts.emplace_back();
        part.graph = part.explanation.graph = graph.name;
        part.target = part.explanation.target = machine.name.value;
        addSchedules(code->schedules, part.explanation);
        part.explanation.waste = std::move(code->waste);
      }
      if (options.emit != EmitKind::nothing)
        objects[graph.name + "." + machine.name.value + ".mlir"] = machineText(*code->module);
    }
  if (scheduleErrors.hasErrors())
    return llvm::make_error<ScheduleErrors>(scheduleErrors.errors());
  return llvm::Error::success();
}

/// Kernels and their launches, and objects of the constants that these read.
llvm::Error Generator::compileForGpus() {
  if (!options.gpus || !isWhole() || !(makesLibrary() || options.dumpStage || options.explain))
    return llvm::Error::success();
  for (const GpuSpec &gpu : library.gpus) {
    GpuCompileOptions own;
    own.weightPrefix = library.spec.library.value + "_weights_";
    own.emitsCode = makesLibrary() || options.dumpStage != nullptr;
    own.verifyStages = options.verifyStages;
    own.explains = options.explain;
    std::map<std::string, StageDumper> dumpers;
    if (options.dumpStage) {
      own.dumpStage = [&](const std::string &graph, const std::string &stage,
                          mlir::ModuleOp module) {
        auto dumper = dumpers.try_emplace(graph, stageDumper(graph, gpu.name.value)).first;
        dumper->second(stage, dumpText(module, options.dumpWeights));
      };
      own.dumpCode = [&](const std::string &language, const std::string &text) {
        options.dumpStage("kernels." + gpu.name.value + "/kernels." + language, text);
      };
    }
    std::optional<GpuCode> code = compileForGpu(cuts, gpu, own, scheduleErrors);
    if (!code)
      continue;
    for (Explanation &explanation : code->explanations) {
      Part &part = result.parts.emplace_back();
      part.graph = explanation.graph;
      part.target = explanation.target;
      part.explanation = std::move(explanation);
    }
    if (!makesLibrary())
      continue;
    if (llvm::Error error =
            addWeightFiles(code->weights, library.targets.front().triple, kind, scratch, objects))
      return error;
    result.library.gpus.push_back(std::move(code->interface));
  }
  if (scheduleErrors.hasErrors())
    return llvm::make_error<ScheduleErrors>(scheduleErrors.errors());
  return llvm::Error::success();
}

llvm::Error Generator::run() {
  std::vector<Job> list = jobs();
  bool fromParts = !options.partsDirectory.empty();
  if (llvm::Error error = fromParts ? readParts(list) : compileAll(list))
    return error;
  if (makesLibrary())
    if (llvm::Error error = checkParts(list))
      return error;
  if (llvm::Error error = scheduleForMachines())
    return error;
  if (llvm::Error error = compileForGpus())
    return error;
  identify();
  describeGraphs(library, cuts, result.parts, result.library);
  if (measures)
    result.budgets = budgetUses(library.spec, result.parts);
  if (!isWhole() && makesLibrary())
    for (const Part &part : result.parts)
      objects[partMetadataPath(partName(part.graph, part.sizes), part.target)] = partMetadata(part);
  result.files = isWhole() && makesLibrary() && !library.targets.empty()
                     ? emitLibrary(result.library, objects)
                     : std::move(objects);
  return llvm::Error::success();
}

} // namespace

GenerateStatus generateOneArchitecture(const GenerateOptions &options, const LoadedLibrary &library,
                                       GenerateResult &result, Diagnostics &diagnostics) {
  result.inputFiles = library.inputFiles;
  result.linked = library.linked;
  Generator generator(options, library, result);
  if (generator.isUpToDate())
    return GenerateStatus::upToDate;
  if (llvm::Error error = generator.run()) {
    if (generator.reportScheduleErrors(diagnostics)) {
      llvm::consumeError(std::move(error));
      return GenerateStatus::userError;
    }
    bool isDefect = options.partsDirectory.empty() && !error.isA<RequestError>();
    diagnostics.error({options.specPath, 0, 0}, llvm::toString(std::move(error)),
                      isDefect ? defectAdvice : "");
    return isDefect ? GenerateStatus::internalError : GenerateStatus::userError;
  }
  generator.reportScheduleErrors(diagnostics);
  if (options.keepsBudgets)
    reportExceeded(result.budgets, diagnostics);
  return diagnostics.hasErrors() ? GenerateStatus::userError : GenerateStatus::ok;
}

} // namespace kgen
