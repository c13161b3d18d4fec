// The first way in: a graph of a spec.
#pragma once

#include "graph/Operator.h"
#include "spec/Spec.h"

#include <optional>

namespace kgen {

/// A graph's name, and what the spec says of its arithmetic; no values and nodes.
Graph settingsOf(const GraphSpec &spec);

/// Resolves names, loads weights, checks attributes, infers all types. Reports every error
/// (undefined, unused, duplicate names; cycles; arity; attributes; shapes) and returns nothing if
/// there was one.
std::optional<Graph> buildGraph(const GraphSpec &spec, const OperatorTable &operators,
                                Diagnostics &diagnostics);

} // namespace kgen
