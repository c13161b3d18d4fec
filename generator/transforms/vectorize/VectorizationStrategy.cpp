#include "transforms/vectorize/VectorizationStrategy.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
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

VectorizationChoice::VectorizationChoice(linalg::GenericOp op, TargetAttr target, StringRef only) {
  for (const VectorizationStrategy *strategy : vectorizationStrategies()) {
    VectorizationMatch match = strategy->match(op, target, VectorizationStage::final);
    if (match.plan)
      all.push_back({strategy, match.plan->cost, {}});
    else if (!match.refusal.empty())
      all.push_back({strategy, std::nullopt, match.refusal});
    bool isAllowed = only.empty() || strategy->name == only;
    if (match.plan && isAllowed && (!winnersPlan || match.plan->cost < winnersPlan->cost)) {
      winner = strategy;
      winnersPlan = std::move(match.plan);
    }
  }
  assert((winner || !only.empty()) && "scalar loops match all operations");
}

StringRef writtenVectorization(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config && config.getStrategy() ? config.getStrategy().getValue() : StringRef();
}

void selectVectorization(linalg::GenericOp op, TargetAttr target) {
  if (writtenVectorization(op).empty())
    setLoweringConfig(op, loweringConfigOrEmpty(op).withStrategy(
                              VectorizationChoice(op, target).strategy().name));
}

void reportVectorization(linalg::GenericOp op, StringRef name, const VectorizationChoice &choice) {
  const VectorizationStrategy *strategy = findVectorizationStrategy(name);
  InFlightDiagnostic error = op.emitOpError();
  if (!strategy) {
    error << "has the unknown vectorization strategy '" << name
          << "' in its lowering_config; one of ";
    llvm::interleaveComma(vectorizationStrategies(), error,
                          [&](const VectorizationStrategy *known) { error << known->name; });
    error << " was expected";
    return;
  }
  StringRef why = choice.refusalOf(*strategy);
  error << "cannot be vectorized by '" << name << "', as its lowering_config says: "
        << (why.empty() ? "the strategy is for other operations" : why)
        << "; leave the strategy out to have one chosen";
}

StringRef VectorizationChoice::refusalOf(const VectorizationStrategy &other) const {
  for (const Offer &offer : all)
    if (offer.strategy == &other)
      return offer.refusal;
  return {};
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

bool suits(const VectorizationStrategy &strategy, linalg::LinalgOp op, TargetAttr target) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  return generic && strategy.match(generic, target, VectorizationStage::beforeTiling).plan;
}

bool usesMemory(linalg::GenericOp op, TargetAttr target) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return exceedsLastLevel(target.cpu(), greatestBytesOf(viewSourceThroughLoops(operand)));
  });
}

VectorRows vectorRowsOf(linalg::GenericOp op, int64_t dimension, int64_t lanes, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  Type result = op.getDpsInits()[0].getType();
  int64_t bytes = std::max<int64_t>(bytesOfElement(result), 1);
  LoopSizes sizes(op);
  VectorRows rows{std::max<int64_t>(sizes.greatest(dimension), 1), lanes};
  rows.lineElements = cpu.lineBytes / bytes;
  rows.isNarrowed = getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32;
  if (usesMemory(op, target))
    rows.stores =
        !rows.isNarrowed && sizes.divisor(dimension) * bytes % cpu.minNonTemporalBytes == 0
            ? RowStores::partialLines
            : RowStores::throughCaches;
  return rows;
}

} // namespace kgen
