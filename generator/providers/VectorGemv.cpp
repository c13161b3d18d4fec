#include "providers/VectorGemv.h"

#include "providers/VectorKernels.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

bool ScalarsOfA::fits(ArrayRef<Column> columns) const {
  return llvm::all_of(columns, [&](const Column &column) { return column.width >= count; });
}

/// Hidden from LLVM, which would replace the shuffle by a load of each element.
Value ScalarsOfA::loaded(Value at, const Column &column) {
  auto loadType = VectorType::get({count}, element);
  Value elements = LLVM::LoadOp::create(b, loc, loadType, at, bytes(element));
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < column.width; ++i)
    mask.push_back(i % count);
  return hidden(vector::ShuffleOp::create(b, loc, elements, elements, mask));
}

bool ScalarsOfA::begin(Value at, int64_t following, const Column &widest) {
  left = std::max<int64_t>(left - 1, 0);
  if (left == 0 && following >= count) {
    lanes = loaded(at, widest);
    left = count;
  }
  return left > 0;
}

Value ScalarsOfA::broadcastToLanes(const Column &column) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < column.width; ++i)
    mask.push_back((i / count + 1) * count - left);
  return vector::ShuffleOp::create(b, loc, lanes, lanes, mask);
}

void LanesOfA::load(OpBuilder &b, Location loc, int64_t row, Type type, Value at) {
  auto vector = VectorType::get({perLoad}, type);
  loaded[row] = LLVM::LoadOp::create(b, loc, vector, at, /*alignment=*/1);
}

Value LanesOfA::lane(OpBuilder &b, Location loc, int64_t row, int64_t width) const {
  Value from = loaded.lookup(row);
  return vector::ShuffleOp::create(b, loc, from, from, SmallVector<int64_t>(width, perLoad - left));
}

} // namespace kgen
