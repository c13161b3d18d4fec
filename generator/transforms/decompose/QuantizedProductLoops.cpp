// A product of bytes as one of the bytes themselves, less what zero points contribute:
//
//   sum((a - za) (b - zb)) = sum(a b) - za (sum(b) - K zb) - zb sum(a)
//
// modulo 2^32. What depends on constants alone is computed here.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/decompose/NamedOpLoops.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// Integers, modulo 2^32, for some dimensions of the result: known, or computed by code.
struct IntegerTerm {
  SmallVector<int64_t> dims; ///< of the result, in the order of the tensor's own
  std::vector<uint32_t> known;
  Value tensor;

  bool isKnown() const { return !tensor; }
};

using Terms = SmallVector<IntegerTerm, 2>;
using Combination = uint32_t (*)(uint32_t, uint32_t);
using Scalars = ValueRange;

Value product(OpBuilder &b, Location loc, Scalars v) {
  return arith::MulIOp::create(b, loc, v[0], v[1]);
}

Value difference(OpBuilder &b, Location loc, Scalars v) {
  return arith::SubIOp::create(b, loc, v[0], v[1]);
}

/// The bytes of a constant; empty if it is none.
ArrayRef<char> knownBytes(Value tensor, SmallVectorImpl<char> &storage) {
  ElementsAttr constant;
  return matchPattern(tensor, m_Constant(&constant)) ? constantBytes(constant, storage)
                                                     : ArrayRef<char>();
}

class ProductLoops {
public:
  ProductLoops(OpBuilder &b, QuantizedProductOp op)
      : b(b), op(op), loc(op.getLoc()), build(b, loc), left(op.leftFactor()),
        right(op.rightFactor()), shape(op.getResultType().getShape()) {}

  DecomposedOp loops() {
    Value sums = corrected(multiplied());
    return {{op.getLeftScales() || op.getBias() ? scaled(sums) : sums},
            subtracts ? "a product of bytes less terms of zero points" : "a product of bytes"};
  }

private:
  Value wide(OpBuilder &builder, Location at, Value byte, bool isUnsigned) {
    return isUnsigned ? arith::ExtUIOp::create(builder, at, b.getI32Type(), byte).getResult()
                      : arith::ExtSIOp::create(builder, at, b.getI32Type(), byte).getResult();
  }
  AffineMap mapOf(ArrayRef<int64_t> dims) {
    SmallVector<AffineExpr> at;
    for (int64_t d : dims)
      at.push_back(b.getAffineDimExpr(d));
    return AffineMap::get(static_cast<unsigned>(shape.size()), 0, at, b.getContext());
  }
  SmallVector<OpFoldResult> sizesFor(ArrayRef<int64_t> dims) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t d : dims)
      sizes.push_back(sizeOf(b, loc, op.getInit(), d));
    return sizes;
  }
  SmallVector<int64_t> shapeFor(ArrayRef<int64_t> dims) const {
    SmallVector<int64_t> result;
    for (int64_t d : dims)
      result.push_back(shape[d]);
    return result;
  }

  Value multiplied();
  Value corrected(Value sums);
  Value scaled(Value sums);
  std::optional<IntegerTerm> zerosOf(const QuantizedFactor &factor);
  IntegerTerm sumsOver(const QuantizedFactor &factor);
  IntegerTerm combined(const IntegerTerm &x, const IntegerTerm &y, Combination number,
                       GenericBuilder::Body body);
  Value materialized(const IntegerTerm &term);
  std::optional<std::vector<float>> knownScales(const ProductParameter &scales);
  SmallVector<ProductParameter> factors();
  Value elementwise(ArrayRef<int64_t> dims, Type element, ArrayRef<ProductParameter> operands,
                    GenericBuilder::Body body);

  OpBuilder &b;
  QuantizedProductOp op;
  Location loc;
  GenericBuilder build;
  QuantizedFactor left, right;
  ArrayRef<int64_t> shape; ///< of the result
  bool subtracts = false;
};

