// Nodes become numbers, equal ones for equal operators, attributes and types; blocks are equal
// substrings of this sequence whose nodes read each other in the same way.
//
// A substring that occurs again `distance` nodes later is a run of equal numbers at that distance.
// A run that is longer than the distance is a block that follows itself: it may begin wherever all
// repetitions have room, and the beginning with the smallest interface is the one that a person
// would choose.
#include "ingress/yaml/RepeatedBlocks.h"

#include "graph/Operator.h"
#include "ingress/yaml/SpecText.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace kgen {
namespace {

constexpr size_t minBlock = 4;         // nodes: a use of a module takes a line, too
constexpr size_t maxSearched = 10'000; // nodes: all pairs of them are compared, for each block
constexpr size_t maxCandidates = 400;  // looked at in full, for each block
constexpr size_t maxBlocks = 24;       // networks have fewer
constexpr double minSavedLines = 4;    // that a module is worth

class RepeatFinder {
public:
  explicit RepeatFinder(const Graph &graph)
      : graph(graph), taken(graph.nodes.size()), producers(graph.values.size(), nobody),
        readers(graph.values.size()), isOutput(graph.values.size()) {
    for (ValueId id : graph.outputs)
      isOutput[id] = true;
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node &node = graph.nodes[i];
      for (size_t o = 0; o < node.outputs.size(); ++o)
        if (node.outputs[o] != noValue)
          producers[node.outputs[o]] = {i, o};
      for (ValueId id : node.inputs)
        if (id != noValue)
          readers[id].insert(i);
      kinds.push_back(known.emplace(kindOf(node), known.size()).first->second);
    }
  }

  std::vector<RepeatedBlock> run() {
    std::vector<RepeatedBlock> blocks;
    if (graph.nodes.size() > maxSearched)
      return blocks;
    while (blocks.size() < maxBlocks) {
      std::optional<RepeatedBlock> block = best();
      if (!block)
        break;
      for (const RepeatedBlock::Use &use : block->uses)
        std::fill_n(taken.begin() + static_cast<ptrdiff_t>(use.first), block->length, true);
      blocks.push_back(std::move(*block));
    }
    llvm::sort(blocks, [](auto &a, auto &b) { return a.uses[0].first < b.uses[0].first; });
    return blocks;
  }

private:
  struct Candidate {
    size_t start, length;
    size_t bound; ///< of the nodes that it saves
  };
  using Producer = std::pair<size_t, size_t>; ///< node and result
  static constexpr Producer nobody{SIZE_MAX, 0};

  std::string kindOf(const Node &node) const;
  std::vector<Candidate> candidates() const;
  void addRun(size_t start, size_t length, size_t distance, std::vector<Candidate> &list) const;
  bool isSame(size_t a, size_t b, size_t length) const;
  bool isReadOutside(ValueId id, size_t first, size_t length) const;
  std::vector<size_t> occurrences(const Candidate &candidate) const;
  RepeatedBlock blockOf(const Candidate &candidate, llvm::ArrayRef<size_t> starts) const;
  std::vector<std::vector<ValueId>> outerOperands(const RepeatedBlock &block) const;
  void addInterface(RepeatedBlock &block) const;
  void chain(RepeatedBlock &block) const;
  double savedLines(const RepeatedBlock &block) const;
  std::optional<RepeatedBlock> best() const;

  const Graph &graph;
  std::vector<size_t> kinds; ///< of nodes
  std::vector<bool> taken;   ///< nodes of blocks that were found
  std::vector<Producer> producers;
  std::vector<std::set<size_t>> readers; ///< of values: nodes
  std::vector<bool> isOutput;            ///< of the graph
};

std::string RepeatFinder::kindOf(const Node &node) const {
  std::string kind = node.op->name + attributesText(node);
  if (node.external)
    kind += " " + node.external->symbol.value;
  for (const std::vector<ValueId> *ids : {&node.inputs, &node.outputs}) {
    kind += ";";
    for (ValueId id : *ids) {
      if (id == noValue) {
        kind += ",-";
        continue;
      }
      const GraphValue &value = graph.values[id];
      kind += (value.kind == ValueKind::weight ? ",weight " : ",") + value.type.str();
      if (value.quantize)
        kind += " q" + std::to_string(value.quantize->bits) + "/" +
                std::to_string(value.quantize->block) + (value.quantize->f16Scales ? "h" : "");
    }
  }
  return kind;
}

