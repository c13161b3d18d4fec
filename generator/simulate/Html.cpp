// A report as one page without scripts and without anything to load.
#include "simulate/Render.h"
#include "simulate/Tables.h"

#include "explain/Svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kgen {
namespace {

constexpr char simulationPage[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
{2}
<meta name="viewport" content="width=device-width"/>
<title>{0}</title>
<style>
{3}h2 {{ font-size: 14px; font-weight: 600; margin: 26px 0 8px; }}
p {{ margin: 8px 0; }}
svg text {{ font: 11px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; }}
svg .tick {{ text-anchor: middle; }}
svg .label {{ text-anchor: end; }}
svg .l3 {{ fill: #dba25a; }}
svg .dma {{ fill: #79b272; }}
svg .unit {{ fill: #6e9bd1; }}
{1}</style>
</head>
<body>
<h1>{0}</h1>
)";

std::string simulationLegend() {
  std::string html = "<p class=\"legend\">";
  for (auto [style, text] : {std::pair("l3", "to and from L3"), std::pair("dma", "DMA of a core"),
                             std::pair("unit", "unit of a core")})
    html += fmt::format("<span><svg width=\"14\" height=\"14\"><rect class=\"{}\" width=\"14\" "
                        "height=\"14\"/></svg>{}</span>",
                        style, text);
  return html + "</p>\n";
}

/// Words between blanks that are numbers, in groups of three digits.
std::string withGroups(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    result += grouped(text.substr(at, end - at)) + (end < text.size() ? " " : "");
    at = end + 1;
  }
  return result;
}

/// "131072" as "128 KiB", "45000" as "43.9 KiB".
std::string bytesText(const std::string &number) {
  double bytes = std::strtod(number.c_str(), nullptr);
  const char *unit = bytes < 1 << 20 ? "KiB" : bytes < 1 << 30 ? "MiB" : "GiB";
  double size = bytes / (bytes < 1 << 20 ? 1 << 10 : bytes < 1 << 30 ? 1 << 20 : 1 << 30);
  return bytes < 1 << 10 ? number + " B" : fmt::format("{:.4g} {}", size, unit);
}

bool isOfBytes(const std::string &column) {
  return column == "bytes" || column == "least" || column == "at most" || column == "of";
}

std::string simulationTableHtml(Table table) {
  for (std::vector<std::string> &row : table.rows)
    for (size_t i = 0; i < row.size(); ++i)
      if (isOfBytes(table.columns[i].title))
        row[i] = bytesText(row[i]);
  std::string html = fmt::format("<h2>{}</h2>\n{}\n", escaped(table.title), tableElement(table));
  return html +
         (table.note.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(withGroups(table.note))));
}

} // namespace

std::string simulationHtml(const SimulationReport &report) {
  std::string page = fmt::format(simulationPage, escaped(withGroups(simulationSummary(report))),
                                 darkPage, pageMark, pageStyle);
  if (std::string timeline = timelineSvg(report); !timeline.empty())
    page += "<h2>Engines over cycles</h2>\n" + simulationLegend() +
            "<div class=\"drawing scroll\">\n" + timeline + "</div>\n";
  for (const Table &table : simulationTables(report))
    page += simulationTableHtml(table);
  return page + "</body>\n</html>\n";
}

} // namespace kgen
