#include "explain/Tables.h"

#include "explain/GpuTables.h"
#include "explain/StepsTable.h"
#include "explain/Warnings.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

std::string joined(const std::vector<std::string> &words, const char *separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

const char *fateName(NodeFate fate) {
  switch (fate) {
  case NodeFate::contraction:
    return "contraction";
  case NodeFate::epilogue:
    return "epilogue";
  case NodeFate::fused:
    return "fused";
  case NodeFate::loops:
    return "loops";
  case NodeFate::copy:
    return "copy";
  case NodeFate::call:
    return "call";
  case NodeFate::folded:
    return "folded";
  case NodeFate::view:
    return "view";
  }
  return "";
}

std::string bytesText(int64_t bytes) {
  if (bytes < 10000)
    return fmt::format("{} B", bytes);
  return bytes < 1000000 ? fmt::format("{:.1f} kB", bytes / 1e3)
                         : fmt::format("{:.1f} MB", bytes / 1e6);
}

namespace {

std::string fateWithDetails(const ExplainedNode &node) {
  std::string name = fateName(node.fate);
  switch (node.fate) {
  case NodeFate::contraction:
    return node.method.empty() ? name : name + ", " + node.method;
  case NodeFate::epilogue:
    return name + " of " + node.into;
  case NodeFate::fused:
    return name + " loops";
  case NodeFate::folded:
    return "no code: " + name;
  case NodeFate::view:
    return "no code: a " + name;
  default:
    return name;
  }
}

std::string sizesText(const std::vector<int64_t> &sizes) {
  return sizes.empty() ? "1" : fmt::format("{}", fmt::join(sizes, " x "));
}

std::string tilingText(const ExplainedTiling &t) {
  std::string text = fmt::format("{}contraction {}{} x {} x {}, micro-kernel tile {} x {}",
                                 t.tasks > 1 ? fmt::format("{} tasks, each a ", t.tasks) : "",
                                 t.batch > 1 ? fmt::format("{} x ", t.batch) : "", t.m, t.n, t.k,
                                 t.tileRows, t.tileColumns);
  if (t.rowBlock < t.m)
    text += fmt::format(", rows in blocks of {}", t.rowBlock);
  if (t.depthBlock < t.k)
    text += fmt::format(", k in blocks of {}", t.depthBlock);
  return text + (t.panel ? fmt::format(", B in panels of {}", t.panel) : ", B in place");
}

std::string loopsText(const ExplainedLoops &l) {
  std::string text = fmt::format("{} over {}", l.form, sizesText(l.sizes));
  if (l.scalar)
    return text + ", scalar";
  if (l.dimension < 0)
    return text + ", one element";
  int64_t size = l.sizes[l.dimension];
  if (l.sizes.size() > 1)
    text += fmt::format(", dimension {}", l.dimension);
  if (size >= l.lanes)
    text += fmt::format("{} in vectors of {}", l.sizes.size() > 1 ? "" : ",", l.lanes);
  if (int64_t rest = size % l.lanes)
    text += fmt::format(size >= l.lanes ? " and one of {}" : " in one vector of {}", rest);
  if (l.gathered)
    text += fmt::format(", {} operand{} gathered", l.gathered, l.gathered == 1 ? "" : "s");
  return text;
}

Table warnings(const Explanation &e) {
  Table table{"Slower than it could be", {{"nodes"}, {"why"}}, {}};
  for (const ExplainedWarning &warning : warningsOf(e))
    table.rows.push_back({joined(warning.nodes), warning.text});
  return table;
}

Table schedules(const Explanation &e) {
  Table table{"Schedules", {{"node"}, {"schedule"}, {"is the node's"}}, {}};
  for (const ExplainedSchedule &schedule : e.schedules)
    table.rows.push_back({schedule.node, schedule.schedule,
                          !schedule.refusal.empty() ? "no: " + schedule.refusal
                          : schedule.part.empty()   ? "yes"
                                                    : "yes, " + schedule.part});
  return table;
}

Table tiles(const Explanation &e) {
  Table table{"Tiles", {{"nodes"}, {"as a schedule says it"}}, {}};
  for (const ExplainedTiles &one : e.tiles)
    table.rows.push_back({joined(one.nodes), tilesText(one)});
  return table;
}

Table rejectedTiles(const Explanation &e) {
  Table table{"Tiles that lost", {{"nodes"}, {"as a schedule says it"}, {"why"}}, {}};
  for (const ExplainedRejectedTiles &one : e.rejectedTiles)
    table.rows.push_back({joined(one.tiles.nodes), tilesText(one.tiles), one.why});
  return table;
}

Table nodes(const Explanation &e) {
  Table table{"Nodes",
              {{"node"}, {"operator"}, {"type"}, {"group", true}, {"steps"}, {"what became of it"}},
              {}};
  for (const ExplainedNode &node : e.nodes)
    table.rows.push_back({node.name, node.op, node.type, std::to_string(node.group + 1),
                          stepList(node.steps), fateText(node)});
  return table;
}

Table operands(const Explanation &e) {
  Table table{"B operands of contractions",
              {{"operand"}, {"of"}, {"packed"}, {"panel", true}, {"bytes", true}, {"because"}},
              {}};
  for (const ExplainedOperandB &operand : e.operands)
    table.rows.push_back({operand.operand, joined(operand.nodes),
                          operand.when == "build" ? "at build time"
                          : operand.when == "run" ? "at run time"
                                                  : "no, read in place",
                          operand.panel ? std::to_string(operand.panel) : "",
                          std::to_string(operand.bytes), operand.why});
  return table;
}

/// From the description of ukernel.gemm (docs/Dialects.md).
constexpr char kernelNameNote[] =
    "Names: uk_gemm_<A>[x<B>][_<C>]_<m>x<n>x<k>, uk_brgemm_..._<m>x<n>x<batch>x<k>, "
    "uk_map_<C>_<m>x<n>, where A, B and C\n"
    "stand for element types; then what it does besides: _half adds up in f16, _acc adds to C, _in "
    "knows of A where it\n"
    "begins only, _pf prefetches B, _wide has B up-converted, _sums has accumulators beside C, "
    "_<n>s reads B in n access\n"
    "streams, _<n>e computes n operations of an epilogue (constants included); a last number tells "
    "equal names apart.";

Table kernels(const Explanation &e) {
  Table table{
      "Micro-kernels",
      {{"micro-kernel"}, {"provider"}, {"steps"}, {"calls", true}, {"offers, cycles a call"}},
      {}};
  for (const ExplainedKernel &kernel : e.kernels) {
    std::vector<size_t> callers;
    int64_t calls = 0;
    for (auto [step, count] : kernel.calls) {
      callers.push_back(step);
      calls += count;
    }
    std::string offers;
    for (const ExplainedOffer &offer : kernel.offers)
      offers += fmt::format("{}{} {}", offers.empty() ? "" : "; ", offer.provider,
                            offer.cost ? fmt::format("{:.0f}", *offer.cost)
                                       : "refuses: " + offer.refusal);
    table.rows.push_back(
        {kernel.symbol, kernel.provider, stepList(callers), std::to_string(calls), offers});
  }
  table.note = kernelNameNote;
  return table;
}

/// Strategies of steps for which there was one besides plain loops.
Table strategies(const Explanation &e) {
  Table table{"Loops over vectors",
              {{"step", true}, {"strategy"}, {"results"}, {"offers, cycles an element"}},
              {}};
  for (size_t i = 0; i < e.steps.size(); ++i) {
    const std::optional<ExplainedLoops> &loops = e.steps[i].loops;
    if (!loops || std::none_of(loops->offers.begin(), loops->offers.end(),
                               [](const ExplainedStrategy &offer) {
                                 return offer.name != "vector-loops" &&
                                        offer.name != "scalar-loops";
                               }))
      continue;
    std::string offers;
    for (const ExplainedStrategy &offer : loops->offers)
      offers += fmt::format("{}{} {}", offers.empty() ? "" : "; ", offer.name,
                            offer.cost ? fmt::format("{:.2f}", *offer.cost)
                                       : "refuses: " + offer.refusal);
    table.rows.push_back({std::to_string(i + 1), loops->strategy, loops->stores, offers});
  }
  return table;
}

Table launches(const Explanation &e) {
  Table table{"Tasks", {{"work of"}, {"steps"}, {"grid"}, {"tasks", true}}, {}};
  for (const ExplainedLaunch &launch : e.launches)
    table.rows.push_back({joined(launch.nodes), stepList(launch.steps), sizesText(launch.grid),
                          std::to_string(launch.tasks)});
  return table;
}

Table remarks(const Explanation &e) {
  Table table{"Passes", {{"pass"}, {"nodes"}, {"what it did, or why not"}}, {}};
  for (const ExplainedRemark &remark : e.remarks)
    table.rows.push_back({remark.pass, joined(remark.nodes),
                          remark.isRefusal ? "left: " + remark.text : remark.text});
  return table;
}

Table floats(const Explanation &e) {
  Table table{"Dequantized, and read as floats", {{"node"}, {"place"}, {"because"}}, {}};
  for (const ExplainedFloats &each : e.floats)
    table.rows.push_back({each.node, each.place, each.why});
  return table;
}

Table buffers(const Explanation &e) {
  Table table{
      "Workspace",
      {{"holds"}, {"type"}, {"offset", true}, {"bytes", true}, {"written in"}, {"live in steps"}},
      {}};
  std::vector<std::string> names = e.bufferNames();
  for (size_t i = 0; i < names.size(); ++i) {
    const ExplainedBuffer &buffer = e.buffers[i];
    table.rows.push_back({names[i], buffer.type, std::to_string(buffer.offset),
                          std::to_string(buffer.bytes), stepList(buffer.writers),
                          buffer.firstStep == buffer.lastStep
                              ? std::to_string(buffer.firstStep + 1)
                              : fmt::format("{}-{}", buffer.firstStep + 1, buffer.lastStep + 1)});
  }
  return table;
}

/// Copies that bufferization left, and loops that do nothing else.
Table copies(const Explanation &e) {
  Table table{"Copies at run time", {{"of"}, {"bytes", true}, {"from"}, {"into"}, {"because"}}, {}};
  for (const ExplainedCopy &copy : e.copies)
    table.rows.push_back(
        {joined(copy.nodes), std::to_string(copy.bytes), copy.from, copy.into, copy.why});
  for (const ExplainedStep &step : e.steps)
    if (step.loops && step.loops->form == "copy")
      table.rows.push_back({joined(step.nodes), std::to_string(step.loops->bytes), "", "",
                            step.purpose == "pack" ? "B is packed at run time"
                                                   : "moving data is what the node does"});
  return table;
}

std::string storageText(const ExplainedWeight &weight) {
  switch (weight.storage) {
  case WeightStorage::shared:
    return "an object that the variants share";
  case WeightStorage::object:
    return ".rodata of the graph's object";
  case WeightStorage::none:
    return weight.into.empty() ? "no bytes: folded into other weights"
                               : "no bytes: folded into " + joined(weight.into);
  }
  return "";
}

Table weights(const Explanation &e) {
  Table table{"Weights", {{"weight"}, {"bytes", true}, {"form"}, {"stored in"}, {"symbol"}}, {}};
  for (const ExplainedWeight &weight : e.weights)
    table.rows.push_back({joined(weight.names), std::to_string(weight.bytes),
                          weight.storage == WeightStorage::none ? ""
                          : weight.packed                       ? "packed into panels"
                          : weight.transformed                  ? "transformed by its node"
                                                                : "as it is",
                          storageText(weight), weight.symbol});
  return table;
}

} // namespace

std::string fateText(const ExplainedNode &node) {
  return fateWithDetails(node) +
         (node.passes.empty() ? "" : " (" + joined(node.passes, ", ") + ")");
}

std::string stepList(const std::vector<size_t> &steps) {
  std::string text;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i;
    while (end + 1 < steps.size() && steps[end + 1] == steps[end] + 1)
      ++end;
    text += fmt::format("{}{}", text.empty() ? "" : " ", steps[i] + 1);
    if (end > i)
      text += fmt::format("{}{}", end > i + 1 ? "-" : " ", steps[end] + 1);
    i = end + 1;
  }
  return text;
}

