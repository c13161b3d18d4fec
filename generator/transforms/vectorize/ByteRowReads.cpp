#include "transforms/vectorize/ByteRowReads.h"

#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// Dimensions of images that become one.
SmallVector<ReassociationIndices> joinedDims() { return {{0}, {1}, {2, 3}}; }

} // namespace

ByteRowReads::ByteRowReads(OpBuilder &builder, ByteRowShape shape)
    : ByteRowShape(std::move(shape)), b(builder), loc(op.getLoc()) {}

Value ByteRowReads::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value ByteRowReads::sum(Value value, OpFoldResult further) {
  return b.createOrFold<arith::AddIOp>(loc, value,
                                       getValueOrCreateConstantIndexOp(b, loc, further));
}

Value ByteRowReads::joinRows(Value images) {
  return tensor::CollapseShapeOp::create(b, loc, images, joinedDims());
}

Value ByteRowReads::splitRows(Value joined, Type type) {
  return tensor::ExpandShapeOp::create(b, loc, type, joined, joinedDims());
}

void ByteRowReads::beginImages() { planes = joinRows(image); }

void ByteRowReads::beginPlane(Value ofImages, Value ofChannels) {
  plane = {sum(ofImages, firstImage), sum(ofChannels, firstChannel)};
}

Value ByteRowReads::constant(int64_t count, int64_t byte) {
  auto type = VectorType::get({count}, b.getI8Type());
  auto number = b.getIntegerAttr(b.getI8Type(), static_cast<int8_t>(byte));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(number)));
}

/// The byte of the padding as it is read.
int64_t ByteRowReads::paddingRead() const {
  return static_cast<int8_t>(addsToImage() ? padding ^ unsignedByMore : padding);
}

/// Vectors that are close to the first one are read together with it.
ByteRowReads::Place ByteRowReads::placeOf(const ByteStrip &of, size_t number) const {
  auto begin = [&](int64_t start) { return columnStride * start - (of.first ? 0 : left); };
  int64_t first = begin(of.starts.front()), own = begin(of.starts[number]),
          end = own - first + columnOf(lanes - 1) + sizes[tapColumns];
  if (readsWholeRows())
    return {0, own};
  return columnStride == 1 && end <= read ? Place{first, own - first} : Place{own, 0};
}

SmallVector<int64_t> ByteRowReads::columnsRead(const ByteStrip &of) const {
  SmallVector<int64_t> list;
  for (size_t number = 0; number < of.starts.size(); ++number)
    for (int64_t pair = 0; pair < (columnStride == 1 ? 1 : pairs()); ++pair)
      list.push_back(placeOf(of, number).column + 2 * pair);
  return list;
}

bool ByteRowReads::isInside(const ByteStrip &of) const {
  return llvm::all_of(columnsRead(of),
                      [&](int64_t column) { return column >= 0 && column + read <= imageColumns; });
}

std::pair<int64_t, int64_t> ByteRowReads::readableRows(const ByteStrip &of) const {
  int64_t first = 0, last = imageRows - 1;
  if (of.first)
    return {first, last};
  for (int64_t column : columnsRead(of)) {
    first = std::max(first, llvm::divideCeilSigned(-column, imageColumns));
    last = std::min(
        last, llvm::divideFloorSigned(imageRows * imageColumns - read - column, imageColumns));
  }
  return {first, last};
}

void ByteRowReads::beginRow(const ByteStrip &of, OpFoldResult ofImage) {
  strip = &of;
  row = ofImage;
  known.clear();
}

bool ByteRowReads::isPaddingRow() const {
  std::optional<int64_t> number = getConstantIntValue(row);
  return number && (*number < 0 || *number >= imageRows);
}

bool ByteRowReads::isZeroRow() const { return isPaddingRow() && paddingRead() == 0; }

