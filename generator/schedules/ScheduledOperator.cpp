#include "schedules/ScheduledOperator.h"

#include <mlir/Dialect/Linalg/Utils/Utils.h>

using namespace mlir;

namespace kgen {

namespace {

constexpr llvm::StringLiteral outerLoops = "bcdefghi"; ///< of batches, from the outermost one

using Subscript = std::map<unsigned, int64_t>; ///< factors by loop

/// A sum of loops with factors; nothing if it is something else.
std::optional<Subscript> subscriptOf(AffineExpr expr) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return Subscript{{loop.getPosition(), 1}};
  if (isa<AffineConstantExpr>(expr))
    return Subscript();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Subscript> left = subscriptOf(binary.getLHS());
  if (binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!left || !factor)
      return std::nullopt;
    for (auto &entry : *left)
      entry.second *= factor.getValue();
    return left;
  }
  std::optional<Subscript> right = subscriptOf(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Add || !left || !right)
    return std::nullopt;
  for (auto [loop, factor] : *right)
    (*left)[loop] += factor;
  return left;
}

/// Nothing if there are several loops of rows, columns or depth.
std::optional<std::string> lettersOfProduct(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 || dims->k.size() != 1 ||
      dims->batch.size() > outerLoops.size())
    return std::nullopt;
  std::string letters(op.getNumLoops(), '?');
  letters[dims->m[0]] = 'm';
  letters[dims->n[0]] = 'n';
  letters[dims->k[0]] = 'k';
  for (auto [index, dim] : llvm::enumerate(dims->batch))
    letters[dim] = outerLoops[index];
  return letters;
}

/// A convolution as the ingress makes it: the last loops of the result are columns of the image and
/// features; the sum is over the window's rows, and over its columns and channels together.
std::optional<std::string> lettersOfWindow(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  unsigned parallel = llvm::count(kinds, utils::IteratorType::parallel),
           reduced = kinds.size() - parallel;
  bool isOrdered = llvm::all_of(ArrayRef(kinds).take_front(parallel), [](utils::IteratorType kind) {
    return kind == utils::IteratorType::parallel;
  });
  if (!isOrdered || parallel < 3 || parallel > 4 || reduced < 1 || reduced > 2 ||
      !op.getMatchingIndexingMap(&op->getOpOperand(1)).isProjectedPermutation())
    return std::nullopt;
  std::string letters = parallel == 4 ? "byxf" : "bxf";
  return letters + (reduced == 2 ? "uk" : "k");
}

std::optional<std::string> lettersOfElementwise(linalg::LinalgOp op) {
  unsigned rank = op.getNumLoops();
  if (op.getNumParallelLoops() != rank || rank == 0 || rank > outerLoops.size() + 2)
    return std::nullopt;
  std::string inner = rank == 1 ? "n" : "mn";
  return outerLoops.take_front(rank - inner.size()).str() + inner;
}

std::optional<ScheduledOperand> operandOf(linalg::LinalgOp op, OpOperand &operand,
                                          const std::string &letters) {
  ScheduledOperand result;
  result.elementType = getElementTypeOrSelf(operand.get().getType());
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    std::optional<Subscript> subscript = subscriptOf(expr);
    if (!subscript)
      return std::nullopt;
    std::map<char, int64_t> named;
    for (auto [loop, factor] : *subscript)
      named[letters[loop]] = factor;
    if (named.size() == 1 && named.begin()->second == 1)
      result.dims += named.begin()->first;
    result.subscripts.push_back(std::move(named));
  }
  for (char letter : letters)
    if (result.dims.find(letter) != std::string::npos)
      result.tileDims += letter;
  return result;
}

} // namespace

int64_t ScheduledOperand::elements(const std::map<char, int64_t> &sizes) const {
  int64_t count = 1;
  for (const std::map<char, int64_t> &subscript : subscripts) {
    int64_t extent = 1;
    for (auto [loop, factor] : subscript)
      extent += factor * (sizes.at(loop) - 1);
    count *= extent;
  }
  return count;
}

const ScheduledOperand *ScheduledOperator::find(const std::string &name) const {
  auto found = llvm::find_if(operands, [&](const ScheduledOperand &o) { return o.name == name; });
  return found == operands.end() ? nullptr : &*found;
}

std::optional<ScheduledOperator> scheduledOperator(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (op.getNumDpsInits() != 1 || llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return std::nullopt;
  ScheduledOperator result;
  std::optional<std::string> letters = lettersOfElementwise(op);
  result.kind = ScheduledKind::elementwise;
  if (!letters && op.getNumDpsInputs() == 2) {
    letters = lettersOfProduct(op);
    result.kind = ScheduledKind::product;
    if (!letters) {
      letters = lettersOfWindow(op);
      result.kind = ScheduledKind::window;
    }
  }
  if (!letters)
    return std::nullopt;
  result.loops = *letters;
  result.sizes.assign(sizes.begin(), sizes.end());
  for (auto [letter, kind] : llvm::zip_equal(*letters, op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      result.reductions += letter;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<ScheduledOperand> made = operandOf(op, operand, *letters);
    if (!made)
      return std::nullopt;
    unsigned number = operand.getOperandNumber();
    bool isOut = op.isDpsInit(&operand);
    made->name = isOut                                       ? "out"
                 : result.kind == ScheduledKind::elementwise ? "in" + std::to_string(number)
                 : number == 0                               ? "lhs"
                                                             : "rhs";
    for (OpOperand &before : op->getOpOperands().take_front(number))
      made->isRepeated |= before.get() == operand.get() &&
                          op.getMatchingIndexingMap(&before) == op.getMatchingIndexingMap(&operand);
    result.operands.push_back(std::move(*made));
  }
  return result.operands.back().isProjection() ? std::optional(result) : std::nullopt;
}

} // namespace kgen
