#include "ops/movement/Indices.h"

#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {

bool checkIndices(const InferenceContext &context, ArrayRef<int64_t> sizes, size_t input) {
  if (!checkInputType(context, input, "indices", {ElementType::i32, ElementType::i64}))
    return false;
  auto known = context.constantIntegers(input);
  bool isEmpty = context.input(input).shape.isEmptyTensor();
  for (size_t i = 0; i < sizes.size() && !isEmpty; ++i)
    if (sizes[i] == 0) {
      context.error(context.node.op->name + " on an axis without elements: the input is " +
                    context.input(0).str());
      return false;
    }
  for (size_t i = 0; known && i < known->size(); ++i) {
    int64_t size = sizes[i % sizes.size()], index = (*known)[i];
    if (index >= -size && index < size)
      continue;
    context.error("index " + std::to_string(index) + " is outside of an axis of " +
                  std::to_string(size));
    return false;
  }
  return true;
}

bool checkIndicesOfElements(const InferenceContext &context) {
  const TensorType &data = context.input(0), &indices = context.input(1);
  auto axis = normalizeAxis(context, context.integer("axis"), data.shape.size());
  if (!axis || !checkIndices(context, {data.shape[*axis]}))
    return false;
  bool fits = indices.shape.size() == data.shape.size();
  for (size_t d = 0; fits && d < data.shape.size(); ++d)
    fits = static_cast<int64_t>(d) == *axis || indices.shape[d] <= data.shape[d];
  if (!fits)
    context.error(context.node.op->name +
                  " needs indices of the rank of the data, and no larger but along the axis: the "
                  "data are " +
                  data.str() + ", the indices " + indices.str());
  return fits;
}

Value indexOnAxis(OpBuilder &b, Location loc, Value index, int64_t size, bool isKnown) {
  return indexOnAxis(b, loc, index, OpFoldResult(b.getIndexAttr(size)), isKnown);
}

Value indexOnAxis(OpBuilder &b, Location loc, Value index, OpFoldResult size, bool isKnown) {
  Type type = index.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto sizeAnd = [&](int64_t addend) -> Value {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return constant(*known + addend);
    Value cast = arith::IndexCastOp::create(b, loc, type, llvm::cast<Value>(size));
    return addend == 0 ? cast : arith::AddIOp::create(b, loc, cast, constant(addend)).getResult();
  };
  Value zero = constant(0);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = arith::AddIOp::create(b, loc, index, sizeAnd(0));
  Value fromStart = arith::SelectOp::create(b, loc, isNegative, fromEnd, index);
  if (isKnown)
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), fromStart);
  fromStart = arith::MaxSIOp::create(b, loc, fromStart, zero);
  fromStart = arith::MinSIOp::create(b, loc, fromStart, sizeAnd(-1));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), fromStart);
}

} // namespace kgen