std::string stepText(const ExplainedStep &step) {
  std::string text = step.tiling                   ? tilingText(*step.tiling)
                     : step.loops                  ? loopsText(*step.loops)
                     : step.kind == StepKind::copy ? "copy"
                     : step.kind == StepKind::call ? "call of " + step.callee
                                                   : step.operation;
  return step.purpose.empty() ? text : step.purpose + ": " + text;
}

/// "96 bytes", or "up to 96 bytes (12*batch)".
static std::string workspaceText(const Explanation &e) {
  if (e.workspaceSizes.empty())
    return bytesText(e.workspaceBytes);
  std::string sizes;
  for (const std::string &size : e.workspaceSizes)
    sizes += (sizes.empty() ? "" : ", ") + size;
  return fmt::format("up to {} ({}{})", bytesText(e.workspaceBytes),
                     e.workspaceSizes.size() == 1 ? "" : "the greatest of ", sizes);
}

std::string summaryOf(const Explanation &e) {
  size_t groups = 0;
  for (const ExplainedNode &node : e.nodes)
    groups = std::max(groups, node.group + 1);
  auto count = [](size_t n, const char *what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (e.card)
    return fmt::format("{} in {}, {}", count(e.nodes.size(), "node"), count(groups, "group"),
                       gpuSummary(e));
  return fmt::format("{} in {}, {}, {}; workspace {}, weights {}, copied in each run {}",
                     count(e.nodes.size(), "node"), count(groups, "group"),
                     count(e.steps.size(), "step"), count(e.kernels.size(), "micro-kernel"),
                     workspaceText(e), bytesText(e.weightBytes()), bytesText(e.copiedBytes()));
}

Table budgetTable(const std::vector<ExplainedBudget> &budgets) {
  Table table{"Budgets",
              {{"of", false},
               {"what", false},
               {"bytes", true},
               {"budget", true},
               {"used", true},
               {"most of it", false}},
              {}};
  for (const ExplainedBudget &one : budgets) {
    std::vector<std::string> largest;
    for (const auto &[name, bytes] : one.largest)
      largest.push_back(fmt::format("{} {}", name, bytes));
    double share =
        one.limit ? 100.0 * static_cast<double>(one.used) / static_cast<double>(one.limit) : 0;
    std::string used = one.used > one.limit ? "exceeded" : fmt::format("{:.0f} %", share);
    table.rows.push_back({one.graph.empty() ? "library" : one.graph, one.kind,
                          std::to_string(one.used), std::to_string(one.limit), used,
                          joined(largest, ", ")});
  }
  return table;
}

std::vector<Table> explainTables(const Explanation &e) {
  std::vector<Table> tables{warnings(e), schedules(e), nodes(e)};
  if (e.card)
    tables.insert(tables.end(), {gpuLaunchTable(e), gpuWorkTable(e), gpuTileTable(e)});
  else
    tables.push_back(stepsTable(e));
  tables.insert(tables.end(),
                {operands(e), kernels(e), tiles(e), rejectedTiles(e), strategies(e), launches(e),
                 remarks(e), floats(e), buffers(e), copies(e), weights(e)});
  tables.erase(std::remove_if(tables.begin(), tables.end(),
                              [](const Table &table) { return table.rows.empty(); }),
               tables.end());
  return tables;
}

} // namespace kgen
