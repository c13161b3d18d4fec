#include "transforms/vectorize/ByteRowChannel.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

ByteRowChannel::ByteRowChannel(OpBuilder &builder, ByteRowShape shape, TargetAttr target)
    : ByteRowFilter(builder, std::move(shape)) {
  if (!consumer)
    return;
  packed = PackedBytes::match(*consumer.getBody(), target);
  terms = sumTerms(consumer, op->getResult(0), [](BlockArgument) { return true; });
  choice = ChannelChoice(consumer, [&](OpOperand &operand) {
    AffineMap map = consumer.getMatchingIndexingMap(&operand);
    return !map.isFunctionOfDim(rows) && !map.isFunctionOfDim(columns);
  });
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

void ByteRowChannel::beginChannel(Value ofImages, Value ofChannels) {
  currentImage = ofImages;
  currentChannel = ofChannels;
  beginPlane(ofImages, ofChannels);
  beginFilter(ofChannels);
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
  choice.begin(b, loc, [&](OpOperand &operand) {
    return scalarOf(operand.get(), consumer.getMatchingIndexingMap(&operand));
  });
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
                         if (Value taken = choice.taken(inner))
                           return wide(taken);
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
    ArrayRef<Value> group = ArrayRef(numbers).drop_front(done).take_front(PackedBytes::vectors);
    llvm::append_range(results, PackedBytes::unpacked(b, loc, packed->packAll(b, loc, group)));
  }
  results.truncate(count);
  return results;
}

} // namespace kgen
