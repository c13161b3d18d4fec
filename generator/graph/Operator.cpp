// The operator table and ONNX's broadcasting rule.
#include "graph/Operator.h"

#include <algorithm>
#include <cassert>

namespace kgen {

OperatorTable::OperatorTable(std::vector<Operator> list, std::vector<Operator> others)
    : operators(std::move(list)), unlisted(std::move(others)) {
  auto byName = [](const Operator &a, const Operator &b) { return a.name < b.name; };
  std::sort(operators.begin(), operators.end(), byName);
  auto same = [](const Operator &a, const Operator &b) { return a.name == b.name; };
  (void)same;
  assert(std::adjacent_find(operators.begin(), operators.end(), same) == operators.end() &&
         "two operators of the same name");
}

const Operator *OperatorTable::find(const std::string &name) const {
  auto it = std::lower_bound(operators.begin(), operators.end(), name,
                             [](const Operator &op, const std::string &n) { return op.name < n; });
  if (it != operators.end() && it->name == name)
    return &*it;
  auto other = std::find_if(unlisted.begin(), unlisted.end(),
                            [&](const Operator &op) { return op.name == name; });
  return other != unlisted.end() ? &*other : nullptr;
}

std::vector<std::string> OperatorTable::names() const {
  std::vector<std::string> result;
  for (const Operator &op : operators)
    result.push_back(op.name);
  return result;
}

std::optional<std::vector<int64_t>> broadcastShapes(const std::vector<int64_t> &a,
                                                    const std::vector<int64_t> &b) {
  const std::vector<int64_t> &longer = a.size() >= b.size() ? a : b;
  const std::vector<int64_t> &shorter = a.size() >= b.size() ? b : a;
  std::vector<int64_t> result = longer;
  const size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t x = longer[offset + i], y = shorter[i];
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    result[offset + i] = x == 1 ? y : x;
  }
  return result;
}

} // namespace kgen
