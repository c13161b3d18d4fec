#include "explain/Svg.h"
#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kgen {
namespace {

constexpr double left = 74, top = 10, bottom = 34, right = 12, plotHeight = 300;

/// A power of two that makes at most six intervals.
int64_t tickStep(int64_t total) {
  int64_t step = 64;
  while (total / step > 6)
    step *= 2;
  return step;
}

std::string tickText(int64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 18) == 0)
    return fmt::format("{:g} MiB", bytes / 1048576.0);
  return bytes >= 1024 && bytes % 256 == 0 ? fmt::format("{:g} KiB", bytes / 1024.0)
                                           : fmt::format("{} B", bytes);
}

class Plan {
public:
  explicit Plan(const Explanation &e)
      : e(e), steps(std::max<size_t>(1, e.steps.size())),
        column(std::clamp(1060.0 / steps, 12.0, 96.0)) {}

  std::string draw() const {
    double width = left + steps * column + right, height = top + plotHeight + bottom;
    std::string svg = fmt::format("<svg class=\"plan\" xmlns=\"http://www.w3.org/2000/svg\" "
                                  "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
                                  "{1:.0f}\">\n",
                                  width, height);
    svg += axes();
    std::vector<std::string> names = e.bufferNames();
    for (size_t i = 0; i < names.size(); ++i)
      svg += rectangle(e.buffers[i], names[i]);
    return svg + "</svg>\n";
  }

private:
  double x(size_t step) const { return left + step * column; }
  double y(int64_t bytes) const {
    return top + plotHeight * (1 - static_cast<double>(bytes) / e.workspaceBytes);
  }

  std::string axes() const {
    std::string svg;
    for (int64_t tick = 0; tick <= e.workspaceBytes; tick += tickStep(e.workspaceBytes))
      svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text class=\"tick "
                         "end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
                         left, y(tick), x(steps), left - 8, y(tick) + 4, tickText(tick));
    size_t every = std::max<size_t>(1, std::ceil(20 / column));
    for (size_t step = 0; step < steps; step += every)
      svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text class=\"tick "
                         "middle\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
                         x(step), top, top + plotHeight, x(step) + column / 2,
                         top + plotHeight + 16, step + 1);
    return svg + fmt::format("<text class=\"tick middle\" x=\"{:.1f}\" y=\"{:.1f}\">step</text>\n",
                             left + steps * column / 2, top + plotHeight + 31);
  }

  std::string rectangle(const ExplainedBuffer &buffer, std::string name) const {
    double x0 = x(buffer.firstStep), x1 = x(buffer.lastStep + 1), y0 = y(buffer.offset),
           y1 = y(buffer.offset + buffer.bytes);
    const char *style =
        buffer.firstStep < e.steps.size() ? styleOf(e.steps[buffer.firstStep]) : "view";
    std::string svg =
        fmt::format("<g class=\"{}\"><title>{}: {} bytes at {}, steps {} to {}</title>"
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/>",
                    style, escaped(name), buffer.bytes, buffer.offset, buffer.firstStep + 1,
                    buffer.lastStep + 1, x0 + 1, y1 + 0.5, x1 - x0 - 2, std::max(1.0, y0 - y1 - 1));
    // A label only where it fits.
    size_t maxLength = std::max(0.0, (x1 - x0 - 10) / 6.6);
    if (y0 - y1 > 13 && maxLength >= std::min<size_t>(name.size(), 4)) {
      if (name.size() > maxLength)
        name = name.substr(0, maxLength - 1) + "…";
      svg += fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                         (x0 + x1) / 2, (y0 + y1) / 2 + 4, escaped(name));
    }
    return svg + "</g>\n";
  }

  const Explanation &e;
  size_t steps;
  double column;
};

} // namespace

std::string workspaceSvg(const Explanation &explanation) {
  if (explanation.buffers.empty() || explanation.workspaceBytes == 0)
    return "";
  return Plan(explanation).draw();
}

} // namespace kgen
