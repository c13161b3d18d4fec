// A report as JSON.
#include "support/Json.h"
#include "simulate/Render.h"
#include "simulate/Tables.h"

namespace kgen {

static Json trafficJson(const SimulationReport &report) {
  Json list = Json::array();
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to) {
      const Traffic &traffic = report.traffic[from][to];
      // No schedule moves anything from L3 to L3.
      bool hasFormula = report.formula && (from != 0 || to != 0);
      Moved formula = hasFormula ? (*report.formula)[from][to] : Moved{};
      if (!traffic.transfers && !formula.transfers)
        continue;
      auto byFormula = [&](int64_t number) { return hasFormula ? Json(number) : Json(nullptr); };
      list.push_back({{"from", memoryName(from)},
                      {"to", memoryName(to)},
                      {"bytes", traffic.bytes},
                      {"formula_bytes", byFormula(formula.bytes)},
                      {"transfers", traffic.transfers},
                      {"formula_transfers", byFormula(formula.transfers)},
                      {"busy_cycles", traffic.busyCycles}});
    }
  return list;
}

static Json boundsJson(const SimulationReport &report) {
  Json list = Json::array();
  for (const LevelBound &bound : report.bounds) {
    Moved formula = report.formula ? movedAcross(*report.formula, bound.space) : Moved{};
    auto byFormula = [&](int64_t number) { return report.formula ? Json(number) : Json(nullptr); };
    list.push_back({{"memory", memoryName(bound.space)},
                    {"bytes", bound.moved.bytes},
                    {"formula_bytes", byFormula(formula.bytes)},
                    {"transfers", bound.moved.transfers},
                    {"formula_transfers", byFormula(formula.transfers)},
                    {"least", bound.bound()},
                    {"least_by_products", bound.productBytes},
                    {"least_by_arguments", bound.onceBytes}});
  }
  return list;
}

static Json fillsJson(const SimulationReport &report) {
  Json list = Json::array();
  for (int space = 0; space < 3; ++space)
    if (const Fills &fills = report.fills[space]; fills.count)
      list.push_back(
          {{"memory", memoryName(space)}, {"bytes", fills.bytes}, {"fills", fills.count}});
  return list;
}

static Json resultsJson(const SimulationReport &report) {
  Json list = Json::array();
  for (const ComparedResult &result : report.results) {
    Json entry = {{"argument", result.argument},
                  {"type", result.type},
                  {"elements", result.elements},
                  {"wrong", result.wrong},
                  {"largest_difference", result.largestDifference},
                  {"tolerance", result.tolerance},
                  {"worst", nullptr}};
    if (!result.isEqual)
      entry["worst"] = {
          {"at", result.worstAt}, {"value", result.value}, {"expected", result.expected}};
    list.push_back(std::move(entry));
  }
  return list;
}

static Json messagesJson(const std::vector<Diagnostic> &messages) {
  Json list = Json::array();
  for (const Diagnostic &message : messages)
    list.push_back({{"file", message.where.file},
                    {"line", message.where.line},
                    {"column", message.where.column},
                    {"message", message.message},
                    {"hint", message.hint}});
  return list;
}

std::string simulationJson(const SimulationReport &report, const Diagnostics &diagnostics) {
  Json json = {{"function", report.function},
               {"machine", report.machine.name.value},
               {"cycles", report.cycles},
               {"products", report.products},
               {"elements", report.elements},
               {"product_cycles", report.productCycles},
               {"utilization", report.utilization()},
               {"traffic", trafficJson(report)},
               {"fills", fillsJson(report)},
               {"bounds", boundsJson(report)}};
  for (const MemoryUse &memory : report.memories)
    json["memories"].push_back({{"memory", memory.name},
                                {"peak_bytes", memory.peakBytes},
                                {"capacity_bytes", memory.capacityBytes}});
  for (int engine : engineOrder(report))
    json["engines"].push_back({{"engine", report.engines[engine].name},
                               {"busy_cycles", report.engines[engine].busyCycles}});
  if (!report.reference.empty())
    json["reference"] = report.reference;
  json["results"] = resultsJson(report);
  json["equal"] = report.results.empty() ? Json(nullptr) : Json(report.isRight());
  json["faults"] = report.faults;
  json["errors"] = messagesJson(diagnostics.errors());
  json["warnings"] = messagesJson(diagnostics.warnings());
  return formatJson(json);
}

} // namespace kgen
