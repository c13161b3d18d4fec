#include "driver/compile/Explain.h"

#include "dialect/kgen/DecisionLog.h"
#include "driver/compile/NodeGroups.h"
#include "driver/compile/ReadDecision.h"
#include "driver/compile/WeightStorage.h"
#include "graph/Operator.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace kgen {
namespace {

/// Puts decisions together by nodes and steps.
class Collector {
public:
  Collector(const Graph &graph, Explanation &result) : graph(graph), result(result) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      nodeIndex.emplace(graph.nodes[i].name, i);
      for (ValueId id : graph.nodes[i].outputs)
        if (id != noValue)
          nodeIndex.emplace(graph.values[id].name, i);
    }
  }

  void run(ArrayRef<DictionaryAttr> decisions);

private:
  void describeNodes();
  void add(const Decision &decision);
  void addStep(const Decision &decision);
  void addCallee(ExplainedStep &step);
  void addTiling(const Decision &decision);
  void addTiles(const Decision &decision);
  void addStrategy(const Decision &decision);
  void addLoops(const Decision &decision);
  void addOperand(const Decision &decision);
  void addRepeat(const Decision &decision);
  std::string operandOf(const Decision &decision) const;
  void addLaunch(const Decision &decision);
  void addTimer(const Decision &decision);
  void addRemark(const Decision &decision);
  void addFloats(const Decision &decision);
  void addBuffer(const Decision &decision);
  void addMethod(const Decision &decision);
  void decideFates();
  void decideFate(ExplainedNode &node);
  void findMicroKernelTiles();

  /// Names of nodes among names of all kinds, in the order of the graph.
  std::vector<std::string> nodesAmong(const std::vector<std::string> &names) const;
  /// The steps of these numbers in the IR, in the order of the schedule.
  std::vector<size_t> stepsAmong(const std::vector<int64_t> &numbers) const;
  ExplainedStep *stepOf(const Decision &decision) {
    auto found = decision.step() ? stepIndex.find(*decision.step()) : stepIndex.end();
    return found == stepIndex.end() ? nullptr : &result.steps[found->second];
  }

  const Graph &graph;
  Explanation &result;
  std::map<std::string, size_t> nodeIndex;
  std::map<int64_t, size_t> stepIndex;             ///< by number in the IR
  std::map<std::string, std::string> contractions; ///< the pass by node
  struct Epilogue {
    std::string into, pass; ///< the node of the contraction
  };
  std::map<std::string, Epilogue> epilogues; ///< by node
  std::vector<std::string> passOfStep;       ///< that made loops of it, or a copy
  std::map<size_t, std::vector<ExplainedStrategy>> offersOfStep;
  std::set<std::string> fused;                 ///< nodes that share a linalg.generic with others
  std::map<std::string, std::string> vanished; ///< the pass that left no operation of the node
};

std::vector<std::string> Collector::nodesAmong(const std::vector<std::string> &names) const {
  std::set<size_t> indices;
  for (const std::string &name : names)
    if (auto found = nodeIndex.find(name); found != nodeIndex.end())
      indices.insert(found->second);
  std::vector<std::string> nodes;
  for (size_t index : indices)
    nodes.push_back(graph.nodes[index].name);
  return nodes;
}

std::vector<size_t> Collector::stepsAmong(const std::vector<int64_t> &numbers) const {
  std::vector<size_t> steps;
  for (int64_t number : numbers)
    if (auto step = stepIndex.find(number); step != stepIndex.end())
      steps.push_back(step->second);
  std::sort(steps.begin(), steps.end());
  return steps;
}

