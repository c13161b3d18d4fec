// kgen bench: the table, JSON and the roofline.
#include "emit/Folder.h"
#include "explain/Roofline.h"
#include "explain/Tables.h"
#include "support/Json.h"
#include "tools/BenchAgainst.h"
#include "tools/Commands.h"
#include "tools/Progress.h"
#include "tools/SharedArguments.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <iostream>
#include <set>

namespace kgen {
namespace {

/// Half the distance between the quartiles, as a fraction of the median.
double spread(const Series &series) {
  return (series.quantile(0.75) - series.quantile(0.25)) / 2 / series.median();
}

std::string threadsText(unsigned threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string speedText(double gflops) { return fmt::format("{:.2f}", gflops); }
std::string percentText(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

/// The graph, and the sizes that it was called with, if any.
std::string graphText(const BenchLine &line) {
  return line.sizes.empty() ? line.graph : line.graph + " " + sizesText(line.sizes);
}

void printTable(const BenchReport &report, const EarlierTimes *earlier) {
  Table table{"",
              {{"graph"},
               {"variant"},
               {"threads", true},
               {"caches"},
               {"time", true},
               {"spread", true},
               {"GFLOPS", true},
               {"peak", true},
               {"GB/s", true}},
              {}};
  if (earlier)
    table.columns.push_back({"before/now", true});
  for (const BenchLine &line : report.lines) {
    table.rows.push_back({graphText(line), line.variant,
                          line.device.empty() ? std::to_string(line.threads) : "-", line.memory(),
                          timeText(line.seconds.median()), percentText(spread(line.seconds)),
                          line.flops ? speedText(line.gflops()) : "-",
                          line.fraction.empty() ? "-" : percentText(line.fraction.median()),
                          fmt::format("{:.2f}", line.gbytes())});
    if (earlier) {
      std::optional<double> ratio = earlier->ratio(line);
      table.rows.back().push_back(ratio ? fmt::format("{:.3f}", *ratio) : "-");
    }
  }
  fmt::print("{}", tableText(table));
}

/// Quantiles of the time of a call that are printed, and the longest.
constexpr std::pair<const char *, double> latencyQuantiles[] = {
    {"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"worst", 1}};

void printLatencies(const BenchReport &report) {
  Table table{"Single calls", {{"graph"}, {"variant"}, {"threads", true}, {"calls", true}}, {}};
  for (auto [name, quantile] : latencyQuantiles)
    table.columns.push_back({name, true});
  for (const BenchLine &line : report.lines) {
    if (line.latency.empty())
      continue;
    table.rows.push_back({graphText(line), line.variant, std::to_string(line.threads),
                          std::to_string(line.latency.size())});
    for (auto [name, quantile] : latencyQuantiles)
      table.rows.back().push_back(timeText(line.latency.quantile(quantile)));
  }
  if (!table.rows.empty())
    fmt::print("\n{}", tableText(table));
}

void printSteps(const BenchLine &line) {
  double total = 0;
  for (const StepTime &step : line.steps)
    total += step.seconds.median();
  double peak = line.fraction.empty() ? 0 : line.gflops() / line.fraction.median();
  Table table{fmt::format("Steps of {} in {}, {}: {} together", graphText(line), line.variant,
                          threadsText(line.threads), timeText(total)),
              {{"time", true},
               {"share", true},
               {"GFLOPS", true},
               {"peak", true},
               {"step", true},
               {"work of"},
               {"how"}},
              {}};
  for (const StepTime &step : line.steps) {
    double seconds = step.seconds.median(),
           gflops = static_cast<double>(step.flops) * 1e-9 / seconds;
    llvm::SmallVector<llvm::StringRef> how;
    llvm::StringRef(step.how).split(how, '\n');
    table.rows.push_back({timeText(seconds), percentText(seconds / total),
                          step.flops ? speedText(gflops) : "-",
                          step.flops && peak > 0 ? percentText(gflops / peak) : "-",
                          stepList(step.steps), joined(step.nodes), how.front().str()});
    for (llvm::StringRef more : llvm::drop_begin(how))
      table.rows.push_back({"", "", "", "", "", "", more.str()});
  }
  fmt::print("\n{}", tableText(table));
}

void printRates(const char *what, const char *unit, const std::vector<BenchPeak> &rates) {
  for (const BenchPeak &peak : rates)
    fmt::print("{} of {}, {}: {:.4g} {} (spread {:.1f} %)\n", what, peak.name,
               threadsText(peak.threads), peak.rate.median(), unit, 100 * spread(peak.rate));
}

void printChecks(const BenchReport &report, const std::vector<unsigned> &threads) {
  std::string counts;
  for (unsigned count : threads)
    counts += (counts.empty() ? "" : ", ") + std::to_string(count);
  Table table{fmt::format("{} on {}", report.library, report.cpu),
              {{"graph"}, {"variant"}, {"threads", true}, {"results"}},
              {}};
  for (const BenchCheck &one : report.checked)
    table.rows.push_back({one.graph + atText(one.sizes), one.variant, one.hasThreads ? counts : "-",
                          one.isRight ? "as plain loops" : "wrong"});
  fmt::print("{}", tableText(table));
  for (const std::string &note : report.notes)
    fmt::print("not checked: {}\n", note);
  fmt::print("{}\n", report.wrongResults.empty() ? "all results agree" : "results differ");
}

void printText(const BenchReport &report, const EarlierTimes *earlier) {
  fmt::print("{} on {}\n", report.library, report.cpu);
  std::set<std::string> cards;
  for (const BenchLine &line : report.lines)
    if (!line.device.empty() && cards.insert(line.variant).second)
      fmt::print("{} on {}\n", line.variant, line.device);
  fmt::print("\n");
  printTable(report, earlier);
  printLatencies(report);
  fmt::print("\n");
  printRates("peak", "GFLOPS", report.peaks);
  printRates("bandwidth", "GB/s", report.bandwidths);
  for (const std::string &note : report.notes)
    fmt::print("not measured: {}\n", note);
  for (const BenchLine &line : report.lines)
    if (!line.steps.empty())
      printSteps(line);
}

Json seriesJson(const Series &series) {
  return {{"median", series.median()},
          {"lower_quartile", series.quantile(0.25)},
          {"upper_quartile", series.quantile(0.75)},
          {"best", series.quantile(0)},
          {"readings", series.size()}};
}

Json ratesJson(const std::vector<BenchPeak> &rates, const char *what, const char *unit) {
  Json list = Json::array();
  for (const BenchPeak &peak : rates)
    list.push_back({{what, peak.name}, {"threads", peak.threads}, {unit, peak.rate.median()}});
  return list;
}

Json stepsJson(const std::vector<StepTime> &steps) {
  Json list = Json::array();
  for (const StepTime &step : steps)
    list.push_back({{"steps", step.steps},
                    {"nodes", step.nodes},
                    {"how", step.how},
                    {"flops", step.flops},
                    {"seconds", seriesJson(step.seconds)}});
  return list;
}

std::string jsonText(const BenchReport &report, const EarlierTimes *earlier) {
  Json results = Json::array();
  for (const BenchLine &line : report.lines) {
    Json entry = {{"graph", line.graph},
                  {"variant", line.variant},
                  {"threads", line.threads},
                  {"caches", line.memory()},
                  {"seconds", seriesJson(line.seconds)},
                  {"flops", line.flops},
                  {"bytes", line.bytes},
                  {"gflops", line.gflops()},
                  {"gbytes_per_second", line.gbytes()},
                  {"instruction", nullptr},
                  {"peak_fraction", nullptr}};
    if (!line.device.empty())
      entry["device"] = line.device;
    if (!line.sizes.empty())
      entry["sizes"] = line.sizes;
    if (std::optional<double> ratio = earlier ? earlier->ratio(line) : std::nullopt)
      entry["before_over_now"] = *ratio;
    if (!line.latency.empty()) {
      entry["latency"] = {{"calls", line.latency.size()}};
      for (auto [name, quantile] : latencyQuantiles)
        entry["latency"][name] = line.latency.quantile(quantile);
    }
    if (!line.fraction.empty()) {
      entry["instruction"] = line.instruction;
      entry["peak_fraction"] = line.fraction.median();
    }
    if (!line.steps.empty())
      entry["steps"] = stepsJson(line.steps);
    results.push_back(entry);
  }
  Json json = {{"library", report.library},
               {"cpu", report.cpu},
               {"results", results},
               {"peaks", ratesJson(report.peaks, "instruction", "gflops")},
               {"bandwidths", ratesJson(report.bandwidths, "of", "gbytes_per_second")},
               {"not_measured", report.notes},
               {"wrong_results", report.wrongResults}};
  for (const BenchCheck &one : report.checked) {
    Json entry = {{"graph", one.graph}, {"variant", one.variant}, {"right", one.isRight}};
    if (!one.sizes.empty())
      entry["sizes"] = one.sizes;
    json["checked"].push_back(entry);
  }
  return formatJson(json);
}

Roofline roofline(const BenchReport &report) {
  Roofline drawing{report.library, report.cpu + "; discs: hot caches, circles: cold", {}, {}, {}};
  for (const BenchPeak &peak : report.peaks)
    drawing.roofs.push_back({peak.name + ", " + threadsText(peak.threads), peak.rate.median()});
  for (const BenchPeak &bandwidth : report.bandwidths)
    drawing.slopes.push_back(
        {bandwidth.name + ", " + threadsText(bandwidth.threads), bandwidth.rate.median()});
  for (const BenchLine &line : report.lines)
    if (line.flops && line.device.empty())
      drawing.points.push_back(
          {fmt::format("{} · {} · {} · {}", graphText(line), line.variant,
                       threadsText(line.threads), line.memory()),
           line.variant, line.cold,
           static_cast<double>(line.flops) / static_cast<double>(std::max<int64_t>(1, line.bytes)),
           line.gflops()});
  return drawing;
}

llvm::Error writeFiles(const BenchCommand &command, const BenchReport &report,
                       const EarlierTimes *earlier) {
  if (!command.json.empty() && command.json != "-")
    if (llvm::Error error = replaceFile(command.json, jsonText(report, earlier)))
      return error;
  if (command.plot.empty())
    return llvm::Error::success();
  Roofline drawing = roofline(report);
  if (drawing.points.empty())
    return llvm::createStringError(command.plot + ": there is no arithmetic to draw");
  return replaceFile(command.plot, rooflineSvg(drawing));
}

} // namespace

int BenchCommand::run() {
  Progress progress(/*after=*/0);
  if (progress.isTerminal())
    options.progress = [&](double done, const std::string &what) { progress.bar(done, what); };
  Diagnostics diagnostics;
  std::optional<EarlierTimes> before;
  if (!against.empty()) {
    llvm::Expected<EarlierTimes> read = EarlierTimes::read(against);
    if (!read) {
      diagnostics.error({"kgen", 0, 0}, llvm::toString(read.takeError()));
      report(diagnostics, json == "-");
      return exitUserError;
    }
    before = std::move(*read);
  }
  const EarlierTimes *earlier = before ? &*before : nullptr;
  BenchSubject subject;
  BenchReport result;
  GenerateStatus status = openMachine(foreign, options.link, options.machine, diagnostics)
                              ? compileForBench(options, subject, result, diagnostics)
                              : GenerateStatus::userError;
  ExitCode code = status == GenerateStatus::userError ? exitUserError : exitInternalError;
  if (status == GenerateStatus::ok) {
    code = exitOk;
    if (llvm::Error error = runBench(options, subject, result)) {
      code = error.isA<RequestError>() ? exitUserError : exitInternalError;
      diagnostics.error({options.specPath, 0, 0}, llvm::toString(std::move(error)));
    } else if (!result.lines.empty() || !result.checked.empty()) {
      if (llvm::Error unwritten = writeFiles(*this, result, earlier)) {
        diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(unwritten)));
        code = exitUserError;
      }
    }
  }
  progress.finish();
  report(diagnostics, json == "-");
  if (diagnostics.hasErrors())
    return code;
  for (const std::string &wrong : result.wrongResults)
    std::cerr << options.specPath
              << (options.check ? ": wrong result: " : ": wrong result, not measured: ") << wrong
              << "\n";
  if (json == "-")
    std::cout << jsonText(result, earlier);
  else if (options.check)
    printChecks(result, options.threads);
  else if (!result.lines.empty())
    printText(result, earlier);
  return result.wrongResults.empty() ? exitOk : exitDifference;
}

} // namespace kgen
