#include "driver/generate/Budgets.h"

#include "driver/load/Sizes.h"

#include <llvm/ADT/STLExtras.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kgen {
namespace {

/// So many of what takes most are named.
constexpr size_t namedContributors = 3;

using Parts = std::vector<const Part *>;

/// The largest ones, the largest first.
std::vector<Contributor> largestOf(std::vector<Contributor> all) {
  llvm::erase_if(all, [](const Contributor &one) { return one.bytes == 0; });
  llvm::stable_sort(all, [](const auto &a, const auto &b) { return a.bytes > b.bytes; });
  all.resize(std::min(all.size(), namedContributors));
  return all;
}

/// "forward on x86-64-v4", "forward at batch=8 on x86-64-v4".
std::string partText(const Part &part) {
  return part.graph + atText(part.sizes) + " on " + part.target;
}

/// The part that takes most of what a call needs; null if there is none.
const Part *largestPart(const Parts &parts, llvm::function_ref<int64_t(const Part &)> bytesOf) {
  auto most = std::max_element(parts.begin(), parts.end(), [&](const Part *a, const Part *b) {
    return bytesOf(*a) < bytesOf(*b);
  });
  return most == parts.end() ? nullptr : *most;
}

void useWorkspace(const Parts &parts, BudgetUse &use) {
  auto bytesOf = [](const Part &part) { return callerWorkspaceBytes(part.workspaceBytes); };
  const Part *part = largestPart(parts, bytesOf);
  if (!part)
    return;
  use.used = bytesOf(*part);
  use.where = partText(*part);
  use.largest = largestOf(part->costs.buffers);
}

void useStack(const Parts &parts, BudgetUse &use) {
  const Part *part = largestPart(parts, [](const Part &one) { return one.costs.code.stackBytes; });
  if (!part)
    return;
  use.used = part->costs.code.stackBytes;
  use.where = partText(*part);
  std::vector<Contributor> frames;
  for (const CodeFunction &function : part->costs.code.functions)
    frames.push_back({function.symbol, function.stackBytes});
  use.largest = largestOf(std::move(frames));
}

void useText(const Parts &parts, BudgetUse &use) {
  std::vector<Contributor> functions;
  for (const Part *part : parts) {
    use.used += part->textBytes;
    for (const CodeFunction &function : part->costs.code.functions)
      functions.push_back({function.symbol + " (" + partText(*part) + ")", function.textBytes});
  }
  use.largest = largestOf(std::move(functions));
}

/// Equal weights are in the library once.
void useWeights(const Parts &parts, BudgetUse &use) {
  std::set<std::string> symbols;
  std::vector<Contributor> weights;
  for (const Part *part : parts)
    for (const WeightCost &weight : part->costs.weights)
      if (symbols.insert(weight.symbol).second) {
        use.used += weight.bytes;
        weights.push_back({weight.name, weight.bytes});
      }
  use.largest = largestOf(std::move(weights));
}

BudgetUse useOf(BudgetKind kind, const Located<int64_t> &budget, const std::string &graph,
                const std::vector<Part> &all) {
  BudgetUse use{graph, kind, budget};
  Parts parts;
  for (const Part &part : all)
    if (graph.empty() || part.graph == graph)
      parts.push_back(&part);
  switch (kind) {
  case BudgetKind::workspace:
    useWorkspace(parts, use);
    break;
  case BudgetKind::text:
    useText(parts, use);
    break;
  case BudgetKind::weights:
    useWeights(parts, use);
    break;
  case BudgetKind::stack:
    useStack(parts, use);
    break;
  }
  return use;
}

const char *nounOf(BudgetKind kind) {
  switch (kind) {
  case BudgetKind::workspace:
    return "the workspace";
  case BudgetKind::text:
    return "the machine code";
  case BudgetKind::weights:
    return "the packed weights";
  case BudgetKind::stack:
    return "the stack";
  }
  return "";
}

} // namespace

bool hasBudgets(const LibrarySpec &spec) {
  return !spec.budgets.empty() ||
         llvm::any_of(spec.graphs, [](const GraphSpec &graph) { return !graph.budgets.empty(); });
}

PartCosts costsOf(const CompiledGraph &compiled) {
  PartCosts costs;
  costs.code = compiled.codeCosts;
  std::vector<std::string> names = compiled.explanation.bufferNames();
  for (size_t i = 0; i < names.size(); ++i)
    costs.buffers.push_back({names[i], compiled.explanation.buffers[i].bytes});
  for (const WeightBlob &weight : compiled.weights) {
    WeightCost cost{weight.symbol, weight.symbol, static_cast<int64_t>(weight.bytes().size())};
    for (const ExplainedWeight &row : compiled.explanation.weights)
      if (row.symbol == weight.symbol && !row.names.empty())
        cost.name = row.names.front();
    costs.weights.push_back(std::move(cost));
  }
  return costs;
}

std::vector<BudgetUse> budgetUses(const LibrarySpec &spec, const std::vector<Part> &parts) {
  std::vector<BudgetUse> uses;
  for (const GraphSpec &graph : spec.graphs)
    for (const auto &[kind, budget] : graph.budgets)
      uses.push_back(useOf(kind, budget, graph.name.value, parts));
  for (const auto &[kind, budget] : spec.budgets)
    uses.push_back(useOf(kind, budget, "", parts));
  return uses;
}

void reportExceeded(const std::vector<BudgetUse> &uses, Diagnostics &diagnostics) {
  for (const BudgetUse &use : uses) {
    if (use.used <= use.budget.value)
      continue;
    std::string of = !use.where.empty()  ? use.where
                     : use.graph.empty() ? "the library"
                                         : "graph '" + use.graph + "'";
    std::string hint;
    for (const Contributor &one : use.largest)
      hint += fmt::format("{}{} {}", hint.empty() ? "most of it: " : ", ", one.name, one.bytes);
    diagnostics.error(use.budget.where,
                      fmt::format("{} of {}: {} bytes, {} more than the budget of {}",
                                  nounOf(use.kind), of, use.used, use.used - use.budget.value,
                                  use.budget.value),
                      hint);
  }
}

} // namespace kgen
