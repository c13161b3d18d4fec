#include "transforms/tiling/NodeTiles.h"

#include "dialect/kgen/Schedule.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/tiling/TileableOps.h"

using namespace mlir;

namespace kgen {

const TileKind taskTileKind{"tasks", &LoweringConfigAttr::getDistribution,
                            &LoweringConfigAttr::withDistribution};
const TileKind cacheTileKind{"caches", &LoweringConfigAttr::getCache,
                             &LoweringConfigAttr::withCache};

/// The loops that index the result, by its dimensions: n is the innermost one, m the one before it,
/// b, c, d ... those in front of them.
static std::map<std::string, unsigned> namedLoops(Operation *op) {
  std::map<std::string, unsigned> loops;
  AffineMap result = operandMap(op, op->getNumOperands() - 1);
  unsigned rank = result.getNumResults();
  for (unsigned position = 0; position < rank; ++position) {
    unsigned fromLast = rank - 1 - position;
    char name = fromLast < 2 ? "nm"[fromLast] : static_cast<char>('b' + position);
    loops[std::string(1, name)] = result.getDimPosition(position);
  }
  return loops;
}

/// The operation of a node in a block, or null. Fills are nobody's: equal ones are merged.
static Operation *operationOf(StringAttr node, ArrayRef<Operation *> block) {
  auto isProduct = [](Operation *op) { return isa_and_nonnull<tpp::ContractionOpInterface>(op); };
  Operation *found = nullptr;
  for (Operation *op : block) {
    bool readsTensor = llvm::any_of(op->getOperands().drop_back(), [](Value operand) {
      return isa<RankedTensorType>(operand.getType());
    });
    if (readsTensor && llvm::is_contained(namesIn(op->getLoc()), node) &&
        (isProduct(op) || !isProduct(found)))
      found = op;
  }
  return found;
}

static LogicalResult giveTiles(Operation *op, const TileKind &kind, DictionaryAttr sizes,
                               function_ref<InFlightDiagnostic()> emitError) {
  std::map<std::string, unsigned> loops = namedLoops(op);
  SmallVector<int64_t> whole = loopSizes(op), tiles(whole.size());
  for (NamedAttribute size : sizes) {
    auto loop = loops.find(size.getName().str());
    if (loop == loops.end()) {
      InFlightDiagnostic error = emitError() << "no loop '" << size.getName().getValue()
                                             << "' for '" << kind.key << "' here; its loops are ";
      llvm::interleaveComma(loops, error, [&](const auto &known) { error << known.first; });
      return error;
    }
    int64_t tile = cast<IntegerAttr>(size.getValue()).getInt();
    tiles[loop->second] = tile < whole[loop->second] ? tile : 0;
  }
  setLoweringConfig(op, (loweringConfigOrEmpty(op).*kind.with)(tiles));
  return success();
}

/// What a schedule decides on a node.
struct NodeDecision {
  func::FuncOp function;
  DictionaryAttr all;

