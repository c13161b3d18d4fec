// Gathers by constant indices that count up or repeat become slices and repetitions, and so do
// tensors that are joined from one tensor several times, and products with constant matrices that
// select.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/SelectionProduct.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
namespace {

using Indices = SmallVector<int64_t>;

/// The elements of a constant vector of integers; nothing for others.
std::optional<Indices> constantIndices(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Attribute constant;
  if (!type || type.getRank() != 1 || !matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  Indices indices;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant)) {
    for (const APInt &number : dense.getValues<APInt>())
      indices.push_back(number.getSExtValue());
    return indices;
  }
  auto read = [&](auto resource) {
    if (auto numbers = resource ? resource.tryGetAsArrayRef() : std::nullopt)
      indices.assign(numbers->begin(), numbers->end());
  };
  read(dyn_cast<DenseI64ResourceElementsAttr>(constant));
  read(dyn_cast<DenseI32ResourceElementsAttr>(constant));
  return indices.empty() ? std::nullopt : std::optional(indices);
}

/// Evaluates the arithmetic on an index, whose only unknown is `argument`.
std::optional<int64_t> evaluate(Value scalar, Value argument, int64_t number) {
  if (scalar == argument)
    return number;
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = scalar.getDefiningOp();
  if (!op)
    return std::nullopt;
  SmallVector<int64_t> in;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluate(operand, argument, number);
    if (!known)
      return std::nullopt;
    in.push_back(*known);
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return in[0];
  if (isa<arith::AddIOp>(op))
    return in[0] + in[1];
  if (isa<arith::MaxSIOp>(op))
    return std::max(in[0], in[1]);
  if (isa<arith::MinSIOp>(op))
    return std::min(in[0], in[1]);
  if (isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getPredicate() == arith::CmpIPredicate::slt)
    return in[0] < in[1];
  return std::nullopt;
}

/// A copy of `source` in which everything is where it was but along `axis`, of which the result has
/// the elements `indices`.
struct Gather {
  Value source;
  int64_t axis;
  Indices indices;
};

std::optional<Gather> gatherOf(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 || op.getNumDpsInputs() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  auto extract = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  std::optional<Indices> table = constantIndices(op.getDpsInputs()[0]);
  auto type = extract ? dyn_cast<RankedTensorType>(extract.getTensor().getType()) : nullptr;
  auto resultType = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape() || !table || map.getNumResults() != 1 ||
      !isa<AffineDimExpr>(map.getResult(0)) || type.getRank() != resultType.getRank())
    return std::nullopt;
  Gather gather{extract.getTensor(), map.getDimPosition(0), {}};
  Value argument = op.getRegionInputArgs()[0];
  for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
    auto position = static_cast<int64_t>(d);
    if (position == gather.axis) {
      for (int64_t number : *table) {
        std::optional<int64_t> at = evaluate(index, argument, number);
        if (!at || *at < 0 || *at >= type.getDimSize(position))
          return std::nullopt;
        gather.indices.push_back(*at);
      }
      continue;
    }
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    bool isAll = loop ? static_cast<int64_t>(loop.getDim()) == position
                      : matchPattern(index, m_Zero()) && type.getDimSize(position) == 1;
    if (!isAll || type.getDimSize(position) != resultType.getDimSize(position))
      return std::nullopt;
  }
  return gather;
}

/// `source` `before` times as a whole along `axis`, each element of it `each` times.
Value repeated(OpBuilder &b, Location loc, Value source, int64_t axis, int64_t before,
               int64_t each) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> ofSource = sizesOf(b, loc, source), sizes;
  SmallVector<AffineExpr> results;
  SmallVector<ReassociationIndices> groups;
  auto add = [&](OpFoldResult size) {
    sizes.push_back(size);
    groups.back().push_back(sizes.size() - 1);
  };
  for (int64_t d = 0; d < type.getRank(); ++d) {
    groups.emplace_back();
    bool isRepeated = d == axis;
    if (isRepeated && before > 1)
      add(b.getIndexAttr(before));
    // A dimension of 1 is repeated, and needs no loop of its own.
    if (!isRepeated || type.getDimSize(d) > 1) {
      results.push_back(b.getAffineDimExpr(sizes.size()));
      add(ofSource[d]);
    }
    if (isRepeated && each > 1)
      add(b.getIndexAttr(each));
  }
  if (type.getDimSize(axis) == 1) { // drop it from the source
    SmallVector<ReassociationIndices> without;
    ReassociationIndices open;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      open.push_back(d);
      if (d != axis) {
        without.push_back(open);
        open.clear();
      }
    }
    if (!without.empty())
      without.back().append(open);
    source = tensor::CollapseShapeOp::create(b, loc, source, without);
  }
  Value init = emptyTensor(b, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  auto copy =
      linalg::GenericOp::create(b, loc, init.getType(), source, init,
                                {AffineMap::get(sizes.size(), 0, results, b.getContext()),
                                 b.getMultiDimIdentityMap(sizes.size())},
                                iterators, [](OpBuilder &inner, Location where, ValueRange in) {
                                  linalg::YieldOp::create(inner, where, in[0]);
                                });
  if (groups.size() == sizes.size())
    return copy.getResult(0);
  return tensor::CollapseShapeOp::create(b, loc, copy.getResult(0), groups);
}

Value slice(OpBuilder &b, Location loc, Value source, int64_t axis, int64_t first, int64_t count) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = count;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      strides(shape.size(), b.getIndexAttr(1)), sizes = sizesOf(b, loc, source);
  sizes[axis] = b.getIndexAttr(count);
  offsets[axis] = b.getIndexAttr(first);
  return tensor::ExtractSliceOp::create(b, loc, type.clone(shape), source, offsets, sizes, strides);
}

