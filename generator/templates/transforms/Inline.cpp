// Puts instances in the place of their calls.
#include "templates/transforms/Instantiator.h"

#include "dialect/kgen/DecisionLog.h"

#include <mlir/IR/IRMapping.h>

#include <llvm/ADT/StringSet.h>

using namespace mlir;

namespace kgen::templates {

namespace {

/// Returns where the code of an instance stands that was called from `call`: the node of the call,
/// if it is one or several, at the template's place.
mlir::Location inlinedLocation(mlir::Location code, mlir::Location call) {
  if (auto node = dyn_cast<NameLoc>(call))
    return NameLoc::get(node.getName(), code);
  SmallVector<mlir::Location> nodes;
  if (isa<FusedLoc>(call))
    for (StringAttr name : namesIn(call))
      nodes.push_back(NameLoc::get(name, code));
  if (!nodes.empty())
    return FusedLoc::get(call.getContext(), nodes);
  return CallSiteLoc::get(code, call);
}

class InstanceInliner {
public:
  InstanceInliner(const llvm::StringMap<func::FuncOp> &instances, size_t maxOperations)
      : instances(instances), maxOperations(maxOperations) {}

  /// Calls in the function; those in the instances that it calls first.
  LogicalResult run(func::FuncOp function) {
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) {
      if (instances.count(call.getCallee()))
        calls.push_back(call);
    });
    DecisionLog log(function, "kgen-instantiate-templates");
    for (func::CallOp call : calls) {
      log.add("applied", call.getLoc(), log.details().set("what", "is " + call.getCallee().str()));
      func::FuncOp callee = instances.lookup(call.getCallee());
      if (done.insert(callee).second && failed(run(callee)))
        return failure();
      // Text may call its own instance by name.
      if (!callee.getBody().hasOneBlock() || callee->isAncestor(call))
        continue;
      if (failed(count(call, callee)))
        return failure();
      replace(call, callee);
    }
    return success();
  }

private:
  /// Instances that call others twice make twice as much at each level.
  LogicalResult count(func::CallOp call, func::FuncOp callee) {
    size_t &size = sizes[callee];
    if (size == 0)
      callee.walk([&](Operation *) { ++size; });
    numOperations += size;
    if (numOperations <= maxOperations)
      return success();
    return call.emitError() << "instances in the place of their calls have more than "
                            << maxOperations
                            << " operations (the limit is the option max-operations)";
  }

  static void replace(func::CallOp call, func::FuncOp callee) {
    mlir::Block &body = callee.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      copy->walk([&](Operation *inner) {
        inner->setLoc(inlinedLocation(inner->getLoc(), call.getLoc()));
        for (Region &region : inner->getRegions())
          for (BlockArgument argument : region.getArguments())
            argument.setLoc(inner->getLoc());
      });
    }
    SmallVector<mlir::Value> results;
    for (mlir::Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    call.replaceAllUsesWith(results);
    call.erase();
  }

  const llvm::StringMap<func::FuncOp> &instances;
  const size_t maxOperations;
  size_t numOperations = 0;
  DenseSet<Operation *> done;
  DenseMap<Operation *, size_t> sizes; ///< of instances whose calls were replaced
};

} // namespace

FailureOr<OwningOpRef<func::FuncOp>> Instantiator::wholeInstance(DefinedTemplate &of,
                                                                 const Environment &values) {
  FailureOr<func::FuncOp> function = instanceOf(of, values, of.op.getLoc(), -1);
  bool isWhole = succeeded(function) && succeeded(resolvePending());
  OwningOpRef<func::FuncOp> copy;
  if (isWhole) {
    llvm::StringMap<func::FuncOp> byName;
    for (Instance &instance : instances)
      byName[instance.function.getName()] = instance.function;
    isWhole = succeeded(InstanceInliner(byName, limits.operations).run(*function));
    copy = (*function).clone();
  }
  eraseInstances();
  if (!isWhole)
    return failure();
  return copy;
}

LogicalResult Instantiator::inlineInstances() {
  llvm::StringMap<func::FuncOp> byName;
  DenseSet<Operation *> functions;
  for (Instance &instance : instances) {
    byName[instance.function.getName()] = instance.function;
    functions.insert(instance.function);
  }
  InstanceInliner inliner(byName, limits.operations);
  for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (!functions.contains(function) && failed(inliner.run(function)))
      return failure();
  // Functions of several blocks are still called.
  bool changed = true;
  while (changed) {
    changed = false;
    llvm::StringSet<> called;
    module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    llvm::erase_if(instances, [&](Instance &instance) {
      if (called.contains(instance.function.getName()))
        return false;
      instance.function.erase();
      return changed = true;
    });
  }
  return success();
}

} // namespace kgen::templates
