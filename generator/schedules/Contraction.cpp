#include "schedules/Contraction.h"

#include <mlir/Dialect/Linalg/Utils/Utils.h>

using namespace mlir;

namespace kgen {

const ScheduledOperand *ScheduledOperator::find(const std::string &name) const {
  auto found = llvm::find_if(operands, [&](const ScheduledOperand &o) { return o.name == name; });
  return found == operands.end() ? nullptr : &*found;
}

/// The letter of each loop; nothing if there are several loops of rows, columns or depth.
static std::optional<std::string> lettersOf(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 || dims->k.size() != 1 ||
      dims->batch.size() > 8)
    return std::nullopt;
  std::string letters(op.getNumLoops(), '?');
  letters[dims->m[0]] = 'm';
  letters[dims->n[0]] = 'n';
  letters[dims->k[0]] = 'k';
  for (auto [index, dim] : llvm::enumerate(dims->batch))
    letters[dim] = "bcdefghi"[index];
  if (letters.find('?') != std::string::npos)
    return std::nullopt;
  return letters;
}

std::optional<ScheduledOperator> scheduledOperator(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<std::string> letters = lettersOf(op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!letters || llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return std::nullopt;
  ScheduledOperator result;
  result.loops = *letters;
  result.sizes.assign(sizes.begin(), sizes.end());
  for (auto [letter, kind] : llvm::zip_equal(*letters, op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      result.reductions += letter;
  const char *names[] = {"lhs", "rhs", "out"};
  for (auto [name, operand] : llvm::zip_equal(names, op->getOpOperands())) {
    ScheduledOperand one{name, "", "", getElementTypeOrSelf(operand.get().getType())};
    for (AffineExpr dim : op.getMatchingIndexingMap(&operand).getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(dim);
      if (!loop)
        return std::nullopt;
      one.dims += (*letters)[loop.getPosition()];
    }
    for (char letter : *letters)
      if (one.dims.find(letter) != std::string::npos)
        one.tileDims += letter;
    result.operands.push_back(one);
  }
  return result;
}

} // namespace kgen
