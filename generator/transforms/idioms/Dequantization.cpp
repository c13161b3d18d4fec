#include "transforms/idioms/Dequantization.h"

#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

#include <cmath>

using namespace mlir;

namespace kgen {

namespace {

constexpr unsigned maxVisits = 64; // of tensors, each for each reader
constexpr unsigned maxSteps = 12;  // conversion, difference, product; reshapes and transposes

ArrayRef<int64_t> shapeOf(Value tensor) { return cast<ShapedType>(tensor.getType()).getShape(); }

bool isElementwiseOn(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getNumReductionLoops() == 0 && !op.hasIndexSemantics() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

/// A pad with zeros of as many as known.
bool padsWithZeros(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  return value && matchPattern(value, m_AnyZeroFloat()) && pad.getType().hasStaticShape() &&
         pad.getSourceType().hasStaticShape() && pad.getLow().empty() && pad.getHigh().empty();
}

/// Returns what a reshape, pad or slice moves; null for other operations.
Value movedBy(Operation *op) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  bool isMove = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
                (pad && padsWithZeros(pad)) || (slice && slice.getType().hasStaticShape());
  return isMove ? op->getOperand(0) : Value();
}

/// The channels of what `op` moves; nothing if its result has them in part.
std::optional<Channels> channelsBefore(Operation *op, const Channels &channels) {
  ArrayRef<int64_t> from = shapeOf(op->getResult(0)), to = shapeOf(op->getOperand(0));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return reshaped(channels, from, to, expand.getReassociationIndices(), /*isCollapse=*/true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return reshaped(channels, from, to, collapse.getReassociationIndices(), /*isCollapse=*/false);
  Channels before{channels.count, {}};
  llvm::SmallBitVector dropped(to.size());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    dropped = slice.getDroppedDims();
  size_t next = 0;
  for (size_t d = 0; d < to.size(); ++d) {
    before.strides.push_back(dropped[d] ? 0 : channels.strides[next]);
    if (before.strides.back() != 0 && from[next] != to[d])
      return std::nullopt;
    next += !dropped[d];
  }
  return before;
}

/// A constant with its elements in another order: dimension d of the result is `order[d]` of it.
Value permutedConstant(OpBuilder &b, Location loc, ElementsAttr constant, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(constant.getType());
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty())
    return {};
  SmallVector<int64_t> shape, strides(order.size(), 1), index(order.size(), 0);
  for (int64_t d : order) {
    int64_t stride = 1;
    for (int64_t behind = d + 1; behind < type.getRank(); ++behind)
      stride *= type.getDimSize(behind);
    strides[shape.size()] = stride;
    shape.push_back(type.getDimSize(d));
  }
  AsmResourceBlob blob = allocateBlob(bytes.size());
  for (char &to : blob.getMutableData()) {
    int64_t from = 0;
    for (auto [at, stride] : llvm::zip(index, strides))
      from += at * stride;
    to = bytes[from];
    advance(index, shape);
  }
  auto moved =
      DenseResourceElementsAttr::get(type.clone(shape), "transposed", shared(std::move(blob)));
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(moved));
}

/// The value with dimension d of the result being `order[d]` of it.
Value permuted(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> order) {
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (Value moved = permutedConstant(b, loc, constant, order))
      return moved;
  SmallVector<int64_t> shape;
  for (int64_t d : order)
    shape.push_back(shapeOf(value)[d]);
  Value init = emptyTensor(b, loc, shape, cast<ShapedType>(value.getType()).getElementType());
  return linalg::TransposeOp::create(b, loc, value, init, order)->getResult(0);
}

/// The reshape of bytes; constants share their bytes.
Value reshapedBytes(OpBuilder &b, Operation *op, Value value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(b.getI8Type());
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
      return arith::ConstantOp::create(
          b, op->getLoc(),
          cast<TypedAttr>(DenseResourceElementsAttr::get(type, resource.getRawHandle())));
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(dense.reshape(type)));
  }
  IRMapping mapping;
  mapping.map(op->getOperand(0), value);
  Operation *clone = b.clone(*op, mapping);
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

} // namespace

bool Dequantization::find(Value tensor, const Channels &channels, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || depth > maxSteps || ++visited > maxVisits)
    return false;
  steps.clear();
  isPadded = isBroadcast = false;
  readsUnsigned.reset();
  if (type.getElementType().isInteger(8)) {
    source = tensor;
    function = {std::vector<double>(channels.count, 1), std::vector<double>(channels.count, 0)};
    return true;
  }
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (Value moved = movedBy(op)) {
    std::optional<Channels> before = channelsBefore(op, channels);
    if (!before || !find(moved, *before, depth + 1) || isBroadcast)
      return false;
    isPadded |= isa<tensor::PadOp>(op);
    steps.push_back({op, {}});
    return true;
  }
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  return computed && isElementwiseOn(computed) && findElementwise(computed, channels, depth);
}

