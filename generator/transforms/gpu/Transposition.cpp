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

/// The loop that neighbours of all results are along; nothing if there is no such.
std::optional<unsigned> fastLoopOfResults(const GenericLoops &loops) {
  std::optional<unsigned> common;
  for (const LoopOperand &output : loops.outputs) {
    const std::optional<unsigned> fast =
        output.address ? fastLoop(loops, *output.address) : std::nullopt;
    if (!fast || (common && *common != *fast))
      return std::nullopt;
    common = fast;
  }
  return common;
}

/// Shares the loops among two runs, which begin with `fastRead` and `fastWritten`: the shorter one
/// grows first.
void growRuns(const GenericLoops &loops, unsigned fastRead, Run &read, Run &written) {
  SmallVector<bool> taken;
  for (int64_t size : loops.sizes)
    taken.push_back(size == 1);
  taken[fastRead] = true; // is not part of the other run
  written.grow(loops, taken);
  taken[fastRead] = false;
  read.grow(loops, taken);
  while ((read.elements < written.elements ? read : written).grow(loops, taken) ||
         (read.elements < written.elements ? written : read).grow(loops, taken)) {
  }
}

/// Bytes of the widest element of some inputs.
int64_t mostBytes(const GenericLoops &loops, ArrayRef<unsigned> inputs) {
  int64_t bytes = 1;
  for (unsigned number : inputs)
    bytes =
        std::max(bytes, bytesInMemory(getElementTypeOrSelf(loops.inputs[number].memref.getType())));
  return bytes;
}

} // namespace

std::optional<Transposition> transpositionOf(const GpuFacts &gpu, const GenericLoops &loops) {
  if (!loops.reduced.empty() || loops.points() == 0)
    return std::nullopt;
  const std::optional<unsigned> fastWritten = fastLoopOfResults(loops);
  if (!fastWritten)
    return std::nullopt;
  SmallVector<unsigned> sources = turnedInputs(loops, *fastWritten);
  if (sources.empty())
    return std::nullopt;
  const LinearForm &from = *loops.inputs[sources.front()].address,
                   &to = *loops.outputs.front().address;
  const unsigned fastRead = *fastLoop(loops, from);
  Run read{from}, written{to};
  growRuns(loops, fastRead, read, written);
  SmallVector<unsigned> batch;
  for (unsigned loop : loops.parallel)
    if (!llvm::is_contained(read.loops, loop) && !llvm::is_contained(written.loops, loop))
      batch.push_back(loop);
  FlatLoops others(batch, loops.sizes);
  const int64_t bytes = mostBytes(loops, sources);
  const GpuTransposition size{others.count(),
                              read.elements,
                              written.elements,
                              from.factors[*fastWritten],
                              to.factors[fastRead],
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
