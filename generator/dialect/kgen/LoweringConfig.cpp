#include "dialect/kgen/LoweringConfig.h"

using namespace mlir;

namespace kgen {

LoweringConfigAttr loweringConfigOf(Operation *op) {
  return op->getDiscardableAttr(loweringConfigAttrName)
             ? dyn_cast<LoweringConfigAttr>(op->getDiscardableAttr(loweringConfigAttrName))
             : LoweringConfigAttr();
}

LoweringConfigAttr loweringConfigOrEmpty(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config ? config : LoweringConfigAttr::get(op->getContext(), {}, {}, {}, {}, {}, {}, {});
}

DenseI64ArrayAttr taskTilesOf(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config ? config.getDistribution() : DenseI64ArrayAttr();
}

DenseI64ArrayAttr cacheTilesOf(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config ? config.getCache() : DenseI64ArrayAttr();
}

bool isUntiled(ArrayRef<int64_t> tiles) {
  return llvm::all_of(tiles, [](int64_t tile) { return tile == 0; });
}

void setLoweringConfig(Operation *op, LoweringConfigAttr config) {
  op->setDiscardableAttr(loweringConfigAttrName, config);
}

LogicalResult LoweringConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         DenseI64ArrayAttr distribution, DenseI64ArrayAttr cache,
                                         DenseI64ArrayAttr vector, BoolAttr, BoolAttr, StringAttr,
                                         StringAttr) {
  std::optional<size_t> loops;
  for (DenseI64ArrayAttr tiles : {distribution, cache, vector}) {
    if (!tiles)
      continue;
    for (int64_t tile : tiles.asArrayRef())
      if (tile < 0)
        return emitError() << "tile sizes are positive, or 0 for loops that stay whole, found "
                           << tile;
    if (loops && *loops != static_cast<size_t>(tiles.size()))
      return emitError() << "each list has a size for each loop of the operation, found " << *loops
                         << " and " << tiles.size();
    loops = tiles.size();
  }
  return success();
}

LoweringConfigAttr LoweringConfigAttr::withDistribution(ArrayRef<int64_t> tiles) const {
  return get(getContext(), DenseI64ArrayAttr::get(getContext(), tiles), getCache(), getVector(),
             getUnroll(), getNonTemporal(), getStrategy(), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withCache(ArrayRef<int64_t> tiles) const {
  return get(getContext(), getDistribution(), DenseI64ArrayAttr::get(getContext(), tiles),
             getVector(), getUnroll(), getNonTemporal(), getStrategy(), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withVector(ArrayRef<int64_t> sizes) const {
  return get(getContext(), getDistribution(), getCache(),
             DenseI64ArrayAttr::get(getContext(), sizes), getUnroll(), getNonTemporal(),
             getStrategy(), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withUnroll(bool unroll) const {
  return get(getContext(), getDistribution(), getCache(), getVector(),
             BoolAttr::get(getContext(), unroll), getNonTemporal(), getStrategy(), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withNonTemporal(bool nonTemporal) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             BoolAttr::get(getContext(), nonTemporal), getStrategy(), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withStrategy(StringRef strategy) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             getNonTemporal(), StringAttr::get(getContext(), strategy), getProvider());
}

LoweringConfigAttr LoweringConfigAttr::withProvider(StringRef provider) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             getNonTemporal(), getStrategy(), StringAttr::get(getContext(), provider));
}

} // namespace kgen
