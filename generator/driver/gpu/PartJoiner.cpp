#include "driver/gpu/PartJoiner.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace kgen {

PartJoiner::PartJoiner(const CutGraph &graph, size_t firstFunction)
    : graph(graph), nextFunction(firstFunction) {
  made.name = graph.whole->name;
  for (const GraphPart &part : graph.parts)
    for (auto [id, result] : llvm::zip_equal(part.outputs, part.results))
      if (!result && offsets.try_emplace(id, carriedBytes).second)
        carriedBytes += static_cast<int64_t>(llvm::alignTo(bytesOf(id) + 1, gpuAlignment));
}

int64_t PartJoiner::bytesOf(ValueId id) const { return graph.whole->values[id].type.byteCount(); }

/// All bytes of a value of the whole graph.
GpuBinding PartJoiner::placeOf(ValueId id) const {
  const Graph &whole = *graph.whole;
  if (auto found = offsets.find(id); found != offsets.end())
    return {GpuMemory::workspace, 0, found->second, bytesOf(id), false};
  auto input = llvm::find(whole.inputs, id), output = llvm::find(whole.outputs, id);
  if (input != whole.inputs.end())
    return {GpuMemory::input, input - whole.inputs.begin(), 0, bytesOf(id), false};
  return {GpuMemory::output, output - whole.outputs.begin(), 0, bytesOf(id), false};
}

void PartJoiner::addCpuStep(const GraphPart &part) {
  GpuCpuStep step;
  step.function = nextFunction++;
  step.launch = made.launches.size();
  for (ValueId id : part.inputs)
    step.bindings.push_back(placeOf(id));
  for (auto [id, result] : llvm::zip_equal(part.outputs, part.results)) {
    GpuBinding to = placeOf(id);
    if (result)
      to = {GpuMemory::output, static_cast<int64_t>(*result), 0, bytesOf(id), false};
    to.isWritten = true;
    step.bindings.push_back(to);
  }
  made.cpuSteps.push_back(std::move(step));
}

void PartJoiner::addLaunches(const GraphPart &part, GpuGraph code) {
  for (GpuLaunch &launch : code.launches) {
    for (GpuBinding &binding : launch.bindings) {
      const auto number = static_cast<size_t>(binding.number);
      GpuBinding whole;
      switch (binding.memory) {
      case GpuMemory::weight:
        continue;
      case GpuMemory::workspace:
        whole = {GpuMemory::workspace, 0, carriedBytes, 0, false};
        break;
      case GpuMemory::input:
        whole = placeOf(part.inputs[number]);
        break;
      case GpuMemory::output:
        whole = placeOf(part.outputs[number]);
        if (part.results[number])
          whole = {GpuMemory::output, static_cast<int64_t>(*part.results[number]), 0, 0, false};
        break;
      }
      binding.memory = whole.memory;
      binding.number = whole.number;
      binding.offset += whole.offset;
    }
    made.launches.push_back(std::move(launch));
  }
  made.workspaceBytes = std::max(made.workspaceBytes, code.workspaceBytes);
}

GpuGraph PartJoiner::take() {
  made.workspaceBytes += carriedBytes;
  return std::move(made);
}

} // namespace kgen
