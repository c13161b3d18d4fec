// Lowers tile operations other than contractions to linalg.generic, with buildScalar as body; and
// contractions that no micro-kernel computes.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/fusion/TppGenerics.h"
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TPPTOLINALGPASS
#include "transforms/lower/Passes.h.inc"

using utils::IteratorType;

namespace {

linalg::GenericOp lower(OpBuilder &b, tpp::ReduceOp op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return createGeneric(b, tile, [&](OpBuilder &inner, Location loc, ValueRange elements) {
    Value element = tpp::scalar::convert(inner, loc, elements[0], elements[1].getType());
    return op.buildScalar(inner, loc, {elements[1], element});
  });
}

linalg::GenericOp lower(OpBuilder &b, tpp::TransposeOp op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return createGeneric(b, tile,
                       [](OpBuilder &, Location, ValueRange elements) { return elements.front(); });
}

/// The input [k, n] as [k / v, v, n].
Value expandRows(OpBuilder &b, tpp::VnniPackOp op) {
  ArrayRef<int64_t> packed = op.getInitType().getShape();
  SmallVector<int64_t> shape{packed[0], packed[2], packed[1]};
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  if (isa<MemRefType>(op.getInputType()))
    return memref::ExpandShapeOp::create(b, op.getLoc(), shape, op.getInput(), groups);
  auto type = RankedTensorType::get(shape, op.getInputType().getElementType());
  return tensor::ExpandShapeOp::create(b, op.getLoc(), type, op.getInput(), groups);
}

/// Element (i * v + l, j) of the input, zero beyond its last row.
Value paddedElement(OpBuilder &b, Location loc, tpp::VnniPackOp op) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t rows = op.getInputType().getDimSize(0);
  Value i = linalg::IndexOp::create(b, loc, 0), j = linalg::IndexOp::create(b, loc, 1),
        l = linalg::IndexOp::create(b, loc, 2);
  Value row =
      arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, i, number(op.getFactor())), l);
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, number(rows));
  Value last = arith::MinUIOp::create(b, loc, row, number(rows - 1));
  Value element;
  if (isa<MemRefType>(op.getInputType()))
    element = memref::LoadOp::create(b, loc, op.getInput(), ValueRange{last, j});
  else
    element = tensor::ExtractOp::create(b, loc, op.getInput(), ValueRange{last, j});
  Value zero = tpp::scalar::zero(b, loc, element.getType());
  return arith::SelectOp::create(b, loc, isInside, element, zero);
}

linalg::GenericOp lower(OpBuilder &b, tpp::VnniPackOp op) {
  Location loc = op.getLoc();
  AffineExpr i, j, l;
  bindDims(op.getContext(), i, j, l);
  AffineMap packed = AffineMap::getMultiDimIdentityMap(3, op.getContext());
  SmallVector<IteratorType> iterators(3, IteratorType::parallel);
  bool isPadded = op.getInputType().getDimSize(0) % op.getFactor() != 0;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps{packed};
  if (!isPadded) {
    inputs.push_back(expandRows(b, op));
    maps.insert(maps.begin(), AffineMap::get(3, 0, {i, l, j}, op.getContext()));
  }
  return linalg::GenericOp::create(
      b, loc, op->getResultTypes(), inputs, ValueRange{op.getInit()}, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange elements) {
        Value element = isPadded ? paddedElement(inner, where, op) : elements.front();
        linalg::YieldOp::create(inner, where, element);
      });
}

/// True if a macro-kernel may be given the stride of an iteration dimension when it runs: of those
/// of the batch, and, in A, of the products that are added up.
bool mayHaveDynamicStride(tpp::ContractionOpInterface op, bool isA, unsigned dimension) {
  const unsigned products = op.getBatchRank() + 2;
  return dimension < op.getBatchRank() ||
         (isA && op.getReductionRank() == 2 && dimension == products);
}

/// True if the stride of an iteration dimension that `counts` is known at run time only.
bool hasDynamicStride(OpOperand &operand, AffineMap map,
                      llvm::function_ref<bool(unsigned)> counts) {
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.get().getType()).getShape();
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    if (llvm::none_of(shape.drop_front(position + 1), ShapedType::isDynamic))
      continue;
    for (unsigned dimension = 0; dimension < map.getNumDims(); ++dimension)
      if (index.isFunctionOfDim(dimension) && counts(dimension))
        return true;
  }
  return false;
}

/// True if the stride of another dimension is known at run time only.
bool hasDynamicStrides(tpp::ContractionOpInterface op, OpOperand &operand, AffineMap map) {
  const bool isA = operand.getOperandNumber() == 0;
  return hasDynamicStride(
      operand, map, [&](unsigned dimension) { return !mayHaveDynamicStride(op, isA, dimension); });
}

bool hasDynamicStrides(tpp::ContractionOpInterface op) {
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return hasDynamicStrides(op, operand, tile.getOperandMap(operand.getOperandNumber()));
  });
}

