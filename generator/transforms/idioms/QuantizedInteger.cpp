#include "transforms/idioms/QuantizedInteger.h"

#include "analysis/ConstantBytes.h"
#include "transforms/idioms/SelectedExtremum.h"
#include "transforms/idioms/SumBounds.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

#include <llvm/ADT/TypeSwitch.h>

#include <cmath>
#include <limits>
#include <unordered_map>

using namespace mlir;

namespace kgen {
namespace {

using Numbers = std::vector<double>;

constexpr double largestInteger = std::numeric_limits<int32_t>::max();

double roundedToFloat(double number) { return static_cast<float>(number); }

/// Adds the elements of the constant to `numbers`; false if it is neither of f32 nor of i32.
bool appendNumbers(ElementsAttr constant, Numbers &numbers) {
  Type element = constant.getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return false;
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  for (size_t i = 0; i < bytes.size() / sizeof(float); ++i)
    numbers.push_back(numberAt(bytes, element, static_cast<int64_t>(i)));
  return !numbers.empty();
}

} // namespace

/// Collects the steps from x to a result.
class QuantizedIntegerParser {
public:
  using Kind = ScalarStep::Kind;

  QuantizedIntegerParser(linalg::GenericOp op, QuantizedInteger &result) : op(op), result(result) {}

  /// False if `value` is computed in another way.
  bool parse(Value value) {
    if (setX(value))
      return true;
    mlir::Operation *inner = value.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBody())
      return false;
    return llvm::TypeSwitch<mlir::Operation *, bool>(inner)
        .Case<arith::SIToFPOp>([&](auto) { return parseUnary(inner, Kind::toFloat); })
        .Case<math::RoundEvenOp>([&](auto) { return parseUnary(inner, Kind::roundEven); })
        .Case<arith::FPToSIOp>([&](auto) { return parseUnary(inner, Kind::toInteger); })
        .Case<arith::AddFOp, arith::AddIOp>([&](auto) { return parseEither(inner, Kind::add); })
        .Case<arith::MulFOp>([&](auto) { return parseEither(inner, Kind::multiply); })
        .Case<arith::SubFOp, arith::SubIOp>([&](auto) { return parseDifference(inner); })
        .Case([&](math::FmaOp fused) { return parseFused(fused); })
        .Case<arith::DivFOp>([&](auto) {
          return parseBinary(inner, 0, Kind::divide) && isPositive(result.steps.back(), false);
        })
        .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
            [&](auto) { return parseEither(inner, Kind::maximum); })
        .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
            [&](auto) { return parseEither(inner, Kind::minimum); })
        .Case([&](arith::SelectOp select) { return parseSelection(select); })
        .Default(false);
  }

  /// Finds bounds of x in each channel: those of its own taps.
  void findBoundsOfChannels() {
    std::optional<FilterBounds> bounds =
        result.x == op.getMatchingBlockArgument(sums) ? filterBounds(sums->get()) : std::nullopt;
    if (!bounds)
      return;
    AffineExpr index = op.getMatchingIndexingMap(sums).getResult(bounds->dimension);
    auto &[dimension, lowests, highests] = *bounds;
    if (!result.loop) {
      lowests = {*std::min_element(lowests.begin(), lowests.end())};
      highests = {*std::max_element(highests.begin(), highests.end())};
    } else if (index != getAffineDimExpr(*result.loop, op.getContext()) ||
               static_cast<int64_t>(lowests.size()) != result.channels) {
      return;
    }
    result.lowests = std::move(lowests);
    result.highests = std::move(highests);
  }

