#include "transforms/idioms/IntegerProduct.h"

#include "dialect/kgen/EmptyTensor.h"
#include "transforms/layout/ConstantBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

namespace {

/// An operand as it is multiplied.
struct BuiltFactor {
  const ByteFactor &side;
  Value bytes;
  AffineMap map; ///< from loops to the dimensions of the bytes
};

/// Integers for some of the result's dimensions: known, or computed when the code runs.
struct IntegerNumbers {
  SmallVector<unsigned> dims; ///< ascending
  std::vector<int32_t> known;
  Value tensor;

  bool isKnown() const { return !tensor; }
};

/// The term that is subtracted from sums: zero point * (sums - less).
struct Correction {
  IntegerNumbers zeroPoint, sums;
  std::optional<IntegerNumbers> less;
};

class ProductBuilder {
public:
  ProductBuilder(OpBuilder &b, linalg::LinalgOp op, const ByteFactor (&sides)[2])
      : b(b), op(op), loc(op->getLoc()), loops(op.getStaticLoopRanges()),
        out(op.getMatchingIndexingMap(op.getDpsInitOperand(0))), kinds(op.getIteratorTypesArray()),
        left(built(sides[0], 0)), right(built(sides[1], 1)) {}

  Value build() { return scaled(corrected(product())); }

private:
  using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

  BuiltFactor built(const ByteFactor &side, unsigned number) {
    Dequantization::Bytes bytes = side.of->build(b, loc);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(number));
    return {side, bytes.value, bytes.map.compose(map)};
  }
  static Value wide(OpBuilder &b, Location loc, Value byte, const BuiltFactor &factor) {
    Type i32 = b.getI32Type();
    return factor.side.of->isUnsigned() ? arith::ExtUIOp::create(b, loc, i32, byte).getResult()
                                        : arith::ExtSIOp::create(b, loc, i32, byte).getResult();
  }

  Value zeros(ArrayRef<int64_t> shape) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value empty = emptyTensor(b, loc, shape, b.getI32Type());
    return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  }
  unsigned loopOf(unsigned dim) const { return out.getDimPosition(dim); }
  bool isReduction(unsigned loop) const { return kinds[loop] == utils::IteratorType::reduction; }
  SmallVector<int64_t> shapeOf(ArrayRef<unsigned> dims) const {
    SmallVector<int64_t> shape;
    for (unsigned d : dims)
      shape.push_back(loops[loopOf(d)]);
    return shape;
  }

  Value product();
  Value corrected(Value sums);
  Value scaled(Value sums);
  SmallVector<Correction, 2> corrections();
  SmallVector<unsigned> dimsOf(const BuiltFactor &factor) const;
  std::optional<std::vector<int32_t>> knownSums(const BuiltFactor &factor,
                                                ArrayRef<unsigned> dims) const;
  IntegerNumbers sumsOver(const BuiltFactor &factor);
  SmallVector<unsigned> dimOfScales(const BuiltFactor &factor) const;
  IntegerNumbers zeroPointsOf(const BuiltFactor &factor, int64_t times) const;
  IntegerNumbers combined(const IntegerNumbers &x, const IntegerNumbers &y,
                          llvm::function_ref<int32_t(int32_t, int32_t)> combine) const;
  Value tensorOf(const IntegerNumbers &numbers) const;
  Value elementwise(Type element, Value first, ArrayRef<std::pair<Value, SmallVector<unsigned>>> of,
                    Body body);

  OpBuilder &b;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<int64_t> loops;
  AffineMap out;
  SmallVector<utils::IteratorType> kinds;
  BuiltFactor left, right;
};

/// Sums of products of the bytes.
Value ProductBuilder::product() {
  Value init = zeros(cast<ShapedType>(op->getResult(0).getType()).getShape());
  auto body = [&](OpBuilder &inner, Location at, ValueRange v) {
    Value both =
        arith::MulIOp::create(inner, at, wide(inner, at, v[0], left), wide(inner, at, v[1], right));
    Value sum = arith::AddIOp::create(inner, at, v[2], both);
    linalg::YieldOp::create(inner, at, sum);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), ValueRange{left.bytes, right.bytes},
                                   init, ArrayRef<AffineMap>{left.map, right.map, out}, kinds, body)
      .getResult(0);
}

/// The dimensions of the result that the operand has, too.
SmallVector<unsigned> ProductBuilder::dimsOf(const BuiltFactor &factor) const {
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < out.getNumResults(); ++d)
    if (factor.map.isFunctionOfDim(loopOf(d)))
      dims.push_back(d);
  return dims;
}

