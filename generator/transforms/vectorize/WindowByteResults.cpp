#include "transforms/vectorize/WindowByteResults.h"

#include "transforms/vectorize/VectorLoopBuilder.h"

using namespace mlir;

namespace kgen {

bool WindowByteResults::planBytes(TargetAttr target, int64_t pixels) {
  packed = PackedBytes::match(*consumer.getBody(), target);
  choice = ChannelChoice(consumer, [&](OpOperand &operand) {
    AffineMap map = mapOf(consumer, operand.getOperandNumber());
    return map.isFunctionOfDim(channel) && !map.isFunctionOfDim(pixel);
  });
  startFromTerms(consumer);
  if (!packed)
    return false;
  const int64_t registers = target.getVectorRegisters(),
                inFlight = pixelsInFlight({{}, pixels, /*width=*/0, {}});
  // A third of the registers holds sums and numbers to be packed, or half of them blocks of sums.
  packsPixels = inFlight <= registers / 3;
  bool isSameForPixels = llvm::all_of(consumer.getDpsInputOperands(), [&](OpOperand *input) {
    return input->get() == op->getResult(0) ||
           !consumer.getMatchingIndexingMap(input).isFunctionOfDim(pixel);
  });
  return isSameForPixels && hasBlocks() && ByteProduct::channelsOfBlock(target) != 0 &&
         inFlight * parts <= registers / 2;
}

/// Returns the indices of a tile's pixel in the result.
SmallVector<Value> WindowByteResults::indicesOf(int64_t i) {
  AffineMap result = b.getMultiDimIdentityMap(sizes.size()).getMajorSubMap(channel + 1);
  return operandIndices(result, furtherBy(i, SmallVector<int64_t>(sizes.size(), 0)));
}

Value WindowByteResults::applyConsumer(Value value, ArrayRef<int64_t> by, int64_t width) {
  SmallVector<Value> arguments;
  for (unsigned number = 0; number < consumer.getNumDpsInputs(); ++number) {
    Value input = consumer.getDpsInputs()[number];
    arguments.push_back(input == op.getResult(0) ? value
                                                 : read(input, mapOf(consumer, number), by, width));
  }
  return applyConsumer(value, arguments, width);
}

Value WindowByteResults::applyConsumer(Value value, SmallVector<Value> arguments, int64_t width) {
  arguments.push_back(consumer.getDpsInits()[0] == op.getResult(0) ? value : Value());
  return apply(consumer, arguments, width,
               [&](Operation &inner, llvm::function_ref<Value(Value)> wide) -> Value {
                 if (packed && &inner == packed->narrowing())
                   return wide(packed->number());
                 if (Value taken = choice.taken(inner))
                   return wide(taken);
                 return withoutTerm(inner, wide);
               });
}

void WindowByteResults::beginChannels(int64_t width) {
  choice.begin(b, loc, [&](OpOperand &operand) {
    SmallVector<int64_t> here(sizes.size(), 0);
    return read(operand.get(), mapOf(consumer, operand.getOperandNumber()), here, width);
  });
}

WindowTapReuse::Weights WindowByteResults::keptBlock(int64_t width) {
  SmallVector<int64_t> here(sizes.size(), 0);
  blockOperands.assign(parts, {});
  for (unsigned number = 0; number < consumer.getNumDpsInputs(); ++number) {
    Value input = consumer.getDpsInputs()[number], value;
    AffineMap map = mapOf(consumer, number);
    bool areSums = input == op.getResult(0), isOfChannels = map.isFunctionOfDim(channel);
    if (!areSums)
      value = read(input, map, here, isOfChannels ? width : width / parts);
    for (auto [part, values] : llvm::enumerate(blockOperands))
      values.push_back(isOfChannels && !areSums ? partOf(value, static_cast<int64_t>(part))
                                                : value);
  }
  return blockFilters(width);
}

/// A branch by the channels is around what all pixels' sums become, which then wait for the last
/// one: between pixels, it would keep LLVM from interleaving their code.
Value WindowByteResults::computeBytes(Value tensor, PixelTile &tile) {
  const bool packs = packsPixels && PackedBytes::packs(tile.width);
  SmallVector<Value> accumulators = initialSums(tile), numbers, words;
  SmallVector<SmallVector<Value>> places;
  auto write = [&] {
    if (packs && places.size() > 1) {
      if (places.size() % 2 != 0)
        words.push_back(packed->words(b, loc, numbers.front(), numbers.front()));
      numbers = PackedBytes::unpacked(b, loc, packed->pack(b, loc, words.front(), words.back()));
    } else if (packed) {
      for (Value &value : numbers)
        value = packed->narrow(b, loc, value);
    }
    for (auto [value, indices] : llvm::zip(numbers, places))
      tensor = writeVector(b, loc, value, tensor, indices);
    for (auto *list : {&numbers, &words})
      list->clear();
    places.clear();
  };
  auto finish = [&](int64_t i) {
    SmallVector<int64_t> by = furtherBy(i, SmallVector<int64_t>(sizes.size(), 0));
    numbers.push_back(consumer ? applyConsumer(accumulators[i], by, tile.width) : accumulators[i]);
    places.push_back(indicesOf(i));
    if (packs && numbers.size() == 2) {
      words.push_back(packed->words(b, loc, numbers[0], numbers[1]));
      numbers.clear();
    }
    if (!packs || places.size() == PackedBytes::vectors)
      write();
  };
  if (!choice) {
    addProducts(tile, accumulators, finish);
    write();
    return tensor;
  }
  addProducts(tile, accumulators, [](int64_t) {});
  const Value before = tensor;
  auto finishAll = [&] {
    tensor = before;
    for (int64_t i = 0; i < tile.count; ++i)
      finish(i);
    write();
    return SmallVector<Value>{tensor};
  };
  return choice.build(b, loc, finishAll).front();
}

Value WindowByteResults::computeBlock(Value tensor, PixelTile &tile) {
  SmallVector<Value> sums = initialBlockSums(tile);
  addBlockProducts(tile, sums, [&](int64_t i) {
    SmallVector<Value> numbers = choice.build(b, loc, [&] {
      SmallVector<Value> results;
      for (int64_t part = 0; part < parts; ++part) {
        Value sum = sums[i * parts + part];
        SmallVector<Value> arguments(blockOperands[part]);
        llvm::replace(arguments, Value(), sum);
        results.push_back(applyConsumer(sum, std::move(arguments), tile.width / parts));
      }
      return results;
    });
    Value bytes = packed->packAll(b, loc, numbers);
    tensor = writeVector(b, loc, bytes, tensor, indicesOf(i));
    endPixel();
  });
  return tensor;
}

} // namespace kgen
