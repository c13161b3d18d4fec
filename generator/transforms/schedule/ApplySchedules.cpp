// Applies transform scripts to the nodes that have a schedule. A script sees nothing but its node:
// the operations move into a function of their own, and back when the script is done.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Schedule.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/ScriptSteps.h"
#include "transforms/schedule/WastefulCopies.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Transform/IR/TransformDialect.h>
#include <mlir/Dialect/Transform/IR/TransformOps.h>
#include <mlir/Dialect/Transform/Interfaces/TransformInterfaces.h>
#include <mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>

#include <llvm/ADT/SetVector.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_APPLYSCHEDULESPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

/// The operations of one scheduled node, in the order of their block.
struct ScheduledNode {
  SymbolRefAttr sequence;
  ArrayAttr parameters;
  SmallVector<Operation *> ops;
};

/// Operands without operands of their own that a node's function has itself, so that a script finds
/// them: constants and uninitialized tensors.
bool isCloned(Operation *op) {
  return op && op->getNumOperands() == 0 &&
         (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op));
}

/// The function in which a script sees a node.
class NodeFunction {
public:
  NodeFunction(const ScheduledNode &node, StringRef name)
      : node(node), builder(node.ops.front()->getContext()) {
    collectOperands();
    collectResults();
    build(name);
  }

  func::FuncOp function() { return func; }

  /// The function's body takes the place of the node's operations.
  void inlineBack() {
    Operation *last = node.ops.back();
    IRMapping map;
    map.map(func.getArguments(), ArrayRef<Value>(operands.getArrayRef()));
    OpBuilder b(last);
    Block &body = func.getBody().front();
    for (Operation &op : body.without_terminator())
      b.clone(op, map);
    for (auto [old, result] : llvm::zip_equal(results, body.getTerminator()->getOperands()))
      old.replaceAllUsesWith(map.lookupOrDefault(result));
    for (Operation *op : llvm::reverse(node.ops))
      op->erase();
    func.erase();
  }

private:
  void collectOperands() {
    llvm::SmallDenseSet<Operation *> inside(node.ops.begin(), node.ops.end());
    for (Operation *op : node.ops)
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *def = operand.getDefiningOp();
          bool isInside = op->isAncestor(operand.getParentBlock()->getParentOp()) ||
                          (def && inside.contains(def));
          if (isInside)
            continue;
          if (isCloned(def))
            cloned.insert(def);
          else
            operands.insert(operand);
        }
      });
  }

  void collectResults() {
    llvm::SmallDenseSet<Operation *> inside(node.ops.begin(), node.ops.end());
    for (Operation *op : node.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
            }))
          results.push_back(result);
  }

  void build(StringRef name) {
    Operation *first = node.ops.front();
    auto parent = first->getParentOfType<func::FuncOp>();
    auto type = builder.getFunctionType(TypeRange(ValueRange(operands.getArrayRef())),
                                        TypeRange(ValueRange(results)));
    builder.setInsertionPointAfter(parent);
    func = func::FuncOp::create(builder, first->getLoc(), name, type);
    func.setPrivate();
    OpBuilder b = OpBuilder::atBlockEnd(func.addEntryBlock());
    IRMapping map;
    map.map(ArrayRef<Value>(operands.getArrayRef()), func.getArguments());
    for (Operation *op : cloned)
      b.clone(*op, map);
    for (Operation *op : node.ops)
      b.clone(*op, map)->removeAttr(scheduleIndexAttrName);
    SmallVector<Value> returned =
        llvm::map_to_vector(results, [&](Value result) { return map.lookupOrDefault(result); });
    func::ReturnOp::create(b, func.getLoc(), returned);
  }

  const ScheduledNode &node;
  OpBuilder builder;
  llvm::SetVector<Operation *> cloned;
  llvm::SetVector<Value> operands;
  SmallVector<Value> results;
  func::FuncOp func;
};

