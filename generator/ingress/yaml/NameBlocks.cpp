// Tensors of a module's copy are called `<use>_<name in the module>`. Most names of models are so
// already: `layer_3_query_weight` is `query_weight` of `layer_3`.
#include "graph/Operator.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "spec/Names.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <set>

namespace kgen {
namespace {

/// A named part of each use: a node, or a value.
struct Member {
  size_t node = 0;              ///< of the block
  ValueId value = noValue;      ///< in the first use; noValue: the node itself
  std::vector<ValueId> values;  ///< in each use
  std::vector<std::string> old; ///< name in each use
  std::string fallback;         ///< where names have nothing in common
};

class BlockNamer {
public:
  BlockNamer(Graph &graph, RepeatedBlock &block, const std::set<std::string> &modules)
      : graph(graph), block(block), modules(modules) {
    collect();
  }

  void run() {
    if (!take(longestPrefixes()))
      for (size_t i = 0; !take(numberedUses(freeModule("block", i))); ++i)
        continue;
  }

private:
  using Names = std::vector<std::string>; ///< of uses

  void collect();
  void addValue(size_t node, llvm::function_ref<ValueId(const RepeatedBlock::Use &)> valueOf,
                const std::string &fallback);
  Names longestPrefixes() const;
  size_t matches(const Names &prefixes) const;
  std::string suffix(const Member &member, const Names &prefixes) const;
  std::string freeModule(const std::string &wish, size_t from) const;
  Names numberedUses(const std::string &module) const;
  std::string moduleOf(const Names &uses) const;
  bool take(const Names &uses);
  void nameInside(const Names &uses, std::vector<std::string> &inside) const;
  bool keepsName(const Member &member, size_t use) const;
  bool isFree(const Names &uses, const std::vector<std::string> &inside) const;
  void rename(const Names &uses, const std::vector<std::string> &inside);
  void nameInputs();

