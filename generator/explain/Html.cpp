// One page without scripts and without anything to load.
#include "explain/Render.h"
#include "explain/Svg.h"
#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {
namespace {

constexpr char pageBegin[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
{2}
<meta name="viewport" content="width=device-width"/>
<title>{0}: what became of every node</title>
<style>
{3}h2 {{ font-size: 18px; font-weight: 600; margin: 44px 0 2px; padding-top: 18px; border-top: 1px solid #d9dbde; }}
h3 {{ font-size: 14px; font-weight: 600; margin: 26px 0 8px; }}
p {{ margin: 0 0 8px; }}
nav a {{ display: inline-block; margin: 6px 14px 0 0; color: #2a5d9f; text-decoration: none; }}
nav a:hover {{ text-decoration: underline; }}
.drawing svg {{ display: block; margin: 0 auto; }}
.legend span {{ color: #59616d; }}
td:first-child {{ font-weight: 500; }}
td:last-child {{ white-space: normal; }}
svg text {{ font: 12px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; }}
svg .title, svg .detail {{ font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 10.5px; fill: #6a7280; }}
svg .detail, svg .end {{ text-anchor: end; }}
svg .middle {{ text-anchor: middle; }}
svg .tick {{ font-size: 11px; }}
svg rect {{ stroke-width: 1; }}
svg .edge {{ fill: none; stroke: #99a1ad; stroke-width: 1.3; }}
.contraction rect {{ fill: #e3edf9; stroke: #6e9bd1; }}
.loops rect {{ fill: #e6f4e4; stroke: #79b272; }}
.copy rect {{ fill: #fdeedb; stroke: #dba25a; }}
.view rect {{ fill: #f4f4f5; stroke: #b9bdc4; stroke-dasharray: 4 3; }}
.port rect {{ fill: #fff; stroke: #8b93a0; }}
{1}</style>
</head>
<body>
<svg width="0" height="0" style="position:absolute"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4"
markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0.5L8 4L0 7.5z" fill="#99a1ad"/></marker></defs></svg>
<h1>{0}</h1>
<p>What became of every node, as the passes recorded it.</p>
)";

std::string identifier(const Explanation &part) { return part.graph + "." + part.target; }

std::string legend(const Explanation &part) {
  std::string html = "<p class=\"legend\">";
  for (auto [style, text] :
       {std::pair("contraction", "contraction with its epilogue"),
        std::pair("loops", part.card ? "threads of rows and elements" : "loops over vectors"),
        std::pair("copy", "copy"), std::pair("view", "no code: a view, or folded")})
    html += fmt::format("<span><svg width=\"14\" height=\"14\"><g class=\"{}\"><rect x=\"0.5\" "
                        "y=\"0.5\" width=\"13\" height=\"13\" rx=\"3\"/></g></svg>{}</span>",
                        style, text);
  return html + "</p>\n";
}

std::string html(const Table &table) {
  std::string note = table.note.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(table.note));
  return fmt::format("<h3>{}</h3>\n<div class=\"scroll\">{}</div>\n{}", table.title,
                     tableElement(table), note);
}

std::string section(const Explanation &part) {
  std::string text =
      fmt::format("<h2 id=\"{}\">{} on {}</h2>\n<p>{}</p>\n", escaped(identifier(part)),
                  escaped(part.graph), escaped(part.target), escaped(summaryOf(part)));
  text += "<h3>Graph</h3>\n" + legend(part);
  text += "<div class=\"drawing scroll\">\n" + graphSvg(part) + "</div>\n";
  int64_t withoutReuse = 0;
  for (const ExplainedBuffer &buffer : part.buffers)
    withoutReuse += buffer.bytes;
  if (std::string plan = workspaceSvg(part); !plan.empty())
    text += fmt::format("<h3>Workspace plan</h3>\n<p>{} for {} buffer{} that would take {} side by "
                        "side.</p>\n<div class=\"drawing scroll\">\n{}</div>\n",
                        bytesText(part.workspaceBytes), part.buffers.size(),
                        part.buffers.size() == 1 ? "" : "s", bytesText(withoutReuse), plan);
  for (const Table &table : explainTables(part))
    text += html(table);
  return text;
}

} // namespace

const char *const pageStyle =
    R"(body { margin: 0; padding: 28px 40px 60px; background: #fbfbfa; color: #23272e;
  font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 22px; font-weight: 600; margin: 0 0 4px; }
p { color: #59616d; }
.scroll { overflow-x: auto; }
.drawing { background: #fff; border: 1px solid #e3e4e6; border-radius: 6px; padding: 10px; }
.legend span { display: inline-block; margin-right: 18px; font-size: 12px; }
.legend svg { vertical-align: -2px; margin-right: 5px; }
table { border-collapse: collapse; font-size: 13px; }
th { text-align: left; font-weight: 500; color: #59616d; border-bottom: 1px solid #b9bdc4; }
th, td { padding: 3px 22px 3px 0; vertical-align: top; white-space: nowrap; }
td { border-bottom: 1px solid #ececee; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
svg text { fill: #23272e; }
svg .tick { fill: #6a7280; }
svg .grid { stroke: #eceef0; stroke-width: 1; }
@media (max-width: 600px) { body { padding: 16px 14px 40px; } td:last-child { min-width: 18em; } }
@media print { body { background: #fff; padding: 0; } }
)";

const char *const darkPage = R"(@media screen and (prefers-color-scheme: dark) {
body { background: #111417; color: #dfe3e8; }
p, th, .legend span { color: #a3adb8; }
nav a { color: #7fb0ee; }
h2, th, td { border-color: #343a41; }
.drawing { background: #181c20; border-color: #343a41; }
svg text { fill: #dfe3e8; }
svg .title, svg .detail, svg .tick { fill: #a3adb8; }
svg .grid { stroke: #2b3036; }
.contraction rect { fill: #22354b; }
.loops rect { fill: #223a22; }
.copy rect { fill: #45341c; }
.view rect { fill: #24282d; }
.port rect { fill: #181c20; }
}
)";

std::string tableElement(const Table &table) {
  std::string html = "<table>\n<tr>";
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
  return html + "</tr>\n</table>";
}

std::string grouped(const std::string &number) {
  size_t begin = number.find_first_not_of('-'), end = number.find_first_not_of("0123456789", begin);
  end = std::min(end, number.size());
  bool isNumber = number.find_first_not_of("0123456789.", begin) == std::string::npos;
  std::string text = number;
  for (size_t at = end; isNumber && at > begin + 3;)
    text.insert(at -= 3, ",");
  return text;
}

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

const char *styleOf(const ExplainedStep &step) {
  bool moves = step.kind == StepKind::copy || (step.loops && step.loops->form == "copy");
  return step.kind == StepKind::contraction ? "contraction" : moves ? "copy" : "loops";
}

std::string explainHtml(const LibraryExplanation &library) {
  std::string page =
      fmt::format(pageBegin, escaped(library.library), darkPage, pageMark, pageStyle);
  if (library.parts.size() > 1) {
    page += "<nav>";
    for (const Explanation &part : library.parts)
      page += fmt::format("<a href=\"#{0}\">{1} on {2}</a>", escaped(identifier(part)),
                          escaped(part.graph), escaped(part.target));
    page += "</nav>\n";
  }
  if (!library.budgets.empty())
    page += html(budgetTable(library.budgets));
  for (const Explanation &part : library.parts)
    page += section(part);
  return page + "</body>\n</html>\n";
}

} // namespace kgen
