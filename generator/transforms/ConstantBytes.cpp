#include "transforms/ConstantBytes.h"

#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {

ArrayRef<char> constantBytes(ElementsAttr constant, SmallVectorImpl<char> &storage) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (!dense)
    return {};
  if (!dense.isSplat())
    return dense.getRawData();
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    storage.append(dense.getRawData().begin(), dense.getRawData().end());
  return storage;
}

} // namespace kgen
