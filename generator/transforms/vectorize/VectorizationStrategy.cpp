#include "transforms/vectorize/VectorizationStrategy.h"

#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/LoopSizes.h"

using namespace mlir;

namespace kgen {

ArrayRef<const VectorizationStrategy *> vectorizationStrategies() {
  static const VectorizationStrategy *const all[] = {
#define KGEN_VECTORIZATION_STRATEGY(name) &name(),
#include "transforms/vectorize/VectorizationStrategies.def"
  };
  return all;
}

const VectorizationStrategy *findVectorizationStrategy(StringRef name) {
  auto *found =
      llvm::find_if(vectorizationStrategies(),
                    [&](const VectorizationStrategy *strategy) { return strategy->name == name; });
  return found == vectorizationStrategies().end() ? nullptr : *found;
}

SmallVector<int64_t> VectorizationPlan::vector(linalg::GenericOp op) const {
  SmallVector<int64_t> sizes(op.getNumLoops());
  if (dimension >= 0)
    sizes[dimension] = step ? step : lanes;
  return sizes;
}

/// True if the plan has the vectors that the lowering configuration of `op` says, if it does.
static bool matchesConfiguredVector(const VectorizationPlan &plan, linalg::GenericOp op) {
  DenseI64ArrayAttr written = configuredVector(op);
  return !written || written.asArrayRef() == ArrayRef<int64_t>(plan.vector(op));
}

/// True if the plan has the unroll factor that the lowering configuration of `op` says, if it does.
static bool matchesConfiguredUnroll(const VectorizationPlan &plan, linalg::GenericOp op) {
  std::optional<int64_t> written = configuredUnroll(op);
  return !written || written == plan.unroll.value_or(1);
}

static bool matchesConfig(const VectorizationPlan &plan, linalg::GenericOp op) {
  return matchesConfiguredVector(plan, op) && matchesConfiguredUnroll(plan, op);
}

VectorizationChoice::VectorizationChoice(linalg::GenericOp op, TargetAttr target) {
  StringRef only = configuredStrategy(op);
  for (const VectorizationStrategy *strategy : vectorizationStrategies()) {
    VectorizationMatch match = strategy->match(op, target);
    if (match.plan)
      all.push_back({strategy, match.plan->cost, {}});
    else if (!match.refusal.empty()) {
      all.push_back({strategy, std::nullopt, match.refusal});
      traceRefusal(op.getLoc(), "not " + strategy->name + ": " + match.refusal);
    }
    bool isAllowed = only.empty() || strategy->name == only;
    if (match.plan && isAllowed && matchesConfig(*match.plan, op) &&
        (!winnersPlan || match.plan->cost < winnersPlan->cost)) {
      winner = strategy;
      winnersPlan = std::move(match.plan);
    }
  }
  assert((winner || loweringConfigOf(op)) && "scalar loops match all operations");
}

StringRef configuredStrategy(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config && config.getStrategy() ? config.getStrategy().getValue() : StringRef();
}

DenseI64ArrayAttr configuredVector(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config ? config.getVector() : DenseI64ArrayAttr();
}

std::optional<int64_t> configuredUnroll(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config && config.getUnroll() != 0 ? config.getUnroll() : std::nullopt;
}

std::unique_ptr<VectorizationPlan> configuredPlan(linalg::GenericOp op, TargetAttr target) {
  const VectorizationStrategy *strategy = findVectorizationStrategy(configuredStrategy(op));
  if (!strategy)
    return nullptr;
  VectorizationMatch match = strategy->match(op, target);
  return match.plan && matchesConfig(*match.plan, op) ? std::move(match.plan) : nullptr;
}

void reportVectorization(linalg::GenericOp op, TargetAttr target) {
  StringRef name = configuredStrategy(op);
  const VectorizationStrategy *strategy = findVectorizationStrategy(name);
  InFlightDiagnostic error = op.emitOpError();
  if (!strategy && !name.empty()) {
    error << "has the unknown vectorization strategy '" << name
          << "' in its lowering_config; one of ";
    llvm::interleaveComma(vectorizationStrategies(), error,
                          [&](const VectorizationStrategy *known) { error << known->name; });
    error << " was expected";
    return;
  }
  VectorizationMatch match;
  if (strategy)
    match = strategy->match(op, target);
  if (strategy && !match.plan) {
    StringRef why = match.refusal;
    error << "cannot be vectorized by '" << name << "', as its lowering_config says: "
          << (why.empty() ? "the strategy is for other operations" : why)
          << "; leave the strategy out to have one chosen";
    return;
  }
  if (match.plan ? matchesConfiguredVector(*match.plan, op) : !configuredVector(op)) {
    error << "has no loop with " << configuredUnroll(op).value_or(1)
          << " vectors in an iteration, as its lowering_config says; elementwise operations and "
             "reductions along vectors have, of up to "
          << target.getVectorRegisters() << " of them; leave 'unroll' out to have it chosen";
    return;
  }
  error << "has no vectors of [" << configuredVector(op).asArrayRef()
        << "] iterations, as its lowering_config says";
  if (match.plan)
    error << "; those of '" << name << "' are [" << ArrayRef<int64_t>(match.plan->vector(op))
          << "]";
  error << "; leave the vectors out to have them chosen";
}

ArrayAttr VectorizationChoice::offers(Builder builder) const {
  SmallVector<Attribute> list;
  for (const Offer &offer : all) {
    Details details(builder.getContext());
    details.set("strategy", offer.strategy->name);
    if (offer.cost)
      details.set("cost", *offer.cost);
    else
      details.set("refusal", offer.refusal);
    list.push_back(details.get());
  }
  return builder.getArrayAttr(list);
}

const VectorizationStrategy *strategyOfRows(linalg::GenericOp op, TargetAttr target,
                                            Stores stores) {
  const VectorizationStrategy *found = nullptr;
  double least = 0;
  for (const VectorizationStrategy *strategy : vectorizationStrategies()) {
    VectorizationMatch match =
        strategy->matchRows ? strategy->matchRows(op, target, stores) : VectorizationMatch();
    if (!match.plan || (found && match.plan->cost >= least))
      continue;
    found = strategy;
    least = match.plan->cost;
  }
  return found;
}

RowStores storesOfRows(Type result, int64_t bytes, const Cpu &cpu) {
  bool isNarrow = getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32;
  return bytes % (isNarrow ? cpu.lineBytes : cpu.minNonTemporalBytes) == 0
             ? RowStores::partialLines
             : RowStores::throughCaches;
}

VectorRows vectorRowsOf(linalg::GenericOp op, int64_t dimension, int64_t lanes, Stores stores) {
  const Cpu &cpu = cpuOf(op);
  Type result = op.getDpsInits()[0].getType();
  int64_t bytes = std::max<int64_t>(bytesOfElement(result), 1);
  LoopSizes sizes(op);
  VectorRows rows{std::max<int64_t>(sizes.greatest(dimension), 1), lanes};
  rows.lineElements = cpu.lineBytes / bytes;
  rows.isNarrowed = getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32;
  if (usesMemory(stores))
    rows.stores = storesOfRows(result, sizes.divisor(dimension) * bytes, cpu);
  return rows;
}

} // namespace kgen
