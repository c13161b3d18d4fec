// Copies of schedules that repeat what is there already, or move nothing but padding.
#include "transforms/schedule/WastefulCopies.h"

#include "dialect/kgen/Schedule.h"

#include <llvm/Support/FormatVariadic.h>
#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/ValueBoundsOpInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// True if what the operation reads is another part in each iteration of the loop.
bool dependsOn(Operation *op, scf::ForOp loop) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *other) { return loop->isProperAncestor(other); };
  llvm::SetVector<Operation *> slice;
  if (failed(getBackwardSlice(op, &slice, options)))
    return true;
  return llvm::any_of(slice, [&](Operation *inside) {
    return llvm::any_of(inside->getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && loop->isAncestor(argument.getOwner()->getParentOp());
    });
  });
}

FailureOr<int64_t> upperBound(const ValueBoundsConstraintSet::Variable &variable) {
  return ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, variable,
                                                        nullptr, /*closedUB=*/true);
}

/// The most that is padded at the end of the dimension; 0 if nothing is, or it is not known.
int64_t paddingOf(tensor::PadOp pad, int64_t dim) {
  OpFoldResult high = pad.getMixedHighPad()[dim];
  if (std::optional<int64_t> constant = getConstantIntValue(high))
    return *constant;
  // Upstream knows upper bounds of a minimum only: each of its terms is asked for instead.
  auto apply = cast<Value>(high).getDefiningOp<affine::AffineApplyOp>();
  auto smallest = apply && apply.getMapOperands().size() == 1
                      ? apply.getMapOperands()[0].getDefiningOp<affine::AffineMinOp>()
                      : affine::AffineMinOp();
  if (!smallest || apply.getAffineMap().getNumDims() != 1) {
    FailureOr<int64_t> bound = upperBound(ValueBoundsConstraintSet::Variable(high));
    return failed(bound) ? 0 : *bound;
  }
  int64_t padding = 0;
  for (AffineExpr term : smallest.getMap().getResults()) {
    AffineExpr padded = apply.getAffineMap().getResult(0).replaceDims(term);
    AffineMap map =
        AffineMap::get(smallest.getMap().getNumDims(), smallest.getMap().getNumSymbols(), padded);
    FailureOr<int64_t> bound =
        upperBound(ValueBoundsConstraintSet::Variable(map, smallest.getOperands()));
    if (failed(bound))
      return 0;
    padding = std::max(padding, *bound);
  }
  return padding;
}

std::string memoryOf(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(memoryAttrName).getInt() == 1 ? "L2" : "L1";
}

std::string repetition(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || dependsOn(op, loop))
    return "";
  return "a loop copies the same part to " + memoryOf(op) +
         " in each iteration: keep it in a loop around this one";
}

/// Slices that a loop reads of a padded copy.
std::string emptyParts(tensor::PadOp pad) {
  for (Operation *user : pad->getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || slice->getBlock() == pad->getBlock())
      continue;
    for (int64_t dim = 0; dim < pad.getType().getRank(); ++dim) {
      int64_t size = slice.getStaticSizes()[dim], padding = paddingOf(pad, dim);
      if (!slice.isDynamicOffset(dim) || ShapedType::isDynamic(size) || padding < size)
        continue;
      return llvm::formatv("up to {0} of {1} that are copied to {2} are padding, and parts of {3} "
                           "of them with nothing else are read: 'ragged: split' gives a border a "
                           "nest of its own; a sum needs a smaller part",
                           padding, pad.getType().getDimSize(dim), memoryOf(pad), size)
          .str();
    }
  }
  return "";
}

} // namespace

int64_t recordWastefulCopies(func::FuncOp func, DecisionLog &log) {
  int64_t count = 0;
  func.walk([&](Operation *op) {
    if (!op->hasAttr(memoryAttrName))
      return;
    auto pad = dyn_cast<tensor::PadOp>(op);
    if (!pad && !isa<linalg::PackOp>(op))
      return;
    for (const std::string &text : {repetition(op), pad ? emptyParts(pad) : std::string()})
      if (!text.empty()) {
        log.add("wasteful", op->getLoc(), log.details().set("text", text));
        ++count;
      }
  });
  return count;
}

} // namespace kgen
