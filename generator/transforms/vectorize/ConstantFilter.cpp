#include "transforms/vectorize/ConstantFilter.h"

#include "analysis/ConstantBytes.h"
#include "analysis/IndexRange.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/Matchers.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

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

std::optional<ConstantFilter> ConstantFilter::match(Value filter, unsigned alongChannels) {
  ConstantFilter found;
  found.alongChannels = alongChannels;
  while (auto slice = filter.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!isSliceAlong(slice, alongChannels))
      return std::nullopt;
    found.offsets.push_back(slice.getMixedOffsets()[alongChannels]);
    filter = slice.getSource();
  }
  ElementsAttr constant;
  if (!matchPattern(filter, m_Constant(&constant)) || !constant.getElementType().isInteger(8))
    return std::nullopt;
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty())
    return std::nullopt;
  found.bytes.assign(bytes.begin(), bytes.end());
  found.shape.assign(constant.getShapedType().getShape());
  found.strides = computeStrides(found.shape);
  return found;
}

Value ConstantFilter::firstChannel(OpBuilder &b, Location loc) const {
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  for (OpFoldResult offset : offsets)
    first =
        b.createOrFold<arith::AddIOp>(loc, first, getValueOrCreateConstantIndexOp(b, loc, offset));
  return first;
}

int64_t ConstantFilter::divisorOfFirst() const {
  int64_t divisor = 0;
  for (OpFoldResult offset : offsets)
    divisor = std::gcd(divisor, knownDivisor(offset));
  return divisor;
}

int16_t ConstantFilter::at(int64_t channel, ArrayRef<int64_t> index, bool isUnsigned) const {
  int64_t place = (channel - index[alongChannels]) * strides[alongChannels];
  for (auto [position, stride] : llvm::zip_equal(index, strides))
    place += position * stride;
  const auto byte = static_cast<uint8_t>(bytes[place]);
  return isUnsigned ? byte : static_cast<int8_t>(byte);
}

} // namespace kgen
