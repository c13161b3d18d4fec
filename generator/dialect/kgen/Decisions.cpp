#include "dialect/kgen/Decisions.h"

#include <mlir/IR/Location.h>
#include <mlir/IR/TypeUtilities.h>

#include <llvm/ADT/SetVector.h>

using namespace mlir;

namespace kgen {

void startDecisions(ModuleOp module) {
  module->setAttr(decisionsAttrName, ArrayAttr::get(module.getContext(), {}));
}

SmallVector<DictionaryAttr> takeDecisions(ModuleOp module) {
  SmallVector<DictionaryAttr> decisions;
  auto take = [&](Operation *op) {
    if (auto list = dyn_cast_or_null<ArrayAttr>(op->removeAttr(decisionsAttrName)))
      for (auto decision : list.getAsRange<DictionaryAttr>())
        decisions.push_back(decision);
  };
  for (Operation &op : *module.getBody())
    take(&op);
  take(module);
  return decisions;
}

SmallVector<StringAttr> namesIn(Location loc) {
  llvm::SetVector<StringAttr, SmallVector<StringAttr>> names;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.insert(name.getName());
    return WalkResult::advance();
  });
  return names.takeVector();
}

Location gatherLocation(Operation *op) {
  MLIRContext *context = op->getContext();
  llvm::SetVector<Location, SmallVector<Location>> parts;
  auto gather = [&](Location loc) {
    for (StringAttr name : namesIn(loc))
      parts.insert(NameLoc::get(name));
  };
  // A producer's operations come first in a fused body; its arguments stand for a body without any
  // (the ingress gives them their operation's location).
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        gather(argument.getLoc());
      for (Operation &inner : block)
        gather(gatherLocation(&inner));
    }
  gather(op->getLoc());
  if (parts.size() < 2)
    return op->getLoc();
  return FusedLoc::get(context, parts.getArrayRef());
}

namespace {
constexpr StringLiteral purposeKey = "purpose", stepKey = "step";

Location annotate(Location loc, StringRef key, Attribute value) {
  MLIRContext *context = loc.getContext();
  NamedAttribute entry(StringAttr::get(context, key), value);
  return FusedLoc::get({loc}, DictionaryAttr::get(context, entry), context);
}

/// The outermost annotation of that name, or null.
Attribute annotation(Location loc, StringRef key) {
  Attribute found;
  loc->walk([&](Location part) {
    if (auto fused = dyn_cast<FusedLoc>(part))
      if (auto table = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()))
        found = table.get(key);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
} // namespace

Location withPurpose(Location loc, StringRef purpose) {
  return annotate(loc, purposeKey, StringAttr::get(loc.getContext(), purpose));
}

StringRef purposeOf(Location loc) {
  auto purpose = dyn_cast_or_null<StringAttr>(annotation(loc, purposeKey));
  return purpose ? purpose.getValue() : StringRef();
}

Location withStep(Location loc, int64_t step) {
  return annotate(loc, stepKey, Builder(loc.getContext()).getI64IntegerAttr(step));
}

std::optional<int64_t> stepOf(Location loc) {
  if (auto step = dyn_cast_or_null<IntegerAttr>(annotation(loc, stepKey)))
    return step.getInt();
  return std::nullopt;
}

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || !shaped.getElementType().isIntOrFloat())
    return 0;
  return llvm::divideCeil(shaped.getElementTypeBitWidth(), 8) * shaped.getNumElements();
}

int64_t bytesOfElement(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }

DecisionLog::DecisionLog(Operation *root, StringRef pass) : root(root), pass(pass), on(false) {
  for (Operation *op = root; op && !on; op = op->getParentOp())
    on = isa<ModuleOp>(op) && op->hasAttr(decisionsAttrName);
}

DecisionLog::~DecisionLog() {
  if (decisions.empty())
    return;
  SmallVector<Attribute> all;
  if (auto before = root->getAttrOfType<ArrayAttr>(decisionsAttrName))
    all.assign(before.begin(), before.end());
  all.append(decisions);
  root->setAttr(decisionsAttrName, ArrayAttr::get(root->getContext(), all));
}

void DecisionLog::add(StringRef kind, Location nodes, const Details &more) {
  if (!on)
    return;
  Details decision = details();
  decision.set("pass", pass).set("kind", kind).setNames("nodes", nodes);
  if (StringRef purpose = purposeOf(nodes); !purpose.empty())
    decision.set("purpose", purpose);
  if (std::optional<int64_t> step = stepOf(nodes))
    decision.set("step", *step);
  decision.set("details", more.get());
  decisions.push_back(decision.get());
}

} // namespace kgen
