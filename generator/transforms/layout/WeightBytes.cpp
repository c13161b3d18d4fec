#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Support/xxhash.h>

#include <memory>
#include <mutex>
#include <unordered_map>

using namespace mlir;

namespace kgen {

void addBytesToSums(ArrayRef<int64_t> shape, ArrayRef<int64_t> sumStrides, const char *source,
                    bool isUnsigned, MutableArrayRef<uint32_t> sums) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = ShapedType::getNumElements(shape), inner = shape.empty() ? 1 : shape.back(),
          stride = shape.empty() ? 0 : sumStrides.back(), first = 0;
  for (int64_t i = 0; i < count; i += inner) {
    for (int64_t j = 0; j < inner; ++j) {
      auto byte = static_cast<uint8_t>(source[i + j]);
      sums[first + j * stride] +=
          isUnsigned ? byte : static_cast<uint32_t>(static_cast<int8_t>(byte));
    }
    for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d) {
      first += sumStrides[d];
      if (++index[d] < shape[d])
        break;
      first -= sumStrides[d] * shape[d];
      index[d] = 0;
    }
  }
}

void advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  assert(index.size() == shape.size() && "an index of the tensor");
  for (auto d = static_cast<int64_t>(shape.size()) - 1; d >= 0 && ++index[d] == shape[d]; --d)
    index[d] = 0;
}

AsmResourceBlob shared(AsmResourceBlob blob) {
  using Owner = std::shared_ptr<const AsmResourceBlob>;
  static std::mutex mutex;
  static std::unordered_multimap<uint64_t, std::weak_ptr<const AsmResourceBlob>> known;
  ArrayRef<char> bytes = blob.getData();
  uint64_t hash =
      llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  std::lock_guard<std::mutex> lock(mutex);
  Owner owner;
  auto [begin, end] = known.equal_range(hash);
  for (auto it = begin; it != end && !owner;) {
    Owner other = it->second.lock();
    it = other ? std::next(it) : known.erase(it);
    if (other && other->getData() == bytes)
      owner = std::move(other);
  }
  if (!owner) {
    owner = std::make_shared<const AsmResourceBlob>(std::move(blob));
    known.emplace(hash, owner);
  }
  return AsmResourceBlob(
      owner->getData(), owner->getDataAlignment(), [owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
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
