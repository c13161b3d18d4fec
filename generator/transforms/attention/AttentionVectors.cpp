#include "transforms/attention/AttentionVectors.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <limits>

using namespace mlir;

namespace kgen {

using Values = AttentionVectors::Values;

Value AttentionVectors::number(double value) {
  Attribute element = b.getFloatAttr(vector.getElementType(), value);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, element));
}

Value AttentionVectors::addressOf(Value start, int64_t offset) {
  return b.createOrFold<arith::AddIOp>(loc, start, index(offset));
}

/// One instruction. A NaN is lost here, but not in the sum of the powers.
Value AttentionVectors::larger(Value x, Value y) {
  Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, loc, greater, x, y);
}

/// exp of what is not positive.
Value AttentionVectors::power(Value x) {
  double least = getElementTypeOrSelf(x.getType()).isF64() ? -708.0 : -87.0;
  return ExpOrZeroOp::create(b, loc, x, b.getF64FloatAttr(least));
}

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
Value AttentionVectors::transposeTile(Value source, Value target, Value row, int64_t rows,
                                      Value column, int64_t columns) {
  Type from = getElementTypeOrSelf(source.getType()), to = getElementTypeOrSelf(target.getType());
  auto whole = VectorType::get({lanes}, to);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(whole));
  SmallVector<Value> tile;
  for (int64_t r = 0; r < lanes; ++r) {
    if (r >= rows) {
      tile.push_back(zero);
      continue;
    }
    Value line = readVector(b, loc, source, ValueRange{addressOf(row, r), column}, columns);
    if (from != to)
      line = arith::ExtFOp::create(b, loc, VectorType::get({columns}, to), line);
    if (columns < lanes)
      line = vector::InsertStridedSliceOp::create(b, loc, line, zero, ArrayRef<int64_t>{0},
                                                  ArrayRef<int64_t>{1});
    tile.push_back(line);
  }
  tile = transposeVectors(b, loc, tile);
  for (int64_t c = 0; c < columns; ++c)
    target = write(tile[c], target, {addressOf(column, c), row});
  return target;
}

Value AttentionVectors::transpose(Value source, Value target) {
  auto shape = cast<ShapedType>(source.getType()).getShape();
  int64_t rows = shape[0], columns = shape[1];
  auto overRows = [&](Value column, int64_t width, Value carried) {
    return loopOverVectors(b, loc, rows, lanes, carried, [&](Value row, int64_t count, Value t) {
      return transposeTile(source, t, row, count, column, width);
    });
  };
  return loopOverVectors(b, loc, columns, lanes, target, overRows);
}

/// The largest of `start` and the scores of a column of vectors. Several chains hide the latency.
/// With `causal`, the scores that are left out become -inf on the way.
std::pair<Value, Value> AttentionVectors::maximum(Value scores, Value column,
                                                  std::optional<Causal> causal, Value start) {
  constexpr int64_t chains = 4;
  int64_t keys = cast<ShapedType>(scores.getType()).getDimSize(0);
  Value lowest = number(-std::numeric_limits<double>::infinity()), last;
  Type i32 = b.getI32Type();
  auto numbers = VectorType::get({lanes}, i32);
  auto spread = [&](Value i) {
    Value narrow = arith::IndexCastOp::create(b, loc, i32, i);
    return vector::BroadcastOp::create(b, loc, numbers, narrow).getResult();
  };
  if (causal) {
    SmallVector<int32_t> steps(llvm::to_vector(llvm::seq<int32_t>(lanes)));
    Value step =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(numbers, ArrayRef(steps)));
    Value first = arith::SubIOp::create(b, loc, causal->last, causal->first);
    last =
        arith::AddIOp::create(b, loc, spread(arith::AddIOp::create(b, loc, first, column)), step);
  }
  auto include = [&](Value row, Value tensor, Value sofar) -> std::pair<Value, Value> {
    Value score = read(tensor, {row, column});
    if (causal) {
      Value seen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, spread(row), last);
      score = arith::SelectOp::create(b, loc, seen, score, lowest);
      tensor = write(score, tensor, {row, column});
    }
    return {tensor, larger(sofar, score)};
  };
  Values carried{start};
  carried.append(std::min(keys, chains) - 1, lowest);
  carried.push_back(scores);
  carried = loop(0, keys / chains * chains, chains, carried, [&](Value row, ValueRange old) {
    Values next(old);
    for (int64_t c = 0; c < chains; ++c)
      std::tie(next.back(), next[c]) = include(addressOf(row, c), next.back(), next[c]);
    return next;
  });
  for (int64_t c = 0; c < keys % chains; ++c)
    std::tie(carried.back(), carried[c]) =
        include(index(keys / chains * chains + c), carried.back(), carried[c]);
  Value largest = carried[0];
  for (Value other : ArrayRef(carried).drop_front().drop_back())
    largest = larger(largest, other);
  return {causal ? carried.back() : scores, largest};
}

/// What is subtracted from scores: not -inf, which would make NaN of scores that are -inf.
Value AttentionVectors::finite(Value largest) {
  Value lowest = number(-std::numeric_limits<double>::infinity());
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, lowest);
  return arith::SelectOp::create(b, loc, none, number(0), largest);
}

/// exp(scores - largest), in place, and their sum.
std::pair<Value, Value> AttentionVectors::exponentials(Value scores, Value column, Value largest,
                                                       Value sum) {
  int64_t keys = cast<ShapedType>(scores.getType()).getDimSize(0);
  Values result = loop(0, keys, 1, {scores, sum}, [&](Value row, ValueRange old) {
    Value score = read(old[0], {row, column});
    Value value = power(arith::SubFOp::create(b, loc, score, largest));
    return Values{write(value, old[0], {row, column}),
                  arith::AddFOp::create(b, loc, old[1], value)};
  });
  return {result[0], result[1]};
}

AttentionVectors::Block AttentionVectors::powers(Value scores, std::optional<Causal> causal,
                                                 std::optional<State> before) {
  auto type = cast<RankedTensorType>(scores.getType());
  auto empty = [&] {
    return tensor::EmptyOp::create(b, loc, type.getShape().drop_front(), type.getElementType());
  };
  Values carried{scores};
  if (before)
    carried.append({before->largest, before->sum, empty()});
  else
    carried.append({empty(), empty()});
  carried = loop(0, type.getDimSize(1), lanes, carried, [&](Value column, ValueRange old) {
    Value start = before ? read(old[1], column) : number(-std::numeric_limits<double>::infinity());
    auto [masked, largest] = maximum(old[0], column, causal, start);
    Value base = finite(largest), sum = number(0), shrink;
    if (before) {
      shrink = power(arith::SubFOp::create(b, loc, start, base));
      sum = arith::MulFOp::create(b, loc, read(old[2], column), shrink);
    }
    auto [powers, total] = exponentials(masked, column, base, sum);
    Values next{powers, write(largest, old[1], column), write(total, old[2], column)};
    if (before)
      next.push_back(write(shrink, old[3], column));
    return next;
  });
  return {carried[0], {carried[1], carried[2]}, before ? carried[3] : Value()};
}

Value AttentionVectors::reciprocals(Value tensor) {
  int64_t size = cast<ShapedType>(tensor.getType()).getDimSize(0);
  return loop(0, size, lanes, tensor, [&](Value i, ValueRange old) {
    return Values{write(arith::DivFOp::create(b, loc, number(1), read(old[0], i)), old[0], i)};
  })[0];
}

} // namespace kgen
