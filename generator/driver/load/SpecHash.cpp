// The hash of all that determines a library.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/load/LibraryTemplates.h"
#include "driver/load/Load.h"
#include "emit/Library.h"
#include "spec/ScheduleText.h"
#include "support/InputFile.h"
#include "support/Sha256.h"

#include <mlir/IR/MLIRContext.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <set>

namespace kgen {
namespace fs = std::filesystem;

/// Returns what of a machine decides about code for it.
static std::string machineText(const MachineSpec &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << machine.name.value << " " << machine.gridText() << " " << machine.l2.bytes << " "
     << machine.l1.bytes << " " << machine.l3BytesPerCycle << " " << machine.l2BytesPerCycle;
  for (const auto &[type, products] : machine.productsPerCycle)
    os << " " << type << " " << products;
  return text;
}

/// Returns what of a graphics card decides about code for it.
static std::string gpuText(const GpuSpec &gpu) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << gpu.name.value;
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING) os << " " << gpu.facts.MEMBER;
#include "target/GpuFacts.def"
  return text;
}

/// Returns the nodes that the CPU computes for graphics cards; nothing without any.
static std::string onCpuText(const LoadedLibrary &library) {
  std::string text;
  if (!library.gpus.empty())
    for (const auto &[graph, nodes] : library.onCpu)
      text += "run_on cpu " + graph + " " + llvm::join(nodes, " ") + "\n";
  return text;
}

/// Returns what of a target decides about code for it and the choice of it.
static std::string targetText(const TargetSpec &target, mlir::MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << makeTargetAttr(target, &context) << " " << target.rank << " " << target.onlyOn.vendor;
  for (int64_t family : target.onlyOn.families)
    os << " " << family;
  for (int64_t model : target.onlyOn.models)
    os << " model " << model;
  os << " " << target.provider.value;
  return text;
}

/// Adds the settings of a graph that are in the header, but its tensors.
template <typename AddBudgets, typename Add>
static void addSettings(const GraphSpec &graph, AddBudgets addBudgets, Add add) {
  addBudgets(graph.budgets);
  for (const auto &[name, original] : graph.original)
    add(name + "=" + original);
}

/// Returns what the states are, and who reads and updates them; nothing without states.
static std::string statesText(const LoadedLibrary &library) {
  std::string text;
  for (const StateSpec &state : library.spec.states)
    text += state.name.value + " " + state.type.value.str() + " " +
            (state.data ? sha256(llvm::StringRef(state.data->data(), state.data->size()))
                        : std::to_string(state.init));
  for (const Graph &graph : library.graphs)
    for (const GraphState &state : graph.states)
      text += "\n" + graph.name + " " + state.name + (state.input ? " read" : "") +
              (state.output ? " updated" : "");
  return text;
}

std::string specHash(const LoadedLibrary &library) {
  Sha256 hash;
  auto add = [&](llvm::StringRef text) {
    hash.add(text);
    hash.add(llvm::StringRef("\0", 1));
  };
  auto addBudgets = [&](const Budgets &budgets) { // a folder that is up to date keeps them
    for (const auto &[kind, bytes] : budgets)
      add(std::string(toString(kind)) + " " + std::to_string(bytes.value));
  };
  auto addFile = [&](const std::string &path) {
    if (auto text = readInputFile(path, maxTextBytes))
      add((*text)->getBuffer());
    else
      llvm::consumeError(text.takeError()); // reported when it was read
  };
  add(KGEN_VERSION);
  add(library.spec.library.value);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  for (const TargetSpec &target : library.targets)
    add(targetText(target, context));
  if (library.systems != std::vector{hostSystem()})
    for (System system : library.systems)
      add(systemName(system));
  for (const MachineSpec &machine : library.machines)
    add(machineText(machine));
  for (const GpuSpec &gpu : library.gpus)
    add(gpuText(gpu));
  if (const std::string text = onCpuText(library); !text.empty())
    add(text);
  addBudgets(library.spec.budgets);
  if (!library.spec.states.empty())
    add(statesText(library));
  for (const GraphSpec &graph : library.spec.graphs)
    addSettings(graph, addBudgets, add);
  for (const ScheduleSpec &schedule : library.spec.schedules)
    add(scheduleText(schedule) + llvm::join(schedule.match.namedBy, " "));
  for (const std::string &file : scheduleFiles(library.spec))
    addFile(file);
  for (const std::string &file : templateFiles(library))
    addFile(file);
  for (const Graph &graph : library.graphs) {
    for (const Node &node : graph.nodes)
      if (!node.schedule.value.empty())
        add(node.name + " " + node.schedule.value);
    add(printGraph(graph));
    for (const Node &node : graph.nodes)
      if (node.external) // names of parameters in C
        add(llvm::join(node.external->inputNames, " ") + " -> " +
            llvm::join(node.external->outputNames, " "));
    for (const GraphValue &value : graph.values)
      if (value.data)
        add(llvm::StringRef(value.data->data(), value.data->size()));
  }
  for (const LoadedLibrary::Version &version : library.versions)
    add(version.code.name);
  return hash.hex();
}

std::vector<InputHash> inputHashes(const LoadedLibrary &library) {
  std::vector<InputHash> hashes;
  std::set<std::string> seen;
  if (library.inputFiles.empty())
    return hashes;
  const fs::path folder = fs::absolute(library.inputFiles.front()).parent_path();
  for (const std::string &file : library.inputFiles) {
    fs::path path = fs::absolute(file).lexically_normal();
    if (!seen.insert(path.string()).second)
      continue;
    fs::path relative = path.lexically_relative(folder.lexically_normal());
    if (relative.empty() || *relative.begin() == "..")
      relative = path.filename();
    if (auto text = readInputFile(file, maxTextBytes))
      hashes.push_back({relative.generic_string(), sha256((*text)->getBuffer())});
    else
      llvm::consumeError(text.takeError()); // reported when it was read
  }
  return hashes;
}

} // namespace kgen