struct ApplySchedulesPass : impl::ApplySchedulesPassBase<ApplySchedulesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ApplySchedulesPassBase::getDependentDialects(registry);
    registerScriptSteps(registry);
  }

  /// The nodes that `kgen.schedules` of the function names, with their operations.
  FailureOr<SmallVector<ScheduledNode>> nodesOf(func::FuncOp func) {
    SmallVector<ScheduledNode> nodes;
    auto list = func->getAttrOfType<ArrayAttr>(schedulesAttrName);
    for (Attribute entry : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto fields = dyn_cast<DictionaryAttr>(entry);
      auto sequence = fields ? fields.getAs<SymbolRefAttr>("sequence") : SymbolRefAttr();
      if (!sequence)
        return func.emitError() << "an entry of '" << schedulesAttrName
                                << "' has no symbol 'sequence'";
      nodes.push_back({sequence, fields.getAs<ArrayAttr>("parameters"), {}});
    }
    func->removeAttr(schedulesAttrName);
    WalkResult result = func.walk([&](Operation *op) {
      auto index = op->getAttrOfType<IntegerAttr>(scheduleIndexAttrName);
      if (!index)
        return WalkResult::advance();
      if (index.getInt() < 0 || index.getInt() >= static_cast<int64_t>(nodes.size())) {
        op->emitError() << "names a schedule that '" << schedulesAttrName << "' does not have";
        return WalkResult::interrupt();
      }
      nodes[index.getInt()].ops.push_back(op);
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      return failure();
    return nodes;
  }

  transform::NamedSequenceOp findSequence(ModuleOp library, const ScheduledNode &node) {
    auto script =
        library ? library.lookupSymbol<ModuleOp>(node.sequence.getRootReference()) : ModuleOp();
    return script
               ? script.lookupSymbol<transform::NamedSequenceOp>(node.sequence.getLeafReference())
               : transform::NamedSequenceOp();
  }

  /// Only what has a destination can be in a memory of its own.
  static LogicalResult checkMemories(func::FuncOp func) {
    bool isGood = true;
    func.walk([&](Operation *op) {
      if (!op->hasAttr(memoryAttrName) ||
          isa<tensor::PadOp, DestinationStyleOpInterface, scf::ForallOp>(op))
        return;
      op->emitError() << "'" << memoryAttrName
                      << "' is for pads, scf.forall and operations with a destination";
      isGood = false;
    });
    return success(isGood);
  }

  LogicalResult apply(ModuleOp library, const ScheduledNode &node, StringRef name) {
    Operation *first = node.ops.front();
    transform::NamedSequenceOp sequence = findSequence(library, node);
    if (!sequence)
      return first->emitError() << "there is no schedule " << node.sequence;
    size_t given = node.parameters ? node.parameters.size() : 0;
    size_t expected = sequence.getFunctionType().getNumInputs();
    if (expected != 1 + given)
      return sequence.emitError() << "takes " << expected << " values, is given a function and "
                                  << given << " parameters";
    Location loc = first->getLoc();
    NodeFunction scope(node, name);
    RaggedArray<transform::MappedValue> bindings;
    bindings.push_back(ArrayRef<Operation *>{scope.function()});
    for (size_t i = 0; i < given; ++i)
      bindings.push_back(ArrayRef<transform::MappedValue>{node.parameters[i]});
    transform::TransformOptions options;
    options.enableExpensiveChecks(true);
    auto script = sequence->getParentOfType<ModuleOp>();
    if (failed(transform::applyTransformNamedSequence(bindings, sequence, script, options)))
      return emitError(loc) << "schedule " << node.sequence << " failed";
    auto applied = getOperation().lookupSymbol<func::FuncOp>(name);
    if (!applied || failed(mlir::verify(applied)))
      return emitError(loc) << "schedule " << node.sequence
                            << " left no function to compute the node";
    if (failed(checkMemories(applied)))
      return emitError(loc) << "schedule " << node.sequence << " asks for memories of others";
    scope.inlineBack();
    return success();
  }

  void runOnOperation() override {
    auto library = getOperation().lookupSymbol<ModuleOp>(scheduleLibraryName);
    DecisionLog log(getOperation(), getArgument());
    if (library)
      addStepCounts(library);
    for (func::FuncOp func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      FailureOr<SmallVector<ScheduledNode>> nodes = nodesOf(func);
      if (failed(nodes))
        return signalPassFailure();
      for (auto [index, node] : llvm::enumerate(*nodes)) {
        if (node.ops.empty())
          continue;
        Location loc = node.ops.front()->getLoc();
        std::string name = (func.getName() + "_schedule_" + Twine(index)).str();
        if (failed(apply(library, node, name))) {
          SmallVector<StringAttr> names = namesIn(loc);
          getOperation()->setAttr(failedScheduleAttrName,
                                  names.empty() ? StringAttr::get(&getContext(), "") : names[0]);
          return signalPassFailure();
        }
        ++numApplied;
        log.add("applied", loc,
                log.details()
                    .set("what", "scheduled by a script")
                    .set("schedule", node.sequence.getLeafReference().getValue()));
      }
    }
    if (library)
      library.erase();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      DecisionLog copies(func, getArgument());
      numWasteful += recordWastefulCopies(func, copies);
    }
  }
};

} // namespace
} // namespace kgen
