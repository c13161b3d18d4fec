// A report as text.
#include "simulate/Render.h"
#include "simulate/Tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace kgen {
namespace {

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

Table trafficTable(const SimulationReport &report) {
  Table table{"Traffic",
              {{"from"}, {"to"}, {"bytes", true}, {"transfers", true}, {"busy cycles", true}},
              {}};
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to)
      if (const Traffic &traffic = report.traffic[from][to]; traffic.transfers)
        table.rows.push_back({memoryName(from), memoryName(to), std::to_string(traffic.bytes),
                              std::to_string(traffic.transfers),
                              fmt::format("{:.0f}", traffic.busyCycles)});
  for (int space = 0; space < 3; ++space)
    if (const Fills &fills = report.fills[space]; fills.count)
      table.rows.push_back({"fill", memoryName(space), std::to_string(fills.bytes),
                            std::to_string(fills.count), space == 2 ? "" : "0"});
  return table;
}

Table boundTable(const SimulationReport &report) {
  Table table{"In and out, and the least that any schedule moves",
              {{"memory"},
               {"bytes", true},
               {"formula", true},
               {"transfers", true},
               {"formula", true},
               {"least", true},
               {"ratio", true},
               {"because of"}},
              {}};
  for (const LevelBound &bound : report.bounds) {
    Moved formula = report.formula ? movedAcross(*report.formula, bound.space) : Moved{};
    auto byFormula = [&](int64_t number) {
      return report.formula ? std::to_string(number) : std::string("-");
    };
    table.rows.push_back(
        {bound.space == 1 ? "L2" : "L1 of all cores", std::to_string(bound.moved.bytes),
         byFormula(formula.bytes), std::to_string(bound.moved.transfers),
         byFormula(formula.transfers), fmt::format("{:.0f}", bound.bound()),
         bound.bound() > 0 ? fmt::format("{:.2f}", double(bound.moved.bytes) / bound.bound()) : "-",
         bound.productBytes > double(bound.onceBytes) ? "2 products / sqrt(elements that fit)"
                                                      : "each argument once"});
  }
  if (const Traffic &outside = report.traffic[0][0]; outside.transfers)
    table.note = fmt::format("outside of schedules, from L3 to L3: {} bytes in {} transfers",
                             outside.bytes, outside.transfers);
  return table;
}

Table memoryTable(const SimulationReport &report) {
  Table table{"Memories", {{"memory"}, {"at most", true}, {"of", true}, {"full", true}}, {}};
  for (const MemoryUse &memory : report.memories)
    table.rows.push_back({memory.name, std::to_string(memory.peakBytes),
                          std::to_string(memory.capacityBytes),
                          percent(double(memory.peakBytes), double(memory.capacityBytes))});
  return table;
}

Table engineTable(const SimulationReport &report) {
  Table table{"Engines", {{"engine"}, {"busy cycles", true}, {"of the time", true}}, {}};
  for (int number : engineOrder(report)) {
    const EngineUse &engine = report.engines[number];
    table.rows.push_back({engine.name, fmt::format("{:.0f}", engine.busyCycles),
                          percent(engine.busyCycles, report.cycles)});
  }
  table.note =
      fmt::format("{} products, {} other elements; products alone would take {:.0f} cycles, "
                  "{} of the time",
                  report.products, report.elements, report.productCycles,
                  percent(report.productCycles, report.cycles));
  return table;
}

Table resultTable(const SimulationReport &report) {
  Table table{"Results, against " + report.reference,
              {{"argument", true},
               {"type"},
               {"elements", true},
               {"wrong", true},
               {"worst at"},
               {"value", true},
               {"expected", true},
               {"largest difference", true},
               {"tolerance"}},
              {}};
  for (const ComparedResult &result : report.results)
    table.rows.push_back(
        {std::to_string(result.argument), result.type, std::to_string(result.elements),
         std::to_string(result.wrong), result.isEqual ? "-" : result.worstAt,
         result.isEqual ? "-" : result.value, result.isEqual ? "-" : result.expected,
         fmt::format("{:.3g}", result.largestDifference), result.tolerance});
  return table;
}

} // namespace

bool SimulationReport::isRight() const {
  return std::all_of(results.begin(), results.end(),
                     [](const ComparedResult &result) { return result.wrong == 0; });
}

std::vector<int> engineOrder(const SimulationReport &report) {
  std::vector<int> rows(report.engines.size());
  std::iota(rows.begin(), rows.end(), 0);
  auto key = [&](int engine) {
    const std::string &name = report.engines[engine].name;
    size_t block = name.rfind("block ", 0) == 0 ? name.find(' ', 6) + 1 : 0,
           space = name.find(' ', block);
    std::string core = space == std::string::npos ? "" : name.substr(space + 1);
    return std::make_tuple(engine != 0, name.substr(0, block), core, name);
  };
  std::sort(rows.begin(), rows.end(), [&](int a, int b) { return key(a) < key(b); });
  return rows;
}

std::vector<Table> simulationTables(const SimulationReport &report) {
  std::vector<Table> tables;
  for (Table &table :
       std::vector<Table>{trafficTable(report), boundTable(report), memoryTable(report),
                          engineTable(report), resultTable(report)})
    if (!table.rows.empty())
      tables.push_back(std::move(table));
  return tables;
}

std::string simulationSummary(const SimulationReport &report) {
  const MachineSpec &machine = report.machine;
  return fmt::format("{} on {}, {} cores: {:.0f} cycles", report.function, machine.name.value,
                     machine.gridText(), std::ceil(report.cycles));
}

std::string simulationText(const SimulationReport &report) {
  std::string text = simulationSummary(report) + "\n";
  for (const Table &table : simulationTables(report))
    text += "\n" + tableText(table);
  if (!report.results.empty())
    text += report.isRight() ? "all results agree\n" : "results differ\n";
  if (report.faults)
    text +=
        fmt::format("{} fault{} of the schedule\n", report.faults, report.faults == 1 ? "" : "s");
  return text;
}

} // namespace kgen
