#include "driver/machines/MachineCode.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "driver/compile/BlamedSchedule.h"
#include "driver/compile/Decision.h"
#include "driver/compile/ErrorCollector.h"
#include "driver/compile/LoopsOfNamedOps.h"
#include "driver/compile/NodeTemplates.h"
#include "driver/crash/PassTrace.h"
#include "driver/machines/DefaultSchedule.h"
#include "driver/machines/MachinePipeline.h"
#include "ingress/Ingress.h"
#include "support/Timing.h"

#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

namespace {

/// Cores of a machine run no functions from outside.
llvm::Error refuseExterns(const Graph &graph, const MachineSpec &machine) {
  std::vector<Diagnostic> errors;
  for (const Node &node : graph.nodes)
    if (node.external)
      errors.push_back({node.where,
                        "node '" + node.name + "' calls the extern function '" +
                            node.external->symbol.value + "', which the machine '" +
                            machine.name.value + "' cannot run",
                        "leave such nodes to a graph for CPUs", Severity::error});
  return errors.empty() ? llvm::Error::success() : llvm::make_error<ScheduleErrors>(errors);
}

/// Removes the attributes that only compilers of kgen's own targets read.
void removeOwnAttributes(ModuleOp module) {
  module->walk([](Operation *op) {
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (attr.getName().getValue().starts_with("kgen."))
        op->removeDiscardableAttr(attr.getName());
  });
}

ScheduleFormula formulaFor(const MachineSpec &machine) {
  return [&machine](const ScheduledOperator &op, ArrayRef<Type> epilogue) {
    return defaultSchedule(machine, op, epilogue);
  };
}

LogicalResult runMachineStages(ModuleOp module, const DumpMachineStage &dumpStage) {
  if (dumpStage)
    dumpStage("ingress", module);
  for (const MachineStage &stage : machineStages()) {
    WorkTrace trace("stage", stage.name);
    TimedScope timed(TimedScope::stage, stage.name);
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    stage.add(pm);
    if (failed(pm.run(module)))
      return failure();
    if (dumpStage)
      dumpStage(stage.name.str(), module);
  }
  return success();
}

} // namespace

llvm::Expected<MachineGraph> scheduleGraph(const Graph &graph, const MachineSpec &machine,
                                           const std::vector<ScheduleSpec> &schedules,
                                           const ScheduleParameters &parameters,
                                           const std::string &reference, MLIRContext &context,
                                           const DumpMachineStage &dumpStage) {
  if (llvm::Error error = refuseExterns(graph, machine))
    return error;
  registerPassesOfScripts();
  context.loadDialect<KgenDialect>();
  tracePasses(context);
  GraphTrace trace(graph, machine.name.value);
  TimedScope timed(graph.name, machine.name.value);
  ErrorCollector errors(context);
  std::string what = graph.name + "." + machine.name.value;
  Diagnostics diagnostics;
  MachineGraph result;
  Graph apart = graph; // its states are inputs and outputs, which are simulated one by one
  apart.states.clear();
  result.module = ingress(apart, nullptr, context, graph.name, diagnostics);
  if (!result.module)
    return errors.take(what + ": " + diagnostics.str());
  if (llvm::Error error = instantiateNodes(*result.module, graph, TemplateUse::instances))
    return std::move(error);
  if (failed(decomposeNamedOps(*result.module)))
    return errors.take(what);
  if (!reference.empty()) {
    auto function = *result.module->getOps<func::FuncOp>().begin();
    func::FuncOp copy = function.clone();
    copy.setName(reference);
    result.module->push_back(copy);
  }
  ScheduleRequest request{&schedules, machine.name.value, formulaFor(machine), parameters};
  result.schedules = attachSchedules(*result.module, graph, request, diagnostics);
  if (diagnostics.hasErrors())
    return llvm::make_error<ScheduleErrors>(diagnostics.errors());
  startDecisions(*result.module);
  if (failed(runMachineStages(*result.module, dumpStage))) {
    const AttachedSchedule *schedule =
        blamedSchedule(*result.module, errors.failedNodes(), result.schedules);
    return schedule ? scheduleFailure(graph, *schedule, errors.takeRefusal(what))
                    : errors.take(what);
  }
  for (DictionaryAttr attr : takeDecisions(*result.module))
    if (Decision decision(attr); decision.kind() == "wasteful")
      result.waste.push_back({decision.names(), decision.string("text")});
  removeOwnAttributes(*result.module);
  return result;
}

llvm::Expected<AttachedSchedules> schedulesOf(const Graph &graph, const MachineSpec &machine,
                                              const std::vector<ScheduleSpec> &schedules,
                                              MLIRContext &context) {
  if (llvm::Error error = refuseExterns(graph, machine))
    return error;
  context.loadDialect<KgenDialect>();
  ErrorCollector errors(context);
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module = ingress(graph, nullptr, context, graph.name, diagnostics);
  if (!module)
    return errors.take(graph.name + ": " + diagnostics.str());
  if (llvm::Error error = instantiateNodes(*module, graph, TemplateUse::instances))
    return std::move(error);
  if (failed(decomposeNamedOps(*module)))
    return errors.take(graph.name);
  ScheduleRequest request{&schedules, machine.name.value, formulaFor(machine), {}};
  AttachedSchedules attached = attachSchedules(*module, graph, request, diagnostics);
  if (diagnostics.hasErrors())
    return llvm::make_error<ScheduleErrors>(diagnostics.errors());
  return attached;
}

std::string machineText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  return text;
}

} // namespace kgen
