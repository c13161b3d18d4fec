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
body {{ margin: 0; padding: 28px 40px 60px; background: #fbfbfa; color: #23272e;
  font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }}
h1 {{ font-size: 22px; font-weight: 600; margin: 0 0 4px; }}
h2 {{ font-size: 14px; font-weight: 600; margin: 26px 0 8px; }}
p {{ margin: 8px 0; color: #59616d; }}
.drawing {{ overflow-x: auto; background: #fff; border: 1px solid #e3e4e6; border-radius: 6px; padding: 10px; }}
.legend span {{ display: inline-block; margin-right: 18px; font-size: 12px; }}
.legend svg {{ vertical-align: -2px; margin-right: 5px; }}
table {{ border-collapse: collapse; font-size: 13px; }}
th {{ text-align: left; font-weight: 500; color: #59616d; border-bottom: 1px solid #b9bdc4; }}
th, td {{ padding: 3px 22px 3px 0; white-space: nowrap; }}
td {{ border-bottom: 1px solid #ececee; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
svg text {{ font: 11px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; fill: #23272e; }}
svg .tick {{ text-anchor: middle; fill: #6a7280; }}
svg .label {{ text-anchor: end; }}
svg .grid {{ stroke: #eceef0; stroke-width: 1; }}
svg .l3 {{ fill: #dba25a; }}
svg .dma {{ fill: #79b272; }}
svg .unit {{ fill: #6e9bd1; }}
@media print {{ body {{ background: #fff; padding: 0; }} }}
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
  std::string html = fmt::format("<h2>{}</h2>\n<table>\n<tr>", escaped(table.title));
  auto cell = [&](const char *tag, size_t column, const std::string &text) {
    html += fmt::format("<{0}{1}>{2}</{0}>", tag,
                        table.columns[column].isNumber ? " class=\"number\"" : "",
                        escaped(table.columns[column].isNumber ? grouped(text) : text));
  };
  for (size_t c = 0; c < table.columns.size(); ++c)
    cell("th", c, table.columns[c].title);
  for (const auto &row : table.rows) {
    html += "</tr>\n<tr>";
    for (size_t c = 0; c < row.size(); ++c)
      cell("td", c, row[c]);
  }
  html += "</tr>\n</table>\n";
  return html + (table.note.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(table.note)));
}

} // namespace

std::string simulationHtml(const SimulationReport &report) {
  std::string page =
      fmt::format(simulationPage, escaped(simulationSummary(report)), darkPage, pageMark);
  if (std::string timeline = timelineSvg(report); !timeline.empty())
    page += "<h2>Engines over cycles</h2>\n" + simulationLegend() + "<div class=\"drawing\">\n" +
            timeline + "</div>\n";
  for (const Table &table : simulationTables(report))
    page += simulationTableHtml(table);
  return page + "</body>\n</html>\n";
}

} // namespace kgen
