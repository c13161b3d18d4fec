#include "transforms/vectorize/WindowByteTaps.h"

#include "transforms/vectorize/SumTerms.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorShuffles.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t leastLanes = 4; // of the sums of a dot product

/// Lanes of the sums that an instruction has for `width` channels.
int64_t lanesOf(int64_t width) {
  return std::max<int64_t>(leastLanes, static_cast<int64_t>(llvm::PowerOf2Ceil(width)));
}

/// True if one instruction interleaves the bytes of two taps: they are half as long as the sums. An
/// element without a second tap needs none.
bool interleavesAtOnce(TargetAttr target) { return target.getVectorBits() / 2 <= laneBits; }

bool hasUnequalByteDots(TargetAttr target) {
  return target.cpu().hasByteDots(Product::Signs::unequal);
}

} // namespace

WindowByteTaps::WindowByteTaps(OpBuilder &builder, WindowShape shape, TargetAttr target)
    : WindowTapReuse(builder, std::move(shape)), product(ByteProduct::match(*this)),
      hasDotProducts(hasUnequalByteDots(target)) {
  if (!product)
    return;
  groups = WindowTapGroups(*this, tapsOfGroup(), product->image.input, interleavesAtOnce(target));
  addsRowByRow = !hasDotProducts &&
                 static_cast<int64_t>(groups.all().size()) > target.getVectorRegisters() / 2;
  flipsImage = hasDotProducts && product->image.isUnsigned == product->filter.isUnsigned;
  if (pad) {
    llvm::APInt number;
    matchPattern(pad.getConstantPaddingValue(), m_ConstantInt(&number));
    padding = number.getSExtValue();
  }
}

Value WindowByteTaps::shuffle(Value a, Value b2, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(b, loc, a, b2, lanes);
}

/// `lanes` times the byte.
Value WindowByteTaps::constant(int64_t lanes, int64_t byte) {
  auto type = VectorType::get({lanes}, b.getI8Type());
  auto number = b.getIntegerAttr(b.getI8Type(), static_cast<int8_t>(byte));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(number)));
}

/// The vector with zeros after its lanes, or its first ones.
Value WindowByteTaps::resized(Value vector, int64_t width) {
  auto type = cast<VectorType>(vector.getType());
  int64_t own = type.getDimSize(0);
  if (own == width)
    return vector;
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back(std::min(lane, own));
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return shuffle(vector, zeros, lanes);
}

/// The bytes of four taps of each channel: a transposition of the words within a register, then
/// one of bytes within its parts of 128 bits, which is an instruction each.
Value WindowByteTaps::fours(ArrayRef<Value> parts, int64_t width) {
  auto joined = [&](Value low, Value high) {
    int64_t own = cast<VectorType>(low.getType()).getDimSize(0);
    return shuffle(low, high, llvm::to_vector(llvm::seq<int64_t>(0, 2 * own)));
  };
  Value rows = joined(joined(parts[0], parts[1]), joined(parts[2], parts[3]));
  Value words = vector::BitCastOp::create(b, loc, VectorType::get({width}, b.getI32Type()), rows);
  SmallVector<int64_t> ofWords, ofBytes;
  for (int64_t word = 0; word < width; ++word)
    ofWords.push_back(word % 4 * (width / 4) + word / 4);
  for (int64_t byte = 0; byte < 4 * width; ++byte)
    ofBytes.push_back(byte / 16 * 16 + byte % 4 * 4 + byte % 16 / 4);
  words = shuffle(words, words, ofWords);
  Value bytes = vector::BitCastOp::create(b, loc, rows.getType(), words);
  return shuffle(bytes, bytes, ofBytes);
}

Value WindowByteTaps::extended(Value bytes, bool isUnsigned, Type element) {
  auto type = VectorType::get({cast<VectorType>(bytes.getType()).getDimSize(0)}, element);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, bytes);
  return arith::ExtSIOp::create(b, loc, type, bytes);
}

/// Interleaves two taps, extended to i16.
Value WindowByteTaps::pairs(Value first, Value second, bool isUnsigned, int64_t width) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.append({lane, lane + width});
  return extended(shuffle(first, second, lanes), isUnsigned, b.getI16Type());
}

