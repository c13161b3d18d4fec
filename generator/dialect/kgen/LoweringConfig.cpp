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
  return config ? config
                : LoweringConfigAttr::get(op->getContext(), {}, {}, {}, {}, {}, {}, {}, {});
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

StringRef layoutOf(Operation *op, StringRef operand) {
  LoweringConfigAttr config = loweringConfigOf(op);
  auto form =
      config && config.getLayout() ? config.getLayout().getAs<StringAttr>(operand) : StringAttr();
  return form ? form.getValue() : StringRef();
}

void setLoweringConfig(Operation *op, LoweringConfigAttr config) {
  op->setDiscardableAttr(loweringConfigAttrName, config);
}

LogicalResult LoweringConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         DenseI64ArrayAttr distribution, DenseI64ArrayAttr cache,
                                         DenseI64ArrayAttr vector, std::optional<int64_t> unroll,
                                         BoolAttr, StringAttr, StringAttr, DictionaryAttr layout) {
  for (NamedAttribute operand : layout ? layout.getValue() : ArrayRef<NamedAttribute>()) {
    auto form = dyn_cast<StringAttr>(operand.getValue());
    if (operand.getName() != "rhs" || !form ||
        (form.getValue() != "packed" && form.getValue() != "plain"))
      return emitError() << "operand 'rhs' may be packed or plain, found '"
                         << operand.getName().getValue() << "' of " << operand.getValue();
  }
  if (unroll.value_or(0) < 0)
    return emitError() << "an iteration does one vector or more, or 0 for all of them, found "
                       << *unroll;
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
             getUnroll(), getNonTemporal(), getStrategy(), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withCache(ArrayRef<int64_t> tiles) const {
  return get(getContext(), getDistribution(), DenseI64ArrayAttr::get(getContext(), tiles),
             getVector(), getUnroll(), getNonTemporal(), getStrategy(), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withVector(ArrayRef<int64_t> sizes) const {
  return get(getContext(), getDistribution(), getCache(),
             DenseI64ArrayAttr::get(getContext(), sizes), getUnroll(), getNonTemporal(),
             getStrategy(), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withUnroll(int64_t vectors) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), vectors, getNonTemporal(),
             getStrategy(), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withNonTemporal(bool nonTemporal) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             BoolAttr::get(getContext(), nonTemporal), getStrategy(), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withStrategy(StringRef strategy) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             getNonTemporal(), StringAttr::get(getContext(), strategy), getProvider(), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withProvider(StringRef provider) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             getNonTemporal(), getStrategy(), StringAttr::get(getContext(), provider), getLayout());
}

LoweringConfigAttr LoweringConfigAttr::withLayout(DictionaryAttr layout) const {
  return get(getContext(), getDistribution(), getCache(), getVector(), getUnroll(),
             getNonTemporal(), getStrategy(), getProvider(), layout);
}

} // namespace kgen
