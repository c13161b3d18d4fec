// A typed graph as the spec that it could have been read from.
#pragma once

#include "graph/Graph.h"

#include <map>
#include <string>
#include <vector>

namespace kgen {

struct RepeatedBlock;

struct WrittenSpec {
  struct Targets {
    std::vector<std::string> names;
    std::vector<std::string> comments; ///< a line each
  };
  std::string library;
  Targets targets;
  std::string comment; ///< the first line
  /// Names of values in the model, by their names here, where these differ.
  std::map<std::string, std::string> original{};
};

/// The spec as YAML: a node a line, its type after it. Named blocks are modules. Weights of few
/// elements stand in it; the others are those of `weightsFile`, under their own names.
std::string writeSpec(const WrittenSpec &about, const Graph &graph,
                      const std::vector<RepeatedBlock> &blocks, const std::string &weightsFile);

/// The weights that `writeSpec` leaves to the file, as safetensors.
std::string writeWeights(const Graph &graph, const std::vector<RepeatedBlock> &blocks);

} // namespace kgen
