#include "transforms/idioms/SumBounds.h"

#include "analysis/ConstantBytes.h"
#include "analysis/WindowShape.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

bool isByteTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(8);
}

/// True if the operation adds up products of two bytes, from 0 on.
bool sumsProductsOfBytes(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !llvm::all_of(op.getDpsInputs(), isByteTensor))
    return false;
  Value start = fillValue(op.getDpsInits()[0]);
  return start && matchPattern(start, m_Zero()) && ByteProduct::factorsOf(*op.getBlock());
}

/// The largest magnitude of sums of so many products of two bytes.
std::optional<double> largestSum(ArrayRef<int64_t> sizes, ArrayRef<utils::IteratorType> kinds) {
  constexpr double largestProduct = 255.0 * 255.0;
  double largest = largestProduct;
  for (auto [size, kind] : llvm::zip_equal(sizes, kinds)) {
    if (kind != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    largest *= static_cast<double>(size);
  }
  return largest;
}

/// True if the contraction adds up products of bytes, and nothing else.
bool isPlainContraction(tpp::ContractionOpInterface op) {
  return isByteTensor(op.getA()) && isByteTensor(op.getB()) && !op.getAccumulate() &&
         llvm::hasSingleElement(op->getRegion(0).front());
}

/// A filter, and how sums read it.
struct Filter {
  Value tensor;
  bool isUnsigned = false, readsUnsigned = false; ///< its bytes, and those of the other factor
  AffineMap map, ofSums;                          ///< from the iteration space
  SmallVector<utils::IteratorType> kinds;
};

/// The constant factor of sums of products, or the second one if none is.
std::optional<Filter> filterOf(Operation *op) {
  if (auto contraction = dyn_cast_or_null<tpp::ContractionOpInterface>(op)) {
    if (!isPlainContraction(contraction) || contraction.getPanel() || contraction.getVnni() != 1)
      return std::nullopt;
    const size_t rank = contraction.getIterationTypes().size();
    auto sums = AffineMap::getMultiDimIdentityMap(rank, op->getContext())
                    .getMajorSubMap(contraction.getCType().getRank());
    return Filter{contraction.getB(),
                  contraction.getBUnsigned(),
                  contraction.getAUnsigned(),
                  contraction.getOperandMap(1),
                  sums,
                  contraction.getIterationTypes()};
  }
  auto sums = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!sums || !sumsProductsOfBytes(sums))
    return std::nullopt;
  auto [first, second] = *ByteProduct::factorsOf(*sums.getBlock());
  if (first.input == second.input)
    return std::nullopt;
  Attribute constant;
  if (matchPattern(sums.getDpsInputs()[first.input], m_Constant(&constant)))
    std::swap(first, second);
  SmallVector<AffineMap> maps = sums.getIndexingMapsArray();
  return Filter{sums.getDpsInputs()[second.input],
                second.isUnsigned,
                first.isUnsigned,
                maps[second.input],
                maps.back(),
                sums.getIteratorTypesArray()};
}

/// The dimension of a tensor that is dimension `ofSource` of what it is a reshape of, if that is
/// the last one of both.
std::optional<unsigned> throughReshapes(Value tensor, Operation *source, unsigned ofSource) {
  auto type = cast<ShapedType>(source->getResult(0).getType());
  auto reshaped = cast<ShapedType>(tensor.getType());
  if (tensor.getDefiningOp() == source)
    return ofSource;
  if (ofSource + 1 != type.getRank() || reshaped.getRank() == 0 ||
      type.getShape().back() != reshaped.getShape().back())
    return std::nullopt;
  return reshaped.getRank() - 1;
}

/// The operation whose result the tensor is, or is a reshape of; null: an argument.
Operation *sourceOfReshapes(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

} // namespace

std::optional<double> largestSum(Value tensor) {
  Operation *op = sourceOfReshapes(tensor);
  if (auto contraction = dyn_cast_or_null<tpp::ContractionOpInterface>(op))
    return isPlainContraction(contraction)
               ? largestSum(contraction.getIterationSizes(), contraction.getIterationTypes())
               : std::nullopt;
  auto sums = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!sums || !sumsProductsOfBytes(sums))
    return std::nullopt;
  return largestSum(sums.getStaticLoopRanges(), sums.getIteratorTypesArray());
}

std::optional<FilterBounds> filterBounds(Value tensor) {
  Operation *op = sourceOfReshapes(tensor);
  std::optional<Filter> filter = filterOf(op);
  ElementsAttr constant;
  if (!filter || !filter->map.isProjectedPermutation() ||
      !filter->ofSums.isProjectedPermutation() ||
      !matchPattern(filter->tensor, m_Constant(&constant)))
    return std::nullopt;
  // Each product has another tap, and of the loops that the filter depends on, one is over results.
  for (auto [loop, kind] : llvm::enumerate(filter->kinds))
    if (kind == utils::IteratorType::reduction && !filter->map.isFunctionOfDim(loop))
      return std::nullopt;
  std::optional<unsigned> along;
  for (auto [position, index] : llvm::enumerate(filter->map.getResults())) {
    if (filter->kinds[cast<AffineDimExpr>(index).getPosition()] == utils::IteratorType::reduction)
      continue;
    if (along)
      return std::nullopt;
    along = position;
  }
  std::optional<unsigned> ofSums =
      along ? filter->ofSums.getResultPosition(filter->map.getResult(*along))
            : std::optional<unsigned>();
  std::optional<unsigned> dimension =
      ofSums ? throughReshapes(tensor, op, *ofSums) : std::optional<unsigned>();
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (!dimension || bytes.empty())
    return std::nullopt;
  constexpr double byteValues = 256;
  const double least = filter->readsUnsigned ? 0 : -byteValues / 2,
               greatest = least + byteValues - 1;
  ArrayRef<int64_t> shape = cast<ShapedType>(constant.getType()).getShape();
  const auto channels = static_cast<size_t>(shape[*along]),
             inner = static_cast<size_t>(computeProduct(shape.drop_front(*along + 1)));
  FilterBounds bounds{*dimension, std::vector<double>(channels), std::vector<double>(channels)};
  for (size_t i = 0; i < bytes.size(); ++i) {
    double tap = static_cast<int8_t>(bytes[i]);
    if (filter->isUnsigned && tap < 0)
      tap += byteValues;
    const size_t channel = i / inner % channels;
    bounds.lowest[channel] += std::min(tap * least, tap * greatest);
    bounds.highest[channel] += std::max(tap * least, tap * greatest);
  }
  return bounds;
}

} // namespace kgen