/// The padding as words: where pairs are in columns of the image, or where they are not.
Value ByteRowReads::wordsOfPadding(const ByteStrip &of, size_t number, int64_t pair, bool inside) {
  Place place = placeOf(of, number);
  auto type = VectorType::get({2 * lanes}, b.getI16Type());
  const int64_t byte = paddingRead();
  const bool isSigned = columnStride != 1 && !product.image.isUnsigned;
  SmallVector<int16_t> words;
  for (int64_t result = 0; result < lanes; ++result)
    for (int64_t tap = 2 * pair; tap < 2 * pair + 2; ++tap) {
      int64_t column = place.column + place.shift + columnStride * columnOf(result) + tap;
      bool isPadding = tap < sizes[tapColumns] && isInColumns(of, column) == inside;
      words.push_back(static_cast<int16_t>(isPadding ? (isSigned ? byte : byte & 0xff) : 0));
    }
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(words)));
}

Value ByteRowReads::paddingOf(const ByteStrip &of, size_t number, int64_t pair) {
  Value words = wordsOfPadding(of, number, pair, /*inside=*/false);
  return matchPattern(words, m_Zero()) ? Value() : words;
}

/// Reads bytes of the row from `column` on. What is read of a row that is known is moved where it
/// would not be in the image's memory.
Value ByteRowReads::readBytes(int64_t column) {
  std::optional<int64_t> number = getConstantIntValue(row);
  const int64_t all = imageRows * imageColumns;
  int64_t moved = 0;
  Value first;
  if (number && !strip->first) {
    int64_t begin = *number * imageColumns + column,
            held = std::clamp<int64_t>(begin, 0, all - read);
    moved = begin - held;
    first = index(held);
  } else {
    Value ofRow = getValueOrCreateConstantIndexOp(b, loc, row);
    first = b.createOrFold<arith::MulIOp>(loc, ofRow, index(imageColumns));
    if (strip->first)
      first = sum(first, b.createOrFold<arith::MulIOp>(loc, strip->first, index(columnStride)));
    first = sum(first, b.getIndexAttr(strip->first ? column - left : column));
  }
  Value bytes = readVector(b, loc, planes, {plane[0], plane[1], first}, read);
  if (addsToImage())
    bytes = arith::XOrIOp::create(b, loc, bytes, constant(read, unsignedByMore));
  if (moved == 0)
    return bytes;
  SmallVector<int64_t> from;
  for (int64_t lane = moved; lane < moved + read; ++lane)
    from.push_back(lane >= 0 && lane < read ? lane : vector::ShuffleOp::kPoisonIndex);
  return vector::ShuffleOp::create(b, loc, bytes, bytes, from);
}

Value ByteRowReads::bytesAt(int64_t column) {
  Value &bytes = known[column];
  if (!bytes)
    bytes = readBytes(column);
  return bytes;
}

Value ByteRowReads::pairsOf(size_t number, int64_t pair) {
  if (isPaddingRow())
    return wordsOfPadding(*strip, number, pair, /*inside=*/true);
  Place place = placeOf(*strip, number);
  auto words = VectorType::get({2 * lanes}, b.getI16Type());
  const bool widens = columnStride == 1; // by the shuffle itself
  const int64_t further = widens ? 0 : 2 * pair, column = place.column + further;
  Value bytes = bytesAt(column);
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < 2 * lanes; ++lane) {
    // A tap after the last one meets a zero of the filter.
    int64_t tap = 2 * pair + lane % 2;
    if (widens)
      tap = std::min(tap, sizes[tapColumns] - 1);
    int64_t at = place.shift + columnStride * columnOf(lane / 2) + tap - further;
    from.push_back(isInColumns(*strip, column + at) ? at : read);
    if (widens)
      from.push_back(read);
  }
  if (!llvm::equal(from, llvm::seq<int64_t>(0, read)))
    bytes = vector::ShuffleOp::create(b, loc, bytes, constant(read, 0), from);
  if (widens)
    return vector::BitCastOp::create(b, loc, words, bytes);
  if (product.image.isUnsigned)
    return arith::ExtUIOp::create(b, loc, words, bytes);
  return arith::ExtSIOp::create(b, loc, words, bytes);
}

} // namespace kgen