/// Sums of products of the bytes.
Value ProductLoops::multiplied() {
  Value zeros = build.filled(sizesOf(b, loc, op.getInit()), b.getI32IntegerAttr(0));
  if (op.depth() == 0) // the sums of nothing
    return zeros;
  return build.generic(zeros, {left.bytes, right.bytes}, {left.map, right.map, op.resultMap()},
                       [&](OpBuilder &builder, Location at, Scalars v) -> Value {
                         Value x = wide(builder, at, v[0], left.isUnsigned);
                         Value y = wide(builder, at, v[1], right.isUnsigned);
                         return arith::AddIOp::create(builder, at, v[2],
                                                      arith::MulIOp::create(builder, at, x, y));
                       });
}

/// An operation over some dimensions of the result, of tensors that have some of these.
Value ProductLoops::elementwise(ArrayRef<int64_t> dims, Type element,
                                ArrayRef<ProductParameter> operands, GenericBuilder::Body body) {
  auto placeOf = [&](int64_t d) { return llvm::find(dims, d) - dims.begin(); };
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (const ProductParameter &operand : operands) {
    SmallVector<AffineExpr> at;
    for (int64_t d : operand.dimensions)
      at.push_back(b.getAffineDimExpr(placeOf(d)));
    values.push_back(operand.tensor);
    maps.push_back(AffineMap::get(static_cast<unsigned>(dims.size()), 0, at, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(static_cast<unsigned>(dims.size())));
  return build.generic(
      emptyTensor(b, loc, sizesFor(dims), element), values, maps,
      [&](OpBuilder &builder, Location at, Scalars v) { return body(builder, at, v.drop_back()); });
}

/// The zero points of a side, or nothing if they are known to be 0.
std::optional<IntegerTerm> ProductLoops::zerosOf(const QuantizedFactor &factor) {
  const ProductParameter &zeros = factor.zeros;
  if (!zeros.tensor)
    return std::nullopt;
  IntegerTerm term{zeros.dimensions, {}, Value()};
  SmallVector<char> storage;
  for (char byte : knownBytes(zeros.tensor, storage))
    term.known.push_back(factor.isUnsigned ? static_cast<uint8_t>(byte)
                                           : static_cast<uint32_t>(static_cast<int8_t>(byte)));
  if (!term.known.empty())
    return llvm::all_of(term.known, [](uint32_t zero) { return zero == 0; })
               ? std::nullopt
               : std::optional(std::move(term));
  term.tensor = elementwise(zeros.dimensions, b.getI32Type(), zeros,
                            [&](OpBuilder &builder, Location at, Scalars v) {
                              return wide(builder, at, v[0], factor.isUnsigned);
                            });
  return term;
}

/// The sums of a side's bytes over the loops that the result lacks.
IntegerTerm ProductLoops::sumsOver(const QuantizedFactor &factor) {
  IntegerTerm result;
  ArrayRef<int64_t> from = cast<RankedTensorType>(factor.bytes.getType()).getShape();
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> strides(from.size(), 0);
  for (auto [i, at] : llvm::enumerate(factor.map.getResults()))
    if (auto d = op.resultMap().getResultPosition(at)) {
      result.dims.push_back(*d);
      kept.push_back(b.getAffineDimExpr(i));
    }
  int64_t count = 1;
  for (int64_t i = static_cast<int64_t>(from.size()) - 1; i >= 0; --i)
    if (op.resultMap().getResultPosition(factor.map.getResult(i))) {
      strides[i] = count;
      count *= from[i];
    }
  SmallVector<char> storage;
  ArrayRef<char> bytes = knownBytes(factor.bytes, storage);
  if (!bytes.empty()) {
    result.known.assign(count, 0);
    addBytesToSums(from, strides, bytes.data(), factor.isUnsigned, result.known);
    return result;
  }
  unsigned rank = from.size();
  AffineMap all = b.getMultiDimIdentityMap(rank),
            to = AffineMap::get(rank, 0, kept, b.getContext());
  Value zeros = build.filled(sizesFor(result.dims), b.getI32IntegerAttr(0));
  result.tensor = build.generic(
      zeros, factor.bytes, {all, to}, [&](OpBuilder &builder, Location at, Scalars v) -> Value {
        return arith::AddIOp::create(builder, at, v[1], wide(builder, at, v[0], factor.isUnsigned));
      });
  return result;
}

/// For each index of the dimensions that either has; computed here if both are known.
IntegerTerm ProductLoops::combined(const IntegerTerm &x, const IntegerTerm &y, Combination number,
                                   GenericBuilder::Body body) {
  IntegerTerm result{x.dims, {}, Value()};
  for (int64_t d : y.dims)
    if (!llvm::is_contained(result.dims, d))
      result.dims.push_back(d);
  llvm::sort(result.dims);
  if (!x.isKnown() || !y.isKnown()) {
    result.tensor = elementwise(result.dims, b.getI32Type(),
                                {{materialized(x), x.dims}, {materialized(y), y.dims}}, body);
    return result;
  }
  SmallVector<int64_t> sizes = shapeFor(result.dims), index(sizes.size(), 0);
  auto numberOf = [&](const IntegerTerm &term) {
    int64_t at = 0;
    for (int64_t d : term.dims)
      at = at * shape[d] + index[llvm::find(result.dims, d) - result.dims.begin()];
    return term.known[at];
  };
  for (int64_t i = 0, count = ShapedType::getNumElements(sizes); i < count; ++i) {
    result.known.push_back(number(numberOf(x), numberOf(y)));
    advance(index, sizes);
  }
  return result;
}

Value ProductLoops::materialized(const IntegerTerm &term) {
  if (!term.isKnown())
    return term.tensor;
  auto type = RankedTensorType::get(shapeFor(term.dims), b.getI32Type());
  ArrayRef<char> bytes(reinterpret_cast<const char *>(term.known.data()),
                       term.known.size() * sizeof(uint32_t));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::getFromRawBuffer(type, bytes));
}

/// Sums less what zero points contribute.
Value ProductLoops::corrected(Value sums) {
  if (op.depth() == 0)
    return sums;
  auto ofLeft = zerosOf(left), ofRight = zerosOf(right);
  SmallVector<Terms> products; // what is subtracted
  constexpr Combination multiply = [](uint32_t x, uint32_t y) { return x * y; };
  if (ofLeft) {
    IntegerTerm columns = sumsOver(right);
    if (ofRight) {
      IntegerTerm depth{{}, {static_cast<uint32_t>(op.depth())}, Value()};
      columns = combined(
          columns, combined(depth, *ofRight, multiply, product),
          [](uint32_t x, uint32_t y) { return x - y; }, difference);
    }
    // One zero point for all: a row of products, which are often constants.
    if (ofLeft->dims.empty())
      products.push_back({combined(*ofLeft, columns, multiply, product)});
    else
      products.push_back({*ofLeft, columns});
  }
  if (ofRight)
    products.push_back({*ofRight, sumsOver(left)});
  if (products.empty())
    return sums;
  subtracts = true;
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  SmallVector<ProductParameter> operands{{sums, all}};
  for (const Terms &terms : products)
    for (const IntegerTerm &term : terms)
      operands.push_back({materialized(term), term.dims});
  return elementwise(all, b.getI32Type(), operands,
                     [&](OpBuilder &builder, Location at, Scalars v) -> Value {
                       Value result = v.front();
                       v = v.drop_front();
                       for (const Terms &terms : products) {
                         Value term = v.front();
                         if (terms.size() > 1)
                           term = arith::MulIOp::create(builder, at, term, v[1]);
                         v = v.drop_front(terms.size());
                         result = arith::SubIOp::create(builder, at, result, term);
                       }
                       return result;
                     });
}

/// Scales that are known, as f32.
std::optional<std::vector<float>> ProductLoops::knownScales(const ProductParameter &scales) {
  SmallVector<char> storage;
  ArrayRef<char> bytes = knownBytes(scales.tensor, storage);
  if (bytes.empty())
    return std::nullopt;
  auto type = cast<FloatType>(getElementTypeOrSelf(scales.tensor.getType()));
  const unsigned bits = type.getWidth();
  std::vector<float> numbers;
  for (size_t at = 0; at < bytes.size(); at += bits / 8) {
    uint64_t pattern = 0;
    std::memcpy(&pattern, bytes.data() + at, bits / 8);
    APFloat number(type.getFloatSemantics(), APInt(bits, pattern));
    numbers.push_back(static_cast<float>(number.convertToDouble())); // exact
  }
  return numbers;
}

/// The product of both scales, divided by the divisor; where rows and columns both have scales,
/// these tensors as they are.
SmallVector<ProductParameter> ProductLoops::factors() {
  SmallVector<ProductParameter> operands{left.scales, right.scales};
  if (op.getDivisor())
    operands.push_back({op.getDivisor(), {}});
  if (!left.scales.dimensions.empty() && !right.scales.dimensions.empty())
    return operands;
  const SmallVector<int64_t> &dims =
      left.scales.dimensions.empty() ? right.scales.dimensions : left.scales.dimensions;
  std::vector<std::vector<float>> known;
  for (const ProductParameter &operand : operands)
    if (auto numbers = knownScales(operand))
      known.push_back(std::move(*numbers));
  if (known.size() == operands.size()) {
    std::vector<float> products(std::max(known[0].size(), known[1].size()));
    for (size_t i = 0; i < products.size(); ++i) {
      products[i] = known[0][known[0].size() == 1 ? 0 : i] * known[1][known[1].size() == 1 ? 0 : i];
      if (op.getDivisor())
        products[i] /= known[2].front();
    }
    auto type = RankedTensorType::get(shapeFor(dims), b.getF32Type());
    Value constant =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<float>(products)));
    return {{constant, dims}};
  }
  Value both = elementwise(
      dims, b.getF32Type(), operands, [](OpBuilder &builder, Location at, Scalars v) -> Value {
        Value result = arith::MulFOp::create(builder, at, v[0], v[1]);
        return v.size() > 2 ? arith::DivFOp::create(builder, at, result, v[2]) : result;
      });
  return {{both, dims}};
}