/// Returns what a gather is instead, and what it is called; null if the indices have no pattern.
std::pair<Value, StringRef> raised(OpBuilder &b, Location loc, const Gather &gather) {
  auto count = static_cast<int64_t>(gather.indices.size());
  int64_t size = cast<RankedTensorType>(gather.source.getType()).getDimSize(gather.axis);
  auto has = [&](auto index) {
    for (int64_t i = 0; i < count; ++i)
      if (gather.indices[i] != index(i))
        return false;
    return count > 0;
  };
  // A slice with a stride would be copied element by element, as the gather is.
  int64_t first = count ? gather.indices[0] : 0;
  if (has([&](int64_t i) { return first + i; }))
    return {slice(b, loc, gather.source, gather.axis, first, count),
            "a gather of a range is a slice"};
  if (count % size != 0)
    return {};
  int64_t times = count / size;
  if (has([&](int64_t i) { return i / times; }))
    return {repeated(b, loc, gather.source, gather.axis, 1, times),
            "a gather of repeated indices is a repetition"};
  if (has([&](int64_t i) { return i % size; }))
    return {repeated(b, loc, gather.source, gather.axis, times, 1),
            "a gather of repeated indices is a repetition"};
  return {};
}

/// One tensor several times along an axis.
struct Join {
  Value source;
  int64_t axis, times;
};

/// The join that ends with `last`; nothing if it joins other tensors.
std::optional<Join> joinOf(tensor::InsertSliceOp last) {
  RankedTensorType type = last.getType(), part = last.getSourceType();
  if (!type.hasStaticShape() || part.getRank() != type.getRank())
    return std::nullopt;
  std::optional<int64_t> axis;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (part.getDimSize(d) != type.getDimSize(d)) {
      if (axis)
        return std::nullopt;
      axis = d;
    }
  if (!axis || part.getDimSize(*axis) == 0 || type.getDimSize(*axis) % part.getDimSize(*axis) != 0)
    return std::nullopt;
  Join join{last.getSource(), *axis, type.getDimSize(*axis) / part.getDimSize(*axis)};
  tensor::InsertSliceOp op = last;
  for (int64_t i = join.times; i-- > 0;) {
    if (!op || op.getSource() != join.source || !op.hasUnitStride())
      return std::nullopt;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (op.isDynamicOffset(d) ||
          op.getStaticOffset(d) != (d == *axis ? i * part.getDimSize(d) : 0))
        return std::nullopt;
    op = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return join;
}

std::optional<Join> joinOf(tensor::ConcatOp op) {
  ValueRange inputs = op.getInputs();
  auto type = cast<RankedTensorType>(inputs[0].getType());
  if (!type.hasStaticShape() || !llvm::all_equal(inputs) || inputs.size() < 2)
    return std::nullopt;
  return Join{inputs[0], static_cast<int64_t>(op.getDim()), static_cast<int64_t>(inputs.size())};
}

/// Returns what a product with a selecting matrix is instead, and what it is called.
std::pair<Value, StringRef> raised(OpBuilder &b, Location loc, const SelectionProduct &product) {
  if (product.isDiagonal()) {
    if (!product.hasFactors())
      return {product.source, "a product with the unit matrix is its operand"};
    return {scaledAlong(b, loc, product.source, product),
            "a product with a diagonal matrix is a scale"};
  }
  auto [value, what] = raised(b, loc, Gather{product.source, product.axis, product.indices});
  if (!value)
    value = gathered(b, loc, product);
  if (product.hasFactors())
    value = scaledAlong(b, loc, value, product);
  return {value, what.ends_with("slice") ? "a product with columns of the unit matrix is a slice"
                 : what.ends_with("repetition")
                     ? "a product with columns of the unit matrix is a repetition"
                     : "a product with columns of the unit matrix is a gather"};
}

} // namespace

void raiseGathers(func::FuncOp func, IdiomLog &log) {
  IRRewriter rewriter(func.getContext());
  auto replace = [&](Operation *op, Value value, StringRef what) {
    log.applied(op->getLoc(), what);
    rewriter.replaceOp(op, value);
  };
  SmallVector<Operation *> all;
  func.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, tensor::InsertSliceOp, tensor::ConcatOp>(op))
      all.push_back(op);
  });
  for (Operation *op : llvm::reverse(all)) {
    rewriter.setInsertionPoint(op);
    if (auto computed = dyn_cast<linalg::LinalgOp>(op))
      if (std::optional<SelectionProduct> product = selectionProduct(computed)) {
        auto [value, what] = raised(rewriter, op->getLoc(), *product);
        replace(op, value, what);
        continue;
      }
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      std::optional<Gather> gather = gatherOf(generic);
      if (!gather)
        continue;
      auto [value, what] = raised(rewriter, op->getLoc(), *gather);
      if (value) {
        replace(op, value, what);
        continue;
      }
      log.refused(op->getLoc(), "constant indices neither count up nor repeat");
      continue;
    }
    if (isa<linalg::LinalgOp>(op))
      continue;
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    std::optional<Join> join = insert ? joinOf(insert) : joinOf(cast<tensor::ConcatOp>(op));
    if (join)
      replace(op, repeated(rewriter, op->getLoc(), join->source, join->axis, join->times, 1),
              "a tensor that is joined with itself is a repetition");
  }
}

} // namespace kgen
