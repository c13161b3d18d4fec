#include "transforms/vectorize/PackedBytes.h"

#include "analysis/ConstantBytes.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <llvm/ADT/TypeSwitch.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t partLanes = 4; // of 32 bits, in 128 bits
constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// Bounds of the magnitude of floats that the operation's body computes of an i32: one, or one for
/// each channel, as numbers of other channels are together greater.
class Magnitudes {
public:
  explicit Magnitudes(linalg::GenericOp op) : op(op) {}

  double largestOf(Value value) {
    const Numbers numbers = numbersOf(value);
    return *std::max_element(numbers.begin(), numbers.end());
  }

private:
  using Numbers = std::vector<double>; ///< infinity: not known

  Numbers numbersOf(Value value) {
    constexpr double largestInteger = 0x1p31;
    FloatAttr scalar;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == op.getBody()
                 ? numbersOfOperand(*op.getMatchingOpOperand(argument))
                 : Numbers{infinity};
    if (matchPattern(value, m_Constant(&scalar)))
      return {magnitude(scalar.getValueAsDouble())};
    Operation *inner = value.getDefiningOp();
    auto operand = [&](unsigned number) { return numbersOf(inner->getOperand(number)); };
    auto sum = [](double x, double y) { return x + y; };
    auto product = [](double x, double y) {
      return std::isinf(x) || std::isinf(y) ? infinity : x * y;
    };
    auto greater = [](double x, double y) { return std::max(x, y); };
    return llvm::TypeSwitch<Operation *, Numbers>(inner)
        .Case<arith::SIToFPOp>([&](arith::SIToFPOp conversion) {
          return Numbers{conversion.getIn().getType().isInteger(32) ? largestInteger : infinity};
        })
        .Case<math::RoundEvenOp>([&](auto) { return operand(0); })
        .Case<arith::AddFOp>([&](auto) { return each(operand(0), operand(1), sum); })
        .Case<arith::MulFOp>([&](auto) { return each(operand(0), operand(1), product); })
        .Case<math::FmaOp>(
            [&](auto) { return each(each(operand(0), operand(1), product), operand(2), sum); })
        .Case<arith::SelectOp>([&](auto) { return each(operand(1), operand(2), greater); })
        .Default(Numbers{infinity});
  }

  static double magnitude(double number) {
    return std::isnan(number) ? infinity : std::abs(number);
  }

  /// Those of a constant of f32, of which a task has a part.
  Numbers numbersOfOperand(OpOperand &operand) {
    Value tensor = operand.get();
    while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
      tensor = slice.getSource();
    ElementsAttr constant;
    if (!matchPattern(tensor, m_Constant(&constant)) || !constant.getElementType().isF32())
      return {infinity};
    SmallVector<char> storage;
    ArrayRef<char> bytes = constantBytes(constant, storage);
    Numbers numbers;
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i)
      numbers.push_back(magnitude(numberAt(bytes, constant.getElementType(), i)));
    if (numbers.empty())
      return {infinity};
    return isOfChannels(operand, tensor) ? numbers : largest(numbers);
  }

  /// True if the operand has the same channels as others of which this was true.
  bool isOfChannels(OpOperand &operand, Value whole) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    if (map.getNumResults() != 1 ||
        (operand.get() != whole && (!slice || slice.getSource() != whole)))
      return false;
    const Channels channels{map, slice ? slice.getMixedOffsets().front() : OpFoldResult()};
    if (!known)
      known = channels;
    return *known == channels;
  }

  static Numbers largest(const Numbers &numbers) {
    return {*std::max_element(numbers.begin(), numbers.end())};
  }

  template <typename Compute> static Numbers each(Numbers x, Numbers y, Compute compute) {
    if (x.size() != 1 && y.size() != 1 && x.size() != y.size())
      x = largest(x), y = largest(y);
    Numbers result;
    for (size_t i = 0; i < std::max(x.size(), y.size()); ++i)
      result.push_back(compute(x[x.size() == 1 ? 0 : i], y[y.size() == 1 ? 0 : i]));
    return result;
  }

  /// The index of channels, and the first one.
  using Channels = std::pair<AffineMap, OpFoldResult>;

  linalg::GenericOp op;
  std::optional<Channels> known;
};

} // namespace

/// Takes an addition of a constant out of the numbers, which is as good after they are packed to
/// words: a sum that would not wrap around is on the same side of all bounds then.
void PackedBytes::takeOffset(linalg::GenericOp op) {
  constexpr double farFromWrapping = 0x1p30;
  auto addition = unbounded.getDefiningOp<arith::AddIOp>();
  llvm::APInt number;
  if (!addition || !matchPattern(addition.getRhs(), m_ConstantInt(&number)) ||
      number.abs().ugt(std::numeric_limits<uint8_t>::max()))
    return;
  auto conversion = addition.getLhs().getDefiningOp<arith::FPToSIOp>();
  if (!conversion || !(Magnitudes(op).largestOf(conversion.getIn()) < farFromWrapping))
    return;
  offset = number.getSExtValue();
  unbounded = addition.getLhs();
}

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
  if (!bytes.unbounded || !fits || bytes.low > bytes.high)
    return std::nullopt;
  bytes.takeOffset(op);
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
