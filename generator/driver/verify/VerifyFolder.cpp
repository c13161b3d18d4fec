#include "driver/verify/VerifyRun.h"

#include "driver/generate/GeneratedFolder.h"
#include "driver/run/RunnableVariants.h"
#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

/// Reports options that need a spec.
void checkOptions(const VerifyOptions &options, Diagnostics &diagnostics) {
  auto needsSpec = [&](const std::string &flag, const std::string &reason) {
    diagnostics.error({options.path, 0, 0},
                      flag + " takes a spec or a model, and this is a folder: " + reason);
  };
  if (options.allNodes)
    needsSpec("--all-nodes", "a generated library does not tell the results of its nodes");
  if (options.provider != "auto")
    needsSpec("--provider", "its micro-kernels have been made");
  if (!options.bindings.dims.empty() || !options.bindings.values.empty())
    needsSpec("--dim or --value", "its sizes and inputs are fixed");
}

/// Leaves the code for graphics cards that is requested: none for a machine.
void keepGpus(const VerifyOptions &options, LibraryInterface &library,
              std::vector<std::string> &notes) {
  llvm::erase_if(library.gpus, [&](const GpuTargetInterface &gpu) {
    const bool isAsked = options.targets.empty() || llvm::is_contained(options.targets, gpu.target);
    if (isAsked && options.machine)
      notes.push_back(gpu.target + ": --run-with runs code for CPUs only");
    return !isAsked || options.machine;
  });
}

/// The variants to run: those requested that this CPU, or the machine's, supports. Others become
/// notes. Leaves the code for graphics cards that is requested.
std::vector<VariantInterface> chooseVariants(const VerifyOptions &options,
                                             LibraryInterface &library,
                                             std::vector<std::string> &notes,
                                             Diagnostics &diagnostics) {
  std::vector<std::string> names, lines;
  for (const VariantInterface &variant : library.variants)
    names.push_back(variant.target);
  for (const GpuTargetInterface &gpu : library.gpus)
    names.push_back(gpu.target);
  keepGpus(options, library, notes);
  for (const std::string &target : options.targets)
    if (!llvm::is_contained(names, target))
      diagnostics.error({"--target " + target, 0, 0},
                        "the library has no variant '" + target + "'" + didYouMean(target, names),
                        "it has " + llvm::join(names, ", "));
  std::set<std::string> asked;
  for (const VariantInterface &variant : library.variants)
    asked.insert(variant.requiredFeatures.begin(), variant.requiredFeatures.end());
  llvm::Expected<std::vector<std::string>> lacked = missingFeatures(asked, options.machine.get());
  if (!lacked) {
    diagnostics.error({options.path, 0, 0}, llvm::toString(lacked.takeError()));
    return {};
  }
  const std::string cpu =
      options.machine ? "the CPU of '" + options.machine->name() + "'" : "this CPU";
  std::vector<VariantInterface> chosen;
  for (const VariantInterface &variant : library.variants) {
    if (!options.targets.empty() && !llvm::is_contained(options.targets, variant.target))
      continue;
    std::vector<std::string> missing;
    for (const std::string &feature : variant.requiredFeatures)
      if (llvm::is_contained(*lacked, feature))
        missing.push_back(feature);
    if (missing.empty())
      chosen.push_back(variant);
    else
      lines.push_back(variant.target + ": " + cpu + " lacks " + llvm::join(missing, ", "));
  }
  if (chosen.empty() && library.gpus.empty() && !diagnostics.hasErrors())
    diagnostics.error({options.path, 0, 0}, cpu + " supports none of the library's variants",
                      llvm::join(lines.empty() ? notes : lines, "; ") +
                          (options.machine ? "" : runElsewhere));
  notes.insert(notes.end(), lines.begin(), lines.end());
  return chosen;
}

/// The coarsest type of floats that users of the function see.
ElementType precisionOf(const GraphInterface &graph) {
  for (ElementType type : {ElementType::bf16, ElementType::f16, ElementType::f32})
    for (const auto *tensors : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *tensors)
        if (tensor.type.element == type)
          return type;
  return ElementType::f64;
}

