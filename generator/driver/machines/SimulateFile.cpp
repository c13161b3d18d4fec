#include "dialect/kgen/MlirErrors.h"
#include "driver/compile/Compile.h"
#include "driver/machines/LoadForMachine.h"
#include "driver/machines/Machines.h"
#include "driver/machines/SimulateModule.h"
#include "driver/run/TensorBytes.h"
#include "driver/run/TensorComparison.h"
#include "simulate/Render.h"
#include "support/InputFile.h"
#include "target/MachineLookup.h"
#include "target/TargetSpec.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kgen {
namespace {

ElementType elementTypeOf(Number number) {
  switch (number) {
  case Number::i1:
    return ElementType::boolean;
  case Number::i8:
    return ElementType::i8;
  case Number::i16:
    return ElementType::i16;
  case Number::i32:
    return ElementType::i32;
  case Number::i64:
    return ElementType::i64;
  case Number::f16:
    return ElementType::f16;
  case Number::bf16:
    return ElementType::bf16;
  case Number::f32:
    return ElementType::f32;
  case Number::f64:
    return ElementType::f64;
  }
  return ElementType::i8;
}

/// The coarsest type of floats among the arguments: results are as exact as that.
ElementType precisionOf(const SimulationReport &report) {
  ElementType precision = ElementType::f64;
  for (Number number : {Number::f32, Number::f16, Number::bf16})
    for (const SimulatedArgument &argument : report.arguments)
      if (argument.number == number)
        precision = elementTypeOf(number);
  return precision;
}

ComparedResult compare(const SimulatedArgument &argument, int number, ElementType precision) {
  TensorType type{elementTypeOf(argument.number), argument.shape};
  Tolerance tolerance = toleranceFor(type.element, precision, {});
  const void *value = argument.data.data(), *expected = argument.reference.data();
  TensorComparison comparison = compareElements(type, value, expected, tolerance);
  ComparedResult result;
  result.argument = number;
  result.type = type.str();
  result.elements = comparison.elements;
  result.wrong = comparison.wrong;
  result.isEqual = comparison.worst < 0;
  result.largestDifference = comparison.largestDifference;
  result.tolerance = tolerance.str();
  if (result.isEqual)
    return result;
  result.worstAt = fmt::format("[{}]", fmt::join(subscriptsOf(type, comparison.worst), ", "));
  result.value = elementText(type, value, comparison.worst);
  result.expected = elementText(type, expected, comparison.worst);
  return result;
}

mlir::OwningOpRef<mlir::ModuleOp> parseFile(const std::string &path, mlir::MLIRContext &context,
                                            Diagnostics &diagnostics) {
  auto file = readTextOrInput(path);
  if (!file) {
    diagnostics.error({path, 0, 0}, "cannot be read: " + llvm::toString(file.takeError()));
    return {};
  }
  MlirErrors errors(&context, {path, 0, 0}, diagnostics);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(source, &context);
}

} // namespace

std::optional<SimulationReport> simulateModule(mlir::ModuleOp module, const MachineSpec &machine,
                                               const SimulationOptions &options,
                                               Diagnostics &diagnostics) {
  std::optional<SimulationReport> report = simulate(module, machine, options, diagnostics);
  if (!report)
    return std::nullopt;
  ElementType precision = precisionOf(*report);
  for (size_t i = 0; i < report->arguments.size(); ++i) {
    const SimulatedArgument &argument = report->arguments[i];
    if (argument.isWritten && !argument.reference.empty())
      report->results.push_back(compare(argument, static_cast<int>(i), precision));
  }
  return report;
}

/// Of the first of the nodes, in the spec.
static SourceLoc placeOf(const Graph &graph, const std::vector<std::string> &nodes) {
  for (const Node &node : graph.nodes)
    if (llvm::is_contained(nodes, node.name))
      return node.where;
  return {};
}

/// Of all nodes that have a schedule; nothing if one is a script.
static std::optional<MachineTraffic> formulaOf(const AttachedSchedules &schedules) {
  MachineTraffic sum{};
  for (const AttachedSchedule &one : schedules.attached) {
    if (!one.traffic)
      return std::nullopt;
    for (size_t from = 0; from < sum.size(); ++from)
      for (size_t to = 0; to < sum.size(); ++to)
        sum[from][to] += (*one.traffic)[from][to];
  }
  return sum;
}

/// True if all sizes of the graph are known: a simulation runs it on arrays.
static bool haveNumbers(const Graph &graph, const std::string &path, Diagnostics &diagnostics) {
  std::string names, arguments;
  for (const auto &symbol : graph.dims) {
    names += (names.empty() ? "'" : ", '") + symbol->name + "'";
    arguments += " --dim " + symbol->name + "=N";
  }
  if (!names.empty())
    diagnostics.error({path, 0, 0},
                      "graph '" + graph.name + "' is given sizes when it is called, " + names +
                          ": expected numbers, with which it can be run",
                      "say them with" + arguments);
  return names.empty();
}

