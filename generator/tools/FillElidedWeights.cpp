#include "tools/FillElidedWeights.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/Pass/Pass.h>

#include <random>

using namespace mlir;

namespace kgen {
namespace {

/// Numbers for elements of that type: floats from -1 to 1, integers from 0 to 7. What packs weights
/// does not care for more, and they may be indices.
template <typename Draw> SmallVector<Attribute> numbers(Type type, int64_t count, Draw draw) {
  Builder b(type.getContext());
  SmallVector<Attribute> list;
  for (int64_t i = 0; i < count; ++i)
    list.push_back(isa<FloatType>(type) ? Attribute(b.getFloatAttr(type, draw(2001) / 1000. - 1))
                                        : Attribute(b.getIntegerAttr(type, draw(8))));
  return list;
}

/// A text that elides the elements of constants gets some: as many as a weight has, so that it is
/// treated as one.
struct FillElidedWeights : PassWrapper<FillElidedWeights, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FillElidedWeights)

  StringRef getArgument() const override { return "kgen-fill-elided-weights"; }
  StringRef getDescription() const override {
    return "Put seeded numbers in the place of constants without elements, as --report leaves "
           "them.";
  }

  void runOnOperation() override {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](DenseResourceElementsAttr attr) -> std::optional<Attribute> {
      if (attr.getRawHandle().getBlob())
        return std::nullopt;
      return filled(attr);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true);
  }

private:
  /// A pattern of that many elements is repeated: weights may have millions.
  Attribute filled(DenseResourceElementsAttr attr) {
    constexpr int64_t period = 4093; // a prime, so that rows differ
    auto type = cast<ShapedType>(attr.getType());
    int64_t count = type.getNumElements();
    auto draw = [this](uint32_t end) { return static_cast<double>(generator() % end); };
    SmallVector<Attribute> some = numbers(type.getElementType(), std::min(count, period), draw);
    if (count == 0)
      return DenseElementsAttr::get(type, ArrayRef<Attribute>());
    auto head = cast<DenseElementsAttr>(
        DenseElementsAttr::get(type.clone({static_cast<int64_t>(some.size())}), some));
    ArrayRef<char> bytes = head.getRawData();
    size_t elementBytes = bytes.size() / some.size();
    SmallVector<char> all(count * elementBytes);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = bytes[i % bytes.size()];
    return DenseResourceElementsAttr::get(
        type, attr.getRawHandle().getKey(),
        HeapAsmResourceBlob::allocateAndCopyWithAlign(all, alignof(std::max_align_t)));
  }

  std::mt19937 generator{1};
};

} // namespace

void registerFillElidedWeights() { PassRegistration<FillElidedWeights>(); }

} // namespace kgen
