// One step along k of a kernel of outer products: the terms of A and B, and their products.
#include "providers/VectorProducts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// Up-converts `value`, a loaded scalar or vector, to the accumulator type.
Value VectorProducts::upconvert(Value value) {
  Type from = getElementTypeOrSelf(value);
  auto with = [&](Type scalar) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(VectorType::get(vector.getShape(), scalar)) : scalar;
  };
  if (from == accumulator)
    return value;
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, loc, with(accumulator), value);
  Type bits32 = with(b.getI32Type());
  Value high = number32(16);
  if (auto vector = dyn_cast<VectorType>(bits32))
    high = vector::BroadcastOp::create(b, loc, vector, high);
  Value bits = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, bits32, value), high);
  return LLVM::BitcastOp::create(b, loc, with(accumulator), bits);
}

/// Splits pairs of bf16, which share 32 bits of `group`, into two vectors of f32, lower halves
/// first.
VectorProducts::Terms VectorProducts::spread(Value group, const Column &column) {
  Terms terms;
  Value half = splat(number32(16), column), upper = splat(number32(-65536), column);
  for (Value bits : {arith::ShLIOp::create(b, loc, group, half).getResult(),
                     arith::AndIOp::create(b, loc, group, upper).getResult()})
    terms.push_back(LLVM::BitcastOp::create(b, loc, type(column), bits));
  return terms;
}

VectorProducts::Terms VectorProducts::termsOfB(Value row, const Column &column) {
  Value at = address(bElement, row, column.start * vnni);
  if (vnni == 1)
    return {upconvert(load(loaded(bElement), at, column, isPadded(column)))};
  Value group = load(b.getI32Type(), at, column, isPadded(column), bElement);
  return usesDotProduct(column) ? Terms{group} : spread(group, column);
}

/// `count` values of A along k from address `at` on, each broadcast to all lanes.
VectorProducts::Terms VectorProducts::termsOfA(Value at, int64_t count, const Column &column) {
  if (vnni == 1)
    return {splat(upconvert(loadScalar(loaded(element), at)), column)};
  Value group = splat(groupOfA(at, count), column);
  return usesDotProduct(column) ? Terms{group} : spread(group, column);
}

void VectorProducts::stepOfOneRow(Tile &tile, const StepOperands &at, int64_t set) {
  bool fromLanes = scalarsOfA.begin(at.a, at.following, columns.front());
  for (auto [index, column] : llvm::enumerate(columns)) {
    Value x = fromLanes ? scalarsOfA.broadcastToLanes(column) : termsOfA(at.a, 1, column)[0];
    Value &sum = tile[set * columns.size() + index];
    sum = multiplyAdd(x, termsOfB(at.b, column)[0], sum, column);
  }
}

Value VectorProducts::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  if (isa<IntegerType>(accumulator))
    return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
  if (!usesDotProduct(column))
    return LLVM::FMulAddOp::create(b, loc, type(column), x, y, sum);
  auto bf16 = VectorType::get({vnni * column.width}, element);
  Value ofA = LLVM::BitcastOp::create(b, loc, bf16, x),
        ofB = LLVM::BitcastOp::create(b, loc, bf16, y);
  return DotOp::create(b, loc, ofA, ofB, sum);
}

/// Stores a vector of up-converted B, with all lanes, for other kernels.
void VectorProducts::keep(Value upconvertedB, Value row, const Column &column) {
  if (upconvertedB)
    store(row, address(accumulator, upconvertedB, column.start),
          {column.start, column.width, column.width});
}

/// Adds the products of operands of different types: one value of k after the other, so that fewer
/// up-converted vectors of B are live.
void VectorProducts::stepWithUpconversion(Tile &tile, const StepOperands &at, int64_t set) {
  for (int64_t k = 0; k < at.count; ++k) {
    Value upconvertedRow =
        at.upconvertedB ? address(accumulator, at.upconvertedB, k * kernel.getBUpconvertedRow())
                        : Value();
    SmallVector<Value> bRow;
    for (const Column &column : columns) {
      bRow.push_back(termsOfB(at.b, column)[k]);
      keep(upconvertedRow, bRow.back(), column);
    }
    int64_t position = set * rows * columns.size();
    for (int64_t row = 0; row < rows; ++row) {
      if (!activeRows[row]) {
        position += columns.size();
        continue;
      }
      Value from = address(element, at.a, kernel.getRowOffsetInA(row) + k * kernel.getACol());
      Value x = upconvert(loadScalar(loaded(element), from));
      for (auto [column, y] : llvm::zip(columns, bRow)) {
        tile[position] = multiplyAdd(splat(x, column), y, tile[position], column);
        ++position;
      }
    }
  }
}

/// tile[set] += A[:, k...] * B[k..., :] for some values of k.
void VectorProducts::step(Tile &tile, const StepOperands &at, int64_t set) {
  if (element != bElement)
    return stepWithUpconversion(tile, at, set);
  if (readsLanes)
    return stepOfOneRow(tile, at, set);
  SmallVector<Terms> bRow;
  for (const Column &column : columns)
    bRow.push_back(termsOfB(at.b, column));
  int64_t position = set * rows * columns.size();
  bool loadsLanes = lanesOfA.begin(lanesInLoad(), at.following);
  for (int64_t row = 0; row < rows; ++row) {
    if (!activeRows[row]) {
      position += columns.size();
      continue;
    }
    Value from = address(element, at.a, kernel.getRowOffsetInA(row));
    if (loadsLanes)
      lanesOfA.load(b, loc, row, element, from);
    if (prefetching[row])
      LLVM::Prefetch::create(b, loc, address(element, from, kernel.getABatch()), /*rw=*/0,
                             /*hint=*/3, /*cache=*/1);
    for (auto [column, terms] : llvm::zip(columns, bRow)) {
      Terms ofA = lanesOfA.hasLanes() ? Terms{lanesOfA.lane(b, loc, row, column.width)}
                                      : termsOfA(from, at.count, column);
      for (auto [x, y] : llvm::zip(ofA, terms))
        tile[position] = multiplyAdd(x, y, tile[position], column);
      ++position;
    }
  }
}

} // namespace kgen
