// The vectors of attention of few queries: of rows of Q, K and V, and of scores.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/attention/FewQueries.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

SmallVector<Value> FewQueries::indices(AffineMap map, Value key, Value inRow) {
  SmallVector<Value> at;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    at.push_back(dimension <= op.dimM() ? batch[dimension] : dimension == op.dimN() ? key : inRow);
  }
  return at;
}

/// The mask of a vector with so many elements that are there.
Value FewQueries::lanesBelow(int64_t count) {
  SmallVector<bool> mask(lanes, false);
  std::fill_n(mask.begin(), count, true);
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

Value FewQueries::lanesBelow(Value count) {
  Type i32 = b.getI32Type();
  auto type = VectorType::get({lanes}, i32);
  SmallVector<int32_t> numbers(llvm::to_vector(llvm::seq<int32_t>(lanes)));
  Value lane = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value narrow = arith::IndexCastOp::create(b, loc, i32, count);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lane,
                               vector::BroadcastOp::create(b, loc, type, narrow));
}

/// A vector of a row of Q, K or V from element `from` on, in the accumulator type; zeros follow the
/// last of `size` elements.
Value FewQueries::read(Value tensor, AffineMap map, Value key, int64_t from, int64_t size) {
  Value mask = from + lanes > size ? lanesBelow(size - from) : Value();
  Value vector = readVector(b, loc, tensor, indices(map, key, index(from)), lanes, mask);
  auto wide = VectorType::get({lanes}, element);
  if (std::optional<Type> narrow = op.getProbabilityType();
      narrow && getElementTypeOrSelf(tensor.getType()) == element)
    vector = arith::TruncFOp::create(b, loc, wide.clone(*narrow), vector);
  if (vector.getType() == wide)
    return vector;
  return arith::ExtFOp::create(b, loc, wide, vector);
}

/// A vector whose lane i is the sum of the lanes of vector i: neighbours are added in registers of
/// 128 bits first, which shuffle in one cycle.
Value FewQueries::sumOfEach(SmallVector<Value> vectors) {
  int64_t inRegister = std::min<int64_t>(128 / element.getIntOrFloatBitWidth(), lanes);
  auto combine = [&](ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    SmallVector<Value> next;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      Value x = vectors[i], y = vectors[i + 1];
      next.push_back(arith::AddFOp::create(b, loc, vector::ShuffleOp::create(b, loc, x, y, low),
                                           vector::ShuffleOp::create(b, loc, x, y, high)));
    }
    vectors = next;
  };
  for (int64_t unit = 1; unit < inRegister; unit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t first = lane / inRegister * inRegister, at = lane % inRegister;
      int64_t part = at / unit; // parts of the first vector and of the second one, in turns
      int64_t source = first + part / 2 * unit + at % unit + part % 2 * lanes;
      low.push_back(source);
      high.push_back(source + inRegister / 2);
    }
    combine(low, high);
  }
  for (int64_t registers = lanes / inRegister; registers > 1;) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t at = lane / inRegister, half = lanes / inRegister / 2;
      int64_t source = at / half * lanes + at % half * 2 * inRegister + lane % inRegister;
      low.push_back(source);
      high.push_back(source + inRegister);
    }
    combine(low, high);
    registers /= 2;
  }
  return vectors.front();
}

Value FewQueries::acrossLanes(Value vector, llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t by = 1; by < lanes; by *= 2) {
    SmallVector<int64_t> other;
    for (int64_t lane = 0; lane < lanes; ++lane)
      other.push_back(lane ^ by);
    vector = combine(vector, vector::ShuffleOp::create(b, loc, vector, vector, other));
  }
  return vector;
}

/// Prefetches the row of the key that is a block of keys further on.
void FewQueries::prefetch(Value memory, AffineMap map, Value key, int64_t size) {
  if (!memory)
    return;
  Value next = b.createOrFold<arith::AddIOp>(loc, key, index(plan.keyBlock));
  int64_t line = lineBytes / bytesOfElement(cast<MemRefType>(memory.getType()).getElementType());
  for (int64_t from = 0; from < size; from += line)
    memref::PrefetchOp::create(b, loc, memory, indices(map, next, index(from)), /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
}

/// The products of the row's query with as many keys from `first` on as a vector has lanes, those
/// after `last` being that one again, unless it is null.
Value FewQueries::products(Value row, Value first, Value last) {
  SmallVector<Value> keys, added(lanes, softmax.number(0));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value key = b.createOrFold<arith::AddIOp>(loc, first, index(lane));
    keys.push_back(last ? arith::MinSIOp::create(b, loc, key, last).getResult() : key);
  }
  if (!last)
    for (Value key : keys)
      prefetch(distantK, op.getKMap(), key, plan.d);
  for (int64_t from = 0; from < plan.d; from += lanes) {
    Value query = readVector(b, loc, queries, {row, index(from)}, lanes);
    for (auto [key, sum] : llvm::zip(keys, added))
      sum = vector::FMAOp::create(b, loc, query, read(k, op.getKMap(), key, from, plan.d), sum);
  }
  return sumOfEach(added);
}

/// The elements of another operand for the scores of a vector of keys, of which `seen` are there.
Value FewQueries::operandOfScores(Value tensor, AffineMap map, Value first, Value seen) {
  SmallVector<Value> at = indices(map, first, {});
  unsigned rank = map.getNumResults();
  if (!map.isFunctionOfDim(op.dimN()))
    return tensor::ExtractOp::create(b, loc, tensor, at);
  if (map.getDimPosition(rank - 1) == op.dimN()) {
    Value mask;
    if (seen)
      mask = vector::CreateMaskOp::create(
          b, loc, VectorType::get({lanes}, b.getI1Type()),
          ValueRange{arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, seen, first),
                                            index(0))});
    return readVector(b, loc, tensor, at, lanes, mask);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value key = b.createOrFold<arith::AddIOp>(loc, first, index(lane));
    if (seen) {
      Value last = arith::SubIOp::create(b, loc, seen, index(1));
      key = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, key, last), index(0));
    }
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, indices(map, key, {})));
  }
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(tensor.getType()));
  return vector::FromElementsOp::create(b, loc, type, elements);
}

/// The scores of products; -inf for keys from `seen` on, unless it is null.
Value FewQueries::scores(Value products, Value first, Value seen) {
  Block &body = op.getScore().front();
  IRMapping values;
  auto map = [&](BlockArgument argument, Value value) {
    if (auto type = dyn_cast<VectorType>(value.getType());
        type && type.getElementType() != argument.getType())
      value = arith::TruncFOp::create(b, loc, type.clone(argument.getType()), value);
    values.map(argument, value);
  };
  map(body.getArgument(0), products);
  for (auto [operand, mapOf, argument] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>(),
                 body.getArguments().drop_front()))
    map(argument, operandOfScores(operand, mapOf, first, seen));
  Value result = vectorizeBody(
      b, loc, body, values, lanes, [&](Operation &inner, llvm::function_ref<Value(Value)> wide) {
        return &inner == scale.multiplication ? wide(body.getArgument(0)) : Value();
      });
  if (!seen)
    return result;
  Value there = lanesBelow(b.createOrFold<arith::SubIOp>(loc, seen, first));
  Value lowest = softmax.number(-std::numeric_limits<double>::infinity());
  return arith::SelectOp::create(b, loc, there, result, lowest);
}

} // namespace kgen
