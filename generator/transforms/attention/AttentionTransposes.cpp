// In-register transposes of kgen-decompose-attention, blocks of as many rows as a vector has lanes.
#include "transforms/attention/OnlineSoftmax.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// Transposes log2(rows) times by one bit: row i and row i + rows/2 are interleaved, which moves
/// the highest bit of an element's row number to the lowest bit of its column number.
static SmallVector<Value> transposeVectors(OpBuilder &b, Location loc, SmallVector<Value> rows) {
  auto count = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < count; ++i) {
    low.push_back(i / 2 + (i % 2) * count);
    high.push_back(low.back() + count / 2);
  }
  for (int64_t step = 1; step < count; step *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < count / 2; ++i)
      for (ArrayRef<int64_t> mask : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(b, loc, rows[i], rows[i + count / 2], mask));
    rows = next;
  }
  return rows;
}

/// Transposes at most one vector of rows and one of columns.
Value OnlineSoftmax::transposeTile(Value source, Value target, Value row, int64_t rows,
                                   Value column, int64_t columns, double factor) {
  Type from = getElementTypeOrSelf(source.getType()), to = getElementTypeOrSelf(target.getType());
  Type held = to.isBF16() ? vector.getElementType() : to;
  auto whole = VectorType::get({lanes}, held);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(whole));
  SmallVector<Value> tile;
  for (int64_t r = 0; r < lanes; ++r) {
    if (r >= rows) {
      tile.push_back(zero);
      continue;
    }
    Value elements = readVector(b, loc, source, ValueRange{indexAt(row, r), column}, columns);
    if (from != held)
      elements = arith::ExtFOp::create(b, loc, VectorType::get({columns}, held), elements);
    if (factor != 1) {
      Attribute scale = b.getFloatAttr(held, factor);
      auto type = cast<VectorType>(elements.getType());
      elements = arith::MulFOp::create(
          b, loc, elements, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, scale)));
    }
    if (columns < lanes)
      elements = vector::InsertStridedSliceOp::create(b, loc, elements, zero, ArrayRef<int64_t>{0},
                                                      ArrayRef<int64_t>{1});
    tile.push_back(elements);
  }
  tile = transposeVectors(b, loc, tile);
  for (int64_t c = 0; c < columns; ++c) {
    Value elements = tile[c];
    if (held != to)
      elements = arith::TruncFOp::create(b, loc, VectorType::get({lanes}, to), elements);
    target = write(elements, target, {indexAt(column, c), row});
  }
  return target;
}

/// Transposes a tile for VNNI: at most two vectors of columns.
Value OnlineSoftmax::transposeTileVnni(Value source, Value target, Value row, int64_t rows,
                                       Value column, int64_t columns) {
  auto rowType = VectorType::get({2 * lanes}, b.getBF16Type()),
       pairs = VectorType::get({lanes}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(rowType));
  SmallVector<Value> tile;
  for (int64_t r = 0; r < lanes; ++r) {
    Value elements = zero;
    if (r < rows)
      elements = readVector(b, loc, source, ValueRange{indexAt(row, r), column}, columns);
    if (!getElementTypeOrSelf(elements.getType()).isBF16())
      elements =
          arith::TruncFOp::create(b, loc, VectorType::get({columns}, b.getBF16Type()), elements);
    if (r < rows && columns < 2 * lanes)
      elements = vector::InsertStridedSliceOp::create(b, loc, elements, zero, ArrayRef<int64_t>{0},
                                                      ArrayRef<int64_t>{1});
    tile.push_back(vector::BitCastOp::create(b, loc, pairs, elements));
  }
  tile = transposeVectors(b, loc, tile);
  Value firstPair = b.createOrFold<arith::DivUIOp>(loc, column, index(2)),
        offset = b.createOrFold<arith::MulIOp>(loc, row, index(2));
  for (int64_t c = 0; c < (columns + 1) / 2; ++c)
    target = write(vector::BitCastOp::create(b, loc, rowType, tile[c]), target,
                   {indexAt(firstPair, c), offset});
  return target;
}

Value OnlineSoftmax::transpose(Value source, Value target, double factor) {
  auto shape = cast<ShapedType>(source.getType()).getShape();
  int64_t rows = shape[0], columns = shape[1];
  auto emitRowLoop = [&](Value column, int64_t width, Value carried) {
    return buildVectorLoop(b, loc, rows, lanes, carried, [&](Value row, int64_t count, Value t) {
      return transposeTile(source, t, row, count, column, width, factor);
    });
  };
  return buildVectorLoop(b, loc, columns, lanes, target, emitRowLoop);
}

Value OnlineSoftmax::transposeVnni(Value source, Value target) {
  auto shape = cast<ShapedType>(source.getType()).getShape();
  int64_t rows = shape[0], columns = shape[1];
  auto emitRowLoop = [&](Value column, int64_t width, Value carried) {
    return buildVectorLoop(b, loc, rows, lanes, carried, [&](Value row, int64_t count, Value t) {
      return transposeTileVnni(source, t, row, count, column, width);
    });
  };
  return buildVectorLoop(b, loc, columns, 2 * lanes, target, emitRowLoop);
}

} // namespace kgen
