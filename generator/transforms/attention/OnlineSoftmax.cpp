#include "transforms/attention/OnlineSoftmax.h"

#include "dialect/kgen/EmptyTensor.h"

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

Value OnlineSoftmax::indexAt(Value start, int64_t offset) {
  return b.createOrFold<arith::AddIOp>(loc, start, index(offset));
}

/// Compiles to one max instruction. It drops a NaN in `x`, which the sum of the probabilities still
/// gets.
Value OnlineSoftmax::maximumOf(Value x, Value y) {
  Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, loc, greater, x, y);
}

/// exp(x), or 2^x with `areExponents`, of a difference of scores; 0 instead of subnormal results.
Value OnlineSoftmax::exponential(Value x) {
  double minExponent = vector.getElementType().isF64() ? -1022.0 : -126.0;
  if (!areExponents)
    x = arith::MulFOp::create(b, loc, x, number(llvm::numbers::log2e));
  return Exp2OrZeroOp::create(b, loc, x, b.getF64FloatAttr(minExponent));
}

/// The maximum over keys of each query of a vector, and the scores, where -inf replaces those that
/// `causal` hides. Four independent accumulators hide the latency of the max instruction.
std::pair<Value, Value> OnlineSoftmax::columnMaximum(Value scores, Value column,
                                                     std::optional<Causal> causal) {
  const int64_t accumulators =
      cpuOf(b.getInsertionBlock()->getParentOp()).heuristics.independentChains;
  int64_t keys = cast<ShapedType>(scores.getType()).getDimSize(0);
  Value lowest = number(-std::numeric_limits<double>::infinity()), last;
  Type i32 = b.getI32Type();
  auto numbers = VectorType::get({lanes}, i32);
  auto broadcast = [&](Value i) {
    Value narrow = arith::IndexCastOp::create(b, loc, i32, i);
    return vector::BroadcastOp::create(b, loc, numbers, narrow).getResult();
  };
  if (causal) {
    SmallVector<int32_t> laneNumbers(llvm::to_vector(llvm::seq<int32_t>(lanes)));
    Value lane =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(numbers, ArrayRef(laneNumbers)));
    Value first = arith::SubIOp::create(b, loc, causal->last, causal->first);
    last = arith::AddIOp::create(b, loc, broadcast(arith::AddIOp::create(b, loc, first, column)),
                                 lane);
  }
  auto include = [&](Value row, Value tensor, Value maximum) -> std::pair<Value, Value> {
    Value score = read(tensor, {row, column});
    if (causal) {
      Value seen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, broadcast(row), last);
      score = arith::SelectOp::create(b, loc, seen, score, lowest);
      tensor = write(score, tensor, {row, column});
    }
    return {tensor, maximumOf(maximum, score)};
  };
  Values carried(std::min(keys, accumulators), lowest);
  carried.push_back(scores);
  carried = loop(
      0, keys / accumulators * accumulators, accumulators, carried, [&](Value row, ValueRange old) {
        Values next(old);
        for (int64_t c = 0; c < accumulators; ++c)
          std::tie(next.back(), next[c]) = include(indexAt(row, c), next.back(), next[c]);
        return next;
      });
  for (int64_t c = 0; c < keys % accumulators; ++c)
    std::tie(carried.back(), carried[c]) =
        include(index(keys / accumulators * accumulators + c), carried.back(), carried[c]);
  Value max = carried[0];
  for (Value other : ArrayRef(carried).drop_front().drop_back())
    max = maximumOf(max, other);
  return {causal ? carried.back() : scores, max};
}

/// `runningMax`, but 0 instead of -inf: -inf - (-inf) would be NaN where all scores are hidden.
Value OnlineSoftmax::finite(Value runningMax) {
  Value lowest = number(-std::numeric_limits<double>::infinity());
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, runningMax, lowest);
  return arith::SelectOp::create(b, loc, none, number(0), runningMax);
}

Value OnlineSoftmax::emptyRow(Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return emptyTensor(b, loc, type.getShape().take_back(), type.getElementType());
}

Values OnlineSoftmax::emitColumnLoop(Value row, ValueRange inits, Body body) {
  return loop(0, cast<ShapedType>(row.getType()).getShape().back(), lanes, inits, body);
}

OnlineSoftmax::Maxima OnlineSoftmax::maxima(Value scores, std::optional<Causal> causal) {
  Values result =
      emitColumnLoop(scores, {scores, emptyRow(scores)}, [&](Value column, ValueRange old) {
        auto [masked, max] = columnMaximum(old[0], column, causal);
        return Values{masked, write(max, old[1], column)};
      });
  return {result[0], result[1]};
}

Value OnlineSoftmax::hideRows(Value scores, Value first) {
  Value lowest = number(-std::numeric_limits<double>::infinity());
  Value rows = index(cast<ShapedType>(scores.getType()).getDimSize(0));
  return emitColumnLoop(scores, scores, [&](Value column, ValueRange old) {
    return loop(first, rows, 1, old, [&](Value row, ValueRange carried) {
      return Values{write(lowest, carried[0], {row, column})};
    });
  })[0];
}

/// A row with `vector` in each vector.
Value OnlineSoftmax::rowOf(Value like, Value vector) {
  return emitColumnLoop(like, emptyRow(like), [&](Value column, ValueRange old) {
    return Values{write(vector, old[0], column)};
  })[0];
}