/// True if micro-kernels read B as it is: it has panels, contiguous rows, or, for dot products,
/// contiguous columns. Others were packed, if their sizes are numbers.
bool hasReadableB(tpp::ContractionOpInterface op) {
  AffineMap aMap = op.getAMap(), bMap = op.getBMap();
  if (cast<ShapedType>(op.getB().getType()).hasStaticShape() || op.getPanel() || op.getN() == 1)
    return true;
  auto lastIndex = [](AffineMap map) { return map.getResults().back(); };
  AffineExpr n = getAffineDimExpr(op.getBatchRank() + 1, op.getContext()),
             k = getAffineDimExpr(bMap.getNumDims() - 1, op.getContext());
  bool areDotProducts = lastIndex(bMap) == k && lastIndex(aMap) == k && op.hasOneType() &&
                        isa<FloatType>(op.getBType()) && !op.getStrictOrder() && op.getK() > 1;
  return lastIndex(bMap) == n || areDotProducts;
}

/// Micro-kernels are made for numbers of columns and of products, and for strides.
bool hasMicroKernel(tpp::ContractionOpInterface op) {
  SmallVector<int64_t> sizes = op.getIterationSizes();
  return llvm::none_of(ArrayRef(sizes).drop_front(op.getBatchRank() + 1), ShapedType::isDynamic) &&
         !hasDynamicStrides(op) && hasReadableB(op);
}

/// Lets the contraction read a copy of A with contiguous rows, if A is transposed and its number of
/// rows is known at run time.
void transposeA(RewriterBase &rewriter, tpp::ContractionOpInterface op) {
  AffineMap map = op.getAMap();
  if (!hasDynamicStrides(op, op->getOpOperand(0), map) || !map.isProjectedPermutation())
    return;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  llvm::sort(order,
             [&](int64_t x, int64_t y) { return map.getDimPosition(x) < map.getDimPosition(y); });
  SmallVector<OpFoldResult> sizes = sizesOf(rewriter, op.getLoc(), op.getA());
  SmallVector<AffineExpr> results(map.getResults());
  applyPermutationToVector(sizes, order);
  applyPermutationToVector(results, order);
  Value empty = emptyTensor(rewriter, op.getLoc(), sizes, op.getAType());
  Value copy =
      linalg::TransposeOp::create(rewriter, op.getLoc(), op.getA(), empty, order).getResult()[0];
  AffineMap sorted = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(0, copy);
    op->setAttr("a_map", AffineMapAttr::get(sorted));
  });
}

/// True if all that the collapse does is to drop dimensions of one element.
bool dropsUnitDims(tensor::CollapseShapeOp collapse) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  return llvm::all_of(collapse.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t dim) { return shape[dim] != 1; }) <= 1;
  });
}

/// Lets the contraction read slices that lack dimensions of one element, instead of collapsing
/// them: in memory, upstream gives a dimension that is collapsed a stride that is known at run time
/// only, if its size is.
void readReducedSlices(RewriterBase &rewriter, tpp::ContractionOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
    auto slice = collapse ? collapse.getSrc().getDefiningOp<tensor::ExtractSliceOp>()
                          : tensor::ExtractSliceOp();
    if (!slice || collapse.getResultType().hasStaticShape() || !dropsUnitDims(collapse))
      continue;
    Value reduced = tensor::ExtractSliceOp::create(
        rewriter, slice.getLoc(), collapse.getResultType(), slice.getSource(),
        slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides());
    rewriter.modifyOpInPlace(op, [&] { operand.set(reduced); });
  }
}

