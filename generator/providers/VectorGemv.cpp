#include "providers/VectorGemv.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

bool VectorSingleRow::fits(ArrayRef<Column> columns) const {
  return llvm::all_of(columns, [&](const Column &column) { return column.width >= count; });
}

/// LLVM must not know what they are: it would read each of them by itself.
Value VectorSingleRow::loaded(Value at, const Column &column) {
  auto part = VectorType::get({count}, element);
  Value elements = LLVM::LoadOp::create(b, loc, part, at, bytes(element));
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < column.width; ++i)
    mask.push_back(i % count);
  return hidden(vector::ShuffleOp::create(b, loc, elements, elements, mask));
}

bool VectorSingleRow::begin(Value at, int64_t following, const Column &widest) {
  left = std::max<int64_t>(left - 1, 0);
  if (left == 0 && following >= count) {
    lanes = loaded(at, widest);
    left = count;
  }
  return left > 0;
}

Value VectorSingleRow::broadcastToLanes(const Column &column) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < column.width; ++i)
    mask.push_back((i / count + 1) * count - left);
  return vector::ShuffleOp::create(b, loc, lanes, lanes, mask);
}

} // namespace kgen
