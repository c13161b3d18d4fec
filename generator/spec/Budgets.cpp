// `budgets` of a library or a graph: what it may take at most.
#include "spec/SpecParts.h"

namespace kgen {

std::string_view toString(BudgetKind kind) {
  switch (kind) {
  case BudgetKind::workspace:
    return "workspace";
  case BudgetKind::text:
    return "text";
  case BudgetKind::weights:
    return "weights";
  case BudgetKind::stack:
    return "stack";
  }
  return "";
}

void readBudgets(const SpecReader &reader, const YamlNode &node, Budgets &budgets) {
  if (!reader.isMap(node, "a map such as {workspace: 4MiB, text: 200KiB}"))
    return;
  std::vector<FieldRule> rules;
  for (BudgetKind kind : allBudgetKinds)
    rules.push_back({std::string(toString(kind)), FieldRule::Kind::optional, ""});
  Fields fields(reader, node, "'budgets'", rules);
  for (const YamlEntry &entry : node.entries)
    for (BudgetKind kind : allBudgetKinds)
      if (entry.key == toString(kind))
        if (auto bytes = reader.byteSize(entry.value, "'" + entry.key + "'"))
          budgets[kind] = {*bytes, reader.at(entry.keyMark)};
}

} // namespace kgen