Value extended(OpBuilder &b, Location loc, Value value, Type type, bool isUnsigned) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, loc, type, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// The epilogue of `op` as an operation that reads its `sums`.
linalg::GenericOp epilogueOf(OpBuilder &b, tpp::ContractionOpInterface op, Value sums) {
  SmallVector<Value> inputs{sums};
  llvm::append_range(inputs, op.getEpilogueIns());
  unsigned rank = op.getCType().getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps{identity};
  llvm::append_range(maps, op.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  maps.push_back(identity);
  Value empty = emptyLike(b, op.getLoc(), op.getInit());
  return linalg::GenericOp::create(
      b, op.getLoc(), op.getCType(), inputs, empty, maps,
      SmallVector<IteratorType>(rank, IteratorType::parallel),
      [&](OpBuilder &inner, Location where, ValueRange v) {
        Block &body = op.getEpilogue().front();
        IRMapping mapping;
        mapping.map(body.getArguments(), v.drop_back());
        for (Operation &scalar : body.without_terminator())
          inner.clone(scalar, mapping);
        linalg::YieldOp::create(inner, where,
                                mapping.lookupOrDefault(body.getTerminator()->getOperand(0)));
      });
}

/// The sums of products as loops, and the epilogue as another operation.
linalg::GenericOp asLoops(OpBuilder &b, tpp::ContractionOpInterface op) {
  Location loc = op.getLoc();
  Type sum = op.getAccumulatorType();
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, op.getInit());
  auto empty = [&](Type element) { return emptyTensor(b, loc, sizes, element); };
  Value init = op.getInit();
  if (!op.getAccumulate()) {
    Value zero = tpp::scalar::zero(b, loc, sum);
    init = linalg::FillOp::create(b, loc, zero, ValueRange(empty(sum))).getResult(0);
  }
  unsigned rank = op.getBatchRank() + 2, reductions = op.getReductionRank();
  SmallVector<AffineMap> maps{
      op.getAMap(), op.getBMap(),
      AffineMap::getMultiDimIdentityMap(rank + reductions, op.getContext()).getMajorSubMap(rank)};
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(reductions, IteratorType::reduction);
  auto products = linalg::GenericOp::create(
      b, loc, init.getType(), ValueRange{op.getA(), op.getB()}, init, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange v) {
        Value x = extended(inner, where, v[0], sum, op.getAUnsigned()),
              y = extended(inner, where, v[1], sum, op.getBUnsigned()), result;
        if (isa<FloatType>(sum))
          result =
              arith::AddFOp::create(inner, where, v[2], arith::MulFOp::create(inner, where, x, y));
        else
          result =
              arith::AddIOp::create(inner, where, v[2], arith::MulIOp::create(inner, where, x, y));
        linalg::YieldOp::create(inner, where, result);
      });
  if (op.hasTrivialEpilogue() && op.getCType().getElementType() == sum)
    return products;
  return epilogueOf(b, op, products.getResult(0));
}

/// True if a macro-kernel would add up the products in C, whose elements are narrower than sums: it
/// calls a kernel for each product where the distance of these in A is known at run time only.
bool needsWideC(tpp::ContractionOpInterface op) {
  const unsigned products = op.getBatchRank() + 2;
  return op.getReductionRank() == 2 && !op.getAccumulate() &&
         op.getCType().getElementType() != op.getAccumulatorType() &&
         hasDynamicStride(op->getOpOperand(0), op.getAMap(),
                          [&](unsigned dimension) { return dimension == products; });
}

/// The sums as a contraction of their type, and the epilogue as another operation.
linalg::GenericOp withWideC(OpBuilder &b, tpp::ContractionOpInterface op) {
  Location loc = op.getLoc();
  Type sum = op.getAccumulatorType();
  tpp::ContractionOpInterface sums =
      tpp::cloneWithoutEpilogue(b, op, loc, {}, {}, emptyLike(b, loc, op.getInit(), sum));
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&sums.getEpilogue(), {}, sum, loc);
    tpp::YieldOp::create(b, loc, body->getArgument(0));
  }
  return epilogueOf(b, op, sums->getResult(0));
}

linalg::GenericOp lower(OpBuilder &b, tpp::ContractionOpInterface op) {
  if (isa<MemRefType>(op.getInit().getType()))
    return {};
  if (!hasMicroKernel(op))
    return asLoops(b, op);
  return needsWideC(op) ? withWideC(b, op) : linalg::GenericOp();
}

linalg::GenericOp lowerAny(OpBuilder &b, Operation *op) {
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
    return lower(b, contraction);
  if (auto elementwise = dyn_cast<tpp::ElementwiseOpInterface>(op))
    return createGeneric(b, elementwise);
  if (auto reduce = dyn_cast<tpp::ReduceOp>(op))
    return lower(b, reduce);
  if (auto transpose = dyn_cast<tpp::TransposeOp>(op))
    return lower(b, transpose);
  if (auto pack = dyn_cast<tpp::VnniPackOp>(op))
    return lower(b, pack);
  return {};
}

struct TppToLinalgPass : impl::TppToLinalgPassBase<TppToLinalgPass> {
  using TppToLinalgPassBase::TppToLinalgPassBase;

  void runOnOperation() override {
    SmallVector<tpp::TileOpInterface> tiles;
    getOperation().walk([&](tpp::TileOpInterface op) {
      bool onBuffers = isa<MemRefType>(op->getOperands().back().getType());
      if (!op->getParentOfType<tpp::GroupOp>() && (buffers || !onBuffers))
        tiles.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (tpp::TileOpInterface op : tiles) {
      rewriter.setInsertionPoint(op);
      auto contraction = dyn_cast<tpp::ContractionOpInterface>(op.getOperation());
      if (contraction && !isa<MemRefType>(contraction.getInit().getType())) {
        readReducedSlices(rewriter, contraction);
        transposeA(rewriter, contraction);
      }
      if (linalg::GenericOp generic = lowerAny(rewriter, op)) {
        rewriter.replaceOp(op, generic->getResults());
        ++numLowered;
      }
    }
  }
};

} // namespace
} // namespace kgen
