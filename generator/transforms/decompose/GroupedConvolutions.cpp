// Convolutions in groups. Where channels of several groups share a line of the cache, pixels of a
// group are put next to each other, and a row of the window is one product; else each column of the
// window is one, of the image as it is.
#include "transforms/decompose/GroupedConvolutions.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/decompose/Reordered.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

enum Loop : unsigned {
  imageLoop,
  rowLoop,
  groupLoop,
  columnLoop,
  filterLoop,
  windowRowLoop,
  windowColumnLoop,
  channelLoop,
  numLoops
};

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The factor of a loop in a subscript that is a sum of multiples of loops.
int64_t factorOf(AffineExpr subscript, Loop loop) {
  SmallVector<AffineExpr> at(numLoops, getAffineConstantExpr(0, subscript.getContext()));
  at[loop] = getAffineConstantExpr(1, subscript.getContext());
  auto factor = dyn_cast<AffineConstantExpr>(subscript.replaceDims(at));
  return factor ? factor.getValue() : 0;
}

/// Builds the products of one convolution.
class Products {
public:
  Products(IRRewriter &b, GroupedConvolution c)
      : b(b), loc(c.op.getLoc()), c(c), source(c.op.getDpsInputs()[0]),
        taps(c.op.getDpsInputs()[1]), sums(c.op.getDpsInits()[0]) {}

  bool sharesLines();
  Value byRows();
  Value byTaps();

private:
  AffineExpr loop(unsigned d) { return b.getAffineDimExpr(d); }
  Value product(Value image, Value weights, Value sums, ArrayRef<AffineExpr> ofImage,
                ArrayRef<AffineExpr> ofFilter);
  Value besideEachOther();
  void moveHere(Value operand);
  Value columnOfImage(int64_t column);
  Value columnOfTaps(int64_t number, ArrayRef<char> bytes, Value all);

  IRRewriter &b;
  Location loc;
  GroupedConvolution c;
  Value source, taps, sums;
};

/// True if channels of several groups share a line of the cache: each group would fetch the lines
/// of the others for every tap, and from addresses whose distances cause conflict misses.
/// Elements have to be multiplied often enough to be worth moving.
bool Products::sharesLines() {
  const Cpu &cpu = cpuOf(c.op);
  int64_t bytes = typeOf(source).getElementTypeBitWidth() / 8;
  return c.groups > 1 && c.columns > 1 && c.columnDilation == 1 &&
         c.channels * bytes < cpu.lineBytes &&
         c.rows * c.columns >= cpu.heuristics.minReusePerStride * c.rowStride * c.columnStride;
}

/// A product with the body of the convolution. Its loops are images, rows, groups, columns and
/// filters, then rows of the window and what is summed up along its columns.
Value Products::product(Value image, Value weights, Value sums, ArrayRef<AffineExpr> ofImage,
                        ArrayRef<AffineExpr> ofFilter) {
  unsigned rank = numLoops - 1;
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank, 0, results, b.getContext());
  };
  SmallVector<AffineMap> maps{
      map(ofImage), map(ofFilter),
      AffineMap::getMultiDimMapWithTargets(rank, {0, 1, 2, 3, 4}, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[windowRowLoop] = iterators[windowColumnLoop] = utils::IteratorType::reduction;
  auto made = linalg::GenericOp::create(b, loc, sums.getType(), ValueRange{image, weights}, sums,
                                        maps, iterators);
  IRMapping mapping;
  c.op.getRegion().cloneInto(&made.getRegion(), mapping);
  return made.getResult(0);
}

/// The image as [n, height, group, width * channels]: pixels of a group are next to each other.
Value Products::besideEachOther() {
  SmallVector<int64_t> order{0, 1, 3, 2, 4};
  auto expand = source.getDefiningOp<tensor::ExpandShapeOp>();
  auto pad = expand ? expand.getSrc().getDefiningOp<tensor::PadOp>() : tensor::PadOp();
  if (pad && (!pad.getConstantPaddingValue() || expand.getReassociationIndices().size() != 4))
    pad = nullptr;
  Value image = source;
  if (pad) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, pad.getSource());
    SmallVector<int64_t> shape(typeOf(pad.getSource()).getShape());
    sizes.back() = b.getIndexAttr(c.groups);
    sizes.push_back(b.getIndexAttr(c.channels));
    shape.back() = c.groups;
    shape.push_back(c.channels);
    image = tensor::ExpandShapeOp::create(b, loc, typeOf(source).clone(shape), pad.getSource(),
                                          expand.getReassociationIndices(), sizes);
  }
  image = reordered(b, loc, image, order);
  if (pad) {
    auto place = [&](SmallVector<OpFoldResult> padding) {
      OpFoldResult none = b.getIndexAttr(0);
      return SmallVector<OpFoldResult>{padding[0], padding[1], none, padding[2], none};
    };
    SmallVector<int64_t> shape;
    for (int64_t d : order)
      shape.push_back(typeOf(source).getDimSize(d));
    image = tensor::PadOp::create(b, pad.getLoc(), typeOf(source).clone(shape), image,
                                  place(pad.getMixedLowPad()), place(pad.getMixedHighPad()),
                                  pad.getConstantPaddingValue(), pad.getNofold());
  }
  return tensor::CollapseShapeOp::create(b, loc, image,
                                         SmallVector<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
}

/// Moves the operation that makes an operand to its only reader, after all that was built.
void Products::moveHere(Value operand) {
  Operation *op = operand.getDefiningOp();
  if (op && operand.hasOneUse() && op->getBlock() == c.op->getBlock())
    op->moveBefore(c.op);
}

