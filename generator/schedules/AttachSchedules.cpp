#include "schedules/AttachSchedules.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Schedule.h"
#include "graph/Operator.h"
#include "schedules/CheckDecisions.h"
#include "schedules/DecisionAttribute.h"
#include "schedules/MatchSchedule.h"
#include "schedules/ScheduleTraffic.h"
#include "schedules/ScriptFiles.h"
#include "schedules/SplitRagged.h"
#include "spec/ScheduleText.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
namespace {

/// The operations of one node at the top of the function's body, in order.
struct NodeOps {
  SmallVector<Operation *> ops;
  linalg::LinalgOp root; ///< the only one whose loops have names; null if there are none or several
};

bool isElementwiseGeneric(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.getNumDpsInits() == 1 &&
         generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity() &&
         !generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0));
}

class Attacher {
public:
  Attacher(ModuleOp module, const Graph &graph, const ScheduleRequest &request,
           Diagnostics &diagnostics)
      : module(module), graph(graph), request(request), diagnostics(diagnostics),
        builder(module.getContext()), func(*module.getOps<func::FuncOp>().begin()) {}

  AttachedSchedules attach() {
    generalizeNamed();
    collectOps();
    for (const Node &node : graph.nodes)
      if (const ScheduleSpec *schedule = choose(node))
        attach(node, *schedule);
      else if (request.formula && !diagnostics.hasErrors())
        attachDefault(node);
    if (!entries.empty())
      func->setAttr(schedulesAttrName, builder.getArrayAttr(entries));
    if (!decisions.empty())
      func->setAttr(nodeDecisionsAttrName, builder.getArrayAttr(decisions));
    result.warnings = diagnostics.warnings();
    return std::move(result);
  }

private:
  /// Generalizes named operations of .mlir files: schedules are for loops whose maps may be any.
  void generalizeNamed() {
    IRRewriter rewriter(module.getContext());
    for (auto op : llvm::to_vector(func.getBody().front().getOps<linalg::LinalgOp>())) {
      if (isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op.getOperation()) ||
          !scheduledOperator(op))
        continue;
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  }

  void collectOps() {
    for (Operation &op : func.getBody().front())
      for (StringAttr name : namesIn(op.getLoc()))
        if (isa<linalg::LinalgOp>(op))
          ops[name.getValue().str()].ops.push_back(&op);
    for (auto &entry : ops)
      for (bool isSum : {true, false}) // sums of products first
        if (!entry.second.root)
          entry.second.root = onlyOne(entry.second.ops, isSum);
  }

  /// The only operation with loops that have names; null if there are none or several.
  static linalg::LinalgOp onlyOne(ArrayRef<Operation *> candidates, bool isSum) {
    linalg::LinalgOp found;
    for (Operation *op : candidates) {
      auto linalgOp = cast<linalg::LinalgOp>(op);
      std::optional<ScheduledOperator> named = scheduledOperator(linalgOp);
      if (!named || !isa<linalg::GenericOp>(op) ||
          (named->kind != ScheduledKind::elementwise) != isSum)
        continue;
      if (found)
        return {};
      found = linalgOp;
    }
    return found;
  }

  std::optional<ScheduledOperator> operatorOf(const Node &node) {
    auto found = ops.find(node.name);
    if (found == ops.end() || !found->second.root)
      return std::nullopt;
    return scheduledOperator(found->second.root);
  }

  const ScheduleSpec *find(const std::string &name) const {
    auto found = llvm::find_if(*request.schedules,
                               [&](const ScheduleSpec &s) { return s.name.value == name; });
    return found == request.schedules->end() ? nullptr : &*found;
  }