void Collector::describeNodes() {
  for (ValueId id : graph.inputs)
    result.inputs.push_back(graph.values[id].name);
  for (ValueId id : graph.outputs)
    result.outputs.push_back(graph.values[id].name);
  for (const Node &node : graph.nodes) {
    ExplainedNode described;
    described.name = node.name;
    described.op = node.op->name;
    described.type = graph.values[node.firstOutput()].type.str();
    for (ValueId id : node.inputs) {
      if (id == noValue)
        continue;
      const std::string &name = graph.values[id].name;
      auto producer = nodeIndex.find(name);
      described.inputs.push_back(producer == nodeIndex.end() ? name
                                                             : graph.nodes[producer->second].name);
    }
    result.nodes.push_back(std::move(described));
  }
}

/// A step whose node calls a function from outside is that call, unless it is a copy for it.
void Collector::addCallee(ExplainedStep &step) {
  for (const std::string &name : step.nodes)
    if (const auto &external = graph.nodes[nodeIndex.at(name)].external;
        external && step.operation == "kgen.extern") {
      step.kind = StepKind::call;
      step.callee = external->symbol.value;
    }
}

void Collector::addStep(const Decision &decision) {
  if (decision.step())
    stepIndex.emplace(*decision.step(), result.steps.size());
  ExplainedStep step;
  step.nodes = nodesAmong(decision.names());
  step.purpose = decision.purpose();
  step.operation = decision.string("operation");
  if (step.operation == "memref.copy")
    step.kind = StepKind::copy;
  addCallee(step);
  result.steps.push_back(std::move(step));
  passOfStep.emplace_back();
}

void Collector::addTiling(const Decision &decision) {
  ExplainedStep *step = stepOf(decision);
  if (!step)
    return;
  step->kind = StepKind::contraction;
  const ExplainedTiling &tiling = step->tiling.emplace(readTiling(decision));
  step->flops += 2 * decision.number("runs") * tiling.batch * tiling.m * tiling.n * tiling.k;
}

void Collector::addTiles(const Decision &decision) {
  ExplainedTiles tiles{nodesAmong(decision.names()), decision.string("key"),
                       decision.numbersByName("sizes"), decision.string("choice")};
  if (!tiles.nodes.empty() && decision.kind() == "tiles")
    result.tiles.push_back(std::move(tiles));
  else if (!tiles.nodes.empty())
    result.rejectedTiles.push_back({std::move(tiles), decision.string("why")});
}

void Collector::addLoops(const Decision &decision) {
  ExplainedStep *step = stepOf(decision);
  if (!step)
    return;
  passOfStep[step - result.steps.data()] = decision.pass();
  if (decision.kind() == "launch")
    return readGpuLaunch(decision, *step);
  step->kind = StepKind::loops;
  step->loops = readLoops(decision);
  step->loops->offers = offersOfStep[step - result.steps.data()];
}

/// Adds the offers of the strategies, before one of them made the loops.
void Collector::addStrategy(const Decision &decision) {
  if (ExplainedStep *step = stepOf(decision))
    offersOfStep[step - result.steps.data()] = readStrategies(decision);
}

/// The node that computes the operand, or the name of an input or weight.
std::string Collector::operandOf(const Decision &decision) const {
  std::vector<std::string> names = decision.names("operand"), producers = nodesAmong(names);
  return !producers.empty() ? producers.back() : names.empty() ? "" : names.front();
}

void Collector::addRepeat(const Decision &decision) {
  result.repeats.push_back({nodesAmong(decision.names()), nodesAmong(decision.names("first")),
                            operandOf(decision), decision.string("what"),
                            decision.number("same") != 0, decision.number("bytes")});
}

void Collector::addOperand(const Decision &decision) {
  ExplainedOperandB operand;
  operand.nodes = nodesAmong(decision.names());
  operand.operand = operandOf(decision);
  operand.when = decision.string("when");
  operand.why = decision.string("why");
  operand.panel = decision.number("panel");
  operand.bytes = decision.number("bytes");
  result.operands.push_back(std::move(operand));
}

void Collector::addLaunch(const Decision &decision) {
  ExplainedLaunch launch;
  launch.nodes = nodesAmong(decision.names());
  launch.steps = stepsAmong(decision.numbers("steps"));
  launch.grid = decision.numbers("grid");
  launch.tasks = decision.number("tasks");
  result.launches.push_back(std::move(launch));
}

