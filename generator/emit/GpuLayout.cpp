#include "emit/GpuLayout.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cassert>

namespace kgen {
namespace {

/// Ranges one after the other, each from a multiple of gpuAlignment on.
class Packer {
public:
  explicit Packer(int64_t begin) : next(begin) {}
  GpuRange add(int64_t bytes) {
    GpuRange range{next, bytes};
    next = end() + static_cast<int64_t>(llvm::alignTo(bytes, gpuAlignment));
    return range;
  }
  int64_t end() const { return next; }

private:
  int64_t next;
};

/// A range that launches since the last one that waited have used.
struct Use {
  GpuRange range;
  bool isWritten;
};

bool areDependent(const Use &a, const Use &b) {
  return (a.isWritten || b.isWritten) && a.range.offset < b.range.end() &&
         b.range.offset < a.range.end();
}

} // namespace

const GpuGraph &gpuGraphNamed(const GpuTargetInterface &target, const std::string &name) {
  auto found =
      llvm::find_if(target.graphs, [&](const GpuGraph &graph) { return graph.name == name; });
  assert(found != target.graphs.end() && "a target has code for all graphs");
  return *found;
}

/// Bytes of the host's memory for a call; more than none, so that addresses are some.
static int64_t hostEnd(const LibraryInterface &library, const GpuCpuStep &step) {
  const GpuRange last = hostRanges(library, step).back();
  return static_cast<int64_t>(llvm::alignTo(last.end() + 1, gpuAlignment));
}

GpuLayout layOutGpuMemory(const LibraryInterface &library, const GpuTargetInterface &target) {
  GpuLayout layout;
  Packer weights(0);
  for (const GpuWeight &weight : target.weights)
    layout.weights.push_back(weights.add(weight.bytes));
  layout.workspaceOffset = weights.end();
  int64_t workspaceBytes = 0;
  for (const GpuGraph &graph : target.graphs)
    workspaceBytes = std::max(workspaceBytes, graph.workspaceBytes);
  Packer workspace(layout.workspaceOffset);
  workspace.add(workspaceBytes);
  layout.tensorOffset = workspace.end();
  layout.memoryBytes = layout.tensorOffset + gpuAlignment; // no device has ranges of 0 bytes
  for (const GraphInterface &graph : library.graphs) {
    Packer tensors(layout.tensorOffset);
    std::vector<GpuRange> &ranges = layout.tensors.emplace_back();
    for (const std::vector<TensorInterface> *list : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *list)
        ranges.push_back(tensors.add(tensor.type.byteCount()));
    // A kernel may touch 4 bytes even of a tensor without elements.
    layout.memoryBytes = std::max(layout.memoryBytes, tensors.end() + gpuAlignment);
  }
  for (const GpuGraph &graph : target.graphs)
    for (const GpuCpuStep &step : graph.cpuSteps)
      layout.hostBytes = std::max(layout.hostBytes, hostEnd(library, step));
  return layout;
}

GpuRange rangeOfBinding(const GpuLayout &layout, const LibraryInterface &library, size_t graph,
                        const GpuBinding &binding) {
  assert(binding.offset % gpuAlignment == 0);
  const auto number = static_cast<size_t>(binding.number);
  GpuRange range{binding.offset,
                 std::max<int64_t>(4, static_cast<int64_t>(llvm::alignTo(binding.bytes, 4)))};
  switch (binding.memory) {
  case GpuMemory::input:
    range.offset += layout.tensors[graph][number].offset;
    break;
  case GpuMemory::output:
    range.offset += layout.tensors[graph][library.graphs[graph].inputs.size() + number].offset;
    break;
  case GpuMemory::workspace:
    range.offset += layout.workspaceOffset;
    break;
  case GpuMemory::weight:
    range.offset += layout.weights[number].offset;
    break;
  }
  return range;
}

std::vector<GpuRange> hostRanges(const LibraryInterface &library, const GpuCpuStep &step) {
  Packer packer(0);
  std::vector<GpuRange> ranges;
  for (const GpuBinding &binding : step.bindings)
    ranges.push_back(packer.add(binding.bytes));
  int64_t workspace = 0;
  for (const auto &[target, bytes] : library.cpuFunctions[step.function].workspaceBytes)
    workspace = std::max(workspace, bytes);
  ranges.push_back(packer.add(workspace));
  return ranges;
}

std::vector<bool> waitingLaunches(const GpuLayout &layout, const LibraryInterface &library,
                                  const GpuTargetInterface &target, size_t graph) {
  std::vector<bool> result;
  std::vector<Use> earlier;
  const GpuGraph &code = gpuGraphNamed(target, library.graphs[graph].name);
  for (const GpuLaunch &launch : code.launches) {
    if (llvm::any_of(code.cpuSteps,
                     [&](const GpuCpuStep &step) { return step.launch == result.size(); }))
      earlier.clear();
    std::vector<Use> own;
    for (const GpuBinding &binding : launch.bindings)
      own.push_back({rangeOfBinding(layout, library, graph, binding), binding.isWritten});
    const bool waits = llvm::any_of(own, [&](const Use &use) {
      return llvm::any_of(earlier, [&](const Use &other) { return areDependent(use, other); });
    });
    if (waits)
      earlier.clear();
    earlier.insert(earlier.end(), own.begin(), own.end());
    result.push_back(waits);
  }
  return result;
}

} // namespace kgen