/// The elements of the taps of a group beside each other, for each of `width` channels. Null:
/// outside of the image.
Value WindowByteTaps::interleaved(ArrayRef<Value> parts, const ByteProduct::Factor &factor,
                                  int64_t width) {
  const int64_t lanes = lanesOf(width);
  // An image's tap without a second one needs no shuffle: what extends its sign meets a 0 of the
  // filter, and unsigned elements are extended by zeros.
  bool isImage = factor.input == product->image.input,
       isLone =
           parts.front() && (parts.size() == 1 || (!parts[1] && factor.isUnsigned && padding == 0));
  if (!hasDotProducts && isImage && isLone)
    return vector::BitCastOp::create(
        b, loc, VectorType::get({2 * lanes}, b.getI16Type()),
        extended(resized(parts.front(), lanes), factor.isUnsigned, b.getI32Type()));
  SmallVector<Value> all;
  for (Value part : parts)
    all.push_back(part ? resized(part, lanes) : constant(lanes, padding));
  all.resize(tapsOfGroup(), constant(lanes, 0));
  return hasDotProducts ? fours(all, lanes) : pairs(all[0], all[1], factor.isUnsigned, lanes);
}

Value WindowByteTaps::flipped(Value bytes) {
  return arith::XOrIOp::create(b, loc, bytes,
                               constant(cast<VectorType>(bytes.getType()).getDimSize(0), 0x80));
}

/// A group of the image all of whose taps are outside.
Value WindowByteTaps::outside(int64_t width) {
  SmallVector<Value> parts(tapsOfGroup());
  Value group = interleaved(parts, product->image, width);
  return flipsImage ? flipped(group) : group;
}

Value WindowByteTaps::dot(Value ofImage, Value ofFilter, Value sum) {
  const int64_t width = cast<VectorType>(sum.getType()).getDimSize(0);
  bool isImageFirst = !hasDotProducts || !product->filter.isUnsigned; // the unsigned one is
  Value result = DotOp::create(b, loc, isImageFirst ? ofImage : ofFilter,
                               isImageFirst ? ofFilter : ofImage, resized(sum, lanesOf(width)));
  return resized(result, width);
}

void WindowByteTaps::beginFilters(int64_t width, bool ofBlocks) {
  auto &table = ofBlocks ? blockTable : filterTable;
  table =
      WindowFilterTable::make(b, *this, product->filter, groups, {tapsOfGroup(), width, ofBlocks});
}

Value WindowByteTaps::groupOfFilter(size_t group, int64_t width) {
  unsigned input = product->filter.input;
  if (filterTable)
    return resized(filterTable->read(b, loc, group, ivs[channel], width),
                   tapsOfGroup() * lanesOf(width));
  SmallVector<Value> parts;
  for (std::optional<size_t> tap : groups.all()[group])
    parts.push_back(tap ? read(op.getDpsInputs()[input], mapOf(op, input), taps[*tap], width)
                        : constant(width, 0));
  return interleaved(parts, product->filter, width);
}

WindowTapReuse::Weights WindowByteTaps::keptFilters(int64_t width) {
  Weights weights(op.getNumDpsInputs());
  for (size_t group = 0; group < groups.all().size(); ++group)
    weights[product->filter.input].push_back(groupOfFilter(group, width));
  if (!flipsImage)
    return weights;
  // Products of the image's zeros: at the image's place, which has nothing else to keep.
  auto type = VectorType::get({width}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type)), sum = zero;
  Value flippedZero = flipped(constant(4 * lanesOf(width), 0));
  for (Value filter : weights[product->filter.input])
    sum = dot(flippedZero, filter, sum);
  weights[product->image.input].push_back(arith::SubIOp::create(b, loc, zero, sum));
  return weights;
}

void WindowByteTaps::startFromTerms(linalg::GenericOp consumer) {
  auto isOfChannels = [&](BlockArgument added) {
    AffineMap map = mapOf(consumer, added.getArgNumber());
    return map.getNumResults() == 1 && map.getResult(0) == b.getAffineDimExpr(channel);
  };
  for (const SumTerm &term : sumTerms(consumer, op->getResult(0), isOfChannels)) {
    const unsigned number = term.added.getArgNumber();
    terms.push_back(
        {term.addition, term.sum, consumer->getOperand(number), mapOf(consumer, number)});
  }
}

Value WindowByteTaps::withoutTerm(Operation &inner, llvm::function_ref<Value(Value)> wide) const {
  for (const Term &term : terms)
    if (term.addition == &inner)
      return wide(term.sum);
  return {};
}

