#include "Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {
namespace {
constexpr double low = 0.1, high = 0.9;

nlohmann::ordered_json json(const Series &series) {
  return {
      {"median", series.median()}, {"low", series.quantile(low)}, {"high", series.quantile(high)}};
}

nlohmann::ordered_json json(const Line &line) {
  nlohmann::ordered_json contestants = nlohmann::ordered_json::array();
  for (const Figures &each : line.contestants)
    contestants.push_back({{"name", each.name},
                           {"same_work", each.sameWork},
                           {"gops", json(each.rate)},
                           {"fraction_of_peak", each.rate.median() / line.peak.median()},
                           {"kgens_ratio", json(each.ratio)}});
  const Figures *best = line.best();
  return {{"library", line.library},
          {"graph", line.chain},
          {"weights", line.isCold ? "cold" : "hot"},
          {"operations", line.operations},
          {"peak_gops", line.peak.median()},
          {"best_peer", best ? nlohmann::ordered_json(best->name) : nlohmann::ordered_json()},
          {"contestants", contestants}};
}
} // namespace

const Figures *Line::best() const {
  const Figures *found = nullptr;
  for (const Figures &each : contestants)
    if (&each != &own() && each.sameWork && (!found || each.rate.median() > found->rate.median()))
      found = &each;
  return found;
}

std::optional<Summary> summaryOf(const std::vector<Line> &lines) {
  Summary summary{0, 0, 1e30, 0};
  for (const Line &line : lines)
    if (const Figures *best = line.best()) {
      double ratio = best->ratio.median();
      ++summary.count;
      summary.ratio += std::log(ratio);
      summary.lowest = std::min(summary.lowest, ratio);
      summary.fraction += std::log(line.own().rate.median() / line.peak.median());
    }
  if (summary.count == 0)
    return std::nullopt;
  auto count = static_cast<double>(summary.count);
  summary.ratio = std::exp(summary.ratio / count);
  summary.fraction = std::exp(summary.fraction / count);
  return summary;
}

void print(const Line &line) {
  std::string title = line.library + "." + line.chain + (line.isCold ? " cold" : "");
  std::printf("%-36s", title.c_str());
  for (const Figures &each : line.contestants)
    std::printf(" %s%s %6.1f (%5.1f to %5.1f) %.2f;", each.name, each.sameWork ? "" : "*",
                each.rate.median(), each.rate.quantile(low), each.rate.quantile(high),
                each.rate.median() / line.peak.median());
  std::printf(" %s;", kgen::timeText(line.operations * 1e-9 / line.own().rate.median()).c_str());
  if (const Figures *best = line.best())
    std::printf(" %.3f (%.3f to %.3f) of %s", best->ratio.median(), best->ratio.quantile(low),
                best->ratio.quantile(high), best->name);
  else
    std::printf(" no peer");
  std::printf("; peak %.1f\n", line.peak.median());
  std::fflush(stdout);
}

void print(const Summary &summary) {
  std::printf("geometric mean of %zu: %.3f of the best peer (least %.3f), %.3f of the peak\n",
              summary.count, summary.ratio, summary.lowest, summary.fraction);
}

nlohmann::ordered_json toJson(const Platform &platform,
                              const std::vector<std::vector<Line>> &libraries) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array(), summaries = lines;
  for (const std::vector<Line> &library : libraries) {
    for (const Line &line : library)
      lines.push_back(json(line));
    if (auto summary = summaryOf(library))
      summaries.push_back({{"library", library.front().library},
                           {"count", summary->count},
                           {"geometric_mean", summary->ratio},
                           {"least", summary->lowest},
                           {"fraction_of_peak", summary->fraction}});
  }
  return {{"variant", platform.variant},
          {"onednn", platform.oneDnnIsa},
          {"openblas", platform.openBlasCore},
          {"libxsmm", platform.xsmmTarget},
          {"lines", lines},
          {"summaries", summaries}};
}

} // namespace bench
