#include "driver/load/Load.h"

#include "driver/load/Gpus.h"

#include "dialect/kgen/Kgen.h"
#include "driver/load/BackendChecks.h"
#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryTemplates.h"
#include "driver/load/ModelSpec.h"
#include "driver/load/Systems.h"
#include "driver/load/Versions.h"
#include "graph/GraphBuilder.h"
#include "ingress/mlir/Import.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"
#include "spec/DimExpression.h"
#include "spec/Names.h"
#include "spec/ScheduleText.h"
#include "spec/Weights.h"
#include "spec/Yaml.h"
#include "support/Components.h"
#include "support/InputFile.h"
#include "support/Timing.h"
#include "support/WorkTrace.h"
#include "target/MachineLookup.h"
#include "target/Target.h"
#include "target/TargetFiles.h"

#ifdef KGEN_HAS_ONNX
#include "ingress/onnx/Import.h"
#endif

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <tuple>

namespace kgen {
namespace {

bool isMachine(const Located<std::string> &name, const std::vector<MachineSpec> &ofSpec,
               const std::string &specPath, const std::vector<std::string> &searchPath) {
  auto isNamed = [&](const MachineSpec &machine) { return machine.name.value == name.value; };
  Diagnostics unused; // findTarget() reports what is not there
  return llvm::any_of(ofSpec, isNamed) ||
         findTargetFile(name, TargetKind::machine, specPath, searchPath, unused).has_value();
}

/// A machine of the spec, else one that has a file.
std::optional<MachineSpec> loadMachine(const Located<std::string> &name,
                                       const std::vector<MachineSpec> &ofSpec,
                                       const std::string &specPath,
                                       const std::vector<std::string> &searchPath,
                                       Diagnostics &diagnostics) {
  for (const MachineSpec &machine : ofSpec)
    if (machine.name.value == name.value)
      return machine;
  return findMachine(name, specPath, searchPath, diagnostics);
}

/// The targets by architecture, and there by descending rank; the same name twice is an error.
/// Machines and graphics cards go to the library.
std::vector<TargetSpec> loadTargets(const std::vector<Located<std::string>> &names,
                                    const LibrarySpec &spec,
                                    const std::vector<std::string> &searchPath,
                                    LoadedLibrary &library, Diagnostics &diagnostics) {
  std::vector<MachineSpec> &machines = library.machines;
  std::vector<TargetSpec> targets;
  for (const Located<std::string> &name : names) {
    // Paths of the command line are relative to the current folder, as all others there.
    bool isRelativeToSpec = name.where.line != 0 || !isTargetPath(name.value);
    const std::string from = isRelativeToSpec ? spec.path : "";
    if (isMachine(name, spec.machines, from, searchPath)) {
      std::optional<MachineSpec> machine =
          loadMachine(name, spec.machines, from, searchPath, diagnostics);
      auto isSame = [&](const MachineSpec &other) {
        return other.name.value == machine->name.value;
      };
      if (machine && !machinesComponent().isThere)
        diagnostics.error(name.where,
                          "'" + machine->name.value +
                              "' is a machine: " + machinesComponent().refusal(),
                          machinesComponent().advice());
      else if (machine && std::any_of(machines.begin(), machines.end(), isSame))
        diagnostics.error(name.where, "target '" + machine->name.value + "' is listed twice",
                          "list each target once");
      else if (machine)
        machines.push_back(std::move(*machine));
      continue;
    }
    if (takeGpu(name, from, searchPath, library.gpus, diagnostics))
      continue;
    std::optional<TargetSpec> target = findTarget(name, from, searchPath, diagnostics);
    if (!target)
      continue;
    auto same = [&](const TargetSpec &other) {
      return targetIdentifier(other.name.value) == targetIdentifier(target->name.value);
    };
    if (std::any_of(targets.begin(), targets.end(), same))
      diagnostics.error(name.where, "target '" + target->name.value + "' is listed twice",
                        "list each target once");
    else if (!isRefused(*target, name.where, diagnostics) &&
             !isInseparable(*target, targets, name.where, diagnostics) &&
             !isSecondVariant(*target, targets, name.where, diagnostics))
      targets.push_back(std::move(*target));
  }
  auto order = [](const TargetSpec &target) {
    const auto *architecture = llvm::find(architectures(), architectureOf(target.triple));
    return std::make_tuple(architecture, -target.rank, target.name.value);
  };
  std::sort(targets.begin(), targets.end(),
            [&](const TargetSpec &a, const TargetSpec &b) { return order(a) < order(b); });
  return targets;
}

/// Leaves the targets of one architecture; an error at the first of `names` if there are none.
void keepArchitecture(const Architecture &architecture,
                      const std::vector<Located<std::string>> &names,
                      std::vector<TargetSpec> &targets, Diagnostics &diagnostics) {
  std::vector<std::string> others;
  for (const TargetSpec &target : takeOtherTargets(&architecture, targets))
    others.push_back("'" + target.name.value + "' is for " + architectureName(target.triple));
  if (targets.empty() && !others.empty() && !diagnostics.hasErrors())
    diagnostics.error(names.front().where,
                      "the library has no target for " + architectureName(architecture.triple()) +
                          ": " + llvm::join(others, ", "),
                      "add a target for it, or name no targets: it has default ones");
}

/// Schedules that a target's file has or names, among those of the library.
void addTargetSchedules(const std::string &target, const TargetSchedules &ofTarget,
                        std::vector<ScheduleSpec> &schedules, Diagnostics &diagnostics) {
  auto find = [&](const std::string &name) {
    return llvm::find_if(schedules, [&](const ScheduleSpec &s) { return s.name.value == name; });
  };
  for (ScheduleSpec schedule : ofTarget.own) {
    if (auto other = find(schedule.name.value); other != schedules.end())
      diagnostics.error(schedule.name.where,
                        "there are two schedules '" + schedule.name.value + "'",
                        "the other one is at " + other->name.where.str());
    schedule.match.targets = {{target, schedule.name.where}};
    schedules.push_back(std::move(schedule));
  }
  for (const Located<std::string> &name : ofTarget.names) {
    auto found = find(name.value);
    if (found != schedules.end()) {
      found->match.namedBy.push_back(target);
      continue;
    }
    std::vector<std::string> known;
    for (const ScheduleSpec &schedule : schedules)
      known.push_back(schedule.name.value);
    diagnostics.error(name.where, "the library has no schedule '" + name.value +
                                      "', which target '" + target + "' names" +
                                      didYouMean(name.value, known));
  }
}

/// The targets that are named so, and what their files say for the library. With an architecture,
/// those of others are left out.
void addTargets(const std::vector<Located<std::string>> &names, const Architecture *architecture,
                LibrarySpec &spec, const std::vector<std::string> &searchPath,
                LoadedLibrary &library, Diagnostics &diagnostics) {
  library.targets = loadTargets(names, spec, searchPath, library, diagnostics);
  if (architecture)
    keepArchitecture(*architecture, names, library.targets, diagnostics);
  for (const TargetSpec &target : library.targets) {
    reportUnknownProvider(target.provider, diagnostics);
    reportForeignProvider(target.provider.value, target, target.provider.where, diagnostics);
    addTargetSchedules(target.name.value, target.schedules, spec.schedules, diagnostics);
  }
}

/// The targets of a library that names none.
void addDefaultTargets(const Architecture *architecture, LibrarySpec &spec,
                       const std::vector<std::string> &searchPath, LoadedLibrary &library,
                       Diagnostics &diagnostics) {
  library.defaultTargets = defaultTargets(library.graphs, architecture);
  std::vector<Located<std::string>> names;
  for (const DefaultTarget &target : library.defaultTargets)
    names.push_back({target.name, spec.library.where});
  addTargets(names, architecture, spec, searchPath, library, diagnostics);
}

std::string modelPath(const ModelSource &model) {
  return resolvePath(model.path.value, model.path.where.file);
}

/// The place of a file that is not there is that of its name.
bool isThere(const ModelSource &model, Diagnostics &diagnostics) {
  std::string path = modelPath(model);
  if (llvm::sys::fs::exists(path))
    return true;
  diagnostics.error(model.path.where, "model '" + path + "': no such file");
  return false;
}

void reportNoDim(const Located<std::string> &dim, const std::set<std::string> &known,
                 Diagnostics &diagnostics) {
  const std::vector<std::string> names(known.begin(), known.end());
  diagnostics.error(
      dim.where, "no argument has a dimension '" + dim.value + "'" + didYouMean(dim.value, names),
      names.empty() ? "`kgen.dim` of an argument names its '?'"
                    : "there are " + llvm::join(names, ", "));
}

std::optional<Graph> importMlirGraph(const GraphSpec &graph, const LibrarySpec &spec,
                                     MlirFiles &files, LoadedLibrary &library,
                                     Diagnostics &diagnostics) {
  MlirRequest request{
      modelPath(*graph.model), graph.model->function.value, spec.library.value, settingsOf(graph),
      graph.model->function.value.empty() ? graph.model->path.where : graph.model->function.where};
  library.inputFiles.push_back(request.path);
  std::shared_ptr<const OperatorTable> operators =
      readOwnTemplates(graph, spec, library, diagnostics);
  request.templates = operators.get();
  request.dims = graph.model->bindings.dims;
  std::set<std::string> used;
  request.usedDims = &used;
  std::optional<Graph> made = files.import(request, diagnostics);
  library.mlirDims.insert(used.begin(), used.end());
  if (made)
    for (const Located<std::string> &dim : graph.model->ownDims)
      if (!used.count(dim.value))
        reportNoDim(dim, used, diagnostics);
  return made;
}

#ifdef KGEN_HAS_ONNX
std::optional<Graph> importGraph(const GraphSpec &graph, const LibrarySpec &spec,
                                 LoadedLibrary &library, Diagnostics &diagnostics) {
  onnx::ImportOptions options{spec.library.value, settingsOf(graph), graph.model->bindings};
  std::optional<onnx::ImportedModel> model =
      onnx::importModel(modelPath(*graph.model), options, builtInOperators(), diagnostics);
  if (!model)
    return std::nullopt;
  foldScales(model->graph, builtInOperators(), diagnostics);
  library.models[graph.name.value] = {std::move(model->originalNames), std::move(model->inputs)};
  library.inputFiles.insert(library.inputFiles.end(), model->files.begin(), model->files.end());
  return std::move(model->graph);
}
#else
std::optional<Graph> importGraph(const GraphSpec &graph, const LibrarySpec &, LoadedLibrary &,
                                 Diagnostics &diagnostics) {
  diagnostics.error(graph.model->path.where, "this kgen was built without ONNX models",
                    "install libprotobuf-dev and protobuf-compiler, and build it again");
  return std::nullopt;
}
#endif

/// Loads a graph and adds the model that it was read from to `library`, whose operators are there.
std::optional<Graph> loadGraph(const GraphSpec &graph, const LibrarySpec &spec, MlirFiles &files,
                               LoadedLibrary &library, Diagnostics &diagnostics) {
  if (!graph.model && !graph.original.empty())
    library.models[graph.name.value] = {graph.original, {}};
  if (!graph.model)
    return buildGraph(graph, *library.operators, diagnostics);
  return graph.model->kind == ModelSource::Kind::mlir
             ? importMlirGraph(graph, spec, files, library, diagnostics)
             : importGraph(graph, spec, library, diagnostics);
}

/// All graphs, and their versions.
void loadGraphs(const LibrarySpec &spec, const ModelBindings &bindings, MlirFiles &files,
                LoadedLibrary &library, Diagnostics &diagnostics) {
  for (const GraphSpec &graph : spec.graphs) {
    if (graph.model && !isThere(*graph.model, diagnostics))
      continue;
    WorkTrace trace("graph", graph.name.value);
    if (std::optional<Graph> built = loadGraph(graph, spec, files, library, diagnostics)) {
      takeCpuNodes(graph, *built, library, diagnostics);
      library.graphs.push_back(std::move(*built));
    }
  }
  for (const auto &[place, name] : bindings.dimNames)
    for (const std::string &size : namesOfSizes(name))
      library.mlirDims.insert(size);
  if (isMlirPath(spec.path) && !diagnostics.hasErrors())
    for (const auto &[name, size] : bindings.dims)
      if (!library.mlirDims.count(name))
        reportNoDim({name, {spec.path, 0, 0}}, library.mlirDims, diagnostics);
  if (diagnostics.hasErrors())
    return;
  LoadedLibrary read = library; // versions are read from what was read already
  auto load = [&](const GraphSpec &graph) {
    return loadGraph(graph, spec, files, read, diagnostics);
  };
  loadVersions(spec, bindings.dims, load, library, diagnostics);
}

/// Loads what states begin with.
void loadStates(LibrarySpec &spec, Diagnostics &diagnostics) {
  WeightLoader files;
  for (StateSpec &state : spec.states)
    if (state.source)
      state.data = files.load(*state.source, diagnostics);
}

bool isBuiltIn(const TargetSpec &target) {
  return !target.path.empty() && target.path.front() == '<';
}

} // namespace

std::vector<TargetSpec> takeOtherTargets(const Architecture *architecture,
                                         std::vector<TargetSpec> &targets) {
  auto others =
      std::stable_partition(targets.begin(), targets.end(), [&](const TargetSpec &target) {
        return architectureOf(target.triple) == architecture;
      });
  std::vector<TargetSpec> taken(std::make_move_iterator(others),
                                std::make_move_iterator(targets.end()));
  targets.erase(others, targets.end());
  return taken;
}

std::optional<LoadedLibrary> loadLibrary(const std::string &specPath,
                                         const std::vector<std::string> &targets,
                                         const std::vector<std::string> &targetSearchPath,
                                         const ModelBindings &given, Diagnostics &diagnostics,
                                         const Architecture *architecture,
                                         std::optional<System> system, bool cardsAlone) {
  TimedScope timed(TimedScope::stage, "load");
  MlirFiles files;
  const ModelBindings bindings = withNamedSizes(given, diagnostics);
  std::optional<LibrarySpec> spec =
      isModelPath(specPath)
          ? specOfModel(specPath, bindings, files, diagnostics)
          : parseLibrarySpec(specPath, diagnostics, bindings.dims, bindings.graphs);
  if (!spec)
    return std::nullopt;
  refuseBindings(specPath, bindings, diagnostics);
  LoadedLibrary library;
  library.systems = systemsOf(*spec, system, diagnostics);
  std::vector<Located<std::string>> names = spec->targets;
  if (!targets.empty())
    names.clear();
  for (const std::string &target : targets)
    names.push_back({target, {"--target " + target, 0, 0}});
  addTargets(names, architecture, *spec, targetSearchPath, library, diagnostics);
  for (const MachineSpec &machine : library.machines)
    addTargetSchedules(machine.name.value, machine.schedules, spec->schedules, diagnostics);
  for (const ScheduleSpec &schedule : spec->schedules)
    reportUnknownProvider(schedule.decisions.provider, diagnostics);
  library.templates = readTemplates(spec->templates, diagnostics);
  library.operators = operatorsWith(library.templates);
  loadStates(*spec, diagnostics);
  loadGraphs(*spec, bindings, files, library, diagnostics);
  if (names.empty() && !diagnostics.hasErrors())
    addDefaultTargets(architecture, *spec, targetSearchPath, library, diagnostics);
  checkSystems(library, *spec, diagnostics);
  if (!cardsAlone || !library.targets.empty())
    checkGpus(library, diagnostics);
  if (llvm::any_of(library.graphs, [](const Graph &graph) { return !graph.dims.empty(); }))
    checkSizedCNames(*spec, diagnostics);
  checkExterns(library.graphs, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  if (!isModelPath(specPath))
    library.inputFiles.push_back(specPath);
  for (const std::string &file : spec->included)
    library.inputFiles.push_back(file);
  for (const TargetSpec &target : library.targets)
    if (!isBuiltIn(target))
      library.inputFiles.push_back(target.path);
  for (const MachineSpec &machine : library.machines)
    if (!machine.isBuiltIn())
      library.inputFiles.push_back(machine.path);
  for (const GpuSpec &gpu : library.gpus)
    if (!gpu.isBuiltIn())
      library.inputFiles.push_back(gpu.path);
  for (const std::string &file : scheduleFiles(*spec))
    library.inputFiles.push_back(file);
  for (const std::string &file : weightFiles(*spec))
    library.inputFiles.push_back(file);
  for (const Located<std::string> &file : spec->templates)
    library.inputFiles.push_back(file.value);
  library.spec = std::move(*spec);
  return library;
}

} // namespace kgen