SmallVector<Value> WindowByteTaps::initialSums(const PixelTile &tile) {
  SmallVector<Value> values = initialValues(tile);
  SmallVector<int64_t> here(sizes.size(), 0);
  for (const Term &term : terms)
    for (Value &value : values)
      value =
          b.createOrFold<arith::AddIOp>(loc, value, read(term.tensor, term.map, here, tile.width));
  if (flipsImage)
    for (Value &value : values)
      value = b.createOrFold<arith::AddIOp>(loc, value, tile.weights[product->image.input].front());
  return values;
}

std::vector<WindowByteTaps::AddedGroup> WindowByteTaps::addedGroups(const PixelTile &tile,
                                                                    bool rowByRow) {
  std::vector<AddedGroup> steps;
  for (WindowTapGroups::Product &added : groups.products(tile.count)) {
    ArrayRef<int64_t> first = taps[groups.firstTap(added.group)];
    std::vector<int64_t> element =
        elementAt(product->image.input, furtherBy(added.pixelOfTile, first));
    if (!rowByRow)
      std::reverse(element.begin(), element.end());
    steps.push_back({std::move(added), std::move(element)});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const AddedGroup &a, const AddedGroup &b) {
    return std::tie(a.element, a.group) < std::tie(b.element, b.group);
  });
  return steps;
}

SmallVector<size_t> WindowByteTaps::countOfPixels(ArrayRef<AddedGroup> steps, int64_t pixels) {
  SmallVector<size_t> counts(pixels, 0);
  for (const AddedGroup &step : steps)
    ++counts[step.pixelOfTile];
  return counts;
}

int64_t WindowByteTaps::pixelsInFlight(const PixelTile &tile) {
  const std::vector<AddedGroup> steps = addedGroups(tile, /*rowByRow=*/false);
  const SmallVector<size_t> counts = countOfPixels(steps, tile.count);
  SmallVector<size_t> left(counts);
  int64_t now = 0, most = 0;
  for (const AddedGroup &step : steps) {
    now += left[step.pixelOfTile] == counts[step.pixelOfTile];
    most = std::max(most, now);
    now -= --left[step.pixelOfTile] == 0;
  }
  return most;
}

bool WindowByteTaps::GroupReads::isOutside() const {
  return llvm::none_of(taps, [](const auto &by) { return by.has_value(); });
}

WindowByteTaps::GroupReads WindowByteTaps::readsOf(const PixelTile &tile, const AddedGroup &step) {
  GroupReads reads;
  for (std::optional<WindowTapGroups::Place> place : step.places) {
    bool isRead = place && llvm::is_contained(active, place->tap) &&
                  readsInside(tile, place->pixelOfTile, taps[place->tap]);
    auto &by = reads.taps.emplace_back();
    if (isRead)
      by = furtherBy(place->pixelOfTile, taps[place->tap]);
    reads.key.push_back(isRead);
    if (isRead)
      llvm::append_range(reads.key, elementAt(product->image.input, *by));
  }
  return reads;
}

/// The group of a pixel's window; null if it adds nothing.
Value WindowByteTaps::groupOfImage(PixelTile &tile, const AddedGroup &step) {
  unsigned input = product->image.input;
  GroupReads reads = readsOf(tile, step);
  if (reads.isOutside())
    return flipsImage || padding != 0 ? outside(tile.width) : Value();
  Value &known = tile.loaded[{input, reads.key}];
  if (known)
    return known;
  SmallVector<Value> parts;
  for (const auto &by : reads.taps)
    parts.push_back(by ? elements(input, *by, tile.width) : Value());
  known = interleaved(parts, product->image, tile.width);
  if (flipsImage)
    known = flipped(known);
  return known;
}

void WindowByteTaps::addProducts(PixelTile &tile, SmallVectorImpl<Value> &accumulators,
                                 llvm::function_ref<void(int64_t)> finish) {
  const std::vector<AddedGroup> steps = addedGroups(tile, addsRowByRow);
  SmallVector<size_t> left = countOfPixels(steps, tile.count);
  for (const AddedGroup &step : steps) {
    Value &sum = accumulators[step.pixelOfTile];
    if (Value image = groupOfImage(tile, step))
      sum = dot(image, tile.weights[product->filter.input][step.group], sum);
    if (--left[step.pixelOfTile] == 0)
      finish(step.pixelOfTile);
  }
}

} // namespace kgen