/// A run of nodes that are equal to those `distance` later.
void RepeatFinder::addRun(size_t start, size_t length, size_t distance,
                          std::vector<Candidate> &list) const {
  if (length < minBlock)
    return;
  if (length < distance) {
    list.push_back({start, length, length});
    return;
  }
  for (size_t phase = 0; phase <= length % distance; ++phase)
    list.push_back({start + phase, distance, length / distance * distance});
}

std::vector<RepeatFinder::Candidate> RepeatFinder::candidates() const {
  std::vector<Candidate> list;
  const size_t count = kinds.size();
  for (size_t distance = minBlock; distance + minBlock <= count; ++distance) {
    size_t run = 0;
    for (size_t i = 0; i + distance < count; ++i) {
      bool isEqual = kinds[i] == kinds[i + distance] && !taken[i] && !taken[i + distance];
      if (!isEqual)
        addRun(i - run, run, distance, list);
      run = isEqual ? run + 1 : 0;
    }
    addRun(count - distance - run, run, distance, list);
    if (list.size() > 100 * maxCandidates) { // keep the best
      std::nth_element(list.begin(), list.begin() + maxCandidates, list.end(),
                       [](const Candidate &a, const Candidate &b) { return a.bound > b.bound; });
      list.resize(maxCandidates);
    }
  }
  llvm::sort(list, [](const Candidate &a, const Candidate &b) {
    return std::tuple(b.bound, a.length, a.start) < std::tuple(a.bound, b.length, b.start);
  });
  if (list.size() > maxCandidates)
    list.resize(maxCandidates);
  return list;
}

bool RepeatFinder::isReadOutside(ValueId id, size_t first, size_t length) const {
  const std::set<size_t> &all = readers[id];
  return isOutput[id] ||
         (!all.empty() && (*all.begin() < first || *all.rbegin() >= first + length));
}

/// True if the nodes from `b` on do what those from `a` on do.
bool RepeatFinder::isSame(size_t a, size_t b, size_t length) const {
  auto local = [&](ValueId id, size_t first) {
    Producer from = id == noValue ? nobody : producers[id];
    bool isInside = from.first >= first && from.first < first + length;
    return isInside ? Producer{from.first - first, from.second} : nobody;
  };
  for (size_t i = 0; i < length; ++i) {
    if (kinds[a + i] != kinds[b + i] || taken[b + i])
      return false;
    const Node &left = graph.nodes[a + i], &right = graph.nodes[b + i];
    for (size_t k = 0; k < left.inputs.size(); ++k)
      if (local(left.inputs[k], a) != local(right.inputs[k], b))
        return false;
    for (size_t k = 0; k < left.outputs.size(); ++k)
      if (left.outputs[k] != noValue &&
          isReadOutside(left.outputs[k], a, length) != isReadOutside(right.outputs[k], b, length))
        return false;
  }
  return true;
}

/// Returns where the candidate occurs, without overlap and with itself among them.
std::vector<size_t> RepeatFinder::occurrences(const Candidate &candidate) const {
  const auto [start, length, bound] = candidate;
  std::vector<size_t> starts;
  for (size_t end = start; end >= length;) { // after the next one to the left
    if (isSame(start, end - length, length)) {
      starts.push_back(end - length);
      end -= length;
    } else {
      --end;
    }
  }
  std::reverse(starts.begin(), starts.end());
  starts.push_back(start);
  for (size_t at = start + length; at + length <= kinds.size();) {
    bool isEqual = isSame(start, at, length);
    if (isEqual)
      starts.push_back(at);
    at += isEqual ? length : 1;
  }
  return starts;
}

/// Operands from outside, in order and each only once. What is one value in a use may be two in
/// another.
std::vector<std::vector<ValueId>> RepeatFinder::outerOperands(const RepeatedBlock &block) const {
  std::set<std::vector<ValueId>> known;
  std::vector<std::vector<ValueId>> list;
  const size_t first = block.uses.front().first;
  for (size_t i = 0; i < block.length; ++i)
    for (size_t k = 0; k < graph.nodes[first + i].inputs.size(); ++k) {
      ValueId id = graph.nodes[first + i].inputs[k];
      bool isInside = id != noValue && producers[id].first >= first &&
                      producers[id].first < first + block.length;
      if (id == noValue || isInside)
        continue;
      std::vector<ValueId> operands = block.operands(graph, i, k);
      if (known.insert(operands).second)
        list.push_back(std::move(operands));
    }
  return list;
}

