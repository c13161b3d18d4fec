// Semantics of tpp.implicit_pad.
#include "dialect/tpp/Tpp.h"

using namespace mlir;

namespace kgen::tpp {

Type ImplicitPadOp::typeOf(ShapedType source, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> shape;
  for (auto [size, front, behind] : llvm::zip(source.getShape(), low, high))
    shape.push_back(ShapedType::isDynamic(size) ? size : front + size + behind);
  auto memory = dyn_cast<MemRefType>(source);
  if (!memory)
    return RankedTensorType::get(shape, source.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memory.getStridesAndOffset(strides, offset)))
    return {};
  auto layout = StridedLayoutAttr::get(source.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shape, source.getElementType(), layout, memory.getMemorySpace());
}

void ImplicitPadOp::build(OpBuilder &, OperationState &state, Value source, ArrayRef<int64_t> low,
                          ArrayRef<int64_t> high) {
  state.addOperands(source);
  state.getOrAddProperties<Properties>().setLow(DenseI64ArrayAttr::get(state.getContext(), low));
  state.getOrAddProperties<Properties>().setHigh(DenseI64ArrayAttr::get(state.getContext(), high));
  state.addTypes(typeOf(cast<ShapedType>(source.getType()), low, high));
}

LogicalResult ImplicitPadOp::verify() {
  ShapedType source = getSourceType();
  size_t rank = source.hasRank() ? source.getRank() : 0;
  auto isNegative = [](int64_t size) { return size < 0; };
  if (!source.hasRank() || getLow().size() != rank || getHigh().size() != rank ||
      llvm::any_of(getLow(), isNegative) || llvm::any_of(getHigh(), isNegative))
    return emitOpError("needs a size in front of and behind each dimension");
  for (auto [dim, size] : llvm::enumerate(source.getShape()))
    if (ShapedType::isDynamic(size) && (getLow()[dim] != 0 || getHigh()[dim] != 0))
      return emitOpError() << "needs a static size of dimension " << dim << ", which is padded";
  Type expected = typeOf(source, getLow(), getHigh());
  if (!expected || getResult().getType() != expected)
    return emitOpError() << "with its border " << source << " is " << expected << ", found "
                         << getResult().getType();
  return success();
}

Value ImplicitPadOp::getViewSource() { return getSource(); }

} // namespace kgen::tpp
