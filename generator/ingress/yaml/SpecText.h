// Parts of a spec's text. Private to ingress/yaml.
#pragma once

#include "graph/Graph.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgen {

struct RepeatedBlock;

/// In double quotes, where control characters have escapes.
std::string quotedText(const std::string &text);

/// ", attributes: {...}" with those that are not the defaults, or nothing.
std::string attributesText(const Node &node);

/// The elements of a weight as a spec would have them, or nothing if they are to stand in a file.
std::optional<std::vector<std::string>> writtenElements(const GraphValue &weight);

/// Weights of modules whose elements stand in the file, however few they are, since they are not
/// the same in all uses.
std::set<ValueId> differentWeights(const Graph &graph, const std::vector<RepeatedBlock> &blocks);

} // namespace kgen
