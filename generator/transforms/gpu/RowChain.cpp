// Chains of operations that are one kernel on rows.
#include "transforms/gpu/Kernels.h"
#include "transforms/gpu/RowChainCode.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

constexpr int64_t leastTerms = 8;  ///< fewer are added up by one thread
constexpr int64_t slotsWanted = 4; ///< elements that a thread should have: each is a load under way
constexpr int64_t slotsAtMost = 16;   ///< beyond that, registers do not last
constexpr int64_t usualThreads = 256; ///< of a block: eight subgroups of 32

int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// True if neighbours in a row are neighbours in memory, in one of the inputs.
bool hasContiguousRows(const GenericLoops &loops) {
  FlatLoops elements(loops.reduced, loops.sizes);
  return llvm::any_of(loops.inputs, [&](const LoopOperand &input) {
    return input.address && elements.innerFactor(*input.address) == 1 &&
           elements.innerRun(*input.address) >= leastTerms;
  });
}

/// True if the loops that are summed over come last.
bool hasReducedLoopsLast(const GenericLoops &loops) {
  return loops.parallel.empty() || loops.reduced.empty() ||
         loops.parallel.back() < loops.reduced.front();
}

} // namespace

Operation *combinerOf(const GenericLoops &loops, unsigned number) {
  SmallVector<Operation *> combiners;
  linalg::GenericOp op = loops.op;
  if (!matchReduction(op.getRegionOutputArgs(), number, combiners) || combiners.size() != 1 ||
      !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

RowRole roleOf(const GenericLoops &loops, int64_t rows, int64_t elements) {
  if (!loops.reduced.empty()) {
    bool fits = loops.points() == rows && loops.terms() == elements && hasReducedLoopsLast(loops);
    return fits ? RowRole::sum : RowRole::none;
  }
  // The first loops count rows, the others elements.
  return loops.points() == rows * elements && prefixWith(loops.sizes, rows) ? RowRole::element
         : loops.points() == rows                                           ? RowRole::row
                                                                            : RowRole::none;
}

std::optional<size_t> prefixWith(ArrayRef<int64_t> sizes, int64_t points) {
  int64_t product = 1;
  for (size_t i = 0; i <= sizes.size(); ++i) {
    // Loops of one iteration belong to what comes before them.
    if (product == points && (i == sizes.size() || sizes[i] != 1))
      return i;
    if (i < sizes.size())
      product *= sizes[i];
  }
  return std::nullopt;
}

bool isInOrder(const LoopOperand &operand, ArrayRef<int64_t> sizes, size_t loops) {
  if (!operand.address)
    return false;
  int64_t factor = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t expected = i < loops ? factor : 0;
    if (sizes[i] != 1 && operand.address->factors[i] != expected)
      return false;
    if (i < loops)
      factor *= sizes[i];
  }
  return true;
}

std::optional<RowChain> RowChain::begin(const GpuFacts &gpu, GenericLoops loops) {
  if (loops.reduced.empty() || loops.terms() < leastTerms || !hasContiguousRows(loops))
    return std::nullopt;
  RowChain made;
  for (unsigned loop : loops.parallel)
    made.rowSizes.push_back(loops.sizes[loop]);
  for (unsigned loop : loops.reduced)
    made.elementSizes.push_back(loops.sizes[loop]);
  const int64_t elements = productOf(made.elementSizes);
  int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(elements, slotsWanted));
  made.threads = std::clamp<int64_t>(threads, leastTerms, usualThreads);
  while (llvm::divideCeil(elements, made.threads) > slotsAtMost &&
         2 * made.threads <= gpu.threadsOfBlock)
    made.threads *= 2;
  made.slots = llvm::divideCeil(elements, made.threads);
  made.isLong = made.slots > slotsAtMost;
  if (made.isLong)
    made.slots = slotsWanted;
  if (!made.add(std::move(loops)))
    return std::nullopt;
  return made;
}