private:
  static bool isPositive(const ScalarStep &step, bool orZero) {
    return llvm::all_of(step.first, [&](double n) { return n > 0 || (orZero && n == 0); });
  }

  bool add(mlir::Operation *inner, Kind kind, Numbers by = {}) {
    Type type = inner->getResult(0).getType();
    result.steps.push_back({kind, type.isInteger(32), std::move(by), {}});
    return type.isInteger(32) || type.isF32();
  }

  bool parseUnary(mlir::Operation *inner, Kind kind) {
    return parse(inner->getOperand(0)) && add(inner, kind);
  }

  /// Operand `number` depends on x, the other one is known.
  bool parseBinary(mlir::Operation *inner, unsigned number, Kind kind, double sign = 1) {
    const Numbers *by = numbers(inner->getOperand(1 - number));
    if (!by || !parse(inner->getOperand(number)))
      return false;
    Numbers signedNumbers(*by);
    for (double &each : signedNumbers)
      each *= sign;
    return add(inner, kind, std::move(signedNumbers));
  }

  bool parseEither(mlir::Operation *inner, Kind kind) {
    unsigned known = numbers(inner->getOperand(0)) ? 0 : 1;
    return parseBinary(inner, 1 - known, kind) &&
           (kind != Kind::multiply || isPositive(result.steps.back(), true));
  }

  bool parseDifference(mlir::Operation *inner) {
    return parseBinary(inner, 0, Kind::add, /*sign=*/-1);
  }

  /// x * first + second, or x * first + x * second.
  bool parseFused(math::FmaOp fused) {
    Value x = fused.getA(), term = fused.getC();
    auto rest = term.getDefiningOp<arith::MulFOp>();
    const bool isByParts = rest && rest.getLhs() == x && !numbers(term);
    const Numbers *first = numbers(fused.getB()),
                  *second = numbers(isByParts ? rest.getRhs() : term);
    if (!first || !second || !parse(x))
      return false;
    result.steps.push_back(
        {isByParts ? Kind::multiplyByParts : Kind::multiplyAdd, false, *first, *second});
    return fused.getType().isF32() && isPositive(result.steps.back(), true);
  }

  bool parseSelection(arith::SelectOp select) {
    auto extremum = selectedExtremum(select);
    if (!extremum || !extremum->constant || extremum->number.isNaN() || !parse(extremum->x))
      return false;
    return add(select, extremum->isMax ? Kind::maximum : Kind::minimum,
               {extremum->number.convertToDouble()});
  }

  /// True if the value is x, which it becomes if there was none.
  bool setX(Value value) {
    Value element = value;
    bool isUnsigned = false;
    if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(value.getDefiningOp())) {
      element = value.getDefiningOp()->getOperand(0);
      isUnsigned = isa<arith::ExtUIOp>(value.getDefiningOp());
    }
    auto argument = dyn_cast<BlockArgument>(element);
    if (!argument || argument.getOwner() != op.getBody() || !value.getType().isInteger(32))
      return false;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!op.isDpsInput(operand) || numbers(element))
      return false;
    if (element != value && element.getType().isInteger(8)) {
      constexpr double bytes = 256;
      result.lowest = isUnsigned ? 0 : -bytes / 2;
      result.highest = result.lowest + bytes - 1;
    } else {
      auto largest = element == value ? largestSum(operand->get()) : std::nullopt;
      if (!largest)
        return false;
      result.highest = *largest;
      result.lowest = -*largest;
    }
    result.x = value;
    sums = operand;
    return true;
  }

  /// Null if the value is not known at build time.
  const Numbers *numbers(Value value) {
    auto [it, isNew] = known.try_emplace(value.getAsOpaquePointer());
    std::optional<Numbers> &found = it->second; // stays where it is
    if (isNew)
      found = findNumbers(value);
    return found ? &*found : nullptr;
  }

  std::optional<Numbers> findNumbers(Value value) {
    TypedAttr scalar;
    if (!isa<ShapedType>(value.getType()) && matchPattern(value, m_Constant(&scalar))) {
      if (auto integer = dyn_cast<IntegerAttr>(scalar))
        return Numbers{static_cast<double>(integer.getValue().getSExtValue())};
      return Numbers{cast<FloatAttr>(scalar).getValueAsDouble()};
    }
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == op.getBody() ? numbersOfOperand(argument) : std::nullopt;
    mlir::Operation *inner = value.getDefiningOp();
    if (inner->getBlock() != op.getBody() || inner->getNumOperands() == 0 ||
        inner->getNumOperands() > 2)
      return std::nullopt;
    const Numbers *a = numbers(inner->getOperand(0));
    const Numbers *b = a && inner->getNumOperands() == 2 ? numbers(inner->getOperand(1)) : a;
    return b ? applied(inner, *a, *b) : std::nullopt;
  }

  static std::optional<Numbers> applied(mlir::Operation *inner, const Numbers &a,
                                        const Numbers &b) {
    if (!inner->getResult(0).getType().isF32())
      return std::nullopt;
    auto each = [&](auto compute) -> std::optional<Numbers> {
      Numbers result;
      for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        result.push_back(
            roundedToFloat(compute(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i])));
      return result;
    };
    return llvm::TypeSwitch<mlir::Operation *, std::optional<Numbers>>(inner)
        .Case<arith::SIToFPOp>([&](auto) { return each([](double x, double) { return x; }); })
        .Case<arith::AddFOp>([&](auto) { return each([](double x, double y) { return x + y; }); })
        .Case<arith::SubFOp>([&](auto) { return each([](double x, double y) { return x - y; }); })
        .Case<arith::MulFOp>([&](auto) { return each([](double x, double y) { return x * y; }); })
        .Case<arith::DivFOp>([&](auto) { return each([](double x, double y) { return x / y; }); })
        .Default(std::optional<Numbers>());
  }

  /// The elements of a constant: one, or one for each channel.
  std::optional<Numbers> numbersOfOperand(BlockArgument argument) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    ElementsAttr constant;
    if (!op.isDpsInput(operand) || !matchPattern(operand->get(), m_Constant(&constant)))
      return std::nullopt;
    auto type = cast<ShapedType>(constant.getType());
    std::optional<unsigned> channel;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(map.getResult(d));
      if (size == 1)
        continue;
      if (!dim || channel || (result.loop && *result.loop != dim.getPosition()))
        return std::nullopt;
      channel = dim.getPosition();
    }
    Numbers numbers;
    if (!appendNumbers(constant, numbers))
      return std::nullopt;
    if (channel) {
      result.loop = channel;
      result.channels = static_cast<int64_t>(numbers.size());
    }
    return numbers;
  }

  linalg::GenericOp op;
  QuantizedInteger &result;
  OpOperand *sums = nullptr; ///< of whose elements x is one, or which is extended to it
  std::unordered_map<void *, std::optional<Numbers>> known;
};