/// The scheduled function of a graph of the spec, and a plain one to compare with.
static mlir::OwningOpRef<mlir::ModuleOp>
scheduleSpec(const SimulateOptions &options, std::optional<MachineSpec> &machine,
             std::optional<MachineTraffic> &formula, SimulationOptions &simulation,
             mlir::MLIRContext &context, Diagnostics &diagnostics) {
  ModelBindings bindings = options.bindings;
  if (!options.graph.empty())
    bindings.graphs = {options.graph};
  std::optional<LoadedLibrary> library = loadForMachine(
      options.path, options.machine, options.targetSearchPath, bindings, diagnostics);
  if (!library)
    return {};
  machine = library->machines.front();
  std::vector<std::string> names;
  const Graph *graph = nullptr;
  for (const Graph &one : library->graphs) {
    names.push_back(one.name);
    if (one.name == options.graph || (options.graph.empty() && library->graphs.size() == 1))
      graph = &one;
  }
  if (!graph) {
    diagnostics.error({options.path, 0, 0},
                      options.graph.empty() ? "the spec has several graphs"
                                            : "there is no graph '" + options.graph + "'" +
                                                  didYouMean(options.graph, names),
                      "--graph names one of " + fmt::format("{}", fmt::join(names, ", ")));
    return {};
  }
  if (!haveNumbers(*graph, options.path, diagnostics))
    return {};
  simulation.function = graph->name;
  simulation.reference = graph->name == "reference" ? "reference_" : "reference";
  llvm::Expected<MachineGraph> code =
      scheduleGraph(*graph, *machine, library->spec.schedules, {}, simulation.reference, context);
  if (code) {
    formula = formulaOf(code->schedules);
    for (const ExplainedWaste &waste : code->waste)
      diagnostics.warning(placeOf(*graph, waste.nodes), waste.text);
    return std::move(code->module);
  }
  reportScheduleError(code.takeError(), options.path, diagnostics);
  return {};
}

/// True if the functions are to be scheduled; where some are on buffers, those are.
static bool isOnTensors(mlir::ModuleOp module) {
  auto hasBuffers = [](mlir::func::FuncOp function) {
    return llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<mlir::BaseMemRefType>);
  };
  auto hasTensors = [](mlir::func::FuncOp function) {
    return llvm::any_of(function.getResultTypes(), llvm::IsaPred<mlir::TensorType>);
  };
  auto functions = module.getOps<mlir::func::FuncOp>();
  return llvm::none_of(functions, hasBuffers) && llvm::any_of(functions, hasTensors);
}

namespace {

class ReportedSimulation : public Simulation {
public:
  explicit ReportedSimulation(SimulationReport report) : report(std::move(report)) {}
  bool isCompared() const override { return !report.results.empty(); }
  bool isRight() const override { return report.isRight(); }
  std::string text() const override { return simulationText(report); }
  std::string json(const Diagnostics &diagnostics) const override {
    return simulationJson(report, diagnostics);
  }
  std::string html() const override { return simulationHtml(report); }

private:
  SimulationReport report;
};

} // namespace

std::unique_ptr<Simulation> simulateFile(const SimulateOptions &options, Diagnostics &diagnostics) {
  mlir::MLIRContext context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED);
  std::optional<MachineSpec> machine;
  std::optional<MachineTraffic> formula;
  SimulationOptions simulation{options.function, options.reference, options.data, options.seed,
                               options.timeline};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (llvm::StringRef(options.path).ends_with(".mlir") || options.path == "-") {
    machine = findMachine({options.machine, {"--machine " + options.machine, 0, 0}},
                          isTargetPath(options.machine) ? "" : options.path,
                          options.targetSearchPath, diagnostics);
    if (machine)
      module = parseFile(options.path, context, diagnostics);
    if (module && isOnTensors(*module))
      module = scheduleSpec(options, machine, formula, simulation, context, diagnostics);
  } else {
    module = scheduleSpec(options, machine, formula, simulation, context, diagnostics);
  }
  if (!module)
    return nullptr;
  MlirErrors errors(&context, {options.path, 0, 0}, diagnostics);
  std::optional<SimulationReport> report =
      simulateModule(*module, *machine, simulation, diagnostics);
  if (!report)
    return nullptr;
  report->formula = formula;
  return std::make_unique<ReportedSimulation>(std::move(*report));
}

} // namespace kgen
