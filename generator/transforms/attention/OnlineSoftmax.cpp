#include "transforms/attention/OnlineSoftmax.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/Support/MathExtras.h>

#include <limits>

using namespace mlir;

namespace kgen {

using Values = OnlineSoftmax::Values;

Value OnlineSoftmax::number(double value) {
  Attribute element = b.getFloatAttr(vector.getElementType(), value);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, element));
}

Value OnlineSoftmax::addressOf(Value start, int64_t offset) {
  return b.createOrFold<arith::AddIOp>(loc, start, index(offset));
}

/// One instruction. A NaN is lost here, but not in the sum of the powers.
Value OnlineSoftmax::larger(Value x, Value y) {
  Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, loc, greater, x, y);
}

/// The power of a difference of scores.
Value OnlineSoftmax::power(Value x) {
  double least = vector.getElementType().isF64() ? -1022.0 : -126.0;
  if (!areExponents)
    x = arith::MulFOp::create(b, loc, x, number(llvm::numbers::log2e));
  return Exp2OrZeroOp::create(b, loc, x, b.getF64FloatAttr(least));
}

/// The largest scores of a column of vectors. Several chains hide the latency. With `causal`, the
/// scores that are left out become -inf on the way.
std::pair<Value, Value> OnlineSoftmax::maximum(Value scores, Value column,
                                               std::optional<Causal> causal) {
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
  Values carried(std::min(keys, chains), lowest);
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
Value OnlineSoftmax::finite(Value base) {
  Value lowest = number(-std::numeric_limits<double>::infinity());
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, base, lowest);
  return arith::SelectOp::create(b, loc, none, number(0), base);
}

Value OnlineSoftmax::emptyRow(Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensor::EmptyOp::create(b, loc, type.getShape().take_back(), type.getElementType());
}

Values OnlineSoftmax::overColumns(Value row, ValueRange inits, Body body) {
  return loop(0, cast<ShapedType>(row.getType()).getShape().back(), lanes, inits, body);
}

OnlineSoftmax::Maxima OnlineSoftmax::maxima(Value scores, std::optional<Causal> causal) {
  Values result =
      overColumns(scores, {scores, emptyRow(scores)}, [&](Value column, ValueRange old) {
        auto [masked, largest] = maximum(old[0], column, causal);
        return Values{masked, write(largest, old[1], column)};
      });
  return {result[0], result[1]};
}

Value OnlineSoftmax::exceeds(Value largest, Value base) {
  constexpr double margin = 8;
  Value none =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector.clone(b.getI1Type()), false));
  Value any = overColumns(base, none, [&](Value column, ValueRange old) {
    Value most = arith::AddFOp::create(b, loc, read(base, column), number(margin));
    Value exceeds =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, read(largest, column), most);
    return Values{arith::OrIOp::create(b, loc, old[0], exceeds)};
  })[0];
  any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), any);
}

OnlineSoftmax::Rebased OnlineSoftmax::rebase(Value largest, Value base, Value sum) {
  Values result = overColumns(base, {base, sum, emptyRow(base)}, [&](Value column, ValueRange old) {
    Value before = read(old[0], column);
    Value after = larger(read(largest, column), before);
    Value factor = power(arith::SubFOp::create(b, loc, before, finite(after)));
    Value scaled = arith::MulFOp::create(b, loc, read(old[1], column), factor);
    return Values{write(after, old[0], column), write(scaled, old[1], column),
                  write(factor, old[2], column)};
  });
  return {result[0], result[1], result[2]};
}

/// Two powers as bf16, the first one in the lower half of 32 bits: rounded to nearest by an
/// addition. A NaN is lost here, but not in the sum.
Value OnlineSoftmax::roundedPair(Value first, Value second) {
  auto bits = vector.clone(b.getI32Type());
  auto constant = [&](uint32_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(bits, b.getIntegerAttr(b.getI32Type(), value)));
  };
  auto rounded = [&](Value x) -> Value {
    return arith::AddIOp::create(b, loc, vector::BitCastOp::create(b, loc, bits, x),
                                 constant(0x8000));
  };
  Value low = arith::ShRUIOp::create(b, loc, rounded(first), constant(16));
  Value high = arith::AndIOp::create(b, loc, rounded(second), constant(0xffff0000));
  return vector::BitCastOp::create(b, loc, VectorType::get({2 * lanes}, b.getBF16Type()),
                                   arith::OrIOp::create(b, loc, low, high));
}

OnlineSoftmax::Powers OnlineSoftmax::sumPowers(Value scores, Value base, Value sum, Value target,
                                               int64_t step, Add add) {
  int64_t keys = cast<ShapedType>(scores.getType()).getDimSize(0), whole = keys / step * step;
  Values inits{target, sum ? sum : emptyRow(scores)};
  Values result = overColumns(scores, inits, [&](Value column, ValueRange old) {
    Value least = finite(read(base, column));
    Values added{old[0], sum ? read(old[1], column) : number(0)};
    added = loop(0, whole, step, added, [&](Value row, ValueRange sofar) {
      return add({row, column, least}, step, sofar);
    });
    if (whole < keys)
      added = add({index(whole), column, least}, keys - whole, added);
    return Values{added[0], write(added[1], old[1], column)};
  });
  return {result[0], result[1]};
}

Value OnlineSoftmax::powerAt(Value scores, const Place &at, int64_t offset) {
  Value score = read(scores, {addressOf(at.row, offset), at.column});
  return power(arith::SubFOp::create(b, loc, score, at.base));
}

OnlineSoftmax::Powers OnlineSoftmax::powers(Value scores, Value base, Value sum) {
  return sumPowers(scores, base, sum, scores, 1, [&](const Place &at, int64_t, ValueRange old) {
    Value value = powerAt(old[0], at, 0);
    return Values{write(value, old[0], {at.row, at.column}),
                  arith::AddFOp::create(b, loc, old[1], value)};
  });
}

OnlineSoftmax::Powers OnlineSoftmax::pairsOfPowers(Value scores, Value base, Value sum,
                                                   Value pairs) {
  auto add = [&](const Place &at, int64_t count, ValueRange old) {
    Value first = powerAt(scores, at, 0), total = arith::AddFOp::create(b, loc, old[1], first);
    Value second = number(0);
    if (count == 2) {
      second = powerAt(scores, at, 1);
      total = arith::AddFOp::create(b, loc, total, second);
    }
    Value pair = b.createOrFold<arith::DivUIOp>(loc, at.row, index(2)),
          place = b.createOrFold<arith::MulIOp>(loc, at.column, index(2));
    return Values{write(roundedPair(first, second), old[0], {pair, place}), total};
  };
  return sumPowers(scores, base, sum, pairs, 2, add);
}

Value OnlineSoftmax::reciprocals(Value tensor) {
  int64_t size = cast<ShapedType>(tensor.getType()).getDimSize(0);
  return loop(0, size, lanes, tensor, [&](Value i, ValueRange old) {
    return Values{write(arith::DivFOp::create(b, loc, number(1), read(old[0], i)), old[0], i)};
  })[0];
}

} // namespace kgen
