// The values of a graph's `with`: one graph for each combination of those that are listed. Private
// to spec/.
#pragma once

#include "spec/Fields.h"

namespace kgen {

/// The graph for each combination of the values of `with`, which is one of its entries, filled in;
/// those of the last key change first. The listed ones are appended to the graph's name:
/// "forward_8_f32". Reports bad values, and more than 256 combinations.
std::vector<YamlNode> graphsOfValues(const SpecReader &reader, const YamlNode &graph,
                                     const YamlNode &with);

} // namespace kgen
