#include "driver/compile/NodeGroups.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

class Groups {
public:
  Groups(Explanation &e, const std::map<std::string, size_t> &indices)
      : e(e), indices(indices), readers(e.nodes.size()) {
    for (size_t i = 0; i < e.nodes.size(); ++i) {
      classes.insert(i);
      for (const std::string &input : e.nodes[i].inputs)
        if (auto from = indices.find(input); from != indices.end())
          readers[from->second].push_back(i);
    }
  }

  void joinSteps() {
    for (const ExplainedStep &step : e.steps)
      if (step.purpose.empty())
        for (const std::string &name : step.nodes)
          classes.unionSets(indices.at(step.nodes.front()), indices.at(name));
  }

  /// From the last node to the first one: a node of a row of them follows the one that reads it.
  void joinFolded() {
    for (size_t i = e.nodes.size(); i-- > 0;) {
      if (!e.nodes[i].steps.empty() || readers[i].empty() ||
          llvm::is_contained(e.outputs, e.nodes[i].name))
        continue;
      const size_t leader = classes.getLeaderValue(readers[i].front());
      bool isAlone = llvm::all_of(
          readers[i], [&](size_t reader) { return classes.getLeaderValue(reader) == leader; });
      if (isAlone && readsFrom(i, leader, maxFolded))
        classes.unionSets(leader, i);
    }
  }

  void number() {
    std::map<size_t, size_t> numbers;
    for (size_t i = 0; i < e.nodes.size(); ++i)
      e.nodes[i].group = numbers.emplace(classes.getLeaderValue(i), numbers.size()).first->second;
  }

private:
  static constexpr int maxFolded = 8; ///< nodes in a row that are looked through

  /// True if an input is computed in the class, or is a node without steps that reads from it.
  bool readsFrom(size_t node, size_t leader, int depth) const {
    return llvm::any_of(e.nodes[node].inputs, [&](const std::string &input) {
      auto from = indices.find(input);
      if (from == indices.end())
        return false;
      if (!e.nodes[from->second].steps.empty())
        return classes.getLeaderValue(from->second) == leader;
      return depth > 0 && readsFrom(from->second, leader, depth - 1);
    });
  }

  Explanation &e;
  const std::map<std::string, size_t> &indices;
  std::vector<std::vector<size_t>> readers; ///< of each node
  llvm::EquivalenceClasses<size_t> classes;
};

} // namespace

void findGroups(Explanation &explanation, const std::map<std::string, size_t> &indices) {
  Groups groups(explanation, indices);
  groups.joinSteps();
  groups.joinFolded();
  groups.number();
}

} // namespace kgen
