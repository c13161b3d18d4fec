// The drawn timeline: all of it as shares of pixels, and a piece of its middle order by order.
#include "simulate/Render.h"
#include "simulate/Tables.h"

#include "explain/Svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kgen {
namespace {

constexpr double labelWidth = 96, plotWidth = 1040, rightMargin = 48, rowHeight = 17,
                 axisHeight = 24;
constexpr size_t maxDrawnOrders = 600; ///< of the piece: more than that cannot be told apart

const char *styleOfEngine(const std::string &name) {
  return name == "L3" ? "l3" : name.find("DMA") != std::string::npos ? "dma" : "unit";
}

/// A step of the axis: 1, 2 or 5 times a power of ten, of which at most eight fit.
double axisStep(double length) {
  double step = std::pow(10, std::floor(std::log10(std::max(length, 1.0))));
  for (double factor : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0})
    if (length / (step * factor) <= 8)
      return step * factor;
  return step * 10;
}

/// Rows of engines from cycle `first` to `last`.
class Drawing {
public:
  Drawing(const SimulationReport &report, double first, double last)
      : report(report), rows(engineOrder(report)), first(first), last(last) {
    height = axisHeight + rowHeight * static_cast<double>(rows.size()) + 6;
    rowOf.resize(rows.size());
    for (size_t row = 0; row < rows.size(); ++row)
      rowOf[rows[row]] = row;
  }

  std::string text() const {
    double width = labelWidth + plotWidth + rightMargin;
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                       "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}{3}</svg>\n",
                       width, height, axes(), bars);
  }

  double x(double cycle) const {
    return labelWidth + plotWidth * (cycle - first) / std::max(last - first, 1e-9);
  }

  void bar(int engine, double x0, double x1, double opacity, const std::string &title) {
    bars += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
                        "height=\"{:.1f}\"{}",
                        styleOfEngine(report.engines[engine].name), x0,
                        axisHeight + rowHeight * static_cast<double>(rowOf[engine]) + 2,
                        std::max(x1 - x0, 0.4), rowHeight - 4,
                        opacity < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", opacity) : "");
    bars += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(title));
  }

private:
  std::string axes() const {
    std::string svg = fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">cycles</text>\n",
                                  labelWidth - 8, axisHeight - 10);
    double step = axisStep(last - first);
    for (double tick = std::ceil(first / step) * step; tick <= last; tick += step)
      svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2:.1f}\"/><text class=\"tick\" "
                         "x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n",
                         x(tick), axisHeight - 6, height, axisHeight - 10,
                         grouped(fmt::format("{:.0f}", tick)));
    for (size_t row = 0; row < rows.size(); ++row)
      svg += fmt::format("<text class=\"label\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", labelWidth - 8,
                         axisHeight + rowHeight * (static_cast<double>(row) + 0.72),
                         escaped(report.engines[rows[row]].name));
    return svg;
  }

  const SimulationReport &report;
  std::vector<int> rows;
  std::vector<size_t> rowOf;
  double first, last, height = 0;
  std::string bars;
};

/// Everything: how busy an engine is in each pixel.
std::string overview(const SimulationReport &report) {
  Drawing drawing(report, 0, report.cycles);
  constexpr int pixels = static_cast<int>(plotWidth);
  double perPixel = report.cycles / pixels;
  std::vector<std::vector<double>> busy(report.engines.size(), std::vector<double>(pixels, 0));
  for (const TimelineSpan &span : report.timeline)
    for (double at = span.start; at < span.end;) {
      int pixel = std::min(pixels - 1, static_cast<int>(at / perPixel));
      double until = pixel == pixels - 1 ? span.end : std::min(span.end, (pixel + 1) * perPixel);
      busy[span.engine][pixel] += until - at;
      at = std::max(until, std::nextafter(at, span.end));
    }
  constexpr int shades = 10;
  for (size_t engine = 0; engine < busy.size(); ++engine)
    for (int begin = 0; begin < pixels;) {
      auto shade = [&](int pixel) {
        return static_cast<int>(std::lround(shades * busy[engine][pixel] / perPixel));
      };
      int end = begin + 1;
      while (end < pixels && shade(end) == shade(begin))
        ++end;
      if (shade(begin) > 0)
        drawing.bar(static_cast<int>(engine), labelWidth + begin, labelWidth + end,
                    static_cast<double>(shade(begin)) / shades, "");
      begin = end;
    }
  return drawing.text();
}

/// So much of the middle that its orders can be told apart.
std::string middle(const SimulationReport &report) {
  double share = std::min(1.0, double(maxDrawnOrders) / double(report.timeline.size()));
  double length = report.cycles * share, first = (report.cycles - length) / 2,
         last = first + length;
  Drawing drawing(report, first, last);
  for (const TimelineSpan &span : report.timeline)
    if (span.end > first && span.start < last && span.end > span.start)
      drawing.bar(span.engine, drawing.x(std::max(span.start, first)),
                  drawing.x(std::min(span.end, last)), 1,
                  fmt::format("{}: cycles {:.0f} to {:.0f}", report.sites[span.site], span.start,
                              span.end));
  return drawing.text();
}

} // namespace

std::string timelineSvg(const SimulationReport &report) {
  if (report.timeline.empty() || report.cycles <= 0)
    return "";
  std::string svg = overview(report);
  if (report.timeline.size() <= maxDrawnOrders)
    return middle(report);
  return svg + "<p>Its middle, order by order</p>\n" + middle(report);
}

} // namespace kgen
