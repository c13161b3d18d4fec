#include "driver/crash/PassTrace.h"

#include "dialect/kgen/DebugOutput.h"
#include "driver/crash/CrashReport.h"
#include "graph/Operator.h"
#include "support/Timing.h"

#include <mlir/IR/Action.h>
#include <mlir/IR/Unit.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Rewrite/PatternApplicator.h>

#include <string>

using namespace mlir;

namespace kgen {
namespace {

thread_local std::string lastPassOfThread;

StringRef nameOf(const Pass &pass) {
  return pass.getArgument().empty() ? pass.getName() : pass.getArgument();
}

/// Runs the passes of functions on each of them.
bool isAdaptor(const Pass &pass) { return pass.getName().contains("OpToOpPassAdaptor"); }

Operation *operationOf(const tracing::Action &action) {
  for (const IRUnit &unit : action.getContextIRUnits())
    if (auto *op = llvm::dyn_cast_if_present<Operation *>(unit))
      return op;
  return nullptr;
}

void runTraced(llvm::function_ref<void()> run, const tracing::Action &action) {
  Operation *op = operationOf(action);
  if (const auto *execution = llvm::dyn_cast<PassExecutionAction>(&action)) {
    const Pass &pass = execution->getPass();
    if (op && !op->getParentOp())
      keepReproducer(op, const_cast<Pass &>(pass)); // to be printed
    if (isAdaptor(pass))
      return run();
    lastPassOfThread = nameOf(pass).str();
    TimedScope timed(TimedScope::pass, nameOf(pass));
    OperationTrace trace("pass", nameOf(pass), op);
    PassScope scope(nameOf(pass));
    return run();
  }
  if (!op || action.getTag() != ApplyPatternAction::tag)
    return run();
  OperationTrace trace("node", "", op);
  run();
}

} // namespace

StringRef lastPass() { return lastPassOfThread; }

std::string silentFailure() {
  std::string where = lastPassOfThread.empty() ? "kgen" : "pass '" + lastPassOfThread + "'";
  return where + " failed without saying why, which is a defect of kgen";
}

void tracePasses(MLIRContext &context) { context.registerActionHandler(runTraced); }

StringRef firstNameIn(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return firstNameIn(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = firstNameIn(part); !name.empty())
        return name;
  return "";
}

void printNode(llvm::raw_ostream &os, const Graph &graph, StringRef name) {
  for (const Node &node : graph.nodes)
    if (node.name == name) {
      os << " (" << node.op->name << ")";
      printPlace(os, node.where);
      return;
    }
}

OperationTrace::OperationTrace(StringRef what, StringRef name, Operation *op)
    : what(what), name(name), op(op), where(op->getLoc()) {}

void OperationTrace::print(llvm::raw_ostream &os) const {
  os << what << " '" << (name.empty() ? firstNameIn(where) : name) << "'\n";
}

void GraphTrace::print(llvm::raw_ostream &os) const {
  os << "graph '" << graph.name << "' for target '" << target << "'\n";
}

} // namespace kgen
