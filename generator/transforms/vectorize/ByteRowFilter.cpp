#include "transforms/vectorize/ByteRowFilter.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// The elements of a constant of bytes, or none.
SmallVector<int8_t> elementsOf(Attribute constant) {
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant))
    return llvm::to_vector(dense.getValues<int8_t>());
  auto resource = dyn_cast<DenseI8ResourceElementsAttr>(constant);
  std::optional<ArrayRef<int8_t>> bytes =
      resource ? resource.tryGetAsArrayRef() : std::optional<ArrayRef<int8_t>>();
  return bytes ? llvm::to_vector(*bytes) : SmallVector<int8_t>();
}

/// True if the slice has all of its source but for dimension `along`.
bool isSliceAlong(tensor::ExtractSliceOp slice, unsigned along) {
  if (slice.getSourceType().getRank() != slice.getType().getRank() || !slice.hasUnitStride())
    return false;
  for (int64_t d = 0; d < slice.getType().getRank(); ++d)
    if (d != along && slice.getSourceType().getDimSize(d) != slice.getType().getDimSize(d))
      return false;
  return true;
}

} // namespace

/// The pairs of all channels of the constant that the filter is a part of.
void ByteRowFilter::beginFilters() {
  AffineMap map = op.getIndexingMapsArray()[product.filter.input];
  auto position = [&](Loop loop) {
    return *map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  };
  const unsigned alongChannels = position(channels);
  Value source = op.getDpsInputs()[product.filter.input];
  firstOfTable = index(0);
  while (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!isSliceAlong(slice, alongChannels))
      return;
    firstOfTable = sum(firstOfTable, slice.getMixedOffsets()[alongChannels]);
    source = slice.getSource();
  }
  Attribute constant;
  if (!matchPattern(source, m_Constant(&constant)))
    return;
  SmallVector<int8_t> bytes = elementsOf(constant);
  auto shape = cast<ShapedType>(source.getType()).getShape();
  if (bytes.empty())
    return;
  SmallVector<int64_t> strides = computeStrides(shape);
  auto tap = [&](int64_t ofChannel, int64_t row, int64_t column) -> int16_t {
    if (column >= sizes[tapColumns])
      return 0;
    int8_t byte = bytes[ofChannel * strides[alongChannels] + row * strides[position(tapRows)] +
                        column * strides[position(tapColumns)]];
    return product.filter.isUnsigned ? static_cast<uint8_t>(byte) : byte;
  };
  constexpr unsigned wordBits = 16;
  SmallVector<int32_t> words;
  for (int64_t ofChannel = 0; ofChannel < shape[alongChannels]; ++ofChannel)
    for (int64_t row = 0; row < sizes[tapRows]; ++row)
      for (int64_t column = 0; column < sizes[tapColumns]; column += 2) {
        auto low = static_cast<uint16_t>(tap(ofChannel, row, column)),
             high = static_cast<uint16_t>(tap(ofChannel, row, column + 1));
        words.push_back(static_cast<int32_t>(low | uint32_t(high) << wordBits));
      }
  auto type =
      RankedTensorType::get({shape[alongChannels], sizes[tapRows] * pairs()}, b.getI32Type());
  table = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(words)));
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
