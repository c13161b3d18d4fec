#include "transforms/layout/ChannelFunctions.h"

#include "analysis/ConstantBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

#include <llvm/ADT/TypeSwitch.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

using Numbers = std::vector<double>;
using Function = std::optional<ChannelFunction>;
using Combine = llvm::function_ref<double(double, double)>;

bool isByte(Type type) { return type.isInteger(8); }

/// Integers of these types do not wrap when zero points are added to bytes.
bool isWideInteger(Type type) { return type.isInteger(32) || type.isInteger(64); }

bool isKnownFloat(Type type) { return type.isF32() || type.isF64(); }

bool isKnownNumber(Type type) {
  return isKnownFloat(type) || isByte(type) || type.isInteger(16) || isWideInteger(type);
}

Function constant(double number, int64_t count) {
  return ChannelFunction{{}, Numbers(count, number)};
}

Numbers combined(const Numbers &a, const Numbers &b, Combine combine) {
  Numbers result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(combine(a[i], b[i]));
  return result;
}

Function sum(const ChannelFunction &a, const ChannelFunction &b, double sign) {
  auto plus = [&](double x, double y) { return x + sign * y; };
  ChannelFunction result{{}, combined(a.term, b.term, plus)};
  if (a.dependsOnX() || b.dependsOnX()) {
    Numbers none(a.term.size(), 0);
    result.factor =
        combined(a.dependsOnX() ? a.factor : none, b.dependsOnX() ? b.factor : none, plus);
  }
  return result;
}

/// Both parts of `a`, and the number `b`.
Function scaled(const ChannelFunction &a, const ChannelFunction &b, Combine combine) {
  if (b.dependsOnX())
    return std::nullopt;
  ChannelFunction result{{}, combined(a.term, b.term, combine)};
  if (a.dependsOnX())
    result.factor = combined(a.factor, b.term, combine);
  return result;
}

/// A number that is extended or converted as one without a sign.
Function withoutSign(const ChannelFunction &x, Type type) {
  double modulus = std::ldexp(1.0, static_cast<int>(type.getIntOrFloatBitWidth()));
  return scaled(x, x, [&](double a, double) { return a < 0 ? a + modulus : a; });
}

/// Returns what the operation makes of integers. Of those that depend on x, sums alone: they are
/// exact as long as nothing wraps.
Function appliedToIntegers(Operation *op, ArrayRef<ChannelFunction> x) {
  auto isExactSum = [&] { return isWideInteger(op->getResult(0).getType()); };
  return llvm::TypeSwitch<Operation *, Function>(op)
      .Case([&](arith::AddIOp) { return isExactSum() ? sum(x[0], x[1], 1) : Function(); })
      .Case([&](arith::SubIOp) { return isExactSum() ? sum(x[0], x[1], -1) : Function(); })
      .Case([&](arith::ExtSIOp) { return x[0]; })
      .Case<arith::ExtUIOp, arith::UIToFPOp>([&](auto) -> Function {
        Value of = op->getOperand(0);
        if (!x[0].dependsOnX())
          return withoutSign(x[0], of.getType());
        return isByte(of.getType()) || of.getDefiningOp<arith::ExtUIOp>() ? Function(x[0])
                                                                          : Function();
      })
      .Case([&](arith::SIToFPOp) -> Function {
        // The sums of bytes and terms so far are far from wrapping.
        bool isSmall = llvm::all_of(
            x[0].term, [](double term) { return std::abs(term) <= maxExactIntegerTerm; });
        return isSmall || !x[0].dependsOnX() ? Function(x[0]) : Function();
      })
      .Default(Function());
}

/// Returns what the scalar operation makes of its operands.
Function applied(Operation *op, ArrayRef<ChannelFunction> x) {
  if (isa<IntegerType>(op->getOperand(0).getType()))
    return appliedToIntegers(op, x);
  auto times = [](double a, double b) { return a * b; };
  auto over = [](double a, double b) { return a / b; };
  auto applyToNumber = [&](llvm::function_ref<double(double)> f) -> Function {
    return x[0].dependsOnX() ? Function()
                             : scaled(x[0], x[0], [&](double a, double) { return f(a); });
  };
  return llvm::TypeSwitch<Operation *, Function>(op)
      .Case([&](arith::AddFOp) { return sum(x[0], x[1], 1); })
      .Case([&](arith::SubFOp) { return sum(x[0], x[1], -1); })
      .Case([&](arith::MulFOp) {
        return x[1].dependsOnX() ? scaled(x[1], x[0], times) : scaled(x[0], x[1], times);
      })
      .Case([&](arith::DivFOp) { return scaled(x[0], x[1], over); })
      .Case([&](arith::NegFOp) { return scaled(x[0], *constant(-1, x[0].term.size()), times); })
      .Case([&](arith::TruncFOp) {
        return applyToNumber([](double a) { return static_cast<float>(a); });
      })
      .Case([&](arith::ExtFOp) { return applyToNumber([](double a) { return a; }); })
      .Case([&](math::SqrtOp) { return applyToNumber([](double a) { return std::sqrt(a); }); })
      .Case([&](math::RsqrtOp) { return applyToNumber([](double a) { return 1 / std::sqrt(a); }); })
      .Default(Function());
}

