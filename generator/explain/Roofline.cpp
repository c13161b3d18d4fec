#include "explain/Roofline.h"

#include "explain/Svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kgen {
namespace {

constexpr double left = 70, top = 66, plotWidth = 640, plotHeight = 440, bottom = 54,
                 legendGap = 28, legendRow = 17, characterWidth = 6.7, letterStep = 20;

constexpr const char *style = R"(<style>
svg { background: #ffffff; }
text { font: 11px "DejaVu Sans", system-ui, "Segoe UI", sans-serif; fill: #23272e; }
.title { font-size: 16px; font-weight: 600; }
.note, .tick { fill: #59616d; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: #e6e8ea; fill: none; }
.frame { stroke: #b9bdc4; fill: none; }
.roof { stroke: #6a7280; stroke-width: 1.4; fill: none; }
.slope { stroke: #6a7280; stroke-width: 1.4; stroke-dasharray: 5 3; fill: none; }
.number { font-size: 10px; }
.number, .note { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round; }
.leader { stroke: #99a1ad; stroke-width: 0.7; fill: none; }
.page, .hollow { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
svg { background: #16191d; }
text { fill: #dfe3e8; }
.note, .tick { fill: #a3adb8; }
.grid { stroke: #2b3036; }
.frame { stroke: #4b535c; }
.roof, .slope { stroke: #a3adb8; }
.number, .note { stroke: #16191d; }
.page, .hollow { fill: #16191d; }
}
</style>
)";

constexpr const char *colours[] = {"#2a6fbb", "#c4572a", "#2f8f4e", "#8a4fa8",
                                   "#b08900", "#00808a", "#b3336b", "#5b6470"};

/// A logarithmic axis of whole powers of ten parts, in pixels.
struct Axis {
  double low, high, begin, length; ///< of the values, and where they are drawn

  double at(double value) const {
    return begin + length * std::log(value / low) / std::log(high / low);
  }
};

/// 1, 2 and 5 times the powers of ten within the axis; without 2 and 5 on a long one.
std::vector<double> ticks(const Axis &axis) {
  bool isLong = axis.high / axis.low > 2e3;
  std::vector<double> list;
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high;
       power *= 10)
    for (double factor : {1.0, 2.0, 5.0})
      if (double tick = power * factor;
          tick >= axis.low && tick <= axis.high && (factor == 1 || !isLong))
        list.push_back(tick);
  return list;
}

/// "0.05", "2,000".
std::string tickText(double tick) {
  return grouped(tick < 1 ? fmt::format("{:g}", tick) : fmt::format("{:.0f}", tick));
}

/// Names a slope on its line and in the legend: "a", "b", ..., "z", "27".
std::string letter(size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('a' + index)) : std::to_string(index + 1);
}

/// "memory, reads, 1 thread: 24.9 GB/s".
std::string slopeText(const Roofline::Rate &slope) {
  return fmt::format("{}: {} GB/s", slope.label,
                     grouped(fmt::format("{:.{}f}", slope.rate, slope.rate < 100 ? 1 : 0)));
}

/// Returns the attribute that fills the disc of a point.
std::string filling(bool isHollow, const char *ink) {
  return isHollow ? "class=\"hollow\" " : fmt::format("fill=\"{}\" ", ink);
}

class Drawing {
public:
  explicit Drawing(const Roofline &data) : data(data) {
    double minIntensity = data.points.front().intensity, maxIntensity = minIntensity,
           slow = data.points.front().gflops, fast = slow;
    for (const Roofline::Point &point : data.points) {
      minIntensity = std::min(minIntensity, point.intensity);
      maxIntensity = std::max(maxIntensity, point.intensity);
      slow = std::min(slow, point.gflops);
      fast = std::max(fast, point.gflops);
    }
    for (const Roofline::Rate &roof : data.roofs) {
      fast = std::max(fast, roof.rate);
      slow = std::min(slow, roof.rate);
      for (const Roofline::Rate &slope : data.slopes) { // where they meet is to be seen
        minIntensity = std::min(minIntensity, roof.rate / slope.rate);
        maxIntensity = std::max(maxIntensity, roof.rate / slope.rate);
      }
    }
    x = {minIntensity / 2.5, maxIntensity * 3, left, plotWidth};
    y = {slow / 3, fast * 2, top + plotHeight, -plotHeight};
  }

  std::string draw();

private:
  std::string axes() const;
  std::string rates();
  std::string point(size_t index);
  std::string legend() const;
  const char *colour(const std::string &group) const;
  double freeHeight(double px, double py);

  const Roofline &data;
  Axis x{}, y{};
  std::vector<std::pair<double, double>> taken; ///< where labels are
};

const char *Drawing::colour(const std::string &group) const {
  std::vector<std::string> groups;
  for (const Roofline::Point &point : data.points)
    if (std::find(groups.begin(), groups.end(), point.group) == groups.end())
      groups.push_back(point.group);
  size_t index = std::find(groups.begin(), groups.end(), group) - groups.begin();
  return colours[index % std::size(colours)];
}

/// A height near `py` at which a label beside `px` covers no other one.
double Drawing::freeHeight(double px, double py) {
  for (int step = 0; step < 40; ++step) {
    double candidate = py + (step % 2 ? -1 : 1) * ((step + 1) / 2) * 6.0;
    bool free = std::none_of(taken.begin(), taken.end(), [&](auto &other) {
      return std::abs(other.first - px) < 16 && std::abs(other.second - candidate) < 10;
    });
    if (free) {
      py = candidate;
      break;
    }
  }
  taken.push_back({px, py});
  return py;
}

std::string Drawing::axes() const {
  std::string svg;
  for (double tick : ticks(x))
    svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text class=\"tick "
                       "middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
                       x.at(tick), top, top + plotHeight, top + plotHeight + 17, tickText(tick));
  for (double tick : ticks(y))
    svg +=
        fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text class=\"tick "
                    "end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
                    left, y.at(tick), left + plotWidth, left - 7, y.at(tick) + 4, tickText(tick));
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left,
                     top, plotWidth, plotHeight);
  svg += fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">FLOP per byte of inputs, "
                     "weights and outputs</text>\n",
                     left + plotWidth / 2, top + plotHeight + 38);
  return svg + fmt::format("<text class=\"middle\" transform=\"translate({:.1f} {:.1f}) "
                           "rotate(-90)\">GFLOPS</text>\n",
                           left - 46, top + plotHeight / 2);
}

std::string Drawing::rates() {
  std::string svg = fmt::format("<clipPath id=\"plot\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
                                "height=\"{}\"/></clipPath><g clip-path=\"url(#plot)\">\n",
                                left, top, plotWidth, plotHeight);
  double highest = y.high / 2;
  for (const Roofline::Rate &slope : data.slopes) {
    // From the left or the lower edge to the highest roof.
    double from = std::max(x.low, y.low / slope.rate), to = std::min(x.high, highest / slope.rate);
    if (from >= to)
      continue;
    // Letters stand on their lines, one after the other: slopes are parallel, and may be close.
    double angle =
        -std::atan2(y.at(slope.rate * from) - y.at(slope.rate * to), x.at(to) - x.at(from)) * 180 /
        M_PI;
    svg += fmt::format("<path class=\"slope\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", x.at(from),
                       y.at(slope.rate * from), x.at(to), y.at(slope.rate * to));
    size_t index = &slope - data.slopes.data();
    svg += fmt::format("<text class=\"note\" transform=\"translate({:.1f} {:.1f}) "
                       "rotate({:.1f}) translate({:.1f} 4)\">{}</text>\n",
                       x.at(from), y.at(slope.rate * from), angle, 14 + letterStep * index,
                       letter(index));
  }
  for (const Roofline::Rate &roof : data.roofs) {
    double fastest = 0;
    for (const Roofline::Rate &slope : data.slopes)
      fastest = std::max(fastest, slope.rate);
    double from = fastest > 0 ? std::max(x.low, roof.rate / fastest) : x.low;
    svg += fmt::format("<path class=\"roof\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", x.at(from),
                       y.at(roof.rate), left + plotWidth);
    svg += fmt::format("<text class=\"note end\" x=\"{:.1f}\" y=\"{:.1f}\">{}: {} "
                       "GFLOPS</text>\n",
                       left + plotWidth - 6, freeHeight(left + plotWidth, y.at(roof.rate) - 5),
                       escaped(roof.label),
                       grouped(fmt::format("{:.{}f}", roof.rate, roof.rate < 100 ? 1 : 0)));
  }
  return svg + "</g>\n";
}

std::string Drawing::point(size_t index) {
  const Roofline::Point &point = data.points[index];
  double px = x.at(point.intensity), py = y.at(point.gflops);
  const char *ink = colour(point.group);
  double label = freeHeight(px, py);
  std::string leader;
  if (std::abs(label - py) > 4)
    leader = fmt::format("<path class=\"leader\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", px, py,
                         px + 9, label);
  return leader + fmt::format("<g><title>{}: {:.4g} GFLOPS, {:.3g} FLOP per byte</title><circle {}"
                              "cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.2\" stroke=\"{}\" "
                              "stroke-width=\"1.5\"/><text class=\"number\" x=\"{:.1f}\" "
                              "y=\"{:.1f}\">{}</text></g>\n",
                              escaped(point.label), point.gflops, point.intensity,
                              filling(point.hollow, ink), px, py, ink, px + 10, label + 3.5,
                              index + 1);
}

std::string Drawing::legend() const {
  std::string svg;
  double px = left + plotWidth + legendGap, py = top + 4;
  for (size_t i = 0; i < data.points.size(); ++i, py += legendRow) {
    const Roofline::Point &point = data.points[i];
    const char *ink = colour(point.group);
    svg += fmt::format("<circle {}cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.2\" stroke=\"{}\" "
                       "stroke-width=\"1.5\"/><text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}"
                       "</text><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       filling(point.hollow, ink), px + 5, py, ink, px + 32, py + 4, i + 1, px + 40,
                       py + 4, escaped(point.label));
  }
  py += legendRow / 2;
  for (size_t i = 0; i < data.slopes.size(); ++i, py += legendRow)
    svg += fmt::format("<path class=\"slope\" d=\"M{:.1f} {:.1f}h14\"/><text class=\"end\" "
                       "x=\"{:.1f}\" y=\"{:.1f}\">{}</text><text x=\"{:.1f}\" y=\"{:.1f}\">{}"
                       "</text>\n",
                       px - 2, py, px + 32, py + 4, letter(i), px + 40, py + 4,
                       escaped(slopeText(data.slopes[i])));
  return svg;
}

std::string Drawing::draw() {
  size_t longest = 0;
  for (const Roofline::Point &point : data.points)
    longest = std::max(longest, point.label.size());
  for (const Roofline::Rate &slope : data.slopes)
    longest = std::max(longest, slopeText(slope).size());
  double width = left + plotWidth + legendGap + 56 + characterWidth * longest;
  double height = std::max(top + plotHeight + bottom,
                           top + legendRow * (data.points.size() + data.slopes.size()) + 30);
  std::string svg =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                  "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{3}\n{2}<rect "
                  "class=\"page\" width=\"100%\" height=\"100%\"/>\n",
                  width, height, style, drawingMark);
  svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"26\">{}</text>\n<text class=\"note\" "
                     "x=\"{}\" y=\"46\">{}</text>\n",
                     left, escaped(data.title), left, escaped(data.subtitle));
  svg += axes() + rates();
  std::vector<size_t> order(data.points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return data.points[a].gflops > data.points[b].gflops;
  });
  for (size_t i : order)
    svg += point(i);
  return svg + legend() + "</svg>\n";
}

} // namespace

std::string rooflineSvg(const Roofline &roofline) { return Drawing(roofline).draw(); }

} // namespace kgen
