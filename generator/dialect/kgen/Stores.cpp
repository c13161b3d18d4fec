#include "dialect/kgen/Stores.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/Diagnostics.h>

#include "dialect/kgen/StoresEnums.cpp.inc"

using namespace mlir;

namespace kgen {

std::optional<Stores> writtenStores(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(storesAttrName);
  return text ? symbolizeStores(text.getValue()) : std::nullopt;
}

void writeStores(Operation *op, Stores stores) {
  op->setDiscardableAttr(storesAttrName,
                         StringAttr::get(op->getContext(), stringifyStores(stores)));
}

LogicalResult verifyStores(Operation *op) {
  Attribute written = op->getDiscardableAttr(storesAttrName);
  if (!written || writtenStores(op))
    return success();
  return op->emitOpError() << "has the unknown " << storesAttrName << " " << written
                           << "; \"cached\", or some of memory, along_rows and across_rows with | "
                              "between them, were expected";
}

bool usesMemory(Stores stores) { return bitEnumContainsAny(stores, Stores::memory); }

Stores nonTemporalOrders(Stores stores) {
  return stores & (Stores::alongRows | Stores::acrossRows);
}

} // namespace kgen