  /// The schedule that the node names, else the only one that matches.
  const ScheduleSpec *choose(const Node &node) {
    std::optional<ScheduledOperator> op = operatorOf(node);
    auto reasonAgainst = [&](const ScheduleSpec &schedule) -> std::string {
      if (request.formula && schedule.decisions.any())
        return "its decisions are for CPUs";
      return mismatch(schedule, node, op ? &*op : nullptr, request.target);
    };
    if (!node.schedule.value.empty())
      return named(node, reasonAgainst);
    const ScheduleSpec *chosen = nullptr;
    for (const ScheduleSpec &schedule : *request.schedules) {
      if (!schedule.match.isGiven && !llvm::is_contained(schedule.match.namedBy, request.target))
        continue;
      std::string reason = reasonAgainst(schedule);
      if (!reason.empty()) {
        result.refused.push_back({node.name, schedule.name.value, reason});
      } else if (chosen) {
        diagnostics.error(node.where,
                          "two schedules match node '" + node.name + "': '" + chosen->name.value +
                              "' and '" + schedule.name.value + "'",
                          "name one of them in the node, as schedule: " + schedule.name.value);
        return nullptr;
      } else {
        chosen = &schedule;
      }
    }
    return chosen;
  }

  template <typename Function> const ScheduleSpec *named(const Node &node, Function reasonAgainst) {
    const ScheduleSpec *schedule = find(node.schedule.value);
    if (!schedule) {
      std::vector<std::string> names;
      for (const ScheduleSpec &one : *request.schedules)
        names.push_back(one.name.value);
      diagnostics.error(node.schedule.where, "there is no schedule '" + node.schedule.value + "'" +
                                                 didYouMean(node.schedule.value, names));
      return nullptr;
    }
    bool isForCpus = schedule->decisions.any();
    if (!isForTarget(*schedule, request.target) || (request.formula && isForCpus))
      return nullptr;
    std::string reason = reasonAgainst(*schedule);
    if (!reason.empty())
      diagnostics.error(node.schedule.where, "schedule '" + schedule->name.value +
                                                 "' is not for node '" + node.name +
                                                 "': " + reason);
    return reason.empty() ? schedule : nullptr;
  }

  void attach(const Node &node, const ScheduleSpec &schedule) {
    ScheduleParameters parameters = defaultParameters(schedule);
    for (const auto &[name, value] : request.parameters)
      if (parameters.count(name))
        parameters[name] = value;
    if (schedule.decisions.any())
      return attachDecisions(node, schedule, parameters);
    if (schedule.nest.empty())
      return attachScript(node, schedule, parameters);
    ScheduledOperator op = *operatorOf(node);
    if (!checkSchedule(schedule, op, parameters, diagnostics))
      return;
    if (!startsFromFill(ops[node.name].root))
      return diagnostics.error(node.where, "schedule '" + schedule.name.value +
                                               "': the sums of node '" + node.name +
                                               "' do not start from a constant");
    ScheduledGroup group = groupOf(node, schedule.fusesEpilogue);
    if (!schedule.splitsRagged)
      return attachNest(node, schedule, op, parameters, group);
    for (RaggedPart &part : splitRagged(group, schedule, op, parameters))
      attachNest(node, part.schedule, *scheduledOperator(part.group.root), {}, part.group,
                 part.text);
  }

  /// Attaches the schedule's decisions to the function: operations are fused before they are asked
  /// for.
  void attachDecisions(const Node &node, const ScheduleSpec &schedule,
                       const ScheduleParameters &parameters) {
    std::optional<ScheduledOperator> op = operatorOf(node);
    checkDecisions(schedule, graph, node, op ? &*op : nullptr, parameters, module, diagnostics);
    decisions.push_back(decisionAttribute(node.name, schedule, parameters, builder));
    result.attached.push_back({node.name, schedule.name.value, "", scheduleText(schedule),
                               std::nullopt, schedule.name.where});
  }