/// The sums of a constant for each index of `dims`.
std::optional<std::vector<int32_t>> ProductBuilder::knownSums(const BuiltFactor &factor,
                                                              ArrayRef<unsigned> dims) const {
  ElementsAttr constant;
  SmallVector<char> storage;
  if (!matchPattern(factor.bytes, m_Constant(&constant)))
    return std::nullopt;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty())
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<ShapedType>(factor.bytes.getType()).getShape();
  SmallVector<int64_t> strides(shape.size(), 0), index(shape.size(), 0);
  int64_t count = 1;
  for (unsigned d : llvm::reverse(dims)) {
    AffineExpr loop = getAffineDimExpr(loopOf(d), b.getContext());
    strides[*factor.map.getResultPosition(loop)] = count;
    count *= loops[loopOf(d)];
  }
  std::vector<int32_t> sums(count, 0);
  for (char byte : bytes) {
    int64_t at = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      at += i * stride;
    sums[at] +=
        factor.side.of->isUnsigned() ? static_cast<uint8_t>(byte) : static_cast<int8_t>(byte);
    advance(index, shape);
  }
  return sums;
}

/// The sums of an operand's bytes over the loops of the reduction.
IntegerNumbers ProductBuilder::sumsOver(const BuiltFactor &factor) {
  IntegerNumbers result{dimsOf(factor), {}, Value()};
  if (auto known = knownSums(factor, result.dims)) {
    result.known = std::move(*known);
    return result;
  }
  // Loops of its own: those of the result's dimensions first.
  SmallVector<AffineExpr> renumbered(loops.size(), b.getAffineConstantExpr(0)), kept;
  SmallVector<utils::IteratorType> types;
  for (unsigned d : result.dims) {
    kept.push_back(renumbered[loopOf(d)] = b.getAffineDimExpr(types.size()));
    types.push_back(utils::IteratorType::parallel);
  }
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (isReduction(loop)) {
      renumbered[loop] = b.getAffineDimExpr(types.size());
      types.push_back(utils::IteratorType::reduction);
    }
  AffineMap of = factor.map.replaceDimsAndSymbols(renumbered, {}, types.size(), 0),
            to = AffineMap::get(types.size(), 0, kept, b.getContext());
  Value init = zeros(shapeOf(result.dims));
  auto body = [&](OpBuilder &inner, Location at, ValueRange v) {
    Value sum = arith::AddIOp::create(inner, at, v[1], wide(inner, at, v[0], factor));
    linalg::YieldOp::create(inner, at, sum);
  };
  result.tensor = linalg::GenericOp::create(b, loc, init.getType(), factor.bytes, init,
                                            ArrayRef<AffineMap>{of, to}, types, body)
                      .getResult(0);
  return result;
}

/// The dimension of the result that scales and zero points belong to; none: one for all.
SmallVector<unsigned> ProductBuilder::dimOfScales(const BuiltFactor &factor) const {
  if (!factor.side.loop)
    return {};
  return {*out.getResultPosition(getAffineDimExpr(*factor.side.loop, b.getContext()))};
}

/// The zero points times a number.
IntegerNumbers ProductBuilder::zeroPointsOf(const BuiltFactor &factor, int64_t times) const {
  IntegerNumbers result{dimOfScales(factor), {}, Value()};
  for (int64_t zero : factor.side.of->zeroPoints())
    result.known.push_back(static_cast<int32_t>(times * zero));
  return result;
}

/// Of known numbers, for all dimensions that either has.
IntegerNumbers
ProductBuilder::combined(const IntegerNumbers &x, const IntegerNumbers &y,
                         llvm::function_ref<int32_t(int32_t, int32_t)> combine) const {
  IntegerNumbers result{x.dims, {}, Value()};
  for (unsigned d : y.dims)
    if (!llvm::is_contained(result.dims, d))
      result.dims.push_back(d);
  llvm::sort(result.dims);
  SmallVector<int64_t> shape = shapeOf(result.dims), index(shape.size(), 0);
  auto numberOf = [&](const IntegerNumbers &of) {
    int64_t at = 0;
    for (unsigned d : of.dims) {
      auto position = llvm::find(result.dims, d) - result.dims.begin();
      at = at * shape[position] + index[position];
    }
    return of.known[at];
  };
  for (int64_t i = 0, count = ShapedType::getNumElements(shape); i < count; ++i) {
    result.known.push_back(combine(numberOf(x), numberOf(y)));
    advance(index, shape);
  }
  return result;
}

SmallVector<Correction, 2> ProductBuilder::corrections() {
  SmallVector<Correction, 2> result;
  if (left.side.hasZeroPoint()) {
    Correction ofLeft{zeroPointsOf(left, 1), sumsOver(right), std::nullopt};
    if (right.side.hasZeroPoint()) {
      IntegerNumbers less = zeroPointsOf(right, reductionDepth(op));
      if (ofLeft.sums.isKnown())
        ofLeft.sums = combined(ofLeft.sums, less, std::minus<>());
      else
        ofLeft.less = less;
    }
    result.push_back(std::move(ofLeft));
  }
  if (right.side.hasZeroPoint())
    result.push_back({zeroPointsOf(right, 1), sumsOver(left), std::nullopt});
  return result;
}

