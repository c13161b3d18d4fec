#include "transforms/gpu/Product.h"

#include <mlir/IR/BuiltinTypes.h>

using namespace mlir;

namespace kgen::gpu_kernels {

/// A or B of a contraction that reads `operand` by `map`.
static std::optional<Factor> factorOf(Value operand, AffineMap map) {
  Factor factor;
  SmallVector<int64_t> low(map.getNumResults(), 0);
  factor.memref = operand;
  auto pad = operand.getDefiningOp<tpp::ImplicitPadOp>();
  if (pad) {
    factor.memref = pad.getSource();
    low.assign(pad.getLow().begin(), pad.getLow().end());
  }
  std::optional<FlatMemory> flat = flatten(factor.memref);
  std::optional<SmallVector<LinearForm>> indices = linearFormsOf(map);
  if (!flat || !indices)
    return std::nullopt;
  for (auto [index, before] : llvm::zip_equal(*indices, low))
    index.constant -= before;
  factor.address = addressForm(*flat, *indices, map.getNumDims());
  auto shape = cast<MemRefType>(factor.memref.getType()).getShape();
  for (size_t d = 0; d < shape.size() && pad; ++d)
    if (pad.getLow()[d] != 0 || pad.getHigh()[d] != 0)
      factor.bounds.push_back({(*indices)[d], shape[d]});
  return factor;
}

std::optional<Product> productOf(tpp::ContractionOpInterface op, std::string &reason) {
  if (op.getPanel() || op.getVnni() != 1 || op.getBQuant()) {
    reason = "is of packed or quantized matrices";
    return std::nullopt;
  }
  Type sumType = cast<tpp::TileOpInterface>(op.getOperation()).getAccumulatorType();
  if (!isa<FloatType>(sumType)) {
    reason = "is of integers, which products on graphics cards are not made of yet";
    return std::nullopt;
  }
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  SmallVector<int64_t> sizes = tile.getIterationSizes();
  if (llvm::any_of(sizes, ShapedType::isDynamic)) {
    reason = "has sizes that are known at run time only";
    return std::nullopt;
  }
  std::optional<Factor> a = factorOf(op.getA(), op.getAMap()),
                        b = factorOf(op.getB(), op.getBMap());
  if (!a || !b || !flatten(op.getInit()) ||
      llvm::any_of(op.getEpilogueIns(), [](Value value) { return !flatten(value); })) {
    reason = "has a tensor whose place in memory is known at run time only, or of 2^31 elements "
             "and more";
    return std::nullopt;
  }
  SmallVector<unsigned> batch, m, n, k;
  const unsigned parallel = sizes.size() - op.getReductionRank();
  for (unsigned d = 0; d < sizes.size(); ++d) {
    bool inA = op.getAMap().isFunctionOfDim(d), inB = op.getBMap().isFunctionOfDim(d);
    (d >= parallel ? k : inA == inB ? batch : inA ? m : n).push_back(d);
  }
  return Product{op,
                 sizes,
                 FlatLoops(batch, sizes),
                 FlatLoops(m, sizes),
                 FlatLoops(n, sizes),
                 FlatLoops(k, sizes),
                 std::move(*a),
                 std::move(*b),
                 sumType};
}

int64_t Product::sumRegisters() const {
  return llvm::divideCeil(sumType.getIntOrFloatBitWidth(), 32);
}

std::vector<GpuTileOffer> tileOffers(GpuFacts gpu, const Product &product) {
  gpu.sharedBytes /= product.sumRegisters();
  gpu.sharedBytesOfCore /= product.sumRegisters();
  return gpuTileOffers(gpu, product.size());
}

} // namespace kgen::gpu_kernels
