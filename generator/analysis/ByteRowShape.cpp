#include "analysis/ByteRowShape.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/WindowLimits.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr unsigned loopCount = 6;
constexpr int64_t sumBits = 32, partBits = 128, maxColumnStride = 2;

/// The distance that `loop` moves `index` by, where `tap` moves it by one and no other loop does;
/// nothing for other indices.
std::optional<int64_t> strideOf(AffineExpr index, unsigned loop, unsigned tap) {
  auto steps = tpp::linearCoefficients(index, loopCount);
  if (!steps)
    return std::nullopt;
  for (auto [number, step] : llvm::enumerate(*steps))
    if (number != loop && step != (number == tap ? 1 : 0))
      return std::nullopt;
  return (*steps)[loop];
}

} // namespace

/// True if the operands are read and written as a depthwise convolution of images does.
bool ByteRowShape::hasMaps() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MLIRContext *context = op.getContext();
  AffineMap ofImage = maps[product.image.input], ofFilter = maps[product.filter.input];
  if (maps.back() != AffineMap::getMultiDimMapWithTargets(
                         loopCount, {images, channels, rows, columns}, context) ||
      ofImage.getNumResults() != 4 || ofImage.getResult(0) != getAffineDimExpr(images, context) ||
      ofImage.getResult(1) != getAffineDimExpr(channels, context))
    return false;
  std::optional<int64_t> down = strideOf(ofImage.getResult(2), rows, tapRows),
                         along = strideOf(ofImage.getResult(3), columns, tapColumns);
  if (!down || !along || *down < 1 || *along < 1 || *along > maxColumnStride)
    return false;
  rowStride = *down;
  columnStride = *along;
  return ofFilter.isProjectedPermutation() && ofFilter.getNumResults() == 3 &&
         llvm::all_of(ArrayRef<unsigned>{channels, tapRows, tapColumns},
                      [&](unsigned loop) { return ofFilter.isFunctionOfDim(loop); });
}

/// Sees through the padding of rows and columns. False if there is other padding, or if a window
/// may have nothing of the image.
bool ByteRowShape::findPadding() {
  PaddedSource source = sourceOf(op.getDpsInputs()[product.image.input]);
  llvm::APInt number;
  image = source.tensor;
  firstImage = firstChannel = Builder(op.getContext()).getIndexAttr(0);
  pad = source.pad;
  if (pad) {
    ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
    std::optional<int64_t> row = getConstantIntValue(source.offsets[2]),
                           column = getConstantIntValue(source.offsets[3]);
    if (!matchPattern(pad.getConstantPaddingValue(), m_ConstantInt(&number)) || !row || !column ||
        low[0] != 0 || low[1] != 0 || high[0] != 0 || high[1] != 0)
      return false;
    padding = number.getSExtValue();
    top = low[2] - *row;
    left = low[3] - *column;
    firstImage = source.offsets[0];
    firstChannel = source.offsets[1];
  }
  ArrayRef<int64_t> shape = source.shape();
  imageRows = shape[2];
  imageColumns = shape[3];
  if (ShapedType::isDynamic(imageRows) || ShapedType::isDynamic(imageColumns))
    return false;
  int64_t bottom = rowStride * (sizes[rows] - 1) + sizes[tapRows] - top - imageRows,
          right = columnStride * (sizes[columns] - 1) + sizes[tapColumns] - left - imageColumns;
  return std::max(top, bottom) < sizes[tapRows] && std::max(left, right) < sizes[tapColumns] &&
         left <= imageColumns;
}

