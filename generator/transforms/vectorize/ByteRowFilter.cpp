#include "transforms/vectorize/ByteRowFilter.h"

#include "transforms/vectorize/ConstantFilter.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// The pairs of all channels of the constant that the filter is a part of.
void ByteRowFilter::beginFilters() {
  const ByteProduct::Factor filter = product.filter;
  AffineMap map = op.getIndexingMapsArray()[filter.input];
  auto position = [&](Loop loop) {
    return *map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  };
  auto constant = ConstantFilter::match(op.getDpsInputs()[filter.input], position(channels));
  if (!constant)
    return;
  auto tap = [&](int64_t ofChannel, int64_t row, int64_t column) -> int16_t {
    if (column >= sizes[tapColumns])
      return 0;
    SmallVector<int64_t> index(map.getNumResults(), 0);
    index[position(tapRows)] = row;
    index[position(tapColumns)] = column;
    return constant->at(ofChannel, index, filter.isUnsigned);
  };
  constexpr unsigned wordBits = 16;
  SmallVector<int32_t> words;
  for (int64_t ofChannel = 0; ofChannel < constant->channels(); ++ofChannel)
    for (int64_t row = 0; row < sizes[tapRows]; ++row)
      for (int64_t column = 0; column < sizes[tapColumns]; column += 2) {
        auto low = static_cast<uint16_t>(tap(ofChannel, row, column)),
             high = static_cast<uint16_t>(tap(ofChannel, row, column + 1));
        words.push_back(static_cast<int32_t>(low | uint32_t(high) << wordBits));
      }
  auto type =
      RankedTensorType::get({constant->channels(), sizes[tapRows] * pairs()}, b.getI32Type());
  table = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(words)));
  firstOfTable = constant->firstChannel(b, loc);
}

void ByteRowFilter::beginFilter(Value ofChannels) {
  channel = ofChannels;
  filters.clear();
  for (int64_t row = 0; row < sizes[tapRows]; ++row)
    for (int64_t pair = 0; pair < pairs(); ++pair)
      filters.push_back(table ? pairOfTable(row * pairs() + pair) : filterPair(row, pair));
}

Value ByteRowFilter::pairOfTable(int64_t number) {
  Value words = tensor::ExtractOp::create(b, loc, table,
                                          ValueRange{sum(firstOfTable, channel), index(number)});
  return vector::BitCastOp::create(b, loc, VectorType::get({2 * lanes}, b.getI16Type()),
                                   broadcastToLanes(b, loc, words, lanes));
}

/// Neighbouring taps of the current channel's filter.
Value ByteRowFilter::tapsOfFilter(int64_t row, int64_t column, int64_t count) {
  unsigned input = product.filter.input;
  AffineMap map = op.getIndexingMapsArray()[input];
  Value filter = op.getDpsInputs()[input];
  auto indices = [&](int64_t ofColumn) {
    SmallVector<Value> list;
    for (AffineExpr position : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(position).getPosition();
      list.push_back(loop == channels ? channel : loop == tapRows ? index(row) : index(ofColumn));
    }
    return list;
  };
  if (map.getResults().back() == b.getAffineDimExpr(tapColumns))
    return readVector(b, loc, filter, indices(column), count);
  SmallVector<Value> bytes;
  for (int64_t next = column; next < column + count; ++next)
    bytes.push_back(tensor::ExtractOp::create(b, loc, filter, indices(next)));
  return vector::FromElementsOp::create(b, loc, VectorType::get({count}, b.getI8Type()), bytes);
}

/// Two neighbouring taps of the filter as words, or one and a zero.
Value ByteRowFilter::filterPair(int64_t row, int64_t pair) {
  const int64_t count = std::min<int64_t>(sizes[tapColumns] - 2 * pair, 2);
  Value taps = tapsOfFilter(row, 2 * pair, count);
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < 2 * lanes; ++lane)
    from.push_back(lane % count);
  taps = vector::ShuffleOp::create(b, loc, taps, taps, from);
  auto type = VectorType::get({2 * lanes}, b.getI16Type());
  Value words = product.filter.isUnsigned ? arith::ExtUIOp::create(b, loc, type, taps).getResult()
                                          : arith::ExtSIOp::create(b, loc, type, taps).getResult();
  if (count == 2)
    return words;
  SmallVector<int16_t> first;
  for (int64_t lane = 0; lane < 2 * lanes; ++lane)
    first.push_back(lane % 2 == 0 ? -1 : 0);
  return arith::AndIOp::create(
      b, loc, words,
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(first))));
}

} // namespace kgen
