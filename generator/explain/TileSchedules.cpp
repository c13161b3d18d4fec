// kgen's own tiles as schedules, to go on from.
#include "explain/Render.h"
#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kgen {
namespace {

std::string sizesText(const std::map<std::string, int64_t> &sizes) {
  std::string text;
  for (const auto &[loop, size] : sizes)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", loop, size);
  return "{" + text + "}";
}

/// The node's name as the pattern of a schedule, in double quotes.
std::string patternText(const std::string &node) {
  std::string text;
  for (char c : node) {
    if (c == '\\' || c == '*' || c == '?' || c == '[' || c == ']' || c == '{' || c == '}')
      text += "\\\\"; // for YAML and for the pattern
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text;
}

/// True if the tiles are those of the node wherever it occurs: once in each graph of the target
/// that has a node of the name.
bool isSameEverywhere(const LibraryExplanation &library, const std::string &target,
                      const std::string &node, const ExplainedTiles &tiles) {
  return std::all_of(library.parts.begin(), library.parts.end(), [&](const Explanation &part) {
    bool hasNode = std::any_of(part.nodes.begin(), part.nodes.end(),
                               [&](const ExplainedNode &one) { return one.name == node; });
    if (part.target != target || !hasNode)
      return true;
    bool isFound = false;
    for (const ExplainedTiles &other : part.tiles) {
      bool isOfNode = std::count(other.nodes.begin(), other.nodes.end(), node) > 0;
      if (!isOfNode || other.key != tiles.key)
        continue;
      if (other.sizes != tiles.sizes || other.choice != tiles.choice)
        return false;
      isFound = true;
    }
    return isFound;
  });
}

} // namespace

std::string explainSchedules(const LibraryExplanation &library) {
  using Node = std::pair<std::string, std::string>; // with its target
  std::vector<Node> order;
  std::map<Node, std::map<std::string, std::string>> nodes; // lines by key
  for (const Explanation &part : library.parts)
    for (const ExplainedTiles &tiles : part.tiles) {
      Node node{tiles.nodes.front(), part.target};
      if (!isSameEverywhere(library, part.target, node.first, tiles))
        continue;
      if (nodes.find(node) == nodes.end())
        order.push_back(node);
      nodes[node][tiles.key] = tilesText(tiles);
    }
  std::string text;
  size_t count = 0;
  for (const Node &node : order) {
    text += fmt::format("  tiles_{}:\n    match: {{nodes: [\"{}\"], targets: [{}]}}\n", ++count,
                        patternText(node.first), node.second);
    for (const auto &[key, line] : nodes[node])
      text += "    " + line + "\n";
  }
  return text.empty() ? "schedules: {}\n" : "schedules:\n" + text;
}

std::string tilesText(const ExplainedTiles &tiles) {
  return tiles.key + ": " + (tiles.choice.empty() ? sizesText(tiles.sizes) : tiles.choice);
}

} // namespace kgen