std::optional<QuantizedInteger> QuantizedInteger::match(linalg::GenericOp op,
                                                        arith::TruncIOp result) {
  QuantizedInteger function;
  QuantizedIntegerParser parser(op, function);
  if (!result.getType().isInteger(8) || !result.getIn().getType().isInteger(32) ||
      !parser.parse(result.getIn()) || function.steps.empty() || !function.isSound())
    return std::nullopt;
  parser.findBoundsOfChannels();
  return function;
}

void ScalarStep::apply(int64_t channel, MutableArrayRef<double> numbers) const {
  auto each = [&](auto compute) {
    for (double &number : numbers)
      number = compute(number);
  };
  // Results of f32 are exact in an f64, or rounded there so little that rounding once more is the
  // same as rounding once. Fused operations are computed as such.
  auto eachRounded = [&](auto compute) {
    if (isInteger)
      return each(compute);
    each([&](double number) { return roundedToFloat(compute(number)); });
  };
  const double one = first.empty() ? 0 : firstOf(channel);
  const double other = second.empty() ? 0 : secondOf(channel);
  const auto a = static_cast<float>(one), b = static_cast<float>(other);
  switch (kind) {
  case Kind::toFloat:
    return each(roundedToFloat);
  case Kind::add:
    return eachRounded([&](double number) { return number + one; });
  case Kind::multiply:
    return eachRounded([&](double number) { return number * one; });
  case Kind::divide:
    return eachRounded([&](double number) { return number / one; });
  case Kind::multiplyAdd:
    return each([&](double number) { return std::fma(static_cast<float>(number), a, b); });
  case Kind::multiplyByParts:
    return each([&](double number) {
      auto x = static_cast<float>(number);
      return std::fma(x, a, x * b);
    });
  case Kind::maximum:
    return each([&](double number) { return std::max(number, one); });
  case Kind::minimum:
    return each([&](double number) { return std::min(number, one); });
  case Kind::roundEven:
    return each([](double number) { return std::nearbyint(number); });
  case Kind::toInteger:
    return each([](double number) { return std::trunc(number); });
  }
}

void QuantizedInteger::evaluate(int64_t channel, MutableArrayRef<double> numbers) const {
  for (const ScalarStep &step : steps)
    step.apply(channel, numbers);
}

/// At the ends, and so in between.
bool QuantizedInteger::isSound() const {
  constexpr double largestByte = 255, largestSigned = 127;
  bool fitsSigned = true, fitsUnsigned = true;
  for (int64_t channel = 0; channel < channels; ++channel) {
    double ends[] = {lowest, highest};
    for (const ScalarStep &step : steps) {
      step.apply(channel, ends);
      for (double end : ends)
        if (!std::isfinite(end) || ((step.isInteger || step.kind == ScalarStep::Kind::toFloat) &&
                                    std::abs(end) > largestInteger))
          return false;
    }
    fitsSigned &= ends[0] >= -largestSigned - 1 && ends[1] <= largestSigned;
    fitsUnsigned &= ends[0] >= 0 && ends[1] <= largestByte;
  }
  return fitsSigned || fitsUnsigned;
}

} // namespace kgen
