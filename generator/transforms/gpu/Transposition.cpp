#include "transforms/gpu/Transposition.h"

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// Loops along which elements are one after another in memory, the last one fastest.
struct Run {
  const LinearForm &address;
  SmallVector<unsigned> loops{};
  int64_t elements = 1;

  /// Adds the loop outside of those that are there, if there is one that is not `taken`.
  bool grow(const GenericLoops &all, SmallVectorImpl<bool> &taken) {
    for (unsigned loop : all.parallel)
      if (!taken[loop] && address.factors[loop] == elements) {
        loops.insert(loops.begin(), loop);
        elements *= all.sizes[loop];
        return taken[loop] = true;
      }
    return false;
  }
};

/// True if what is outside of a run moves by whole sectors.
bool isAligned(const Run &run, int64_t bytes) {
  auto isWhole = [&](int64_t elements) { return elements * bytes % gpuSectorBytes == 0; };
  for (auto [loop, factor] : llvm::enumerate(run.address.factors))
    if (!llvm::is_contained(run.loops, loop) && !isWhole(factor))
      return false;
  return isWhole(run.address.constant);
}

/// The loop of several iterations that neighbours in memory are along.
std::optional<unsigned> fastLoop(const GenericLoops &loops, const LinearForm &address) {
  for (unsigned loop : loops.parallel)
    if (loops.sizes[loop] > 1 && address.factors[loop] == 1)
      return loop;
  return std::nullopt;
}

/// The inputs that are read along other loops than `written`, all of them along the same.
SmallVector<unsigned> turnedInputs(const GenericLoops &loops, unsigned written) {
  SmallVector<unsigned> inputs;
  for (auto [number, input] : llvm::enumerate(loops.inputs)) {
    if (!input.address || input.address->factors[written] == 0)
      continue;
    const std::optional<unsigned> fast = fastLoop(loops, *input.address);
    if (fast && *fast != written &&
        (inputs.empty() || loops.inputs[inputs[0]].address->factors[*fast] == 1))
      inputs.push_back(number);
  }
  return inputs;
}

} // namespace

std::optional<Transposition> transpositionOf(const GpuFacts &gpu, const GenericLoops &loops) {
  if (!loops.reduced.empty() || loops.outputs.empty() || loops.points() == 0)
    return std::nullopt;
  for (const LoopOperand &output : loops.outputs)
    if (!output.address ||
        fastLoop(loops, *output.address) !=
            fastLoop(loops, loops.outputs.front().address.value_or(LinearForm())))
      return std::nullopt;
  const LinearForm &to = *loops.outputs.front().address;
  const std::optional<unsigned> fast = fastLoop(loops, to);
  if (!fast)
    return std::nullopt;
  SmallVector<unsigned> sources = turnedInputs(loops, *fast);
  if (sources.empty())
    return std::nullopt;
  const LoopOperand &source = loops.inputs[sources.front()];
  Run read{*source.address}, written{to};
  SmallVector<bool> taken(loops.sizes.size());
  for (unsigned loop : loops.parallel)
    taken[loop] = loops.sizes[loop] == 1;
  // The loop that is fastest in the other order is not part of a run.
  taken[*fastLoop(loops, *source.address)] = true;
  written.grow(loops, taken);
  taken[*fastLoop(loops, *source.address)] = false;
  read.grow(loops, taken);
  while ((read.elements < written.elements ? read : written).grow(loops, taken) ||
         (read.elements < written.elements ? written : read).grow(loops, taken)) {
  }
  SmallVector<unsigned> batch;
  for (unsigned loop : loops.parallel)
    if (!llvm::is_contained(read.loops, loop) && !llvm::is_contained(written.loops, loop))
      batch.push_back(loop);
  int64_t bytes = 1;
  for (unsigned number : sources)
    bytes =
        std::max(bytes, bytesInMemory(getElementTypeOrSelf(loops.inputs[number].memref.getType())));
  FlatLoops others(batch, loops.sizes);
  const GpuTransposition size{others.count(),
                              read.elements,
                              written.elements,
                              source.address->factors[*fast],
                              to.factors[*fastLoop(loops, *source.address)],
                              bytes,
                              static_cast<int64_t>(sources.size()),
                              isAligned(read, bytes),
                              isAligned(written, bytes)};
  const std::optional<GpuTranspositionTile> tile = chooseGpuTransposition(gpu, size);
  if (!tile)
    return std::nullopt;
  return Transposition{std::move(others),
                       FlatLoops(read.loops, loops.sizes),
                       FlatLoops(written.loops, loops.sizes),
                       std::move(sources),
                       size,
                       *tile};
}

} // namespace kgen::gpu_kernels
