#include "driver/gpu/ExplainLaunches.h"

#include "costmodel/GpuOccupancy.h"
#include "driver/compile/Explain.h"
#include "transforms/gpu/Traffic.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <llvm/ADT/STLExtras.h>

#include <set>

using namespace mlir;

namespace kgen {
namespace {

constexpr double flopsOfMultiplyAdd = 2;

/// Cycles of a product are those of its tiles, which were compared by them; all else takes as long
/// as its bytes or its operations, whichever is more.
void addCycles(const GpuFacts &facts, ExplainedGpuLaunch &launch) {
  if (!launch.product.empty()) {
    for (const ExplainedGpuTile &offer : launch.offers)
      if (offer.sizes == launch.tile && offer.cycles) {
        launch.cycles = *offer.cycles;
        launch.limit = offer.limit;
      }
    return;
  }
  const double memory = static_cast<double>(launch.movedBytes()) / facts.bytesPerCycle,
               arithmetic = static_cast<double>(launch.flops) /
                            (flopsOfMultiplyAdd * facts.multiplyAddsPerCycle *
                             static_cast<double>(facts.cores));
  launch.cycles = std::max(memory, arithmetic);
  launch.limit = memory >= arithmetic ? "memory" : "arithmetic";
}

ExplainedCard totalsOf(const GpuGraph &graph, const GpuTargetInterface &interface) {
  ExplainedCard card;
  std::set<size_t> kernels;
  std::set<int64_t> weights;
  for (const GpuLaunch &launch : graph.launches) {
    kernels.insert(launch.kernel);
    for (const GpuBinding &binding : launch.bindings)
      if (binding.memory == GpuMemory::weight && weights.insert(binding.number).second)
        card.weightBytes += interface.weights[binding.number].bytes;
  }
  card.kernels = kernels.size();
  return card;
}

/// Finds who writes to buffers: launches say so, and no effects of theirs on memory do.
void addWriters(const GpuGraph &graph, Explanation &explanation) {
  for (ExplainedBuffer &buffer : explanation.buffers)
    for (size_t step = buffer.firstStep; step <= buffer.lastStep; ++step) {
      auto writes = [&](const GpuBinding &binding) {
        return binding.isWritten && binding.memory == GpuMemory::workspace &&
               binding.offset == buffer.offset;
      };
      if (llvm::none_of(graph.launches[step].bindings, writes))
        continue;
      const std::vector<std::string> &nodes = explanation.steps[step].nodes;
      buffer.writers.push_back(step);
      if (!nodes.empty() && !llvm::is_contained(buffer.values, nodes.back()))
        buffer.values.push_back(nodes.back());
    }
}

} // namespace

Explanation explainLaunches(const Graph &graph, const GpuSpec &gpu, ModuleOp module,
                            const GpuTargetInterface &interface) {
  Explanation result = explain(graph, gpu.name.value, module);
  const GpuGraph &made = interface.graphs.back();
  result.card = totalsOf(made, interface);
  addWriters(made, result);
  auto function = *module.getOps<func::FuncOp>().begin();
  size_t step = 0;
  for (auto launch : function.getOps<mlir::gpu::LaunchFuncOp>()) {
    assert(step < result.steps.size() && "each launch is a step");
    const GpuLaunch &of = made.launches[step];
    const GpuKernel &kernel = interface.kernels[of.kernel];
    ExplainedGpuLaunch &explained = *result.steps[step++].gpu;
    explained.kernel = kernel.name;
    explained.blocks = of.blocks;
    explained.threads = kernel.threads;
    explained.sharedBytes = kernel.sharedBytes;
    auto code = cast<mlir::gpu::GPUFuncOp>(module.lookupSymbol(launch.getKernel()));
    gpu_kernels::Traffic traffic = gpu_kernels::trafficOf(code, of.blocks, gpu.facts.subgroup);
    explained.readBytes = traffic.readBytes;
    explained.writtenBytes = traffic.writtenBytes;
    addCycles(gpu.facts, explained);
  }
  return result;
}

void explainOccupancy(const GpuFacts &facts, Explanation &explanation) {
  for (ExplainedStep &step : explanation.steps) {
    if (!step.gpu)
      continue;
    ExplainedGpuLaunch &launch = *step.gpu;
    const GpuOccupancy occupancy =
        gpuOccupancy(facts, {launch.threadsOfBlock(), launch.sharedBytes, launch.registers});
    launch.blocksOfCore = occupancy.blocks;
    launch.occupancy = occupancy.share;
    launch.occupancyLimit = occupancy.limit;
  }
}

} // namespace kgen