  StringAttr node() const { return all.getAs<StringAttr>("node"); }
  /// "schedule 's': node 'y' has ", as an error that kgen reports at the node.
  InFlightDiagnostic emitError() {
    function->setAttr(failedScheduleAttrName, node());
    return mlir::emitError(NameLoc::get(node()))
           << "schedule '" << all.getAs<StringAttr>("schedule").getValue() << "': node '"
           << node().getValue() << "' has ";
  }
};

static SmallVector<NodeDecision> decisionsOf(func::FuncOp function) {
  SmallVector<NodeDecision> found;
  if (auto decisions = function->getAttrOfType<ArrayAttr>(nodeDecisionsAttrName))
    for (auto decision : decisions.getAsRange<DictionaryAttr>())
      found.push_back({function, decision});
  return found;
}

/// The operations of a node, one a block; of blocks without one there is none.
static SmallVector<Operation *> operationsOf(StringAttr node,
                                             ArrayRef<SmallVector<Operation *>> blocks) {
  SmallVector<Operation *> found;
  for (ArrayRef<Operation *> block : blocks)
    if (Operation *op = operationOf(node, block))
      found.push_back(op);
  return found;
}

/// The operation of a node if it is a product, or null.
static Operation *productOf(StringAttr node, ArrayRef<Operation *> ops) {
  Operation *op = operationOf(node, ops);
  return isa_and_nonnull<tpp::ContractionOpInterface>(op) ? op : nullptr;
}

LogicalResult giveTiles(func::FuncOp function, const TileKind &kind,
                        ArrayRef<SmallVector<Operation *>> blocks) {
  for (NodeDecision decision : decisionsOf(function)) {
    auto sizes = decision.all.getAs<DictionaryAttr>(kind.key);
    if (!sizes)
      continue;
    SmallVector<Operation *> ops = operationsOf(decision.node(), blocks);
    if (ops.empty())
      return decision.emitError() << "no operation that '" << kind.key << "' could tile";
    for (Operation *op : ops)
      if (failed(giveTiles(op, kind, sizes, [&] { return decision.emitError(); })))
        return failure();
  }
  return success();
}

LogicalResult giveRegisterTiles(func::FuncOp function, ArrayRef<Operation *> ops) {
  static constexpr TileKind registers{"registers", &LoweringConfigAttr::getVector,
                                      &LoweringConfigAttr::withVector};
  for (NodeDecision decision : decisionsOf(function)) {
    auto sizes = decision.all.getAs<DictionaryAttr>(registers.key);
    if (!sizes)
      continue;
    Operation *op = productOf(decision.node(), ops);
    if (!op)
      return decision.emitError() << "no product that 'registers' could tile";
    for (NamedAttribute size : sizes)
      if (size.getName() != "m" && size.getName() != "n")
        return decision.emitError() << "no loop '" << size.getName().getValue()
                                    << "' for 'registers'; its register tiles have rows, m, and "
                                       "columns, n";
    if (failed(giveTiles(op, registers, sizes, [&] { return decision.emitError(); })))
      return failure();
  }
  return success();
}

LogicalResult giveNonTemporal(func::FuncOp function, ArrayRef<SmallVector<Operation *>> blocks) {
  for (NodeDecision decision : decisionsOf(function)) {
    auto isNonTemporal = decision.all.getAs<BoolAttr>("non_temporal");
    if (!isNonTemporal)
      continue;
    SmallVector<Operation *> ops = operationsOf(decision.node(), blocks);
    if (ops.empty())
      return decision.emitError() << "no loops over vectors that 'non_temporal' could be for";
    for (Operation *op : ops)
      setLoweringConfig(op, loweringConfigOrEmpty(op).withNonTemporal(isNonTemporal.getValue()));
  }
  return success();
}

LogicalResult giveProviders(func::FuncOp function, ArrayRef<Operation *> ops) {
  for (NodeDecision decision : decisionsOf(function)) {
    auto provider = decision.all.getAs<StringAttr>("provider");
    if (!provider)
      continue;
    Operation *op = productOf(decision.node(), ops);
    if (!op)
      return decision.emitError() << "no product that a 'provider' could make micro-kernels for";
    setLoweringConfig(op, loweringConfigOrEmpty(op).withProvider(provider.getValue()));
  }
  return success();
}

void recordTiles(const TileKind &kind, ArrayRef<SmallVector<Operation *>> blocks,
                 DecisionLog &log) {
  if (!log.isOn())
    return;
  for (ArrayRef<Operation *> block : blocks)
    for (Operation *op : block) {
      LoweringConfigAttr config = loweringConfigOf(op);
      DenseI64ArrayAttr tiles = config ? (config.*kind.get)() : DenseI64ArrayAttr();
      if (!tiles)
        continue;
      SmallVector<Location> nodes; // for which a schedule could say it
      for (StringAttr name : namesIn(op->getLoc()))
        if (operationOf(name, block) == op)
          nodes.push_back(NameLoc::get(name));
      Builder b(op->getContext());
      SmallVector<NamedAttribute> sizes;
      for (const auto &[loop, number] : namedLoops(op))
        if (tiles[number] != 0)
          sizes.push_back(b.getNamedAttr(loop, b.getI64IntegerAttr(tiles[number])));
      log.add("tiles", FusedLoc::get(op->getContext(), nodes),
              log.details().set("key", kind.key).set("sizes", b.getDictionaryAttr(sizes)));
    }
}

} // namespace kgen
