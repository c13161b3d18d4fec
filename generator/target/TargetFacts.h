// Facts and heuristics of a target file: what the cost model knows beside vectors and costs.
#pragma once

#include "spec/Fields.h"
#include "target/Cpu.h"

namespace kgen {

/// `caches`: sizes, and facts with defaults.
void readCaches(const SpecReader &reader, const YamlNode &node, Cpu &cpu);

/// `pipelines`: facts with defaults.
void readPipelines(const SpecReader &reader, const YamlNode &node, Cpu &cpu);

/// `heuristics`: numbers by the names of Heuristics.def.
void readHeuristics(const SpecReader &reader, const YamlNode &node, Heuristics &heuristics);

} // namespace kgen
