#include "dialect/kgen/EmptyTensor.h"

#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

Value emptyTensor(OpBuilder &b, Location loc, ArrayRef<int64_t> sizes, Type element) {
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    llvm::report_fatal_error("internal error: an empty tensor is made without its sizes");
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value emptyTensor(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value emptyLike(OpBuilder &b, Location loc, Value like, Type element) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, like, dim)));
  return tensor::EmptyOp::create(b, loc, element ? type.clone(element) : type, sizes);
}

} // namespace kgen
