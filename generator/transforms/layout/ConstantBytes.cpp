#include "transforms/layout/ConstantBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/SmallPtrSet.h>

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

static SmallVector<DenseResourceElementsAttr> resourcesOf(Operation *module) {
  SmallVector<DenseResourceElementsAttr> resources;
  module->walk([&](arith::ConstantOp constant) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      resources.push_back(resource);
  });
  return resources;
}

FreeUnusedResources::FreeUnusedResources(Operation *module)
    : module(module), before(resourcesOf(module)) {}

FreeUnusedResources::~FreeUnusedResources() {
  llvm::SmallPtrSet<void *, 8> used;
  for (DenseResourceElementsAttr resource : resourcesOf(module))
    used.insert(resource.getRawHandle().getResource());
  for (DenseResourceElementsAttr resource : before)
    if (!used.contains(resource.getRawHandle().getResource()))
      resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
}

} // namespace kgen
