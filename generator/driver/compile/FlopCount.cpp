#include "driver/compile/FlopCount.h"

#include "dialect/kgen/NamedOps.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Interfaces/CastInterfaces.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// Operations of the body that compute something: a comparison does, choosing by it does not.
int64_t operationsPerPoint(linalg::LinalgOp op) {
  int64_t count = 0;
  op->getRegion(0).walk([&](Operation *inner) {
    bool computes = inner->getNumOperands() > 0 && !inner->hasTrait<OpTrait::IsTerminator>() &&
                    !isa<CastOpInterface, arith::SelectOp>(inner);
    count += computes;
  });
  return count;
}

/// 0 if a range is known at run time only.
int64_t points(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return 0;
  return std::accumulate(ranges.begin(), ranges.end(), int64_t(1), std::multiplies<>());
}

/// Returns how often the loops around the operation run it.
int64_t repetitions(Operation *op) {
  int64_t count = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<llvm::APInt> trips = loop.getStaticTripCount())
      count *= trips->getSExtValue();
  return count;
}

/// A maximum, a difference, an exponential, a sum, and two operations on the result for each
/// element.
constexpr int64_t operationsOfSoftmax = 6;

/// The extremum, a comparison with it, a selection and a minimum of indices for each element.
constexpr int64_t operationsOfArgExtremum = 4;

/// Two products and their sum for each element.
constexpr int64_t operationsOfRotation = 3;

/// For each element: a sum if there is a mean, a square and its sum, the product with the inverse,
/// and scale and bias; and twice a difference to the mean.
int64_t operationsPerElement(NormalizationOp op) {
  constexpr int64_t withoutMean = 3, ofMean = 3;
  int64_t count = withoutMean + (op.getScale() ? 1 : 0) + (op.getBias() ? 1 : 0);
  return op.getCentered() ? count + ofMean : count;
}

/// For each row: a division, a sum, a root and its inverse; and the mean.
int64_t operationsPerRow(NormalizationOp op) {
  constexpr int64_t withoutMean = 4;
  return op.getCentered() ? withoutMean + 1 : withoutMean;
}

/// A product and a sum for each element of the image that one of the result is made of.
int64_t operationsPerElement(GridSampleOp op) {
  int64_t taps = op.getMode() == GridSampleMode::nearest  ? 1
                 : op.getMode() == GridSampleMode::linear ? 2
                                                          : 4;
  int64_t all = 1;
  for (int64_t axis = 2; axis < op.getImageType().getRank(); ++axis)
    all *= taps;
  return 2 * all;
}

/// 0 if a size is known at run time only.
int64_t operationsOf(Operation *named) {
  if (auto op = dyn_cast<GridSampleOp>(named)) {
    auto result = cast<RankedTensorType>(op.getResult().getType());
    return result.hasStaticShape() ? operationsPerElement(op) * result.getNumElements() : 0;
  }
  auto type = cast<RankedTensorType>(named->getOperand(0).getType());
  if (!type.hasStaticShape())
    return 0;
  if (isa<ArgExtremumOp>(named))
    return operationsOfArgExtremum * type.getNumElements();
  if (isa<CumulativeSumOp, TopKOp>(named)) // a sum, or at least one comparison
    return type.getNumElements();
  if (isa<RotaryEmbeddingOp>(named))
    return operationsOfRotation * type.getNumElements();
  auto op = dyn_cast<NormalizationOp>(named);
  if (!op)
    return operationsOfSoftmax * type.getNumElements();
  int64_t rows = 1;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    rows *= op.isAlong(d) ? 1 : size;
  return operationsPerElement(op) * type.getNumElements() + operationsPerRow(op) * rows;
}

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  return name;
}

/// The key with the largest value.
std::string largest(const std::map<std::string, int64_t> &table) {
  auto it = std::max_element(table.begin(), table.end(),
                             [](auto &a, auto &b) { return a.second < b.second; });
  return it == table.end() ? "" : it->first;
}

} // namespace

int64_t GraphWork::total() const {
  int64_t sum = 0;
  for (const auto &[type, count] : flops)
    sum += count;
  return sum;
}

std::string GraphWork::mainType() const {
  return largest(contractionFlops.empty() ? flops : contractionFlops);
}

GraphWork countWork(ModuleOp module) {
  GraphWork work;
  // A product, whatever its weights are made of: their dequantization is not counted.
  module.walk([&](MatmulNbitsOp op) {
    std::string type = op.getRowScaleBlock() ? "i8" : typeName(op.getA().getType());
    int64_t count = ShapedType::isDynamic(op.getM()) ? 0 : 2 * op.getM() * op.getN() * op.getK();
    work.flops[type] += count;
    work.contractionFlops[type] += count;
    work.factorTypes.insert(type);
  });
  module.walk([&](QuantizedProductOp op) {
    if (!op.getResultType().hasStaticShape())
      return;
    int64_t count = 2 * op.getResultType().getNumElements() * op.depth();
    work.flops["i8"] += count;
    if (op.leftMap().isProjectedPermutation() && op.rightMap().isProjectedPermutation())
      work.contractionFlops["i8"] += count;
    work.factorTypes.insert("i8");
  });
  module.walk([&](Operation *op) {
    if (isNamedOp(op) && !isa<QuantizedProductOp>(op))
      work.flops[typeName(op->getOperand(0).getType())] += operationsOf(op);
  });
  module.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::FillOp>(op.getOperation()) || op.getNumDpsInputs() == 0)
      return;
    int64_t count = operationsPerPoint(op) * points(op) * repetitions(op);
    if (count <= 0)
      return;
    std::string type = typeName(op.getDpsInputOperand(0)->get().getType());
    work.flops[type] += count;
    if (!linalg::isaContractionOpInterface(op))
      return;
    work.contractionFlops[type] += count;
    for (OpOperand *factor : op.getDpsInputOperands())
      work.factorTypes.insert(typeName(factor->get().getType()));
  });
  return work;
}

} // namespace kgen
