#include "Chart.h"

#include <fmt/format.h>

#include <algorithm>

namespace bench {
namespace {

// In pixels.
constexpr int labelWidth = 190, plotWidth = 420, ratioWidth = 150, barHeight = 11, rowHeight = 36,
              top = 64, bottom = 52;
constexpr const char *kgenColor = "#1f6f8b", *peerColor = "#b8c4cc", *textColor = "#24292f";
constexpr const char *style = R"(<style>
@media (prefers-color-scheme: dark) {
svg { fill: #dfe3e8; }
.page { fill: #16191d; }
.grid { stroke: #3a4048; }
.whisker { stroke: #dfe3e8; }
.peer { fill: #5c6773; }
}
</style>
)";

int xOf(double fraction) {
  return labelWidth + static_cast<int>(std::clamp(fraction, 0.0, 1.05) / 1.05 * plotWidth);
}

std::string text(int x, int y, const std::string &content, const char *anchor = "start",
                 int size = 12) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x,
                     y, anchor, size, content);
}

/// The number stands to the right of bar and whisker.
std::string bar(const Figures &figures, double peak, int y, const char *name, const char *color) {
  double rate = figures.rate.median() / peak;
  int low = xOf(figures.rate.quantile(0.1) / peak), high = xOf(figures.rate.quantile(0.9) / peak),
      middle = y + barHeight / 2;
  return fmt::format("<rect class=\"{9}\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                     "fill=\"{4}\"/>\n<path class=\"whisker\" d=\"M{5} {6}H{7}\" stroke=\"{8}\" "
                     "stroke-width=\"1\"/>\n",
                     labelWidth, y, xOf(rate) - labelWidth, barHeight, color, low, middle, high,
                     textColor, name) +
         text(std::max(xOf(rate), high) + 6, y + barHeight - 1,
              fmt::format("{:.0f} GFLOPS", figures.rate.median()), "start", 10);
}

std::string row(const Line &line, int y) {
  const Figures *peer = line.best();
  std::string svg = text(labelWidth - 10, y + 15, line.library + " " + line.chain, "end");
  svg += bar(line.own(), line.peak.median(), y, "kgen", kgenColor);
  if (!peer)
    return svg;
  svg += bar(*peer, line.peak.median(), y + barHeight + 1, "peer", peerColor);
  return svg + text(labelWidth + plotWidth + ratioWidth - 10, y + 16,
                    fmt::format("{:.2f} x", peer->ratio.median()), "end", 14);
}

std::string axis(int height) {
  std::string svg;
  for (int percent = 0; percent <= 100; percent += 25) {
    int x = xOf(percent / 100.0);
    svg += fmt::format("<path class=\"grid\" d=\"M{0} {1}V{2}\" stroke=\"#d8dee4\"/>\n", x, top - 6,
                       height - bottom);
    svg += text(x, top - 12, fmt::format("{} %", percent), "middle", 10);
  }
  return svg + text(labelWidth + plotWidth + ratioWidth - 10, top - 12, "kgen / oneDNN", "end", 10);
}
} // namespace

std::string chartSvg(const std::vector<Line> &lines, const ChartCaption &caption) {
  int height = top + static_cast<int>(lines.size()) * rowHeight + bottom,
      width = labelWidth + plotWidth + ratioWidth;
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
                                "width=\"{0}\" height=\"{1}\" "
                                "font-family=\"sans-serif\" fill=\"{2}\">\n{3}<rect class=\"page\" "
                                "width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                                width, height, textColor, style);
  svg +=
      text(labelWidth, 24,
           "Networks: fraction of the f32 multiply-add peak, and kgen's speed relative to oneDNN",
           "start", 13);
  svg += axis(height);
  int y = top;
  for (const Line &line : lines) {
    svg += row(line, y);
    y += rowHeight;
  }
  svg += fmt::format("<rect x=\"{0}\" y=\"{1}\" width=\"12\" height=\"10\" fill=\"{2}\"/><rect "
                     "class=\"peer\" x=\"{3}\" y=\"{1}\" width=\"12\" "
                     "height=\"10\" fill=\"{4}\"/>\n",
                     labelWidth, y + 8, kgenColor, labelWidth + 80, peerColor);
  svg += text(labelWidth + 18, y + 17, "kgen") +
         text(labelWidth + 98, y + 17, "oneDNN " + caption.peerVersion + ", " + caption.peerIsa);
  svg += text(labelWidth, y + 38,
              fmt::format("{}, {} thread{}, {}, {}", caption.variant, caption.threads,
                          caption.threads > 1 ? "s" : "", caption.cpu, caption.date),
              "start", 10);
  return svg + "</svg>\n";
}

} // namespace bench