  /// A schedule by formula.
  void attachDefault(const Node &node) {
    std::optional<ScheduledOperator> op = operatorOf(node);
    if (!op || !startsFromFill(ops[node.name].root))
      return;
    if (op->kind == ScheduledKind::elementwise)
      op = fuseElementwise(node);
    ScheduledGroup group = groupOf(node, /*withEpilogue=*/true);
    std::optional<ScheduleSpec> schedule = request.formula(*op, group.epilogueTypes());
    if (!schedule)
      return diagnostics.error(node.where, "no part of node '" + node.name +
                                               "' fits into the memories of " + request.target);
    attachNest(node, *schedule, *op, {}, group);
  }

  /// The elementwise operations after the node's become one with it.
  ScheduledOperator fuseElementwise(const Node &node) {
    auto root = cast<linalg::GenericOp>(ops[node.name].root.getOperation());
    linalg::GenericOp fused = fuseChain(root.getResult(0), root);
    forgetOthers(fused, node.name);
    ops[node.name].root = fused;
    return *scheduledOperator(fused);
  }

  /// Nodes whose operations are in one of another node.
  void forgetOthers(Operation *op, const std::string &node) {
    for (StringAttr name : namesIn(op->getLoc()))
      if (name.getValue() != node)
        ops.erase(name.getValue().str());
  }

  static bool startsFromFill(linalg::LinalgOp root) {
    if (isElementwiseGeneric(root))
      return true; // it starts from nothing
    auto fill = root.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    return fill && fill->hasOneUse();
  }

  ScheduledGroup groupOf(const Node &node, bool withEpilogue) {
    linalg::LinalgOp root = ops[node.name].root;
    root->setAttr(scheduleRootAttrName, builder.getUnitAttr());
    if (isElementwiseGeneric(root))
      return {nullptr, root, {}};
    ScheduledGroup group{root.getDpsInits()[0].getDefiningOp(), root, {}};
    group.epilogue = withEpilogue ? fuseChain(root->getResult(0)) : linalg::GenericOp();
    if (!group.epilogue)
      return group;
    putFirst(group.epilogue, root->getResult(0));
    group.epilogue->setAttr(scheduleEpilogueAttrName, builder.getUnitAttr());
    forgetOthers(group.epilogue, node.name); // these have a schedule now
    return group;
  }

  /// Scripts know the product's result among the epilogue's inputs as the first one.
  static void putFirst(linalg::GenericOp op, Value value) {
    SmallVector<Value> inputs(op.getInputs());
    auto number = static_cast<unsigned>(llvm::find(inputs, value) - inputs.begin());
    if (number == 0)
      return;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    std::swap(inputs[0], inputs[number]);
    std::swap(maps[0], maps[number]);
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(OpBuilder(op).getAffineMapArrayAttr(maps));
    Block &body = *op.getBody();
    BlockArgument first = body.getArgument(0), other = body.getArgument(number);
    BlockArgument kept = body.insertArgument(0u, other.getType(), other.getLoc());
    other = body.getArgument(number + 1);
    other.replaceAllUsesWith(kept);
    BlockArgument moved = body.insertArgument(number + 2, first.getType(), first.getLoc());
    first.replaceAllUsesWith(moved);
    body.eraseArgument(number + 1);
    body.eraseArgument(1);
  }

  void attachNest(const Node &node, const ScheduleSpec &schedule, const ScheduledOperator &op,
                  const ScheduleParameters &parameters, ScheduledGroup group,
                  const std::string &part = "") {
    std::string symbol = schedule.name.value + "_" + std::to_string(entries.size());
    std::string text = scheduleScript(schedule, op, parameters, symbol, group.epilogueTypes());
    std::optional<ScheduledOperator> epilogue;
    if (group.epilogue)
      epilogue = scheduledOperator(group.epilogue);
    std::optional<MachineTraffic> traffic;
    if (epilogue || !group.epilogue)
      traffic = scheduleTraffic(schedule, op, parameters, epilogue);
    result.attached.push_back(
        {node.name, schedule.name.value, part, text, traffic, schedule.name.where});
    addScript(module, symbol, text, "<schedule " + schedule.name.value + ">");
    addEntry(symbol, symbol, {});
    mark(group.ops());
  }