/// Finds the reader that is fused. False if there is one that cannot be: other operands than the
/// sums are to be the same for all results of a channel.
bool ByteRowShape::findConsumer() {
  linalg::GenericOp user = onlyElementwiseUser(op);
  if (!user)
    return true;
  for (OpOperand &operand : user->getOpOperands()) {
    AffineMap map = user.getMatchingIndexingMap(&operand);
    bool areResults = operand.get() == op.getResult(0) || user.isDpsInit(&operand);
    if (areResults ? !map.isIdentity()
                   : map.isFunctionOfDim(rows) || map.isFunctionOfDim(columns) ||
                         !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
  }
  consumer = user;
  return true;
}

/// True if registers hold the sums of rows that have begun, and if planes have enough results for
/// what is done once for each of them. Vectors are to have few results twice; those of a short row
/// are made of 128 bits, from where one shuffle takes all pairs.
bool ByteRowShape::gains() {
  const Cpu &cpu = cpuOf(op);
  const Heuristics &limits = cpu.heuristics;
  const int64_t taps = sizes[tapRows] * sizes[tapColumns], inRow = sizes[columns],
                computed = llvm::divideCeil(inRow, lanes) * lanes;
  if (columnStride == 1 && inRow < lanes && read > partBits / 8)
    return false;
  const int64_t mostBegun = computed == inRow ? limits.maxRowsBegunInFull : limits.maxRowsBegun;
  return rowsBegun() <= mostBegun && 4 * inRow >= 3 * computed &&
         inRow * sizes[rows] >=
             std::max(limits.minResultsPerTap * taps, lanesOfPart * cpu.vectorBits / sumBits);
}

bool ByteRowShape::recognize() {
  const Cpu &cpu = cpuOf(op);
  if (!cpu.hasSaturatingPacks || cpu.hasByteDots(Product::Signs::unequal) ||
      op.getNumLoops() != loopCount || op.getNumParallelLoops() != 4 ||
      !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isScalarCodeOnTensors(op) || llvm::is_contained(sizes, 0) ||
      llvm::any_of(ArrayRef(sizes).drop_front(), ShapedType::isDynamic) ||
      sizes[tapRows] * sizes[tapColumns] > maxWindowTaps ||
      !op.getRegionOutputArgs().front().getType().isInteger(sumBits))
    return false;
  auto factors = ByteProduct::factorsOf(*op.getBody());
  if (!factors || factors->first.input == factors->second.input)
    return false;
  auto [first, second] = *factors;
  bool isFirstFilter = op.getIndexingMapsArray()[first.input].getNumResults() == 3;
  product = isFirstFilter ? ByteProduct{second, first} : ByteProduct{first, second};
  if (!hasMaps() || !findPadding() || !findConsumer() || !fillValue(op.getDpsInits()[0]))
    return false;
  lanes = cpu.vectorBits / sumBits;
  while (lanes / 2 >= sizes[columns] && lanes > lanesOfPart)
    lanes /= 2;
  int64_t ofVector =
      columnStride == 1 ? std::min(lanes, sizes[columns]) + sizes[tapColumns] - 1 : 2 * lanes;
  read = static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(ofVector, 2 * lanesOfPart)));
  return sizes[columns] >= lanesOfPart && read <= imageRows * imageColumns && gains();
}

bool ByteRowShape::readsWholeRows() const {
  return columnStride == 1 && read == partBits / 8 && imageColumns <= read &&
         sizes[columns] > lanes && sizes[columns] <= 2 * lanes;
}

int64_t ByteRowShape::columnOf(int64_t lane) const {
  int64_t part = lane / lanesOfPart * lanesOfPart;
  if (lanes > sizes[columns])
    part = std::min(part, sizes[columns] - lanesOfPart);
  return part + lane % lanesOfPart;
}

std::optional<ByteRowShape> ByteRowShape::match(linalg::GenericOp op) {
  ByteRowShape shape(op);
  if (!shape.recognize())
    return std::nullopt;
  return shape;
}

bool foldsPaddingOfByteRows(OpOperand &use) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  std::optional<ByteRowShape> shape = generic ? ByteRowShape::match(generic) : std::nullopt;
  return shape && shape->pad && shape->pad == use.get().getDefiningOp();
}

} // namespace kgen
