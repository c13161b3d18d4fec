#include "driver/bench/GpuLines.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace kgen {
namespace {

/// Bytes of the tensors and of the weights that the graph's kernels read on the device.
int64_t bytesOf(const LibraryInterface &library, const GraphInterface &graph,
                const std::string &target) {
  int64_t bytes = 0;
  for (const auto *tensors : {&graph.inputs, &graph.outputs})
    for (const TensorInterface &tensor : *tensors)
      bytes += tensor.type.byteCount();
  for (const GpuTargetInterface &gpu : library.gpus) {
    std::set<int64_t> weights;
    for (const GpuGraph &code : gpu.graphs)
      for (const GpuLaunch &launch : code.launches)
        for (const GpuBinding &binding : launch.bindings)
          if (gpu.target == target && code.name == graph.name &&
              binding.memory == GpuMemory::weight && weights.insert(binding.number).second)
            bytes += gpu.weights[static_cast<size_t>(binding.number)].bytes;
  }
  return bytes;
}

} // namespace

llvm::Expected<std::vector<BenchLine>>
measureOnGpu(GpuProgram &program, const LibraryInterface &library, const GraphInterface &graph,
             const RunnableGpus::Target &target, GraphCall &call, const BenchOptions &options) {
  llvm::Expected<GpuProgram::Times> times = program.measure(
      graph.name, target.name, call.inputBytes(), call.outputBytes(), options.seconds);
  if (!times)
    return times.takeError();
  std::vector<BenchLine> lines;
  for (bool onDevice : {false, true}) {
    const std::vector<double> &list = onDevice ? times->onDevice : times->withCopies;
    if (list.empty())
      continue;
    BenchLine &line = lines.emplace_back();
    line.graph = graph.name;
    line.variant = target.name;
    line.device = target.device;
    line.onDevice = onDevice;
    line.bytes = bytesOf(library, graph, target.name);
    for (double seconds : list)
      line.seconds.add(seconds);
    if (options.latency)
      line.latency = line.seconds;
  }
  return lines;
}

} // namespace kgen
