#include "dialect/kgen/DecisionLog.h"

#include "dialect/kgen/DebugOutput.h"

#include <mlir/IR/Location.h>

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
  loc->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner))
      names.insert(name.getName());
    return WalkResult::advance();
  });
  return names.takeVector();
}

Location gatherLocation(Operation *op) {
  MLIRContext *context = op->getContext();
  llvm::SetVector<Location, SmallVector<Location>> names;
  auto gather = [&](Location loc) {
    for (StringAttr name : namesIn(loc))
      names.insert(NameLoc::get(name));
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
  if (names.size() < 2)
    return op->getLoc();
  return FusedLoc::get(context, names.getArrayRef());
}

namespace {
constexpr StringLiteral purposeKey = "purpose", opIdKey = "step";

Location annotate(Location loc, StringRef key, Attribute value) {
  MLIRContext *context = loc.getContext();
  NamedAttribute entry(StringAttr::get(context, key), value);
  return FusedLoc::get({loc}, DictionaryAttr::get(context, entry), context);
}

/// The outermost annotation of that name, or null.
Attribute annotation(Location loc, StringRef key) {
  Attribute found;
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
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

Location withOpId(Location loc, int64_t id) {
  return annotate(loc, opIdKey, Builder(loc.getContext()).getI64IntegerAttr(id));
}

std::optional<int64_t> opIdOf(Location loc) {
  if (auto id = dyn_cast_or_null<IntegerAttr>(annotation(loc, opIdKey)))
    return id.getInt();
  return std::nullopt;
}

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

namespace {
/// True for decisions not to do something.
bool isRefusal(StringRef kind) {
  return kind == "refused" || kind == "not-pipelined" || kind == "lost-tiles" ||
         kind == "dequantized";
}
} // namespace

void DecisionLog::add(StringRef kind, Location nodes, const Details &more) {
  if (isDebugged() && isRefusal(kind))
    if (auto why = more.get().getAs<StringAttr>("why"))
      traceRefusal(nodes, why.getValue());
  if (!on)
    return;
  Details decision = details();
  decision.set("pass", pass).set("kind", kind).setNames("nodes", nodes);
  if (StringRef purpose = purposeOf(nodes); !purpose.empty())
    decision.set("purpose", purpose);
  if (std::optional<int64_t> id = opIdOf(nodes))
    decision.set("step", *id);
  decision.set("details", more.get());
  decisions.push_back(decision.get());
}

void RepeatedWork::add(Value value, Location user, StringRef what, StringRef form, int64_t bytes) {
  if (!log.isOn())
    return;
  SmallVector<Made> &before = made[value];
  auto *same = llvm::find_if(before, [&](const Made &other) { return other.form == form; });
  if (!before.empty()) {
    const Made &first = same == before.end() ? before.front() : *same;
    log.add("repeated", user,
            log.details()
                .set("what", what)
                .set("same", static_cast<int64_t>(same != before.end()))
                .setNames("first", first.user)
                .setNames("operand", value.getLoc())
                .set("bytes", bytes));
  }
  before.push_back({user, form.str()});
}

} // namespace kgen