std::optional<RowChain> RowChain::begin(const GpuFacts &gpu, GenericLoops first,
                                        GenericLoops second) {
  std::optional<RowChain> made = begin(gpu, second);
  if (!made)
    return std::nullopt;
  made->chain.clear();
  if (!made->add(std::move(first)) || !made->add(std::move(second)))
    return std::nullopt;
  return made;
}

/// True if what is computed where it is read, in a long row, is the same there: nothing that comes
/// after an elementwise operation overwrites what that reads.
bool RowChain::leavesSources(const GenericLoops &loops) const {
  auto isWritten = [&](Value memref) {
    return llvm::any_of(loops.outputs, [&](const LoopOperand &output) {
      return flatten(output.memref)->root == flatten(memref)->root;
    });
  };
  return llvm::none_of(chain, [&](const GenericLoops &earlier) {
    return roleOf(earlier, productOf(rowSizes), productOf(elementSizes)) == RowRole::element &&
           llvm::any_of(earlier.memrefs(), isWritten);
  });
}

bool RowChain::fits(const GenericLoops &loops) const {
  RowRole role = roleOf(loops, productOf(rowSizes), productOf(elementSizes));
  if (role == RowRole::none)
    return false;
  if (isLong && !leavesSources(loops))
    return false;
  for (unsigned number = 0; number < loops.outputs.size(); ++number)
    if (isLong && role == RowRole::element && loops.readsOutput(number))
      return false;
  for (unsigned number = 0; number < loops.outputs.size(); ++number)
    if (role == RowRole::sum && !combinerOf(loops, number))
      return false;
  auto countedLoops = [](const GenericLoops &of, RowRole role) {
    return role == RowRole::element ? of.sizes.size() : of.parallel.size();
  };
  for (const GenericLoops &earlier : chain) {
    RowRole before = roleOf(earlier, productOf(rowSizes), productOf(elementSizes));
    // Results of the chain are read by the thread that wrote them.
    for (const LoopOperand &output : earlier.outputs) {
      Value root = flatten(output.memref)->root;
      for (Value memref : capturesOf(loops.op).memrefs)
        if (flatten(memref)->root == root)
          return false;
      for (const auto &operands : {loops.inputs, loops.outputs})
        for (const LoopOperand &operand : operands) {
          if (!operand.memref || flatten(operand.memref)->root != root)
            continue;
          const bool isOfRow = before != RowRole::element;
          const bool isSame = operand.address && output.address &&
                              operand.address->constant == output.address->constant &&
                              isInOrder(output, earlier.sizes, countedLoops(earlier, before)) &&
                              isInOrder(operand, loops.sizes,
                                        isOfRow ? *prefixWith(loops.sizes, productOf(rowSizes))
                                                : loops.sizes.size());
          // One thread has all elements of a row only as sums of these.
          if (!isSame || (!isOfRow && role == RowRole::row))
            return false;
        }
    }
    // No other thread overwrites what is read, before.
    for (const LoopOperand &output : loops.outputs) {
      Value root = flatten(output.memref)->root;
      for (Value memref : earlier.memrefs())
        if (flatten(memref)->root == root &&
            llvm::none_of(earlier.outputs,
                          [&](const LoopOperand &own) { return own.memref == memref; }))
          return false;
    }
  }
  return true;
}

bool RowChain::add(GenericLoops loops) {
  if (!fits(loops))
    return false;
  chain.push_back(std::move(loops));
  return true;
}

BuiltKernel RowChain::build(gpu::GPUModuleOp module, StringRef name) const {
  const int64_t rows = productOf(rowSizes);
  RowShape shape{rows, productOf(elementSizes), threads, slots,
                 std::max<int64_t>(1, std::min(usualThreads / threads, rows))};
  return buildRowKernel(module, name, chain, shape);
}

} // namespace kgen::gpu_kernels