  /// The elementwise operations after `last`, or after `tail`, become one, which is returned;
  /// null if there are none.
  linalg::GenericOp fuseChain(Value tail, linalg::GenericOp last = {}) {
    IRRewriter rewriter(module.getContext());
    while (Operation *next = nextInChain(tail)) {
      auto generic = cast<linalg::GenericOp>(next);
      if (last) {
        OpOperand *link = nullptr;
        for (OpOperand *input : generic.getDpsInputOperands())
          if (input->get() == tail)
            link = input;
        rewriter.setInsertionPoint(generic);
        FailureOr<linalg::ElementwiseOpFusionResult> fused =
            linalg::fuseElementwiseOps(rewriter, link);
        if (failed(fused))
          break;
        Operation *made = fused->fusedOp;
        made->setLoc(FusedLoc::get(module.getContext(), {last.getLoc(), generic.getLoc()}));
        for (OpResult result : generic->getResults())
          result.replaceAllUsesWith(fused->replacements.lookup(result));
        rewriter.eraseOp(generic);
        rewriter.eraseOp(last);
        generic = cast<linalg::GenericOp>(made);
      }
      last = generic;
      tail = last.getResult(0);
    }
    return last;
  }

  /// The elementwise operation that alone reads the value, at the same position.
  static Operation *nextInChain(Value value) {
    if (!value.hasOneUse())
      return nullptr;
    OpOperand &use = *value.getUses().begin();
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return generic && isElementwiseGeneric(generic) &&
                   generic.getMatchingIndexingMap(&use).isIdentity()
               ? use.getOwner()
               : nullptr;
  }

  void attachScript(const Node &node, const ScheduleSpec &schedule,
                    const ScheduleParameters &parameters) {
    auto found = ops.find(node.name);
    if (found == ops.end())
      return diagnostics.error(node.where, "node '" + node.name +
                                               "' computes nothing that could have a schedule");
    std::string symbol = "script_" + schedule.name.value;
    std::optional<std::string> text = addScriptFiles(module, symbol, schedule, diagnostics);
    if (!text)
      return;
    SmallVector<Attribute> values;
    for (const auto &[name, list] : schedule.parameters)
      values.push_back(builder.getI64IntegerAttr(parameters.at(name)));
    result.attached.push_back(
        {node.name, schedule.name.value, "", *text, std::nullopt, schedule.name.where});
    addEntry(symbol, schedule.name.value, values);
    if (found->second.root)
      found->second.root->setAttr(scheduleRootAttrName, builder.getUnitAttr());
    mark(found->second.ops);
  }

  void addEntry(const std::string &file, const std::string &name, ArrayRef<Attribute> parameters) {
    auto leaf = FlatSymbolRefAttr::get(module.getContext(), scheduleSymbolPrefix.str() + name);
    auto symbol = SymbolRefAttr::get(module.getContext(), file, {leaf});
    entries.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("sequence", symbol),
         builder.getNamedAttr("parameters", builder.getArrayAttr(parameters))}));
  }

  void mark(ArrayRef<Operation *> marked) {
    for (Operation *op : marked)
      op->setAttr(scheduleIndexAttrName, builder.getI64IntegerAttr(entries.size() - 1));
  }

  ModuleOp module;
  const Graph &graph;
  const ScheduleRequest &request;
  Diagnostics &diagnostics;
  OpBuilder builder;
  func::FuncOp func;
  std::map<std::string, NodeOps> ops;
  SmallVector<Attribute> entries, decisions;
  AttachedSchedules result;
};

} // namespace

AttachedSchedules attachSchedules(ModuleOp module, const Graph &graph,
                                  const ScheduleRequest &request, Diagnostics &diagnostics) {
  return Attacher(module, graph, request, diagnostics).attach();
}

} // namespace kgen
