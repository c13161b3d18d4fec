// Nodes without code are drawn within the group that surrounds them.
#include "driver/compile/NodeGroups.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace kgen;

namespace {

/// A node that reads `inputs` and works in `steps`.
struct Work {
  const char *name;
  std::vector<std::string> inputs;
  std::vector<size_t> steps;
};

/// Returns the groups of the nodes, in the order of the nodes.
std::vector<size_t> groupsOf(const std::vector<Work> &work, std::vector<std::string> outputs) {
  Explanation e;
  std::map<std::string, size_t> indices;
  for (const Work &w : work) {
    indices[w.name] = e.nodes.size();
    ExplainedNode node;
    node.name = w.name;
    node.inputs = w.inputs;
    node.steps = w.steps;
    e.nodes.push_back(node);
    for (size_t step : w.steps) {
      e.steps.resize(std::max(e.steps.size(), step + 1));
      e.steps[step].nodes.push_back(w.name);
    }
  }
  e.outputs = std::move(outputs);
  findGroups(e, indices);
  std::vector<size_t> groups;
  for (const ExplainedNode &node : e.nodes)
    groups.push_back(node.group);
  return groups;
}

using Groups = std::vector<size_t>;

TEST_CASE("nodes that share a step are one group, numbered by their first nodes") {
  CHECK(groupsOf({{"a", {"x"}, {1}}, {"b", {"a"}, {0}}, {"c", {"b"}, {1}}}, {"c"}) ==
        Groups{0, 1, 0});
}

TEST_CASE("what has no code stands with those that it is between") {
  CHECK(groupsOf({{"add", {"x"}, {0}}, {"mul", {"add", "half"}, {}}, {"clip", {"mul"}, {0}}},
                 {"clip"}) == Groups{0, 0, 0});
  // Two in a row.
  CHECK(groupsOf({{"add", {"x"}, {0}},
                  {"mul", {"add"}, {}},
                  {"view", {"mul"}, {}},
                  {"clip", {"view", "add"}, {0}},
                  {"next", {"clip"}, {1}}},
                 {"next"}) == Groups{0, 0, 0, 0, 1});
}

TEST_CASE("what has no code and other neighbours is a group of its own") {
  const Work add{"add", {"x"}, {0}}, clip{"clip", {"mul", "add"}, {0}};
  CHECK(groupsOf({add, {"mul", {"add"}, {}}, clip}, {"clip", "mul"}) ==
        Groups{0, 1, 0}); // a result
  CHECK(groupsOf({add, {"mul", {"x"}, {}}, clip}, {"clip"}) == Groups{0, 1, 0});
  CHECK(groupsOf({add, {"mul", {"add"}, {}}, clip, {"other", {"mul"}, {1}}}, {"clip", "other"}) ==
        Groups{0, 1, 0, 2});
  CHECK(groupsOf({add, {"mul", {"add"}, {}}}, {"add"}) == Groups{0, 1}); // nothing reads it
}

} // namespace