void Collector::addTimer(const Decision &decision) {
  result.timers.push_back({nodesAmong(decision.names()), stepsAmong(decision.numbers("steps"))});
}

/// Adds a remark, unless there is the same one about the same nodes.
void Collector::addRemark(const Decision &decision) {
  bool isRefusal = decision.kind() == "refused";
  ExplainedRemark remark{decision.pass(), nodesAmong(decision.names()), isRefusal,
                         decision.string(isRefusal ? "why" : "what")};
  if (!remark.nodes.empty() && !llvm::is_contained(result.remarks, remark))
    result.remarks.push_back(std::move(remark));
}

void Collector::addFloats(const Decision &decision) {
  for (const std::string &name : nodesAmong(decision.names()))
    result.floats.push_back(
        {name, graph.nodes[nodeIndex.at(name)].where.str(), decision.string("why")});
}

void Collector::addBuffer(const Decision &decision) {
  ExplainedBuffer buffer = readBuffer(decision);
  for (int64_t writer : decision.numbers("writers")) {
    const ExplainedStep &step = result.steps[writer];
    std::string value = step.nodes.empty() ? "" : step.nodes.back();
    if (!step.purpose.empty())
      value = step.purpose + "(" + value + ")";
    if (!llvm::is_contained(buffer.values, value))
      buffer.values.push_back(value);
    buffer.writers.push_back(writer);
  }
  result.buffers.push_back(std::move(buffer));
}

void Collector::addMethod(const Decision &decision) {
  for (const std::string &name : nodesAmong(decision.names()))
    if (ExplainedNode &node = result.nodes[nodeIndex.at(name)]; node.op == "Conv")
      node.method = readMethod(decision);
}

void Collector::add(const Decision &decision) {
  StringRef kind = decision.kind();
  if (kind == "contraction")
    for (const std::string &name : nodesAmong(decision.names()))
      contractions.emplace(name, decision.pass());
  if (kind == "epilogue")
    for (const std::string &name : nodesAmong(decision.names()))
      for (const std::string &into : nodesAmong(decision.names("into")))
        if (contractions.count(into))
          epilogues.emplace(name, Epilogue{into, decision.pass()});
  if (std::vector<std::string> nodes = nodesAmong(decision.names());
      kind == "fused" && nodes.size() > 1)
    fused.insert(nodes.begin(), nodes.end());
  if (kind == "wasteful")
    result.waste.push_back({nodesAmong(decision.names()), decision.string("text")});
  if (kind == "vanished")
    for (const std::string &name : nodesAmong(decision.names()))
      vanished[name] = decision.pass();
  if (kind == "tiles" || kind == "lost-tiles")
    addTiles(decision);
  if (kind == "tiled")
    addTiling(decision);
  if (kind == "strategy")
    addStrategy(decision);
  if (kind == "vectorized" || kind == "scalar" || kind == "launch")
    addLoops(decision);
  if (kind == "operand-b")
    addOperand(decision);
  if (kind == "repeated")
    addRepeat(decision);
  if (kind == "kernel")
    result.kernels.push_back(readKernel(decision, stepIndex));
  if (kind == "tasks")
    addLaunch(decision);
  if (kind == "timed")
    addTimer(decision);
  if (kind == "applied" || kind == "refused")
    addRemark(decision);
  if (kind == "dequantized")
    addFloats(decision);
  if (kind == "buffer")
    addBuffer(decision);
  if (kind == "winograd")
    addMethod(decision);
  if (kind == "workspace")
    result.workspaceBytes = decision.number("bytes");
  if (kind == "copy")
    result.copies.push_back({nodesAmong(decision.names()), decision.string("from"),
                             decision.string("into"), decision.string("why"),
                             decision.number("bytes")});
}