/// Sums with the bias, times the scales.
Value ProductLoops::scaled(Value sums) {
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  SmallVector<ProductParameter> operands{{sums, all}};
  if (op.getBias())
    operands.push_back({op.getBias(), llvm::to_vector(op.getBiasDimensions())});
  if (op.getLeftScales())
    operands.append(factors());
  return elementwise(all, op.getResultType().getElementType(), operands,
                     [&](OpBuilder &builder, Location at, Scalars v) -> Value {
                       Value sum = v[0];
                       if (op.getBias())
                         sum = arith::AddIOp::create(builder, at, sum, v[1]);
                       v = v.drop_front(op.getBias() ? 2 : 1);
                       if (v.empty())
                         return sum;
                       Value factor = v[0];
                       if (v.size() > 1)
                         factor = arith::MulFOp::create(builder, at, factor, v[1]);
                       if (v.size() > 2)
                         factor = arith::DivFOp::create(builder, at, factor, v[2]);
                       Value real = arith::SIToFPOp::create(builder, at, builder.getF32Type(), sum);
                       return arith::MulFOp::create(builder, at, real, factor);
                     });
}

} // namespace

DecomposedOp buildQuantizedProduct(OpBuilder &b, QuantizedProductOp op) {
  return ProductLoops(b, op).loops();
}

} // namespace kgen
