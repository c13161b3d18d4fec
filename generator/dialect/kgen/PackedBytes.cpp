#include "dialect/kgen/PackedBytes.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t partLanes = 4; // of 32 bits, in 128 bits

Value splat(OpBuilder &b, Location loc, Type type, int64_t number) {
  auto vector = cast<VectorType>(type);
  auto element = IntegerAttr::get(vector.getElementType(),
                                  llvm::APInt(vector.getElementTypeBitWidth(), number,
                                              /*isSigned=*/true, /*implicitTrunc=*/true));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(element)));
}

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

/// Takes an addition of a constant out of the numbers, which is as good after they are packed to
/// words: a sum that does not wrap around is on the same side of all bounds then.
void PackedBytes::takeOffset() {
  auto addition = unbounded.getDefiningOp<arith::AddIOp>();
  llvm::APInt number;
  if (!addition ||
      !bitEnumContainsAll(addition.getOverflowFlags(), arith::IntegerOverflowFlags::nsw) ||
      !matchPattern(addition.getRhs(), m_ConstantInt(&number)) ||
      number.abs().ugt(std::numeric_limits<uint8_t>::max()))
    return;
  offset = number.getSExtValue();
  unbounded = addition.getLhs();
}

std::optional<PackedBytes> PackedBytes::match(Block &body, TargetAttr target) {
  PackedBytes bytes;
  bytes.result = body.getTerminator()->getOperand(0).getDefiningOp<arith::TruncIOp>();
  if (!target.cpu().hasSaturatingPacks || !bytes.result || !bytes.result.getType().isInteger(8) ||
      !bytes.result.getIn().getType().isInteger(32))
    return std::nullopt;
  Value below = extremumOf<arith::MinSIOp>(bytes.result.getIn(), bytes.high);
  bytes.unbounded = below ? extremumOf<arith::MaxSIOp>(below, bytes.low) : Value();
  bool fits = bytes.low >= std::numeric_limits<int8_t>::min() &&
              bytes.high <= std::numeric_limits<int8_t>::max();
  fits |= bytes.low >= 0 && bytes.high <= std::numeric_limits<uint8_t>::max();
  if (!bytes.unbounded || !fits || bytes.low > bytes.high)
    return std::nullopt;
  bytes.takeOffset();
  return bytes;
}

bool PackedBytes::packs(int64_t width) {
  return width == partLanes || width == 2 * partLanes || width == 4 * partLanes;
}

/// The numbers between the bounds, as far as `least` and `greatest` do not hold them.
Value PackedBytes::bounded(OpBuilder &b, Location loc, Value numbers, int64_t least,
                           int64_t greatest) const {
  auto constant = [&](int64_t number) { return splat(b, loc, numbers.getType(), number); };
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
  if (offset != 0)
    numbers = arith::AddIOp::create(b, loc, numbers, splat(b, loc, numbers.getType(), offset));
  numbers = bounded(b, loc, numbers, std::numeric_limits<int32_t>::min(),
                    std::numeric_limits<int32_t>::max());
  auto type = cast<VectorType>(numbers.getType()).clone(b.getI8Type());
  return arith::TruncIOp::create(b, loc, type, numbers);
}

Value PackedBytes::words(OpBuilder &b, Location loc, Value x, Value y) const {
  Value words = PackOp::create(b, loc, x, y, /*is_unsigned=*/false);
  if (offset == 0)
    return words;
  return LLVM::SAddSat::create(b, loc, words, splat(b, loc, words.getType(), offset));
}

Value PackedBytes::pack(OpBuilder &b, Location loc, Value words, Value more) const {
  using Unsigned = std::numeric_limits<uint8_t>;
  using Signed = std::numeric_limits<int8_t>;
  const bool isUnsigned = low >= 0;
  Value bytes = PackOp::create(b, loc, words, more, isUnsigned);
  return isUnsigned ? bounded(b, loc, bytes, Unsigned::min(), Unsigned::max())
                    : bounded(b, loc, bytes, Signed::min(), Signed::max());
}

Value PackedBytes::packAll(OpBuilder &b, Location loc, ArrayRef<Value> numbers) const {
  auto number = [&](size_t i) { return numbers[std::min(i, numbers.size() - 1)]; };
  Value low = words(b, loc, number(0), number(1)), high = low;
  if (numbers.size() > 2)
    high = words(b, loc, number(2), number(3));
  return pack(b, loc, low, high);
}

Value PackedBytes::inOrder(OpBuilder &b, Location loc, Value bytes) {
  const int64_t width = cast<VectorType>(bytes.getType()).getDimSize(0) / vectors;
  SmallVector<int64_t> lanes;
  for (int64_t vector = 0; vector < vectors; ++vector)
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back((lane / partLanes * vectors + vector) * partLanes + lane % partLanes);
  return vector::ShuffleOp::create(b, loc, bytes, bytes, lanes);
}

SmallVector<Value> PackedBytes::unpacked(OpBuilder &b, Location loc, Value bytes) {
  const int64_t width = cast<VectorType>(bytes.getType()).getDimSize(0) / vectors;
  bytes = inOrder(b, loc, bytes);
  SmallVector<Value> results;
  for (int64_t vector = 0; vector < vectors; ++vector)
    results.push_back(
        vector::ExtractStridedSliceOp::create(b, loc, bytes, vector * width, width, 1));
  return results;
}

void dropOverflowFlags(Operation *op) {
  if (auto addition = dyn_cast<arith::AddIOp>(op))
    addition.setOverflowFlags(arith::IntegerOverflowFlags::none);
}

} // namespace kgen