  Graph &graph;
  RepeatedBlock &block;
  const std::set<std::string> &modules; ///< names that are taken
  std::vector<Member> members;
  bool isChain = false; ///< with the names that are tried
};

void BlockNamer::addValue(size_t node,
                          llvm::function_ref<ValueId(const RepeatedBlock::Use &)> valueOf,
                          const std::string &fallback) {
  Member member{node, valueOf(block.uses.front()), {}, {}, fallback};
  for (const RepeatedBlock::Use &use : block.uses) {
    member.values.push_back(valueOf(use));
    member.old.push_back(graph.values[member.values.back()].name);
  }
  members.push_back(std::move(member));
}

void BlockNamer::collect() {
  const RepeatedBlock::Use &first = block.uses.front();
  for (size_t i = 0; i < block.length; ++i) {
    const Node &node = graph.nodes[first.first + i];
    std::string fallback = llvm::StringRef(node.op->name).lower() + "_" + std::to_string(i);
    Member self{i, noValue, {}, {}, fallback};
    for (const RepeatedBlock::Use &use : block.uses)
      self.old.push_back(graph.nodes[use.first + i].name);
    members.push_back(std::move(self));
    for (size_t o = 0; o < node.outputs.size(); ++o)
      if (node.outputs[o] != noValue)
        addValue(
            i, [&](auto &use) { return graph.nodes[use.first + i].outputs[o]; },
            o == 0 ? fallback : fallback + "_" + std::to_string(o));
  }
  for (size_t w = 0; w < first.weights.size(); ++w)
    addValue(
        0, [&](auto &use) { return use.weights[w]; }, "w" + std::to_string(w));
}

/// The name in the module, if the member is called `<prefix>_<name>` in all uses, but for a result
/// of the graph and its node.
std::string BlockNamer::suffix(const Member &member, const Names &prefixes) const {
  std::string common;
  for (size_t u = 0; u < prefixes.size(); ++u) {
    llvm::StringRef name = member.old[u];
    bool isResult =
        llvm::any_of(graph.outputs, [&](ValueId id) { return graph.values[id].name == name; });
    if (isResult)
      continue;
    if (!name.consume_front(prefixes[u] + "_") || (!common.empty() && name != common))
      return "";
    common = name.str();
  }
  return nameProblem(common, NameUse::label).empty() ? common : "";
}

size_t BlockNamer::matches(const Names &prefixes) const {
  return llvm::count_if(members, [&](auto &member) { return !suffix(member, prefixes).empty(); });
}

/// Returns what most members' names begin with, by use; empty if there is nothing.
BlockNamer::Names BlockNamer::longestPrefixes() const {
  constexpr size_t maxTried = 64; // members: their names are alike
  Names best;
  size_t most = 0;
  for (const Member &member : llvm::ArrayRef(members).take_front(maxTried))
    for (size_t at = member.old[0].find('_'); at != std::string::npos;
         at = member.old[0].find('_', at + 1)) {
      std::string tail = member.old[0].substr(at);
      Names prefixes;
      for (const std::string &name : member.old)
        if (llvm::StringRef(name).ends_with(tail))
          prefixes.push_back(name.substr(0, name.size() - tail.size()));
      bool isDistinct =
          std::set<std::string>(prefixes.begin(), prefixes.end()).size() == block.uses.size();
      bool isGood = isDistinct && llvm::all_of(prefixes, [](const std::string &prefix) {
                      return nameProblem(prefix, NameUse::label).empty();
                    });
      size_t count = isGood ? matches(prefixes) : 0;
      if (count > most || (count == most && count > 0 && prefixes[0].size() > best[0].size())) {
        most = count;
        best = prefixes;
      }
    }
  return best;
}

std::string BlockNamer::freeModule(const std::string &wish, size_t from) const {
  std::string name = wish + (from ? std::to_string(from + 1) : "");
  while (modules.count(name))
    name = wish + std::to_string(++from + 1);
  return name;
}

BlockNamer::Names BlockNamer::numberedUses(const std::string &module) const {
  Names names;
  for (size_t u = 0; u < block.uses.size(); ++u)
    names.push_back(module + "_" + std::to_string(u));
  return names;
}

/// Returns what the uses' names have in common, without the number at its end.
std::string BlockNamer::moduleOf(const Names &uses) const {
  llvm::StringRef common = uses.front();
  for (llvm::StringRef name : uses)
    while (!name.starts_with(common))
      common = common.drop_back();
  common = common.rtrim("0123456789").rtrim('_');
  return freeModule(nameProblem(common.str(), NameUse::label).empty() ? common.str() : "block", 0);
}

/// Names of results that others read stay, but those between the copies of a chain.
bool BlockNamer::keepsName(const Member &member, size_t use) const {
  bool isInChain = isChain && use + 1 < block.uses.size();
  return member.value != noValue && !isInChain &&
         llvm::is_contained(block.uses[use].outputs, member.values[use]);
}

void BlockNamer::nameInside(const Names &uses, std::vector<std::string> &inside) const {
  std::set<std::string> known;
  std::map<std::string, std::string> ofNodes; // a result is called like its node if it was so
  for (const Member &member : members) {
    std::string name = suffix(member, uses);
    if (name.empty())
      name = member.old == uses ? "y" : member.fallback;
    bool isNode = member.value == noValue;
    const Member *node = nullptr;
    if (!isNode && !member.old.empty())
      for (const Member &other : members)
        if (other.value == noValue && other.old == member.old)
          node = &other;
    if (node) {
      inside.push_back(ofNodes.at(node->old.front()));
      continue;
    }
    std::string wish = name;
    for (size_t i = 2; !known.insert(name).second; ++i)
      name = wish + "_" + std::to_string(i);
    if (isNode)
      ofNodes[member.old.front()] = name;
    inside.push_back(name);
  }
}

/// True if no name would occur twice.
bool BlockNamer::isFree(const Names &uses, const std::vector<std::string> &inside) const {
  std::set<std::string> values, nodes;
  std::set<ValueId> renamed;
  bool isUnique = true;
  for (size_t m = 0; m < members.size(); ++m)
    for (size_t u = 0; u < uses.size(); ++u) {
      std::string name = uses[u] + "_" + inside[m];
      isUnique &= nameProblem(name, NameUse::label).empty();
      if (members[m].value == noValue) {
        isUnique &= nodes.insert(name).second;
      } else if (!keepsName(members[m], u)) {
        isUnique &= values.insert(name).second;
        renamed.insert(members[m].values[u]);
      }
    }
  for (ValueId id = 0; id < graph.values.size() && isUnique; ++id)
    if (!renamed.count(id))
      isUnique &= !values.count(graph.values[id].name);
  for (size_t i = 0; i < graph.nodes.size() && isUnique; ++i) {
    bool isInside = llvm::any_of(block.uses, [&](const RepeatedBlock::Use &use) {
      return i >= use.first && i < use.first + block.length;
    });
    isUnique &= isInside || !nodes.count(graph.nodes[i].name);
  }
  return isUnique;
}

void BlockNamer::rename(const Names &uses, const std::vector<std::string> &inside) {
  for (size_t m = 0; m < members.size(); ++m) {
    const Member &member = members[m];
    if (member.value == noValue)
      block.nodeNames.push_back(inside[m]);
    else if (graph.values[member.value].kind == ValueKind::weight)
      block.weightNames.push_back(inside[m]);
    else
      block.resultNames[member.value] = inside[m];
    for (size_t u = 0; u < uses.size(); ++u) {
      std::string name = uses[u] + "_" + inside[m];
      if (member.value == noValue)
        graph.nodes[block.uses[u].first + member.node].name = name;
      else if (!keepsName(member, u))
        graph.values[member.values[u]].name = name;
    }
  }
}

/// Keeps the names of inputs that are the same in all uses.
void BlockNamer::nameInputs() {
  std::set<std::string> known(block.weightNames.begin(), block.weightNames.end());
  for (const auto &[id, name] : block.resultNames)
    known.insert(name);
  for (size_t i = 0; i < block.uses.front().inputs.size(); ++i) {
    ValueId id = block.uses.front().inputs[i];
    bool isShared = llvm::all_of(
        block.uses, [&](const RepeatedBlock::Use &use) { return use.inputs[i] == id; });
    std::string wish = isShared ? graph.values[id].name : "x", name = wish;
    for (size_t k = 2; !known.insert(name).second; ++k)
      name = wish + "_" + std::to_string(k);
    block.inputNames.push_back(name);
  }
}

/// True if the uses can have these names. A chain has one name and numbers.
bool BlockNamer::take(const Names &uses) {
  std::vector<std::string> inside;
  if (uses.empty())
    return false;
  size_t digits = 2; // "_0"
  isChain = block.isChain && uses.front().size() > digits &&
            uses == numberedUses(uses.front().substr(0, uses.front().size() - digits));
  nameInside(uses, inside);
  if (!isFree(uses, inside))
    return false;
  block.module = moduleOf(uses);
  block.isChain = isChain;
  for (size_t u = 0; u < uses.size(); ++u)
    block.uses[u].name = uses[u];
  rename(uses, inside);
  nameInputs();
  return true;
}

} // namespace

void nameBlocks(Graph &graph, std::vector<RepeatedBlock> &blocks) {
  std::set<std::string> modules;
  for (RepeatedBlock &block : blocks) {
    BlockNamer(graph, block, modules).run();
    modules.insert(block.module);
  }
}

} // namespace kgen
