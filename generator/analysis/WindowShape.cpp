#include "analysis/WindowShape.h"

#include "analysis/AccessPattern.h"
#include "analysis/ByteRowShape.h"
#include "analysis/SizeBounds.h"
#include "analysis/WindowShapeNCHW.h"
#include "dialect/kgen/WindowLimits.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

bool isScalarCodeOnTensors(linalg::GenericOp op) {
  auto hasWholeBytes = [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() >= 8;
  };
  return !op.hasIndexSemantics() && hasScalarBody(op) &&
         llvm::all_of(op->getOperands(), hasWholeBytes);
}

Value fillValue(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.value();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || !llvm::hasSingleElement(*generic.getBody()))
    return {};
  Value number = generic.getBody()->getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(number);
  if (!argument || argument.getOwner() != generic.getBody())
    return number;
  if (argument == generic.getRegionOutputArgs().front())
    return {};
  Value input = generic.getDpsInputs()[argument.getArgNumber()];
  return isa<ShapedType>(input.getType()) ? Value() : input;
}

bool addsConstantAmounts(tensor::PadOp pad) {
  auto isKnown = [](ArrayRef<int64_t> list) {
    return llvm::none_of(list,
                         [](int64_t size) { return size < 0; }); // dynamic ones are negative, too
  };
  return pad.getConstantPaddingValue() && isKnown(pad.getStaticLow()) &&
         isKnown(pad.getStaticHigh());
}

bool isConstantPad(tensor::PadOp pad) {
  return addsConstantAmounts(pad) &&
         llvm::all_of(
             llvm::zip(pad.getStaticLow(), pad.getSourceType().getShape(), pad.getStaticHigh()),
             [](auto along) {
               auto [low, size, high] = along;
               return !ShapedType::isDynamic(size) || (low == 0 && high == 0);
             });
}

bool isZeroPad(tensor::PadOp pad) {
  return isConstantPad(pad) && matchPattern(pad.getConstantPaddingValue(), m_PosZeroFloat());
}

PaddedSource sourceOf(Value operand) {
  Value value = operand;
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && slice.hasUnitStride() &&
      slice.getSourceType().getRank() == slice.getType().getRank())
    value = slice.getSource();
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !isConstantPad(pad))
    return {operand, {}, {}};
  PaddedSource source{pad.getSource(), {}, pad};
  if (value != operand)
    source.offsets = slice.getMixedOffsets();
  else
    source.offsets.assign(pad.getSourceType().getRank(),
                          OpFoldResult(Builder(pad).getIndexAttr(0)));
  return source;
}

std::optional<WindowShape> WindowShape::match(linalg::GenericOp op) {
  WindowShape shape(op);
  if (!shape.recognize())
    return std::nullopt;
  shape.findPadding();
  return shape;
}

bool foldsPadding(OpOperand &use) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  std::optional<WindowShape> shape = generic ? WindowShape::match(generic) : std::nullopt;
  return (shape && shape->pad == use.get().getDefiningOp()) || foldsPaddingNCHW(use) ||
         foldsPaddingOfByteRows(use);
}

bool allUsesFoldPadding(tensor::PadOp pad) { return llvm::all_of(pad->getUses(), foldsPadding); }