/// Returns what the graph calls from outside of the library; null for a machine, whose programs are
/// linked with it.
std::shared_ptr<const LinkedFiles> link(const VerifyOptions &options, const GeneratedFolder &folder,
                                        const GraphInterface &graph, Diagnostics &diagnostics) {
  if (options.machine && (graph.calls.empty() || !options.machine->link().empty()))
    return nullptr;
  std::string name = folder.library.name + ".h";
  auto header = folder.files.find(name);
  std::map<std::string, FileContents> headers;
  if (header != folder.files.end())
    headers.insert(*header);
  auto linked = LinkedFiles::open(options.link, headers, graph.calls, diagnostics);
  for (const std::string &symbol : graph.calls)
    if (linked && !linked->defines(symbol))
      diagnostics.error({options.path, 0, 0},
                        "graph '" + graph.name + "' calls the extern function '" + symbol + "'",
                        "say which file defines it with --link FILE (.c, .o or .so)");
  return linked;
}

llvm::Error runVariants(const VerifyOptions &options, const GeneratedFolder &folder,
                        const std::vector<VariantInterface> &variants, const GraphInterface &graph,
                        const GivenValues &values, const LinkedFiles *linked,
                        VerifyReport &report) {
  llvm::Expected<CallableCode> code =
      CallableCode::load(folder.library, folder.files, linked, options.machine.get());
  if (!code)
    return code.takeError();
  std::vector<VerifiedCalls> called;
  for (const VariantInterface &variant : variants) {
    std::string symbol = kernelSymbol(folder.library.name, graph.name, variant.target);
    auto calls = FrameCalls::make(values, graph, symbol, variant.target, *code);
    if (!calls)
      return calls.takeError();
    called.push_back({std::move(*calls), {variant.target, {}, {}}});
  }
  llvm::Expected<RunnableGpus> gpus =
      RunnableGpus::find(folder.library, folder.files, linked, variants.empty(), report.notes);
  if (!gpus)
    return gpus.takeError();
  if (llvm::Error error = addGpus(*gpus, values, graph, called))
    return error;
  if (llvm::Error error = verifyOutputs(called, values, graph, precisionOf(graph), options))
    return error;
  for (VerifiedCalls &variant : called)
    report.runs.push_back(std::move(variant.run));
  return llvm::Error::success();
}

} // namespace

GenerateStatus verifyFolder(const VerifyOptions &options, VerifyReport &report,
                            Diagnostics &diagnostics) {
  checkOptions(options, diagnostics);
  std::optional<GeneratedFolder> folder = readGeneratedFolder(
      options.path, options.machine ? options.machine->architecture().triple() : hostTriple(),
      diagnostics);
  if (!folder)
    return GenerateStatus::userError;
  std::vector<VariantInterface> variants =
      chooseVariants(options, folder->library, report.notes, diagnostics);
  std::vector<std::string> names;
  for (const GraphInterface &graph : folder->library.graphs)
    names.push_back(graph.name);
  std::optional<std::string> name = chooseGraph(options, names, diagnostics);
  if (!name)
    return GenerateStatus::userError;
  const GraphInterface &graph = *llvm::find_if(
      folder->library.graphs, [&](const GraphInterface &each) { return each.name == *name; });
  report.library = folder->library.name;
  report.graph = graph.name;
  auto values =
      readGivenValues({options.against, graph, {}, folder->library.states, options.frames},
                      report.notes, diagnostics);
  if (values)
    report.frames = values->frames;
  std::shared_ptr<const LinkedFiles> linked = link(options, *folder, graph, diagnostics);
  if (!values || diagnostics.hasErrors())
    return GenerateStatus::userError;
  llvm::Error error = runVariants(options, *folder, variants, graph, *values, linked.get(), report);
  if (!error)
    return GenerateStatus::ok;
  diagnostics.error({options.path, 0, 0}, llvm::toString(std::move(error)));
  return GenerateStatus::userError;
}

} // namespace kgen
