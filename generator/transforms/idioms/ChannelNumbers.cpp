#include "transforms/idioms/ChannelNumbers.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

Value channelNumbers(OpBuilder &b, Location loc, ArrayRef<double> numbers, bool isInteger) {
  auto count = static_cast<int64_t>(numbers.size());
  auto constant = [&](auto elements, Type type) -> Value {
    elements.assign(numbers.begin(), numbers.end());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(RankedTensorType::get({count}, type), ArrayRef(elements)));
  };
  return isInteger ? constant(std::vector<int32_t>(), b.getI32Type())
                   : constant(std::vector<float>(), b.getF32Type());
}

linalg::GenericOp withChannelOperands(IRRewriter &b, linalg::GenericOp op, unsigned loop,
                                      ArrayRef<Value> tensors, SmallVectorImpl<Value> &arguments) {
  SmallVector<Value> inputs(op.getInputs());
  const size_t before = inputs.size();
  llvm::append_range(inputs, tensors);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto map = AffineMap::get(op.getNumLoops(), 0, b.getAffineDimExpr(loop));
  maps.insert(maps.begin() + before, tensors.size(), map);
  auto wider = linalg::GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs,
                                         op.getOutputs(), maps, op.getIteratorTypesArray());
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &body = op.getRegion().front();
  wider.getRegion().takeBody(op.getRegion());
  for (auto [i, tensor] : llvm::enumerate(tensors))
    arguments.push_back(body.insertArgument(before + i, getElementTypeOrSelf(tensor), op.getLoc()));
  b.replaceOp(op, wider);
  return wider;
}

} // namespace kgen