void RepeatFinder::addInterface(RepeatedBlock &block) const {
  std::vector<std::vector<ValueId>> outer = outerOperands(block);
  std::map<ValueId, size_t> counts;
  for (const std::vector<ValueId> &operands : outer)
    for (ValueId id : operands)
      ++counts[id];
  for (const std::vector<ValueId> &operands : outer) {
    bool isOwn = true;
    for (size_t u = 0; u < operands.size(); ++u)
      isOwn &= graph.values[operands[u]].kind == ValueKind::weight && counts[operands[u]] == 1 &&
               !isReadOutside(operands[u], block.uses[u].first, block.length);
    for (size_t u = 0; u < operands.size(); ++u)
      (isOwn ? block.uses[u].weights : block.uses[u].inputs).push_back(operands[u]);
  }
  const size_t first = block.uses.front().first;
  for (size_t i = 0; i < block.length; ++i)
    for (size_t k = 0; k < graph.nodes[first + i].outputs.size(); ++k) {
      ValueId id = graph.nodes[first + i].outputs[k];
      if (id != noValue && isReadOutside(id, first, block.length))
        for (RepeatedBlock::Use &use : block.uses)
          use.outputs.push_back(graph.nodes[use.first + i].outputs[k]);
    }
}

/// Checks if uses form a chain; if so, puts inputs into its order.
void RepeatFinder::chain(RepeatedBlock &block) const {
  std::vector<size_t> order; // of inputs
  const std::vector<RepeatedBlock::Use> &uses = block.uses;
  for (size_t o = 0; o < uses.front().outputs.size(); ++o) {
    size_t input = 0, inputs = uses.front().inputs.size();
    auto isNext = [&](size_t u) { return uses[u].inputs[input] == uses[u - 1].outputs[o]; };
    while (input < inputs && !llvm::all_of(llvm::seq<size_t>(1, uses.size()), isNext))
      ++input;
    if (input == inputs || llvm::is_contained(order, input))
      return;
    order.push_back(input);
    for (size_t u = 1; u < uses.size(); ++u)
      if (isOutput[uses[u - 1].outputs[o]] ||
          *readers[uses[u - 1].outputs[o]].begin() < uses[u].first ||
          *readers[uses[u - 1].outputs[o]].rbegin() >= uses[u].first + block.length)
        return;
  }
  for (size_t input = 0; input < uses.front().inputs.size(); ++input) {
    if (llvm::is_contained(order, input))
      continue;
    for (const RepeatedBlock::Use &use : uses)
      if (use.inputs[input] != uses.front().inputs[input])
        return;
    order.push_back(input);
  }
  block.isChain = true;
  for (RepeatedBlock::Use &use : block.uses) {
    std::vector<ValueId> ordered;
    for (size_t input : order)
      ordered.push_back(use.inputs[input]);
    use.inputs = std::move(ordered);
  }
}

RepeatedBlock RepeatFinder::blockOf(const Candidate &candidate,
                                    llvm::ArrayRef<size_t> starts) const {
  RepeatedBlock block;
  block.length = candidate.length;
  for (size_t start : starts)
    block.uses.push_back({start, "", {}, {}, {}});
  addInterface(block);
  chain(block);
  return block;
}

/// Of the spec: nodes and weights are a line each, as is a use, whose operands make it longer.
double RepeatFinder::savedLines(const RepeatedBlock &block) const {
  constexpr double moduleLines = 4, operandLines = 0.125;
  const RepeatedBlock::Use &use = block.uses.front();
  auto count = static_cast<double>(block.uses.size());
  auto lines = static_cast<double>(block.length + use.weights.size());
  double useLines = 1 + operandLines * static_cast<double>(use.inputs.size() + use.outputs.size());
  return (count - 1) * lines - moduleLines - (block.isChain ? 1 : count) * useLines -
         operandLines * static_cast<double>(use.inputs.size() + use.outputs.size());
}

std::optional<RepeatedBlock> RepeatFinder::best() const {
  std::optional<RepeatedBlock> found;
  double saved = minSavedLines;
  for (const Candidate &candidate : candidates()) {
    std::vector<size_t> starts = occurrences(candidate);
    if (starts.size() < 2)
      continue;
    RepeatedBlock block = blockOf(candidate, starts);
    if (block.uses.front().outputs.empty())
      continue;
    if (double lines = savedLines(block); lines > saved) {
      saved = lines;
      found = std::move(block);
    }
  }
  return found;
}

} // namespace

std::vector<ValueId> RepeatedBlock::operands(const Graph &graph, size_t i, size_t k) const {
  std::vector<ValueId> ids;
  for (const Use &use : uses)
    ids.push_back(graph.nodes[use.first + i].inputs[k]);
  return ids;
}

std::vector<RepeatedBlock> findRepeatedBlocks(const Graph &graph) {
  return RepeatFinder(graph).run();
}

} // namespace kgen
