#include "transforms/vectorize/LoopSizes.h"

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {

LoopSizes::LoopSizes(linalg::LinalgOp op)
    : op(op), numbers(op.getStaticLoopRanges()), bounds(numbers.size()) {
  for (int64_t loop = 0; loop < static_cast<int64_t>(numbers.size()); ++loop) {
    auto dimension = isDynamic(loop) ? dimensionOfLoop(op, loop) : std::nullopt;
    if (!dimension)
      continue;
    bounds[loop] = sizeBoundsOf(dimension->first, dimension->second);
    if (bounds[loop] && bounds[loop]->isExact())
      numbers[loop] = bounds[loop]->greatest;
  }
}

bool LoopSizes::areKnown() const {
  return llvm::all_of(llvm::seq<int64_t>(0, numbers.size()),
                      [&](int64_t loop) { return !isDynamic(loop) || bounds[loop]; });
}

SmallVector<int64_t> LoopSizes::greatest() const {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, numbers.size()),
                             [&](int64_t loop) { return greatest(loop); });
}

int64_t LoopSizes::greatestProduct(ArrayRef<int64_t> loops) const {
  uint64_t product = 1;
  for (int64_t loop : loops)
    product = llvm::SaturatingMultiply<uint64_t>(product, greatest(loop));
  return std::min<uint64_t>(product, std::numeric_limits<int64_t>::max());
}

int64_t LoopSizes::greatest(int64_t loop) const {
  if (!isDynamic(loop))
    return numbers[loop];
  return bounds[loop] ? bounds[loop]->greatest : std::numeric_limits<int64_t>::max();
}

int64_t LoopSizes::least(int64_t loop) const {
  if (!isDynamic(loop))
    return numbers[loop];
  return bounds[loop] ? std::max<int64_t>(bounds[loop]->least, 0) : 0;
}

int64_t LoopSizes::divisor(int64_t loop) const {
  if (!isDynamic(loop))
    return numbers[loop];
  return bounds[loop] ? bounds[loop]->divisor : 1;
}

OpFoldResult LoopSizes::value(OpBuilder &b, int64_t loop) const {
  if (!isDynamic(loop))
    return b.getIndexAttr(numbers[loop]);
  OpBuilder::InsertionGuard guard(b);
  linalg::LinalgOp linalgOp = op;
  b.setInsertionPoint(linalgOp);
  auto [tensor, position] = *dimensionOfLoop(linalgOp, loop);
  return sizeOf(b, linalgOp.getLoc(), tensor, position);
}

} // namespace kgen
