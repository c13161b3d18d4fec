#include "driver/compile/VanishedNodes.h"

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Pass/Pass.h>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>

using namespace mlir;

namespace kgen {
namespace {

using NodeNames = llvm::SetVector<StringAttr>;

/// The names in locations, each part of which is looked at once, however many have it.
class NameGatherer {
public:
  void gather(mlir::Location loc) {
    if (!seen.insert(loc).second)
      return;
    if (auto name = dyn_cast<NameLoc>(loc)) {
      names.insert(name.getName());
      gather(name.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      gather(call.getCallee());
      gather(call.getCaller());
    } else if (auto fused = dyn_cast<FusedLoc>(loc))
      for (mlir::Location part : fused.getLocations())
        gather(part);
  }

  NodeNames names;

private:
  llvm::DenseSet<mlir::Location> seen;
};

NodeNames namesWithin(Operation *root) {
  NameGatherer locations;
  root->walk([&](Operation *op) {
    if (op == root || isa<func::FuncOp>(op) || matchPattern(op, m_Constant()))
      return;
    locations.gather(op->getLoc());
    // A fused body without operations of a producer still has its arguments.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          locations.gather(argument.getLoc());
  });
  return std::move(locations.names);
}

bool isPlanned(Operation *root) {
  return root
      ->walk([](func::FuncOp function) {
        return WalkResult(function->hasAttr("kgen.workspace") ? WalkResult::interrupt()
                                                              : WalkResult::advance());
      })
      .wasInterrupted();
}

class VanishedNodes : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass) && !isPlanned(op))
      before = namesWithin(op);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass) || before.empty())
      return;
    NodeNames after = namesWithin(op);
    before.remove_if([&](StringAttr name) { return after.contains(name); });
    SmallVector<mlir::Location> vanished;
    for (StringAttr name : before)
      vanished.push_back(NameLoc::get(name));
    before.clear();
    if (vanished.empty())
      return;
    DecisionLog log(op, pass->getArgument().empty() ? pass->getName() : pass->getArgument());
    log.add("vanished", FusedLoc::get(vanished, {}, op->getContext()), log.details());
  }

private:
  /// Runs passes on the functions of a module; they are reported one by one.
  static bool isAdaptor(Pass *pass) { return pass->getName().contains("OpToOpPassAdaptor"); }

  NodeNames before;
};

} // namespace

std::unique_ptr<PassInstrumentation> createVanishedNodes() {
  return std::make_unique<VanishedNodes>();
}

} // namespace kgen
