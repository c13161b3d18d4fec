// A report as one page without scripts and without anything to load.
#include "simulate/Render.h"
#include "simulate/Tables.h"

#include "explain/Svg.h"

#include <fmt/format.h>

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

std::string simulationTableHtml(const Table &table) {
  std::string html = fmt::format("<h2>{}</h2>\n{}\n", escaped(table.title), tableElement(table));
  return html + (table.note.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(table.note)));
}

} // namespace

std::string simulationHtml(const SimulationReport &report) {
  std::string page = fmt::format(simulationPage, escaped(simulationSummary(report)), darkPage,
                                 pageMark, pageStyle);
  if (std::string timeline = timelineSvg(report); !timeline.empty())
    page += "<h2>Engines over cycles</h2>\n" + simulationLegend() +
            "<div class=\"drawing scroll\">\n" + timeline + "</div>\n";
  for (const Table &table : simulationTables(report))
    page += simulationTableHtml(table);
  return page + "</body>\n</html>\n";
}

} // namespace kgen