Value Products::byRows() {
  Value image = besideEachOther();
  moveHere(taps);
  SmallVector<int64_t> shape{c.groups, c.rows, c.columns * c.channels, typeOf(taps).getDimSize(4)};
  SmallVector<char> bytes = bytesInOrder(taps, {0, 1, 2, 3, 4});
  Value weights = bytes.empty()
                      ? Value(tensor::CollapseShapeOp::create(
                            b, loc, taps, SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}, {4}}))
                      : constantLike(b, loc, taps, shape, bytes);
  AffineExpr y = loop(rowLoop) * c.rowStride + loop(windowRowLoop) * c.rowDilation;
  AffineExpr x = loop(columnLoop) * (c.columnStride * c.channels) + loop(windowColumnLoop);
  moveHere(sums);
  return product(image, weights, sums, {loop(imageLoop), y, loop(groupLoop), x},
                 {loop(groupLoop), loop(windowRowLoop), loop(windowColumnLoop), loop(filterLoop)});
}

/// Returns the pixels that column `number` of the windows reads.
Value Products::columnOfImage(int64_t number) {
  TensorSlice slice;
  slice.offsets.assign(5, b.getIndexAttr(0));
  slice.offsets[2] = b.getIndexAttr(number * c.columnDilation);
  slice.sizes = sizesOf(b, loc, source);
  AffineExpr count = b.getAffineSymbolExpr(0);
  slice.sizes[2] = affine::makeComposedFoldedAffineApply(b, loc, (count - 1) * c.columnStride + 1,
                                                         {sizeOf(b, loc, sums, columnLoop)});
  SmallVector<int64_t> sizes;
  std::tie(sizes, std::ignore) = decomposeMixedValues(slice.sizes);
  if (ArrayRef(sizes) == typeOf(source).getShape() && typeOf(source).hasStaticShape())
    return source;
  return extract(b, loc, source, slice);
}

/// The taps of a column of the filter for each group: [group, taps, channels, filters]. `bytes` are
/// those of all columns, if they are constants, and `all` is their tensor if they are none.
Value Products::columnOfTaps(int64_t number, ArrayRef<char> bytes, Value all) {
  SmallVector<int64_t> shape{c.groups, c.rows, c.channels, typeOf(taps).getDimSize(4)};
  if (!all) {
    size_t size = bytes.size() / c.columns;
    return constantLike(b, loc, taps, shape, bytes.slice(number * size, size));
  }
  TensorSlice slice(b, ArrayRef<int64_t>{number, 0, 0, 0, 0},
                    ArrayRef<int64_t>{1, shape[0], shape[1], shape[2], shape[3]});
  return extract(b, loc, all, slice, shape);
}

Value Products::byTaps() {
  AffineExpr y = loop(rowLoop) * c.rowStride + loop(windowRowLoop) * c.rowDilation;
  AffineExpr x = loop(columnLoop) * c.columnStride;
  SmallVector<int64_t> order{2, 0, 1, 3, 4};
  SmallVector<char> bytes = bytesInOrder(taps, order);
  Value all = bytes.empty() ? reordered(b, loc, taps, order) : Value();
  moveHere(sums);
  for (int64_t number = 0; number < c.columns; ++number) {
    Value part = columnOfImage(number), weights = columnOfTaps(number, bytes, all);
    sums = product(
        part, weights, sums, {loop(imageLoop), y, x, loop(groupLoop), loop(windowColumnLoop)},
        {loop(groupLoop), loop(windowRowLoop), loop(windowColumnLoop), loop(filterLoop)});
  }
  return sums;
}

} // namespace

std::optional<GroupedConvolution> GroupedConvolution::match(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != numLoops || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto targets = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(numLoops, dims, op.getContext());
  };
  if (maps[0].getNumResults() != 5 ||
      maps[1] != targets({groupLoop, windowRowLoop, windowColumnLoop, channelLoop, filterLoop}) ||
      maps[2] != targets({imageLoop, rowLoop, groupLoop, columnLoop, filterLoop}) ||
      !typeOf(op.getDpsInputs()[1]).hasStaticShape())
    return std::nullopt;
  AffineExpr y = maps[0].getResult(1), x = maps[0].getResult(2);
  GroupedConvolution c{op,
                       factorOf(y, rowLoop),
                       factorOf(y, windowRowLoop),
                       factorOf(x, columnLoop),
                       factorOf(x, windowColumnLoop),
                       0,
                       0,
                       0,
                       0};
  auto dim = [&](unsigned d) { return getAffineDimExpr(d, op.getContext()); };
  AffineMap image5 = AffineMap::get(
      numLoops, 0,
      {dim(imageLoop), dim(rowLoop) * c.rowStride + dim(windowRowLoop) * c.rowDilation,
       dim(columnLoop) * c.columnStride + dim(windowColumnLoop) * c.columnDilation, dim(groupLoop),
       dim(channelLoop)},
      op.getContext());
  if (maps[0] != image5)
    return std::nullopt;
  ArrayRef<int64_t> shape = typeOf(op.getDpsInputs()[1]).getShape();
  c.groups = shape[0];
  c.rows = shape[1];
  c.columns = shape[2];
  c.channels = shape[3];
  return c;
}

StringRef orderGroupedConvolution(IRRewriter &b, GroupedConvolution convolution) {
  b.setInsertionPoint(convolution.op);
  Products products(b, convolution);
  bool isByRows = products.sharesLines();
  b.replaceOp(convolution.op, isByRows ? products.byRows() : products.byTaps());
  return isByRows ? "a product for each group, whose pixels are next to each other"
                  : "a product for each group and column of the window";
}

} // namespace kgen
