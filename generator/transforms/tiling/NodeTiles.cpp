#include "transforms/tiling/NodeTiles.h"

#include "analysis/NodeDecisions.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/tiling/TileableOps.h"

using namespace mlir;

namespace kgen {

const TileKind taskTileKind{"tasks", &LoweringConfigAttr::getDistribution,
                            &LoweringConfigAttr::withDistribution};
const TileKind cacheTileKind{"caches", &LoweringConfigAttr::getCache,
                             &LoweringConfigAttr::withCache};
const TileKind registerTileKind{"registers", &LoweringConfigAttr::getVector,
                                &LoweringConfigAttr::withVector};

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

/// As a schedule says it.
static std::string unrollText(int64_t unroll) {
  return unroll == 0 ? "all" : std::to_string(unroll);
}

static LogicalResult applyUserTiles(Operation *op, const TileKind &kind, DictionaryAttr sizes,
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

LogicalResult applyUserTiles(func::FuncOp function, const TileKind &kind,
                             ArrayRef<SmallVector<Operation *>> blocks) {
  for (NodeDecision decision : nodeDecisionsOf(function)) {
    auto sizes = decision.all.getAs<DictionaryAttr>(kind.key);
    if (!sizes)
      continue;
    SmallVector<Operation *> ops = operationsOf(decision.node(), blocks);
    if (ops.empty())
      return decision.emitError() << "no operation that '" << kind.key << "' could tile";
    for (Operation *op : ops)
      if (failed(applyUserTiles(op, kind, sizes, [&] { return decision.emitError(); })))
        return failure();
  }
  return success();
}

LogicalResult applyUserRegisterTiles(func::FuncOp function, ArrayRef<Operation *> ops) {
  const TileKind &registers = registerTileKind;
  for (NodeDecision decision : nodeDecisionsOf(function)) {
    auto sizes = decision.all.getAs<DictionaryAttr>(registers.key);
    if (!sizes)
      continue;
    Operation *op = contractionOf(decision.node(), ops);
    if (!op)
      return decision.emitError() << "no product that 'registers' could tile";
    for (NamedAttribute size : sizes)
      if (size.getName() != "m" && size.getName() != "n")
        return decision.emitError() << "no loop '" << size.getName().getValue()
                                    << "' for 'registers'; its register tiles have rows, m, and "
                                       "columns, n";
    if (failed(applyUserTiles(op, registers, sizes, [&] { return decision.emitError(); })))
      return failure();
  }
  return success();
}

LogicalResult applyUserNonTemporal(func::FuncOp function,
                                   ArrayRef<SmallVector<Operation *>> blocks) {
  for (NodeDecision decision : nodeDecisionsOf(function)) {
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

LogicalResult applyUserUnroll(func::FuncOp function, ArrayRef<SmallVector<Operation *>> blocks,
                              bool requireAll) {
  for (NodeDecision decision : nodeDecisionsOf(function)) {
    auto unroll = decision.all.getAs<IntegerAttr>("unroll");
    if (!unroll)
      continue;
    SmallVector<Operation *> ops = operationsOf(decision.node(), blocks);
    if (ops.empty() && requireAll)
      return decision.emitError() << "no loops over vectors that 'unroll' could be for";
    for (Operation *op : ops)
      setLoweringConfig(op, loweringConfigOrEmpty(op).withUnroll(unroll.getInt()));
  }
  return success();
}

/// The iterations of the loops over vectors of `op`, as far as they are counted at build time.
static int64_t vectorIterations(Operation *op) {
  DenseI64ArrayAttr vector = loweringConfigOrEmpty(op).getVector();
  int64_t iterations = 1;
  for (auto [loop, size] : llvm::enumerate(loopSizes(op))) {
    int64_t step = vector && loop < static_cast<size_t>(vector.size()) ? vector[loop] : 1;
    if (!ShapedType::isDynamic(size))
      iterations *= llvm::divideCeil(size, std::max<int64_t>(step, 1));
  }
  return iterations;
}

/// Iterations over vectors that `unroll: all` makes code of: 16,384 took a minute to compile.
constexpr int64_t maxUnrolledIterations = 512;

LogicalResult verifyUnrolled(func::FuncOp function, ArrayRef<SmallVector<Operation *>> blocks) {
  for (NodeDecision decision : nodeDecisionsOf(function)) {
    auto unroll = decision.all.getAs<IntegerAttr>("unroll");
    if (!unroll || unroll.getInt() != 0)
      continue;
    for (Operation *op : operationsOf(decision.node(), blocks))
      if (int64_t iterations = vectorIterations(op); iterations > maxUnrolledIterations)
        return decision.emitError()
               << iterations
               << " iterations over vectors, each of which 'unroll: all' makes code of, "
               << "expected at most " << maxUnrolledIterations
               << ": choose smaller tiles in 'caches', or a number";
  }
  return success();
}

std::string unrollChoice(LoweringConfigAttr config) {
  return config.getUnroll() ? unrollText(*config.getUnroll()) : "";
}

std::string nonTemporalChoice(LoweringConfigAttr config) {
  if (!config.getNonTemporal())
    return "";
  return config.getNonTemporal().getValue() ? "true" : "false";
}

std::string providerChoice(LoweringConfigAttr config) {
  return config.getProvider() ? config.getProvider().getValue().str() : "";
}

void recordChoice(StringRef key, std::string (*choiceOf)(LoweringConfigAttr),
                  ArrayRef<SmallVector<Operation *>> blocks, DecisionLog &log) {
  if (!log.isOn())
    return;
  for (ArrayRef<Operation *> block : blocks) {
    BlockNodes nodes(block);
    for (Operation *op : block)
      if (LoweringConfigAttr config = loweringConfigOf(op))
        if (std::string choice = choiceOf(config); !choice.empty())
          log.add("tiles", nodes.locationOf(op),
                  log.details().set("key", key).set("choice", choice));
  }
}

LogicalResult applyUserProviders(func::FuncOp function, ArrayRef<Operation *> ops) {
  for (NodeDecision decision : nodeDecisionsOf(function)) {
    auto provider = decision.all.getAs<StringAttr>("provider");
    if (!provider)
      continue;
    Operation *op = contractionOf(decision.node(), ops);
    if (!op)
      return decision.emitError() << "no product that a 'provider' could make micro-kernels for";
    setLoweringConfig(op, loweringConfigOrEmpty(op).withProvider(provider.getValue()));
  }
  return success();
}

/// The sizes as a schedule would say them.
static DictionaryAttr sizesByLoop(Operation *op, ArrayRef<int64_t> tiles) {
  Builder b(op->getContext());
  SmallVector<NamedAttribute> sizes;
  for (const auto &[loop, number] : namedLoops(op))
    if (tiles[number] != 0)
      sizes.push_back(b.getNamedAttr(loop, b.getI64IntegerAttr(tiles[number])));
  return b.getDictionaryAttr(sizes);
}

void recordRejectedTiles(Operation *op, const TileKind &kind, ArrayRef<int64_t> tiles,
                         StringRef why, DecisionLog &log) {
  log.add("lost-tiles", op->getLoc(),
          log.details().set("key", kind.key).set("sizes", sizesByLoop(op, tiles)).set("why", why));
}

void recordTiles(const TileKind &kind, ArrayRef<SmallVector<Operation *>> blocks,
                 DecisionLog &log) {
  if (!log.isOn())
    return;
  for (ArrayRef<Operation *> block : blocks) {
    BlockNodes nodes(block);
    for (Operation *op : block) {
      LoweringConfigAttr config = loweringConfigOf(op);
      DenseI64ArrayAttr tiles = config ? (config.*kind.get)() : DenseI64ArrayAttr();
      if (!tiles)
        continue;
      log.add("tiles", nodes.locationOf(op),
              log.details().set("key", kind.key).set("sizes", sizesByLoop(op, tiles)));
    }
  }
}

} // namespace kgen