AffineMap WindowShape::mapOf(linalg::GenericOp of, unsigned number) const {
  AffineMap map = of.getMatchingIndexingMap(&of->getOpOperand(number));
  if (!group || of != op || number != grouped)
    return map;
  SmallVector<AffineExpr> results(map.getResults());
  results.back() = getAffineDimExpr(channel, map.getContext());
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

std::vector<int64_t> WindowShape::elementAt(unsigned number, ArrayRef<int64_t> by) const {
  std::vector<int64_t> element;
  for (AffineExpr index : mapOf(op, number).getResults()) {
    int64_t constant = 0;
    for (auto [step, distance] : llvm::zip(*tpp::linearCoefficients(index, sizes.size()), by))
      constant += step * distance;
    element.push_back(constant);
  }
  if (group && number == grouped)
    element.push_back(by[group->member]);
  return element;
}

/// Looks for an input that is read at all channels of a group. False if there is one whose form the
/// vectorizers do not support.
bool WindowShape::findGroup() {
  for (auto [number, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    auto found =
        map.getNumResults() ? tpp::IndexInGroup::match(map.getResults().back()) : std::nullopt;
    if (!found)
      continue;
    bool isKnown = !group && found->channel == channel && found->member > channel &&
                   sizes[found->member] == found->size && llvm::isPowerOf2_64(found->size) &&
                   sizes[channel] % found->size == 0;
    bool isAlone = llvm::none_of(map.getResults().drop_back(), [&](AffineExpr index) {
      return index.isFunctionOfDim(found->member) || index.isFunctionOfDim(channel);
    });
    if (!isKnown || !isAlone)
      return false;
    group = found;
    grouped = number;
  }
  return true;
}

bool WindowShape::recognize() {
  constexpr int64_t maxGroupTaps = 128;
  unsigned parallel = op.getNumParallelLoops();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || !isScalarCodeOnTensors(op) ||
      parallel < 2 || parallel == op.getNumLoops() || llvm::is_contained(sizes, 0) ||
      llvm::any_of(ArrayRef(sizes).drop_front(parallel - 1), ShapedType::isDynamic) ||
      !greatestLoopSizesOf(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Parallel loops are the result's dimensions in order; the tap loops follow.
  if (maps.back() !=
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()).getMajorSubMap(parallel))
    return false;
  pixel = parallel - 2;
  channel = parallel - 1;
  if (!findGroup())
    return false;
  bool hasWindow = group.has_value();
  for (unsigned number = 0; number < op.getNumDpsInputs(); ++number) {
    AffineMap map = mapOf(op, number);
    if (!llvm::all_of(map.getResults(), [&](AffineExpr index) {
          return tpp::linearCoefficients(index, sizes.size()).has_value();
        }))
      return false;
    hasWindow |= !map.isProjectedPermutation();
    if (!op.payloadUsesValueFromOperand(&op->getOpOperand(number)))
      continue;
    if (map.getResultPosition(getAffineDimExpr(channel, op.getContext())) !=
        map.getNumResults() - 1)
      return false; // several filters per channel
    if (llvm::none_of(llvm::seq<unsigned>(0, channel),
                      [&](unsigned d) { return map.isFunctionOfDim(d); }))
      filters.push_back(number);
  }
  int64_t count = 1;
  for (int64_t size : ArrayRef(sizes).drop_front(parallel))
    count *= size;
  if (!hasWindow || count > (group ? maxGroupTaps : maxWindowTaps))
    return false;
  for (int64_t tap = 0; tap < count; ++tap) {
    SmallVector<int64_t> &indices = taps.emplace_back(sizes.size(), 0);
    int64_t rest = tap;
    for (size_t d = sizes.size(); d-- > parallel; rest /= sizes[d])
      indices[d] = rest % sizes[d];
  }
  return true;
}

bool isNeutralPadding(linalg::GenericOp op, tensor::PadOp padding) {
  Operation *last = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  Value sums = op.getRegionOutputArgs().front(), number = padding.getConstantPaddingValue();
  if (!last || last->getNumOperands() != 2 || !llvm::is_contained(last->getOperands(), sums))
    return false;
  if (isa<arith::MaximumFOp>(last))
    return matchPattern(number, m_NegInfFloat());
  if (llvm::APInt least; isa<arith::MaxSIOp, arith::MaxUIOp>(last))
    return matchPattern(number, m_ConstantInt(&least)) &&
           (isa<arith::MaxSIOp>(last) ? least.isMinSignedValue() : least.isZero());
  Value added = last->getOperand(last->getOperand(0) == sums);
  auto product = added.getDefiningOp<arith::MulFOp>();
  auto isInput = [&](Value v) {
    if (auto extension = v.getDefiningOp<arith::ExtFOp>())
      v = extension.getIn();
    return isa<BlockArgument>(v) && v != sums;
  };
  bool sumsUp = product ? isInput(product.getLhs()) && isInput(product.getRhs()) : isInput(added);
  return isa<arith::AddFOp>(last) && sumsUp && matchPattern(number, m_PosZeroFloat());
}

/// Returns how windows slide along dimension `position` of the tensor that input `number` pads.
/// Nothing unless exactly one parallel loop, not the channels, moves them.
std::optional<WindowEdge> WindowShape::edgeAt(const PaddedSource &source, unsigned number,
                                              unsigned position) {
  SmallVector<int64_t> coefficients =
      *tpp::linearCoefficients(mapOf(op, number).getResult(position), sizes.size());
  std::optional<unsigned> loop;
  for (unsigned d = 0; d <= channel; ++d)
    if (coefficients[d] != 0) {
      if (loop)
        return std::nullopt;
      loop = d;
    }
  if (!loop || *loop == channel || ShapedType::isDynamic(sizes[*loop]))
    return std::nullopt;
  return WindowEdge{position,
                    *loop,
                    coefficients[*loop],
                    source.offsets[position],
                    tensor::PadOp(source.pad).getStaticLow()[position],
                    source.shape()[position],
                    tensor::PadOp(source.pad).getResultType().getDimSize(position)};
}

/// Sees through padding of an input, along rows and columns of the image.
void WindowShape::findPadding() {
  OpBuilder b(op);
  std::optional<ByteProduct> product = ByteProduct::match(*this);
  for (unsigned number = 0; number < op.getNumDpsInputs(); ++number) {
    PaddedSource source = sourceOf(op.getDpsInputs()[number]);
    bool isImageOfBytes = source.pad && product && number == product->image.input &&
                          matchPattern(source.pad.getConstantPaddingValue(), m_Constant());
    if (!source.pad || (!isImageOfBytes && !isNeutralPadding(op, source.pad)) ||
        llvm::is_contained(filters, number) ||
        !op.payloadUsesValueFromOperand(&op->getOpOperand(number)))
      continue;
    std::optional<WindowEdge> alongRows, alongColumns;
    bool isKnown = true;
    ArrayRef<int64_t> low = source.pad.getStaticLow(), high = source.pad.getStaticHigh();
    for (unsigned position = 0; position < low.size() && isKnown; ++position) {
      if (low[position] == 0 && high[position] == 0)
        continue;
      auto edge = edgeAt(source, number, position);
      isKnown = edge.has_value();
      if (!isKnown)
        break;
      std::optional<WindowEdge> &found = edge->loop == pixel ? alongColumns : alongRows;
      isKnown = !found && (edge->loop != pixel || getConstantIntValue(edge->offset));
      found = edge;
    }
    if (!isKnown)
      continue;
    pad = source.pad;
    padded = number;
    unpadded = source.tensor;
    rows = alongRows;
    columns = alongColumns;
    for (auto [position, offset] : llvm::enumerate(source.offsets)) {
      AffineExpr withoutLow = b.getAffineSymbolExpr(0) - low[position];
      unpaddedOffsets.push_back(
          affine::makeComposedFoldedAffineApply(b, op.getLoc(), withoutLow, {offset}));
    }
    return;
  }
}

bool WindowShape::isInside(const WindowEdge &edge, int64_t begin, ArrayRef<int64_t> tap) {
  SmallVector<int64_t> coefficients =
      *tpp::linearCoefficients(mapOf(op, padded).getResult(edge.position), sizes.size());
  int64_t index = begin - edge.low;
  for (auto [coefficient, tapIndex] : llvm::zip(coefficients, tap))
    index += coefficient * tapIndex;
  return index >= 0 && index < edge.size;
}

SmallVector<EqualTapRows> WindowShape::rowsWithEqualTaps() {
  SmallVector<EqualTapRows> result;
  int64_t extent = 1; // of a window, in elements
  if (rows) {
    auto coefficients =
        *tpp::linearCoefficients(mapOf(op, padded).getResult(rows->position), sizes.size());
    for (auto [coefficient, tapIndex] : llvm::zip(coefficients, taps.back()))
      extent += coefficient * tapIndex;
  }
  for (int64_t begin = 0; !rows || begin + extent <= rows->paddedSize; begin += rows->stride) {
    SmallVector<size_t> inside;
    for (size_t tap = 0; tap < taps.size(); ++tap)
      if (!rows || isInside(*rows, begin, taps[tap]))
        inside.push_back(tap);
    if (result.empty() || result.back().taps != inside)
      result.push_back({0, inside});
    result.back().end = begin + 1;
    if (!rows)
      break;
  }
  return result;
}

bool WindowShape::canLoopOverTapRows() {
  size_t first = channel + 1;
  if (sizes[first] == 1 || first + 1 == sizes.size())
    return false;
  auto coefficientsOf = [&](const WindowEdge &edge) {
    return *tpp::linearCoefficients(mapOf(op, padded).getResult(edge.position), sizes.size());
  };
  auto isZero = [](int64_t coefficient) { return coefficient == 0; };
  if (columns && !isZero(coefficientsOf(*columns)[first]))
    return false;
  SmallVector<int64_t> along;
  if (rows)
    along = coefficientsOf(*rows);
  return llvm::all_of(ArrayRef(along).drop_front(rows ? first + 1 : 0), isZero);
}

linalg::GenericOp onlyElementwiseUser(linalg::GenericOp op) {
  Value result = op.getResult(0);
  bool isReadOnce = !result.use_empty() &&
                    llvm::all_equal(llvm::make_range(result.user_begin(), result.user_end()));
  if (!isReadOnce)
    return nullptr;
  auto user = dyn_cast<linalg::GenericOp>(*result.user_begin());
  if (!user || user->getBlock() != op->getBlock() || !user.hasPureTensorSemantics() ||
      user.getNumDpsInits() != 1 || user.getNumParallelLoops() != user.getNumLoops() ||
      user.getNumLoops() != op.getNumParallelLoops() || !isScalarCodeOnTensors(user) ||
      (user.payloadUsesValueFromOperand(user.getDpsInitOperand(0)) &&
       user.getDpsInits()[0] != result))
    return nullptr;
  return user;
}

Value windowDestination(linalg::GenericOp op, linalg::GenericOp last) {
  Value init = last.getDpsInits()[0];
  if (init == op.getResult(0))
    init = op.getDpsInits()[0];
  if (init == op.getDpsInits()[0] && fillValue(init))
    return cast<DestinationStyleOpInterface>(init.getDefiningOp()).getDpsInits()[0];
  return init;
}

linalg::GenericOp WindowShape::findConsumer() {
  Value result = op.getResult(0);
  linalg::GenericOp user = onlyElementwiseUser(op);
  if (!user)
    return nullptr;
  auto fits = [&](OpOperand &operand) {
    AffineMap map = user.getMatchingIndexingMap(&operand);
    if (operand.get() == result || user.isDpsInit(&operand))
      return map.isIdentity();
    auto position = map.getResultPosition(getAffineDimExpr(channel, op.getContext()));
    return map.isProjectedPermutation() && (!position || *position + 1 == map.getNumResults());
  };
  return llvm::all_of(user->getOpOperands(), fits) ? user : nullptr;
}

} // namespace kgen
