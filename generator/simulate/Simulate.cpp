// See Simulate.h.
#include "simulate/Simulate.h"

#include "simulate/Reference.h"
#include "simulate/Steps.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

#include <random>

using namespace mlir;

namespace kgen {

/// Small integers, and floats that are multiples of 1/8: sums of products are exact in any order as
/// long as they fit.
static void fillArgument(Execution &execution, const GivenBuffer &given, std::mt19937_64 &random) {
  MachineBuffer &buffer = *execution.views[given.view].buffer;
  for (int64_t i = 0; i < buffer.elements; ++i) {
    Lane lane;
    auto value = static_cast<int64_t>(random() >> 60) - 8;
    if (isFloatNumber(given.number))
      lane.f = static_cast<double>(value) / 8;
    else
      lane.i = given.number == Number::i1 ? value & 1 : value;
    storeLanes(given.number, buffer.data.data(), i, 1, 1, &lane);
  }
}

/// Runs a compiled function; both of a comparison begin with the same contents.
static void runProgram(Execution &execution, const StepProgram &program, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const GivenBuffer &given : program.given)
    if (given.isArgument && execution.withData)
      fillArgument(execution, given, random);
  program.body.run(execution);
}

static std::vector<const GivenBuffer *> argumentsOf(const StepProgram &program) {
  std::vector<const GivenBuffer *> arguments;
  for (const GivenBuffer &given : program.given)
    if (given.isArgument)
      arguments.push_back(&given);
  return arguments;
}

static void keepArguments(Execution &execution, const StepProgram &program,
                          SimulationReport &report) {
  for (const GivenBuffer *given : argumentsOf(program))
    report.arguments.push_back({given->number,
                                given->shape,
                                given->isWritten,
                                std::move(execution.views[given->view].buffer->data),
                                {}});
}

/// The multiply-adds that there would be without padding. Not counted of a reference that works on
/// single elements: that would take long.
static BoundedProducts productsOf(const StepProgram &program, func::FuncOp function,
                                  const MachineSpec &spec) {
  bool hasElements =
      function.walk([](memref::StoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (hasElements)
    return {};
  MachineRun counting(spec, program.sites); // its faults are nobody's: it runs without cores
  Execution execution(program, &counting, false);
  runProgram(execution, program, 0);
  return counting.boundedProducts();
}

/// Runs the reference with data, and counts its products. False if it cannot be run; reported.
static bool runReference(func::FuncOp function, const SimulationOptions &options,
                         const MachineSpec &spec, SimulationReport &report,
                         BoundedProducts &products, Diagnostics &diagnostics) {
  OwningOpRef<ModuleOp> module = bufferizedModule(function, diagnostics);
  StepProgram program;
  if (!module)
    return false;
  auto reference = *module->getOps<func::FuncOp>().begin();
  if (!StepBuilder(program, /*isForMachine=*/false, diagnostics).build(reference))
    return false;
  report.reference = function.getName().str();
  if (auto counted = productsOf(program, reference, spec); !counted.empty())
    products = std::move(counted);
  if (!options.data)
    return true;
  Execution execution(program, nullptr, true);
  runProgram(execution, program, options.seed);
  auto arguments = argumentsOf(program);
  for (size_t i = 0; i < report.arguments.size() && i < arguments.size(); ++i) {
    report.arguments[i].reference = std::move(execution.views[arguments[i]->view].buffer->data);
    report.arguments[i].isWritten |= arguments[i]->isWritten;
  }
  return true;
}

std::optional<SimulationReport> simulate(ModuleOp module, const MachineSpec &machine,
                                         const SimulationOptions &options,
                                         Diagnostics &diagnostics) {
  std::optional<SimulatedFunctions> functions = chooseFunctions(module, options, diagnostics);
  if (!functions)
    return std::nullopt;
  StepProgram program;
  if (!StepBuilder(program, /*isForMachine=*/true, diagnostics).build(functions->scheduled))
    return std::nullopt;
  SimulationReport report;
  report.function = functions->scheduled.getName().str();
  report.machine = machine;
  MachineRun run(report.machine, program.sites);
  int64_t onceBytes = 0;
  {
    Execution execution(program, &run, options.data);
    runProgram(execution, program, options.seed);
    keepArguments(execution, program, report);
    for (const GivenBuffer &given : program.given)
      onceBytes += execution.views[given.view].bytes();
  }
  run.finish(report, options.timeline);
  run.faults.report(program.sites, diagnostics);
  BoundedProducts products = run.boundedProducts();
  // Without data it is there to count only, and not missed if it cannot be run.
  Diagnostics ignored;
  if (functions->reference &&
      !runReference(functions->reference, options, report.machine, report, products,
                    options.data ? diagnostics : ignored) &&
      options.data)
    return std::nullopt;
  report.bounds = run.boundsOf(products, onceBytes);
  return report;
}

} // namespace kgen