void Collector::decideFate(ExplainedNode &node) {
  // The passes of the node's own steps of these kinds.
  auto decideBy = [&](NodeFate fate, auto isOfKind) {
    node.fate = fate;
    for (size_t step : node.steps)
      if (const std::string &pass = passOfStep[step];
          isOfKind(result.steps[step]) && !pass.empty() && !llvm::is_contained(node.passes, pass))
        node.passes.push_back(pass);
  };
  auto isCopy = [](const ExplainedStep &step) { return step.kind == StepKind::copy; };
  auto isCall = [](const ExplainedStep &step) { return step.kind == StepKind::call; };
  auto isWork = [](const ExplainedStep &step) { return step.kind != StepKind::copy; };
  auto isShared = [&](const ExplainedStep &step) { return isWork(step) && step.nodes.size() > 1; };
  auto has = [&](auto isOfKind) {
    return llvm::any_of(node.steps, [&](size_t step) { return isOfKind(result.steps[step]); });
  };
  if (auto contraction = contractions.find(node.name); contraction != contractions.end()) {
    node.fate = NodeFate::contraction;
    node.passes = {contraction->second};
  } else if (auto epilogue = epilogues.find(node.name); epilogue != epilogues.end()) {
    node.fate = NodeFate::epilogue;
    node.into = epilogue->second.into;
    node.passes = {epilogue->second.pass};
  } else if (has(isShared)) {
    if (fused.count(node.name))
      node.passes = {"kgen-fold-into-eltwise"}; // which records nothing itself: upstream's pass
    decideBy(NodeFate::fused, isShared);
  } else if (has(isCall)) {
    node.fate = NodeFate::call;
  } else if (has(isWork)) {
    decideBy(NodeFate::loops, isWork);
  } else if (has(isCopy)) {
    decideBy(NodeFate::copy, isCopy);
  } else if (auto pass = vanished.find(node.name); pass != vanished.end()) {
    node.fate = NodeFate::folded;
    node.passes = {pass->second};
  }
}

void Collector::decideFates() {
  for (size_t i = 0; i < result.steps.size(); ++i)
    if (result.steps[i].purpose.empty())
      for (const std::string &name : result.steps[i].nodes)
        result.nodes[nodeIndex.at(name)].steps.push_back(i);
  for (ExplainedNode &node : result.nodes)
    decideFate(node);
}

/// Contractions show the tile of the micro-kernel that does most of their work, instead of the
/// largest one that the target has registers for.
void Collector::findMicroKernelTiles() {
  std::map<size_t, int64_t> most; ///< multiply-adds by step
  for (const ExplainedKernel &kernel : result.kernels)
    for (auto [step, calls] : kernel.calls) {
      int64_t work = calls * kernel.m * kernel.n * kernel.k;
      if (!result.steps[step].tiling || work <= most[step])
        continue;
      most[step] = work;
      result.steps[step].tiling->tileRows = kernel.m;
      result.steps[step].tiling->tileColumns = kernel.n;
    }
}

void Collector::run(ArrayRef<DictionaryAttr> decisions) {
  describeNodes();
  // The steps first: earlier decisions refer to them.
  for (DictionaryAttr decision : decisions)
    if (Decision(decision).kind() == "scheduled")
      addStep(Decision(decision));
  for (DictionaryAttr decision : decisions)
    add(Decision(decision));
  std::stable_sort(result.buffers.begin(), result.buffers.end(),
                   [](const ExplainedBuffer &a, const ExplainedBuffer &b) {
                     return std::pair(a.offset, a.firstStep) < std::pair(b.offset, b.firstStep);
                   });
  result.weights = explainWeights(graph, decisions);
  decideFates();
  findMicroKernelTiles();
  findGroups(result, nodeIndex);
}

} // namespace

Explanation explain(const Graph &graph, const std::string &target, ModuleOp module) {
  Explanation result;
  result.graph = graph.name;
  result.target = target;
  SmallVector<DictionaryAttr> decisions = takeDecisions(module);
  Collector(graph, result).run(decisions);
  return result;
}

} // namespace kgen
