#include "transforms/attention/AttentionSizes.h"

using namespace mlir;

namespace kgen {

AttentionSizes::AttentionSizes(AttentionOp op)
    : loc(op.getLoc()), numbers(op.getIterationSizes()), least(numbers), greatest(numbers),
      operands(numbers.size()) {
  auto include = [&](Value operand, AffineMap map) {
    for (unsigned position = 0; position < map.getNumResults(); ++position) {
      unsigned dimension = map.getDimPosition(position);
      operands[dimension] = {operand, position};
      std::optional<SizeBounds> bounds = sizeBoundsOf(operand, position);
      if (!isDynamic(dimension) || !bounds)
        continue;
      least[dimension] = std::max<int64_t>(bounds->least, 0);
      greatest[dimension] = bounds->greatest;
    }
  };
  for (auto [operand, map] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    include(operand, map);
  include(op.getV(), op.getVMap());
  include(op.getK(), op.getKMap());
  include(op.getQ(), op.getQMap());
}

OpFoldResult AttentionSizes::value(OpBuilder &b, unsigned dimension) const {
  if (!isDynamic(dimension))
    return b.getIndexAttr(numbers[dimension]);
  auto [operand, position] = operands[dimension];
  return sizeOf(b, loc, operand, position);
}

} // namespace kgen
