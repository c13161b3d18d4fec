#include "math/NativeInstructions.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen::vecmath {

namespace {

/// Elements `start` to `start + count` as a vector of `lanes` lanes; the others are poison.
Value lanesFrom(const Emitter &emitter, Value vector, int64_t start, int64_t count, int64_t lanes) {
  SmallVector<int64_t> lanesOfSource(lanes, vector::ShuffleOp::kPoisonIndex);
  for (int64_t lane = 0; lane < count; ++lane)
    lanesOfSource[lane] = start + lane;
  return vector::ShuffleOp::create(emitter.builder, emitter.loc, vector, vector, lanesOfSource);
}

Value applyPerRegisterOfRow(const Emitter &emitter, Value value, int64_t lanes, Type element,
                            function_ref<Value(Value)> instruction) {
  OpBuilder &b = emitter.builder;
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  if (count == lanes)
    return instruction(value);
  auto type = VectorType::get({count}, element);
  Value row = arith::ConstantOp::create(b, emitter.loc, b.getZeroAttr(type));
  for (int64_t start = 0; start < count; start += lanes) {
    int64_t part = std::min(lanes, count - start);
    Value result = instruction(lanesFrom(emitter, value, start, part, lanes));
    if (part < lanes)
      result = lanesFrom(emitter, result, 0, part, part);
    row = vector::InsertStridedSliceOp::create(b, emitter.loc, result, row,
                                               ArrayRef<int64_t>{start}, ArrayRef<int64_t>{1});
  }
  return row;
}

} // namespace

Value applyPerRegister(const Emitter &emitter, Value value, int64_t lanes, Type element,
                       function_ref<Value(Value)> instruction) {
  OpBuilder &b = emitter.builder;
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type) {
    auto row = VectorType::get({lanes}, value.getType());
    Value all = vector::BroadcastOp::create(b, emitter.loc, row, value);
    return vector::ExtractOp::create(b, emitter.loc, instruction(all), 0);
  }
  if (type.getRank() == 1)
    return applyPerRegisterOfRow(emitter, value, lanes, element, instruction);
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  Value row = vector::ShapeCastOp::create(b, emitter.loc, flat, value);
  row = applyPerRegisterOfRow(emitter, row, lanes, element, instruction);
  return vector::ShapeCastOp::create(b, emitter.loc, type.clone(element), row);
}

} // namespace kgen::vecmath
