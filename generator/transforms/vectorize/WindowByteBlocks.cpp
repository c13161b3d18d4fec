#include "transforms/vectorize/WindowByteBlocks.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t partBytes = 16; // 128 bits
constexpr int64_t flippedZero = 0x80;

} // namespace

bool WindowByteBlocks::hasBlocks() {
  return product && hasDotProducts && fillValue(op.getDpsInits()[0]);
}

/// Groups of so many bytes of the lower or upper halves of all 128 bits, by turns of both vectors.
Value WindowByteBlocks::unpacked(Value a, Value b2, int64_t bytes, bool isHigh) {
  const int64_t width = cast<VectorType>(a.getType()).getDimSize(0), half = partBytes / 2;
  SmallVector<int64_t> lanes;
  for (int64_t part = 0; part < width; part += partBytes)
    for (int64_t group = 0; group < half; group += bytes)
      for (int64_t from : {int64_t(0), width})
        for (int64_t byte = 0; byte < bytes; ++byte)
          lanes.push_back(from + part + (isHigh ? half : 0) + group + byte);
  return shuffle(a, b2, lanes);
}

SmallVector<Value> WindowByteBlocks::interleavedParts(ArrayRef<Value> rows) {
  SmallVector<Value> result;
  for (bool isHigh : {false, true}) {
    Value first = unpacked(rows[0], rows[1], 1, isHigh),
          second = unpacked(rows[2], rows[3], 1, isHigh);
    for (bool isUpper : {false, true})
      result.push_back(unpacked(first, second, 2, isUpper));
  }
  return result;
}

Value WindowByteBlocks::partOf(Value all, int64_t part) {
  const int64_t width = cast<VectorType>(all.getType()).getDimSize(0), each = partBytes / parts;
  SmallVector<int64_t> lanes;
  for (int64_t first = 0; first < width; first += partBytes)
    for (int64_t lane = 0; lane < each; ++lane)
      lanes.push_back(first + each * part + lane);
  return shuffle(all, all, lanes);
}

WindowTapReuse::Weights WindowByteBlocks::blockFilters(int64_t width) {
  Weights weights(op.getNumDpsInputs());
  unsigned input = product->filter.input;
  for (auto [number, group] : llvm::enumerate(groups.all())) {
    if (blockTable) {
      for (int64_t part = 0; part < parts; ++part)
        weights[input].push_back(blockTable->read(b, loc, number, ivs[channel], width, part));
      continue;
    }
    SmallVector<Value> rows;
    for (std::optional<size_t> tap : group)
      rows.push_back(read(op.getDpsInputs()[input], mapOf(op, input), taps[*tap], width));
    rows.resize(parts, constant(width, 0));
    weights[input].append(interleavedParts(rows));
  }
  weights[product->image.input] = startingParts(weights[input], width);
  return weights;
}

/// Returns the parts that sums start from: what they are filled with, what flipped bits add, and
/// terms.
SmallVector<Value> WindowByteBlocks::startingParts(ArrayRef<Value> filters, int64_t width) {
  SmallVector<int64_t> here(sizes.size(), 0);
  auto type = VectorType::get({width / parts}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> values;
  for (int64_t part = 0; part < parts; ++part) {
    Value added = zero;
    for (size_t group = 0; flipsImage && group < groups.all().size(); ++group)
      added = dot(constant(width, flippedZero), filters[group * parts + part], added);
    Value value = broadcastToLanes(b, loc, fillValue(op.getDpsInits()[0]), width / parts);
    value = b.createOrFold<arith::SubIOp>(loc, value, added);
    for (const Term &term : terms)
      value = b.createOrFold<arith::AddIOp>(loc, value,
                                            partOf(read(term.tensor, term.map, here, width), part));
    values.push_back(value);
  }
  return values;
}

SmallVector<Value> WindowByteBlocks::initialBlockSums(const PixelTile &tile) {
  SmallVector<Value> all;
  for (int64_t i = 0; i < tile.count; ++i)
    llvm::append_range(all, tile.weights[product->image.input]);
  return all;
}

void WindowByteBlocks::endPixel() {
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), /*asm_string=*/"",
                            /*constraints=*/"~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                            /*asm_dialect=*/{}, /*operand_attrs=*/{});
}

/// The group of a pixel's window; empty if it adds nothing.
SmallVector<Value> WindowByteBlocks::partsOfImage(PixelTile &tile, const AddedGroup &step) {
  unsigned input = product->image.input;
  GroupReads reads = readsOf(tile, step);
  if (reads.isOutside() && !flipsImage && padding == 0)
    return {};
  auto key = [&](int64_t part) {
    std::vector<int64_t> name(reads.key);
    name.push_back(part);
    return std::pair(input, name);
  };
  if (!tile.loaded.count(key(0))) {
    SmallVector<Value> rows;
    for (const auto &by : reads.taps) {
      Value row = by ? elements(input, *by, tile.width) : constant(tile.width, padding);
      rows.push_back(flipsImage ? flipped(row) : row);
    }
    rows.resize(parts, constant(tile.width, 0));
    for (auto [part, value] : llvm::enumerate(interleavedParts(rows)))
      tile.loaded[key(static_cast<int64_t>(part))] = value;
  }
  SmallVector<Value> result;
  for (int64_t part = 0; part < parts; ++part)
    result.push_back(tile.loaded[key(part)]);
  return result;
}

void WindowByteBlocks::addBlockProducts(PixelTile &tile, SmallVectorImpl<Value> &sums,
                                        llvm::function_ref<void(int64_t)> finish) {
  ArrayRef<Value> filters = tile.weights[product->filter.input];
  const std::vector<AddedGroup> steps = addedGroups(tile, /*rowByRow=*/false);
  SmallVector<size_t> left = countOfPixels(steps, tile.count);
  for (size_t first = 0, end = 0; first < steps.size(); first = end) {
    // Pixels that share a group of the image take its parts one after the other.
    SmallVector<Value> image = partsOfImage(tile, steps[first]);
    const auto key = readsOf(tile, steps[first]).key;
    for (end = first + 1; end < steps.size() && readsOf(tile, steps[end]).key == key;)
      ++end;
    for (auto [part, value] : llvm::enumerate(image))
      for (const AddedGroup &step : ArrayRef(steps).slice(first, end - first)) {
        Value &sum = sums[step.pixelOfTile * parts + part];
        sum = dot(value, filters[step.group * parts + part], sum);
      }
    for (const AddedGroup &step : ArrayRef(steps).slice(first, end - first))
      if (--left[step.pixelOfTile] == 0)
        finish(step.pixelOfTile);
  }
}

} // namespace kgen
