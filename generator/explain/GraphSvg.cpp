#include "explain/GraphLayout.h"
#include "explain/Svg.h"
#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kgen {
namespace {

constexpr double rowHeight = 19, titleHeight = 20, padding = 9, margin = 12;
constexpr double characterWidth = 7.3, smallWidth = 6.1; ///< of the page's fonts

/// A group of nodes, a graph input or a graph output.
struct Box {
  std::string style, title;
  struct Row {
    std::string name, detail;
  };
  std::vector<Row> rows;
};

class GraphDrawing {
public:
  explicit GraphDrawing(const Explanation &e) : e(e) {}
  std::string draw();

private:
  void makeInputs();
  void makeGroups();
  void makeOutputs();
  size_t add(Box box);
  void connect(size_t from, size_t to) {
    if (from != to && connected.insert({from, to}).second)
      edges.push_back({from, to, {}});
  }
  std::string edge(const LayoutEdge &edge) const;
  std::string box(size_t index) const;

  const Explanation &e;
  std::vector<Box> boxes;
  std::vector<LayoutBox> frames;
  std::vector<LayoutEdge> edges;
  std::set<std::pair<size_t, size_t>> connected;
  std::map<std::string, size_t> producers; ///< box of each named value
};

size_t GraphDrawing::add(Box box) {
  double width = smallWidth * box.title.size();
  for (const Box::Row &row : box.rows)
    width =
        std::max(width, characterWidth * row.name.size() + smallWidth * (row.detail.size() + 2));
  double height = box.rows.size() * rowHeight + (box.title.empty() ? 0 : titleHeight);
  frames.push_back({width + 2 * padding, height + padding, 0, 0});
  boxes.push_back(std::move(box));
  return boxes.size() - 1;
}

void GraphDrawing::makeInputs() {
  for (const std::string &input : e.inputs)
    producers[input] = add({"port", "", {{input, "input"}}});
}

/// Returns what a group's leading node is.
std::string titleOf(const Explanation &e, const ExplainedNode &node) {
  if (node.steps.empty())
    return "no code";
  if (node.steps.size() > 1)
    return fmt::format("{} steps", node.steps.size());
  const ExplainedStep &step = e.steps[node.steps.front()];
  if (step.gpu && !step.gpu->product.empty())
    return fmt::format("{} x {} x {}", step.gpu->product[1], step.gpu->product[2],
                       step.gpu->product[3]);
  if (step.gpu)
    return step.gpu->form;
  if (step.tiling)
    return fmt::format("{} x {} x {}", step.tiling->m, step.tiling->n, step.tiling->k);
  return step.loops                    ? step.loops->form
         : step.kind == StepKind::copy ? "copy"
         : step.kind == StepKind::call ? "call of " + step.callee
                                       : "other";
}

void GraphDrawing::makeGroups() {
  std::map<size_t, std::vector<const ExplainedNode *>> groups;
  for (const ExplainedNode &node : e.nodes)
    groups[node.group].push_back(&node);
  for (const auto &[group, members] : groups) {
    const ExplainedNode *leader = members.front();
    for (const ExplainedNode *node : members)
      if (node->fate == NodeFate::contraction)
        leader = node;
    Box box{leader->steps.empty() ? "view" : styleOf(e.steps[leader->steps.front()]),
            fmt::format("group {} · {}", group + 1, titleOf(e, *leader)),
            {}};
    for (const ExplainedNode *node : members)
      box.rows.push_back({node->name, node->op});
    size_t index = add(std::move(box));
    for (const ExplainedNode *node : members)
      producers[node->name] = index;
  }
  for (const ExplainedNode &node : e.nodes)
    for (const std::string &input : node.inputs)
      if (auto from = producers.find(input); from != producers.end()) // weights are not drawn
        connect(from->second, producers.at(node.name));
}

void GraphDrawing::makeOutputs() {
  for (const std::string &output : e.outputs)
    if (auto from = producers.find(output); from != producers.end())
      connect(from->second, add({"port", "", {{output, "output"}}}));
}

std::string GraphDrawing::edge(const LayoutEdge &edge) const {
  std::string path;
  for (size_t i = 0; i + 1 < edge.points.size(); i += 2) {
    auto [x0, y0] = edge.points[i];
    auto [x1, y1] = edge.points[i + 1];
    double middle = y1 - (y1 - y0) / 2;
    path += fmt::format("{}{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", i ? "L" : "M",
                        x0, y0, x0, middle, x1, middle, x1, y1);
  }
  bool up = edge.from > edge.to;
  return fmt::format("<path class=\"edge\" {}=\"url(#arrow)\" d=\"{}\"/>\n",
                     up ? "marker-start" : "marker-end", path);
}

std::string GraphDrawing::box(size_t index) const {
  const Box &box = boxes[index];
  const LayoutBox &frame = frames[index];
  std::string svg = fmt::format("<g class=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                                "height=\"{:.1f}\" rx=\"{}\"/>",
                                box.style, frame.x, frame.y, frame.width, frame.height,
                                box.title.empty() ? 14 : 5);
  double y = frame.y + padding / 2;
  if (!box.title.empty()) {
    svg += fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       frame.x + padding, y + titleHeight - 7, escaped(box.title));
    y += titleHeight;
  }
  for (const Box::Row &row : box.rows) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
                       "<text class=\"detail\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       frame.x + padding, y + rowHeight - 6, escaped(row.name),
                       frame.x + frame.width - padding, y + rowHeight - 6, escaped(row.detail));
    y += rowHeight;
  }
  return svg + "</g>\n";
}

std::string GraphDrawing::draw() {
  makeInputs();
  makeGroups();
  makeOutputs();
  LayoutResult size = layOut(frames, edges);
  double width = size.width + 2 * margin, height = size.height + 2 * margin;
  std::string svg =
      fmt::format("<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                  "height=\"{1:.0f}\" viewBox=\"{2} {2} {0:.0f} {1:.0f}\">\n",
                  width, height, -margin);
  for (const LayoutEdge &line : edges)
    svg += edge(line);
  for (size_t i = 0; i < boxes.size(); ++i)
    svg += box(i);
  return svg + "</svg>\n";
}

} // namespace

std::string graphSvg(const Explanation &explanation) { return GraphDrawing(explanation).draw(); }

} // namespace kgen