/// The elements of a constant at the indices that `map` gives for each channel of the loops.
Function constantFunction(ElementsAttr elements, AffineMap map, const Channels &loops,
                          ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(elements.getType());
  if (!isKnownNumber(type.getElementType()))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements); dense && dense.isSplat())
    return constant(numberAt(dense.getRawData(), type.getElementType(), 0), loops.count);
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(elements, storage);
  if (bytes.empty())
    return std::nullopt;
  ChannelFunction result;
  for (int64_t channel = 0; channel < loops.count; ++channel) {
    int64_t at = 0;
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(d));
      bool isChannel = loop && loops.strides[loop.getPosition()] != 0;
      if (size != 1 && !isChannel)
        return std::nullopt;
      at = at * size +
           (size == 1 ? 0 : loops.indexIn(loop.getPosition(), sizes[loop.getPosition()], channel));
    }
    result.term.push_back(numberAt(bytes, type.getElementType(), at));
  }
  return result;
}

/// The map to a source of the reshape, which has other dimensions of one element only.
std::optional<AffineMap> beforeReshape(AffineMap map, ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<AffineExpr> results;
  size_t next = 0;
  for (int64_t size : from) {
    while (next < to.size() && to[next] == 1)
      ++next;
    if (size != 1 && (next == to.size() || to[next] != size))
      return std::nullopt;
    results.push_back(size == 1 ? getAffineConstantExpr(0, map.getContext())
                                : map.getResult(next++));
  }
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// The elements of a tensor that is computed from constants.
class TensorNumbers {
public:
  TensorNumbers(const Channels &loops, ArrayRef<int64_t> sizes) : loops(loops), sizes(sizes) {}

  Function functionOf(Value tensor, AffineMap map) const {
    if (++visited > maxTensors)
      return std::nullopt;
    ElementsAttr elements;
    if (matchPattern(tensor, m_Constant(&elements)))
      return constantFunction(elements, map, loops, sizes);
    Operation *op = tensor.getDefiningOp();
    if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      Value source = op->getOperand(0);
      auto before = beforeReshape(map, cast<ShapedType>(source.getType()).getShape(),
                                  cast<ShapedType>(tensor.getType()).getShape());
      return before ? functionOf(source, *before) : std::nullopt;
    }
    auto computed = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (!computed || op->getNumResults() != 1 ||
        computed.getNumParallelLoops() != computed.getNumLoops())
      return std::nullopt;
    AffineMap out = computed.getMatchingIndexingMap(computed.getDpsInitOperand(0));
    if (!out.isPermutation())
      return std::nullopt;
    return bodyFunction(computed, inversePermutation(out).compose(map));
  }

  /// A scalar from outside of the body.
  Function scalarFunction(Value value) const {
    TypedAttr number;
    if (!matchPattern(value, m_Constant(&number)) || !isKnownNumber(value.getType()))
      return std::nullopt;
    if (auto integer = dyn_cast<IntegerAttr>(number))
      return constant(static_cast<double>(integer.getValue().getSExtValue()), loops.count);
    return constant(cast<FloatAttr>(number).getValueAsDouble(), loops.count);
  }

private:
  /// Returns what the body yields; `map` is from the channels' loops to those of the operation.
  Function bodyFunction(linalg::LinalgOp op, AffineMap map) const {
    llvm::DenseMap<Value, ChannelFunction> known;
    std::function<Function(Value)> find = [&](Value value) -> Function {
      if (auto it = known.find(value); it != known.end())
        return it->second;
      Function result = scalarFunction(value);
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && argument.getOwner() == op.getBlock()) {
        OpOperand *operand = op.getMatchingOpOperand(argument);
        if (!op.isDpsInput(operand))
          return std::nullopt;
        result = isa<ShapedType>(operand->get().getType())
                     ? functionOf(operand->get(), op.getMatchingIndexingMap(operand).compose(map))
                     : scalarFunction(operand->get());
      } else if (Operation *inner = value.getDefiningOp();
                 !result && inner && inner->getBlock() == op.getBlock()) {
        SmallVector<ChannelFunction> operands;
        for (Value each : inner->getOperands()) {
          Function one = find(each);
          if (!one)
            return std::nullopt;
          operands.push_back(*one);
        }
        result = operands.empty() ? std::nullopt : applied(inner, operands);
      }
      if (result)
        known[value] = *result;
      return result;
    };
    return find(op.getBlock()->getTerminator()->getOperand(0));
  }

  static constexpr unsigned maxTensors = 256; // parameters of a few normalizations

  const Channels &loops;
  ArrayRef<int64_t> sizes;
  mutable unsigned visited = 0; ///< tensors, each for each reader
};