bool Dequantization::findElementwise(linalg::LinalgOp op, const Channels &channels,
                                     unsigned depth) {
  AffineMap toLoops = inversePermutation(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  Channels loops{channels.count, SmallVector<int64_t>(op.getNumLoops(), 0)};
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.strides[loop] = channels.strides[toLoops.getDimPosition(loop)];
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap in = op.getMatchingIndexingMap(operand);
    unsigned input = operand->getOperandNumber();
    if (!in.isProjectedPermutation() || !isa<RankedTensorType>(operand->get().getType()))
      continue;
    ChannelFunctions functions(op, input, loops);
    if (!functions.last() || functions.last() != op.getBlock()->getTerminator()->getOperand(0))
      continue;
    Channels before{channels.count, {}};
    for (unsigned d = 0; d < in.getNumResults(); ++d)
      before.strides.push_back(loops.strides[in.getDimPosition(d)]);
    if (!find(operand->get(), before, depth + 1))
      continue;
    bool isInteger = isa<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
    for (int64_t c = 0; c < channels.count; ++c) {
      const ChannelFunction &f = functions.function();
      function.factor[c] *= f.factor[c];
      function.term[c] = function.term[c] * f.factor[c] + f.term[c];
      if (isInteger && std::abs(function.term[c]) > maxExactIntegerTerm)
        return false; // might wrap
    }
    if (std::optional<bool> isUnsigned = functions.readsUnsigned())
      readsUnsigned = isUnsigned;
    isBroadcast |= in.getNumResults() != op.getNumLoops();
    steps.push_back({op, in.compose(toLoops)});
    return true;
  }
  return false;
}

/// The zero points, which must be numbers that a byte can be, so that differences have 9 bits.
void Dequantization::takeZeroPoints() {
  const double lowest = unsignedBytes ? 0 : -128, highest = lowest + 255;
  for (auto [factor, term] : llvm::zip_equal(function.factor, function.term)) {
    double zero = -term / factor, whole = std::round(zero);
    if (!std::isnormal(factor) || !std::isfinite(zero)) {
      mismatch = "a scale is no normal number";
      return;
    }
    // Numbers are computed in f64 here, with a few roundings.
    if (std::abs(zero - whole) > std::ldexp(std::max(1.0, std::abs(zero)), -44)) {
      mismatch = "a zero point is no integer";
      return;
    }
    if (whole < lowest || whole > highest) {
      mismatch = "a zero point is no number of the bytes' type";
      return;
    }
    zeros.push_back(static_cast<int64_t>(whole));
  }
  if (isPadded && !llvm::all_equal(zeros))
    mismatch = "what is padded has several zero points";
}

std::optional<Dequantization> Dequantization::match(Value tensor, const Channels &channels) {
  Dequantization result;
  if (!result.find(tensor, channels, 0) || !result.readsUnsigned)
    return std::nullopt;
  result.unsignedBytes = *result.readsUnsigned;
  result.takeZeroPoints();
  return result;
}

bool Dequantization::leadsToBytes(Value tensor) {
  SmallVector<std::pair<Value, unsigned>> list{{tensor, 0}};
  llvm::DenseSet<Value> seen;
  while (!list.empty()) {
    auto [value, depth] = list.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (!type || depth > maxSteps || !seen.insert(value).second)
      continue;
    if (type.getElementType().isInteger(8) && type.getNumElements() > 1)
      return true;
    if (Value moved = op ? movedBy(op) : Value())
      list.push_back({moved, depth + 1});
    else if (auto computed = dyn_cast_or_null<linalg::LinalgOp>(op);
             computed && isElementwiseOn(computed))
      for (Value input : computed.getDpsInputs())
        list.push_back({input, depth + 1});
  }
  return false;
}

void Dequantization::appendLocations(SmallVectorImpl<Location> &locations) const {
  for (const Step &step : steps)
    locations.push_back(step.op->getLoc());
}

Dequantization::Bytes Dequantization::build(OpBuilder &b, Location loc) const {
  Value value = source;
  AffineMap map = b.getMultiDimIdentityMap(shapeOf(source).size());
  for (const Step &step : steps) {
    if (step.map) {
      map = map.compose(step.map);
      continue;
    }
    if (!map.isIdentity()) { // of all dimensions: the next operation needs them in its own order
      SmallVector<int64_t> order(map.getNumDims());
      for (auto [d, index] : llvm::enumerate(map.getResults()))
        order[cast<AffineDimExpr>(index).getPosition()] = static_cast<int64_t>(d);
      value = permuted(b, loc, value, order);
    }
    if (auto pad = dyn_cast<tensor::PadOp>(step.op)) {
      Value zero = arith::ConstantOp::create(
          b, pad.getLoc(), b.getIntegerAttr(b.getI8Type(), static_cast<int8_t>(zeros.front())));
      value =
          tensor::PadOp::create(b, pad.getLoc(), pad.getType().clone(b.getI8Type()), value,
                                pad.getMixedLowPad(), pad.getMixedHighPad(), zero, pad.getNofold());
    } else {
      value = reshapedBytes(b, step.op, value);
    }
    map = b.getMultiDimIdentityMap(shapeOf(value).size());
  }
  return {value, map};
}

} // namespace kgen
