// Transpositions of kgen-decompose-attention, a square of one vector's lanes at a time.
#include "transforms/attention/OnlineSoftmax.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// By interleaving the halves of all rows as often as 2 divides their number: each time, the
/// highest bit of an element's row becomes the lowest one of its column and the other way round.
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

/// Rows and columns of one vector each at most.
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
    Value line = readVector(b, loc, source, ValueRange{addressOf(row, r), column}, columns);
    if (from != held)
      line = arith::ExtFOp::create(b, loc, VectorType::get({columns}, held), line);
    if (factor != 1) {
      Attribute scale = b.getFloatAttr(held, factor);
      auto type = cast<VectorType>(line.getType());
      line = arith::MulFOp::create(
          b, loc, line, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, scale)));
    }
    if (columns < lanes)
      line = vector::InsertStridedSliceOp::create(b, loc, line, zero, ArrayRef<int64_t>{0},
                                                  ArrayRef<int64_t>{1});
    tile.push_back(line);
  }
  tile = transposeVectors(b, loc, tile);
  for (int64_t c = 0; c < columns; ++c) {
    Value line = tile[c];
    if (held != to)
      line = arith::TruncFOp::create(b, loc, VectorType::get({lanes}, to), line);
    target = write(line, target, {addressOf(column, c), row});
  }
  return target;
}

/// The same of pairs: `columns` are twice a vector's lanes at most.
Value OnlineSoftmax::transposeTileOfPairs(Value source, Value target, Value row, int64_t rows,
                                          Value column, int64_t columns) {
  auto line = VectorType::get({2 * lanes}, b.getBF16Type()),
       pairs = VectorType::get({lanes}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(line));
  SmallVector<Value> tile;
  for (int64_t r = 0; r < lanes; ++r) {
    Value elements = zero;
    if (r < rows)
      elements = readVector(b, loc, source, ValueRange{addressOf(row, r), column}, columns);
    if (!getElementTypeOrSelf(elements.getType()).isBF16())
      elements =
          arith::TruncFOp::create(b, loc, VectorType::get({columns}, b.getBF16Type()), elements);
    if (r < rows && columns < 2 * lanes)
      elements = vector::InsertStridedSliceOp::create(b, loc, elements, zero, ArrayRef<int64_t>{0},
                                                      ArrayRef<int64_t>{1});
    tile.push_back(vector::BitCastOp::create(b, loc, pairs, elements));
  }
  tile = transposeVectors(b, loc, tile);
  Value first = b.createOrFold<arith::DivUIOp>(loc, column, index(2)),
        place = b.createOrFold<arith::MulIOp>(loc, row, index(2));
  for (int64_t c = 0; c < (columns + 1) / 2; ++c)
    target = write(vector::BitCastOp::create(b, loc, line, tile[c]), target,
                   {addressOf(first, c), place});
  return target;
}

Value OnlineSoftmax::transpose(Value source, Value target, double factor) {
  auto shape = cast<ShapedType>(source.getType()).getShape();
  int64_t rows = shape[0], columns = shape[1];
  auto overRows = [&](Value column, int64_t width, Value carried) {
    return buildVectorLoop(b, loc, rows, lanes, carried, [&](Value row, int64_t count, Value t) {
      return transposeTile(source, t, row, count, column, width, factor);
    });
  };
  return buildVectorLoop(b, loc, columns, lanes, target, overRows);
}

Value OnlineSoftmax::transposePairs(Value source, Value target) {
  auto shape = cast<ShapedType>(source.getType()).getShape();
  int64_t rows = shape[0], columns = shape[1];
  auto overRows = [&](Value column, int64_t width, Value carried) {
    return buildVectorLoop(b, loc, rows, lanes, carried, [&](Value row, int64_t count, Value t) {
      return transposeTileOfPairs(source, t, row, count, column, width);
    });
  };
  return buildVectorLoop(b, loc, columns, 2 * lanes, target, overRows);
}

} // namespace kgen
