// The launches and calls of a graph that is cut, as one list.
#pragma once

#include "driver/gpu/CutGraph.h"
#include "emit/GpuInterface.h"

#include <map>

namespace kgen {

/// Takes the parts in their order. What only parts read has a place of its own in the workspace,
/// before that of the launches.
class PartJoiner {
public:
  /// `firstFunction`: the number of the first of the graph's functions on the CPU.
  PartJoiner(const CutGraph &graph, size_t firstFunction);

  void addCpuStep(const GraphPart &part);
  /// `code`: of the part as a graph of its own.
  void addLaunches(const GraphPart &part, GpuGraph code);

  GpuGraph take();

private:
  GpuBinding placeOf(ValueId id) const;
  int64_t bytesOf(ValueId id) const;

  const CutGraph &graph;
  size_t nextFunction;
  std::map<ValueId, int64_t> offsets; ///< in the workspace, of values between parts
  int64_t carriedBytes = 0;
  GpuGraph made;
};

} // namespace kgen
