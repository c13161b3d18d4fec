#include "transforms/vectorize/ByteRowChannel.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

ByteRowChannel::ByteRowChannel(OpBuilder &builder, ByteRowShape shape, TargetAttr target)
    : ByteRowReads(builder, std::move(shape)) {
  if (!consumer)
    return;
  packed = PackedBytes::match(consumer, target);
  terms = sumTerms(consumer, op->getResult(0), [](BlockArgument) { return true; });
}

/// The element of `tensor` for the current image and channel.
Value ByteRowChannel::scalarOf(Value tensor, AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr position : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(position);
    indices.push_back(!loop                          ? index(0)
                      : loop.getPosition() == images ? currentImage
                                                     : currentChannel);
  }
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

/// Neighbouring taps of the current channel's filter.
Value ByteRowChannel::tapsOfFilter(int64_t row, int64_t column, int64_t count) {
  unsigned input = product.filter.input;
  AffineMap map = op.getIndexingMapsArray()[input];
  Value filter = op.getDpsInputs()[input];
  auto indices = [&](int64_t ofColumn) {
    SmallVector<Value> list;
    for (AffineExpr position : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(position).getPosition();
      list.push_back(loop == channels  ? currentChannel
                     : loop == tapRows ? index(row)
                                       : index(ofColumn));
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
Value ByteRowChannel::filterPair(int64_t row, int64_t pair) {
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

void ByteRowChannel::beginChannel(Value ofImages, Value ofChannels) {
  currentImage = ofImages;
  currentChannel = ofChannels;
  beginPlane(ofImages, ofChannels);
  filters.clear();
  for (int64_t row = 0; row < sizes[tapRows]; ++row)
    for (int64_t pair = 0; pair < pairs(); ++pair)
      filters.push_back(filterPair(row, pair));
  start = broadcastToLanes(b, loc, fillValue(op.getDpsInits()[0]), lanes);
  if (addsToImage()) {
    auto type = VectorType::get({2 * lanes}, b.getI16Type());
    Value less = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, Attribute(b.getIntegerAttr(b.getI16Type(), -unsignedByMore))));
    for (Value pair : filters)
      start = DotOp::create(b, loc, less, pair, start);
  }
  arguments.clear();
  for (OpOperand &operand : consumer ? consumer->getOpOperands() : MutableArrayRef<OpOperand>()) {
    Value &all = arguments.emplace_back();
    if (operand.get() != op.getResult(0) && consumer.payloadUsesValueFromOperand(&operand))
      all = broadcastToLanes(
          b, loc, scalarOf(operand.get(), consumer.getMatchingIndexingMap(&operand)), lanes);
  }
  for (const SumTerm &term : terms)
    start = b.createOrFold<arith::AddIOp>(loc, start, arguments[term.added.getArgNumber()]);
}

/// The filter's rows are added before they are multiplied.
SmallVector<Value> ByteRowChannel::startsOf(const ByteStrip &strip) {
  SmallVector<Value> list(strip.starts.size(), start);
  for (int64_t pair = 0; pair < pairs(); ++pair) {
    Value column = filters[pair];
    for (int64_t row = 1; row < sizes[tapRows]; ++row)
      column = arith::AddIOp::create(b, loc, column, filters[row * pairs() + pair]);
    for (auto [number, sum] : llvm::enumerate(list))
      if (Value padding = paddingOf(strip, number, pair))
        sum = DotOp::create(b, loc, padding, column, sum);
  }
  return list;
}

Value ByteRowChannel::finished(Value sum) {
  if (!consumer)
    return sum;
  IRMapping values;
  for (OpOperand &operand : consumer->getOpOperands()) {
    Value value = operand.get() == op.getResult(0) ? sum : arguments[operand.getOperandNumber()];
    if (value)
      values.map(consumer.getMatchingBlockArgument(&operand), value);
  }
  return vectorizeBody(b, loc, *consumer.getBody(), values, lanes,
                       [&](Operation &inner, llvm::function_ref<Value(Value)> wide) -> Value {
                         if (packed && &inner == packed->narrowing())
                           return wide(packed->number());
                         for (const SumTerm &term : terms)
                           if (term.addition == &inner)
                             return wide(term.sum);
                         return {};
                       });
}

SmallVector<Value> ByteRowChannel::narrowed(SmallVector<Value> numbers) {
  if (!packed)
    return numbers;
  const size_t count = numbers.size();
  SmallVector<Value> results;
  for (size_t done = 0; done < count; done += PackedBytes::vectors) {
    auto number = [&](size_t i) { return numbers[std::min(done + i, count - 1)]; };
    Value words = packed->words(b, loc, number(0), number(1)), more = words;
    if (done + 2 < count)
      more = packed->words(b, loc, number(2), number(3));
    llvm::append_range(results, PackedBytes::unpacked(b, loc, packed->pack(b, loc, words, more)));
  }
  results.truncate(count);
  return results;
}

} // namespace kgen
