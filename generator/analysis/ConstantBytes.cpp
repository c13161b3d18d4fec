#include "analysis/ConstantBytes.h"

#include <mlir/IR/DialectResourceBlobManager.h>

#include <cstring>

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

double numberAt(ArrayRef<char> bytes, Type element, int64_t i) {
  auto read = [&](auto number) {
    assert((i + 1) * sizeof number <= bytes.size() && "an element of the constant");
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    return static_cast<double>(number);
  };
  if (element.isF32())
    return read(0.0F);
  if (element.isF64())
    return read(0.0);
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return read(int8_t());
  case 16:
    return read(int16_t());
  case 32:
    return read(int32_t());
  default:
    return read(int64_t());
  }
}

} // namespace kgen
