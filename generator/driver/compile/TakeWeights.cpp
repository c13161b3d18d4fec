#include "driver/compile/TakeWeights.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {

std::vector<WeightBlob> takeWeights(ModuleOp module) {
  std::vector<WeightBlob> weights;
  auto table = module->getAttrOfType<DictionaryAttr>("kgen.weights");
  if (!table)
    return weights;
  // Constants of several shapes may have one resource.
  llvm::DenseMap<void *, std::shared_ptr<const AsmResourceBlob>> taken;
  for (NamedAttribute entry : table) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(entry.getValue());
    void *owner = resource ? static_cast<void *>(resource.getRawHandle().getResource()) : nullptr;
    std::shared_ptr<const AsmResourceBlob> data = owner ? taken.lookup(owner) : nullptr;
    if (!data && resource) {
      AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      data = taken[owner] = std::make_shared<const AsmResourceBlob>(std::move(*blob));
    } else if (!data) {
      ArrayRef<char> bytes = cast<DenseElementsAttr>(entry.getValue()).getRawData();
      data = std::make_shared<const AsmResourceBlob>(
          HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignof(std::max_align_t)));
    }
    weights.push_back({entry.getName().str(), std::move(data)});
  }
  module->removeAttr("kgen.weights");
  return weights;
}

} // namespace kgen