Value ProductBuilder::tensorOf(const IntegerNumbers &numbers) const {
  if (!numbers.isKnown())
    return numbers.tensor;
  auto type = RankedTensorType::get(shapeOf(numbers.dims), b.getI32Type());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers.known)));
}

/// Elements of `first`, and of tensors that have some of its dimensions.
Value ProductBuilder::elementwise(Type element, Value first,
                                  ArrayRef<std::pair<Value, SmallVector<unsigned>>> of, Body body) {
  auto type = cast<RankedTensorType>(first.getType()).clone(element);
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps{all};
  SmallVector<Value> operands{first};
  for (const auto &[value, dims] : of) {
    operands.push_back(value);
    SmallVector<AffineExpr> results;
    for (unsigned d : dims)
      results.push_back(b.getAffineDimExpr(d));
    maps.push_back(AffineMap::get(type.getRank(), 0, results, b.getContext()));
  }
  maps.push_back(all);
  Value init = emptyLike(b, loc, first, element);
  SmallVector<utils::IteratorType> parallel(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, operands, init, maps, parallel,
                                   [&](OpBuilder &inner, Location at, ValueRange v) {
                                     linalg::YieldOp::create(inner, at, body(inner, at, v));
                                   })
      .getResult(0);
}

/// Sums less what zero points contribute.
Value ProductBuilder::corrected(Value sums) {
  SmallVector<Correction, 2> list = corrections();
  if (list.empty())
    return sums;
  SmallVector<std::pair<Value, SmallVector<unsigned>>> operands;
  for (Correction &each : list) {
    // One zero point for all: a row of products.
    if (each.zeroPoint.known.size() == 1 && each.sums.isKnown()) {
      each.sums = combined(each.zeroPoint, each.sums, std::multiplies<>());
      each.zeroPoint.known.clear();
    } else {
      operands.push_back({tensorOf(each.zeroPoint), each.zeroPoint.dims});
    }
    operands.push_back({tensorOf(each.sums), each.sums.dims});
    if (each.less)
      operands.push_back({tensorOf(*each.less), each.less->dims});
  }
  return elementwise(b.getI32Type(), sums, operands,
                     [&](OpBuilder &inner, Location at, ValueRange v) {
                       Value result = v[0];
                       v = v.drop_front();
                       auto next = [&] {
                         Value first = v.front();
                         v = v.drop_front();
                         return first;
                       };
                       for (const Correction &each : list) {
                         Value zero = each.zeroPoint.known.empty() ? Value() : next();
                         Value product = next();
                         if (each.less)
                           product = arith::SubIOp::create(inner, at, product, next());
                         if (zero)
                           product = arith::MulIOp::create(inner, at, zero, product);
                         result = arith::SubIOp::create(inner, at, result, product);
                       }
                       return result;
                     });
}

/// Sums times both scales, whose product is rounded to f32 first.
Value ProductBuilder::scaled(Value sums) {
  SmallVector<unsigned> dims[2] = {dimOfScales(left), dimOfScales(right)};
  std::vector<float> numbers[2];
  for (double scale : left.side.of->scales())
    numbers[0].push_back(static_cast<float>(scale));
  for (double scale : right.side.of->scales())
    numbers[1].push_back(static_cast<float>(scale));
  bool hasBoth = !dims[0].empty() && !dims[1].empty() && dims[0] != dims[1];
  SmallVector<std::pair<Value, SmallVector<unsigned>>> factors;
  auto add = [&](ArrayRef<float> of, ArrayRef<unsigned> along) {
    auto type = RankedTensorType::get(shapeOf(along), b.getF32Type());
    Value constant = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, of));
    factors.push_back({constant, SmallVector<unsigned>(along)});
  };
  if (hasBoth) {
    add(numbers[0], dims[0]);
    add(numbers[1], dims[1]);
  } else {
    std::vector<float> products(std::max(numbers[0].size(), numbers[1].size()));
    for (size_t i = 0; i < products.size(); ++i)
      products[i] =
          numbers[0][numbers[0].size() == 1 ? 0 : i] * numbers[1][numbers[1].size() == 1 ? 0 : i];
    add(products, dims[0].empty() ? dims[1] : dims[0]);
  }
  return elementwise(
      b.getF32Type(), sums, factors, [&](OpBuilder &inner, Location at, ValueRange v) -> Value {
        Value factor = hasBoth ? arith::MulFOp::create(inner, at, v[1], v[2]).getResult() : v[1];
        Value real = arith::SIToFPOp::create(inner, at, inner.getF32Type(), v[0]);
        return arith::MulFOp::create(inner, at, real, factor);
      });
}

} // namespace

int64_t reductionDepth(linalg::LinalgOp op) {
  int64_t depth = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    depth *= kind == utils::IteratorType::reduction ? size : 1;
  return depth;
}

Value buildIntegerProduct(OpBuilder &b, linalg::LinalgOp op, const ByteFactor (&sides)[2]) {
  return ProductBuilder(b, op, sides).build();
}

} // namespace kgen