/// True if something that is no such function reads the value.
bool isReadByOthers(Value value, const llvm::DenseMap<Value, ChannelFunction> &values) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() != 1 || !values.contains(user->getResult(0));
  });
}

/// True if the operation reads x, a byte, as one without a sign; nothing if it reads it otherwise.
std::optional<bool> readsWithoutSign(Operation &op, Value x) {
  if (!isByte(x.getType()) || op.getOperand(0) != x)
    return std::nullopt;
  return isa<arith::ExtUIOp, arith::UIToFPOp>(op);
}

} // namespace

std::optional<Channels> reshaped(const Channels &before, ArrayRef<int64_t> from,
                                 ArrayRef<int64_t> to, ArrayRef<ReassociationIndices> groups,
                                 bool isCollapse) {
  Channels after{before.count, SmallVector<int64_t>(to.size(), 0)};
  for (auto [g, group] : llvm::enumerate(groups)) {
    if (!isCollapse) {
      int64_t stride = before.strides[g];
      for (int64_t d : llvm::reverse(group)) {
        after.strides[d] = stride;
        stride *= to[d];
      }
      continue;
    }
    int64_t size = 1;
    for (int64_t d : llvm::reverse(group)) {
      int64_t stride = before.strides[d];
      if (from[d] == 1)
        continue;
      if (size == 1)
        after.strides[g] = stride;
      else if (stride != after.strides[g] * size)
        return std::nullopt;
      size *= from[d];
    }
  }
  return after;
}

std::optional<ChannelFunction> ChannelFunctions::functionOf(Value value) const {
  auto it = values.find(value);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

ChannelFunctions::ChannelFunctions(linalg::LinalgOp op, unsigned input, const Channels &loops) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  TensorNumbers numbers(loops, sizes);
  Block *body = op.getBlock();
  Value x = body->getArgument(input);
  if (!isKnownNumber(x.getType()))
    return;
  values[x] = {Numbers(loops.count, 1), Numbers(loops.count, 0)};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value argument = op.getMatchingBlockArgument(operand);
    if (argument == x || argument.use_empty())
      continue;
    Function known = isa<ShapedType>(operand->get().getType())
                         ? numbers.functionOf(operand->get(), op.getMatchingIndexingMap(operand))
                         : numbers.scalarFunction(operand->get());
    if (known)
      values[argument] = std::move(*known);
  }
  for (Operation &inner : body->without_terminator()) {
    SmallVector<ChannelFunction> operands;
    for (Value operand : inner.getOperands())
      if (Function known =
              values.contains(operand) ? functionOf(operand) : numbers.scalarFunction(operand))
        operands.push_back(std::move(*known));
    bool isKnown = inner.getNumResults() == 1 && inner.getNumOperands() > 0 &&
                   operands.size() == inner.getNumOperands();
    if (std::optional<bool> withoutSign = isKnown ? readsWithoutSign(inner, x) : std::nullopt) {
      if (unsignedBytes && *unsignedBytes != *withoutSign)
        return; // both a signed and an unsigned number
      unsignedBytes = withoutSign;
    }
    if (Function result =
            isKnown ? applied(&inner, operands) : numbers.scalarFunction(inner.getResult(0)))
      values[inner.getResult(0)] = std::move(*result);
  }
  SmallVector<Value> ends;
  for (auto &[value, function] : values)
    if (function.dependsOnX() && isReadByOthers(value, values))
      ends.push_back(value);
  if (ends.size() == 1 && (ends[0].getType() == x.getType() || isa<IntegerType>(x.getType())))
    found = ends[0];
}

} // namespace kgen
