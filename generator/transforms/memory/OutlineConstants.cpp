// Weights leave the module: equal ones become one symbol that all variants refer to.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "support/Sha256.h"
#include "transforms/memory/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_OUTLINECONSTANTSPASS
#include "transforms/memory/Passes.h.inc"

namespace {

/// The bytes of a constant; empty if it is a splat, or has no value.
ArrayRef<char> rawBytes(Attribute value) {
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value);
  return dense && !dense.isSplat() ? dense.getRawData() : ArrayRef<char>();
}

/// 128 bits of the hash of the type and the bytes, in hex.
std::string contentHash(Type type, ArrayRef<char> bytes) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  Sha256 hash;
  hash.add(text);
  hash.add({bytes.data(), bytes.size()});
  return hash.hex().substr(0, 32);
}

/// Records that the constant is stored under `symbol`: as a "weight" of the library, or as a
/// "constant" in the graph's object. Its nodes are those of the global and of all that read it,
/// since one global stands for equal constants.
void record(DecisionLog &log, StringRef kind, StringRef symbol, memref::GlobalOp global,
            ArrayRef<memref::GetGlobalOp> uses) {
  if (!log.isOn())
    return;
  SmallVector<Location> locations{global.getLoc()};
  for (memref::GetGlobalOp use : uses)
    if (use.getName() == global.getSymName())
      locations.push_back(use.getLoc());
  log.add(kind, FusedLoc::get(locations, {}, global.getContext()),
          log.details()
              .set("symbol", symbol)
              .set("bytes", bytesOf(global.getType()))
              .set("type", TypeAttr::get(global.getType())));
}

struct OutlineConstantsPass : impl::OutlineConstantsPassBase<OutlineConstantsPass> {
  using OutlineConstantsPassBase::OutlineConstantsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    llvm::StringMap<StringAttr> renamed;
    llvm::StringMap<Attribute> weights;
    DecisionLog log(module, getArgument());
    SmallVector<memref::GlobalOp> globals(module.getOps<memref::GlobalOp>());
    SmallVector<memref::GetGlobalOp> uses;
    module.walk([&](memref::GetGlobalOp use) { uses.push_back(use); });
    for (memref::GlobalOp global : globals) {
      Attribute value = global.getInitialValueAttr();
      ArrayRef<char> bytes = rawBytes(value);
      if (!global.getConstant() || static_cast<int64_t>(bytes.size()) < minBytes) {
        if (global.getConstant() && value)
          record(log, "constant", global.getSymName(), global, uses);
        ++numKept;
        continue;
      }
      std::string symbol = prefix + contentHash(global.getType(), bytes);
      renamed[global.getSymName()] = builder.getStringAttr(symbol);
      record(log, "weight", symbol, global, uses);
      if (!weights.try_emplace(symbol, value).second) {
        global.erase();
        ++numDuplicates;
        continue;
      }
      ++numOutlined;
      global.setSymName(symbol);
      global.removeInitialValueAttr();
      global.setSymVisibilityAttr(builder.getStringAttr("public"));
    }
    for (memref::GetGlobalOp use : uses)
      if (auto found = renamed.find(use.getName()); found != renamed.end())
        use.setNameAttr(FlatSymbolRefAttr::get(found->second));
    NamedAttrList list(module->getAttrOfType<DictionaryAttr>("kgen.weights"));
    for (auto &entry : weights)
      list.set(entry.getKey(), entry.getValue());
    module->setAttr("kgen.weights", list.getDictionary(&getContext()));
  }
};

} // namespace
} // namespace kgen
