#include "transforms/vectorize/PackedBytes.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t partLanes = 4; // of 32 bits, in 128 bits

/// The other operand of an extremum of a number and a constant; null for other operations.
template <typename OpT> Value extremumOf(Value value, int64_t &bound) {
  auto op = value.getDefiningOp<OpT>();
  llvm::APInt number;
  if (!op || !matchPattern(op.getRhs(), m_ConstantInt(&number)))
    return {};
  bound = number.getSExtValue();
  return op.getLhs();
}

} // namespace

std::optional<PackedBytes> PackedBytes::match(linalg::GenericOp op, TargetAttr target) {
  PackedBytes bytes;
  bytes.result = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncIOp>();
  if (!target.cpu().hasSaturatingPacks || !bytes.result || !bytes.result.getType().isInteger(8) ||
      !bytes.result.getIn().getType().isInteger(32))
    return std::nullopt;
  Value below = extremumOf<arith::MinSIOp>(bytes.result.getIn(), bytes.high);
  bytes.unbounded = below ? extremumOf<arith::MaxSIOp>(below, bytes.low) : Value();
  bool fits = bytes.low >= std::numeric_limits<int8_t>::min() &&
              bytes.high <= std::numeric_limits<int8_t>::max();
  fits |= bytes.low >= 0 && bytes.high <= std::numeric_limits<uint8_t>::max();
  return bytes.unbounded && fits && bytes.low <= bytes.high ? std::optional(bytes) : std::nullopt;
}

bool PackedBytes::packs(int64_t width) { return width == partLanes || width == 2 * partLanes; }

/// The numbers between the bounds, as far as `least` and `greatest` do not hold them.
Value PackedBytes::bounded(OpBuilder &b, Location loc, Value numbers, int64_t least,
                           int64_t greatest) const {
  auto type = cast<VectorType>(numbers.getType());
  auto constant = [&](int64_t number) -> Value {
    auto element = IntegerAttr::get(type.getElementType(),
                                    llvm::APInt(type.getElementTypeBitWidth(), number,
                                                /*isSigned=*/true, /*implicitTrunc=*/true));
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(element)));
  };
  const bool isUnsigned = greatest == std::numeric_limits<uint8_t>::max();
  if (low > least)
    numbers = isUnsigned ? arith::MaxUIOp::create(b, loc, numbers, constant(low)).getResult()
                         : arith::MaxSIOp::create(b, loc, numbers, constant(low)).getResult();
  if (high < greatest)
    numbers = isUnsigned ? arith::MinUIOp::create(b, loc, numbers, constant(high)).getResult()
                         : arith::MinSIOp::create(b, loc, numbers, constant(high)).getResult();
  return numbers;
}

Value PackedBytes::narrow(OpBuilder &b, Location loc, Value numbers) const {
  numbers = bounded(b, loc, numbers, std::numeric_limits<int32_t>::min(),
                    std::numeric_limits<int32_t>::max());
  auto type = cast<VectorType>(numbers.getType()).clone(b.getI8Type());
  return arith::TruncIOp::create(b, loc, type, numbers);
}

Value PackedBytes::words(OpBuilder &b, Location loc, Value x, Value y) {
  return PackOp::create(b, loc, x, y, /*is_unsigned=*/false);
}

Value PackedBytes::pack(OpBuilder &b, Location loc, Value words, Value more) const {
  using Unsigned = std::numeric_limits<uint8_t>;
  using Signed = std::numeric_limits<int8_t>;
  const bool isUnsigned = low >= 0;
  Value bytes = PackOp::create(b, loc, words, more, isUnsigned);
  return isUnsigned ? bounded(b, loc, bytes, Unsigned::min(), Unsigned::max())
                    : bounded(b, loc, bytes, Signed::min(), Signed::max());
}

SmallVector<Value> PackedBytes::unpacked(OpBuilder &b, Location loc, Value bytes) {
  const int64_t width = cast<VectorType>(bytes.getType()).getDimSize(0) / vectors;
  SmallVector<int64_t> inOrder;
  for (int64_t vector = 0; vector < vectors; ++vector)
    for (int64_t lane = 0; lane < width; ++lane)
      inOrder.push_back((lane / partLanes * vectors + vector) * partLanes + lane % partLanes);
  bytes = vector::ShuffleOp::create(b, loc, bytes, bytes, inOrder);
  SmallVector<Value> results;
  for (int64_t vector = 0; vector < vectors; ++vector)
    results.push_back(
        vector::ExtractStridedSliceOp::create(b, loc, bytes, vector * width, width, 1));
  return results;
}

} // namespace kgen