Value OnlineSoftmax::minusInfRow(Value like) {
  return rowOf(like, number(-std::numeric_limits<double>::infinity()));
}

Value OnlineSoftmax::rowOfZeros(Value like) { return rowOf(like, number(0)); }

Value OnlineSoftmax::needsRescale(Value max, Value runningMax) {
  // exp(8) = 2981: sums of as large probabilities are far from overflow, and scores seldom grow so
  // much after the first block of keys.
  constexpr double margin = 8;
  Value none =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector.clone(b.getI1Type()), false));
  Value any = emitColumnLoop(runningMax, none, [&](Value column, ValueRange old) {
    Value limit = arith::AddFOp::create(b, loc, read(runningMax, column), number(margin));
    Value needsRescale =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, read(max, column), limit);
    return Values{arith::OrIOp::create(b, loc, old[0], needsRescale)};
  })[0];
  any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), any);
}

OnlineSoftmax::Rescaled OnlineSoftmax::rescale(Value max, Value runningMax, Value sum) {
  Values result = emitColumnLoop(
      runningMax, {runningMax, sum, emptyRow(runningMax)}, [&](Value column, ValueRange old) {
        Value before = read(old[0], column);
        Value after = maximumOf(read(max, column), before);
        Value factor = exponential(arith::SubFOp::create(b, loc, before, finite(after)));
        Value rescaled = arith::MulFOp::create(b, loc, read(old[1], column), factor);
        return Values{write(after, old[0], column), write(rescaled, old[1], column),
                      write(factor, old[2], column)};
      });
  return {result[0], result[1], result[2]};
}

/// Two probabilities as a bf16 pair, `first` in the lower half of 32 bits. Adding 0x8000 rounds to
/// nearest, ties away from zero. A NaN may be lost here; the sum, which is f32, keeps it.
Value OnlineSoftmax::bf16Pair(Value first, Value second) {
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

OnlineSoftmax::Probabilities OnlineSoftmax::sumProbabilities(Value scores, Value runningMax,
                                                             Value sum, Value target, int64_t step,
                                                             Add add) {
  int64_t keys = cast<ShapedType>(scores.getType()).getDimSize(0), whole = keys / step * step;
  Values inits{target, sum ? sum : emptyRow(scores)};
  Values result = emitColumnLoop(scores, inits, [&](Value column, ValueRange old) {
    Value subtrahend = finite(read(runningMax, column));
    Values added{old[0], sum ? read(old[1], column) : number(0)};
    added = loop(0, whole, step, added, [&](Value row, ValueRange carried) {
      return add({row, column, subtrahend}, step, carried);
    });
    if (whole < keys)
      added = add({index(whole), column, subtrahend}, keys - whole, added);
    return Values{added[0], write(added[1], old[1], column)};
  });
  return {result[0], result[1]};
}

Value OnlineSoftmax::probabilityAt(Value scores, const Position &at, int64_t offset) {
  Value score = read(scores, {indexAt(at.row, offset), at.column});
  return exponential(arith::SubFOp::create(b, loc, score, at.runningMax));
}

OnlineSoftmax::Probabilities OnlineSoftmax::probabilities(Value scores, Value runningMax,
                                                          Value sum) {
  return sumProbabilities(scores, runningMax, sum, scores, 1,
                          [&](const Position &at, int64_t, ValueRange old) {
                            Value value = probabilityAt(old[0], at, 0);
                            return Values{write(value, old[0], {at.row, at.column}),
                                          arith::AddFOp::create(b, loc, old[1], value)};
                          });
}

OnlineSoftmax::Probabilities OnlineSoftmax::probabilityPairs(Value scores, Value runningMax,
                                                             Value sum, Value pairs) {
  auto add = [&](const Position &at, int64_t count, ValueRange old) {
    Value first = probabilityAt(scores, at, 0),
          total = arith::AddFOp::create(b, loc, old[1], first);
    Value second = number(0);
    if (count == 2) {
      second = probabilityAt(scores, at, 1);
      total = arith::AddFOp::create(b, loc, total, second);
    }
    Value pair = b.createOrFold<arith::DivUIOp>(loc, at.row, index(2)),
          offset = b.createOrFold<arith::MulIOp>(loc, at.column, index(2));
    return Values{write(bf16Pair(first, second), old[0], {pair, offset}), total};
  };
  return sumProbabilities(scores, runningMax, sum, pairs, 2, add);
}

Value OnlineSoftmax::reciprocals(Value tensor, bool zeroOfZero, Value isNothing) {
  int64_t size = cast<ShapedType>(tensor.getType()).getDimSize(0);
  return loop(0, size, lanes, tensor, [&](Value i, ValueRange old) {
    Value x = read(old[0], i);
    if (isNothing)
      x = arith::SelectOp::create(b, loc, isNothing,
                                  number(std::numeric_limits<double>::infinity()), x);
    Value inverse = arith::DivFOp::create(b, loc, number(1), x);
    if (zeroOfZero) {
      Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, number(0));
      inverse = arith::SelectOp::create(b, loc, isZero, number(0), inverse);
    }
    return Values{write(inverse, old[0], i)};
  })[0];
}

} // namespace kgen
