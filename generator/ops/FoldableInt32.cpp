#include "ops/FoldableInt32.h"

#include "dialect/tpp/Scalars.h"
#include "ops/Axes.h"
#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {

/// Modulo 2^32.
static int32_t wrapped(int64_t number) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(number)));
}

IntegerTerm IntegerTerm::constant(ArrayRef<int64_t> shape, std::vector<int64_t> numbers) {
  IntegerTerm term;
  term.dims.assign(shape.begin(), shape.end());
  term.known.emplace();
  for (int64_t number : numbers)
    term.known->push_back(wrapped(number));
  return term;
}

IntegerTerm IntegerTerm::value(ArrayRef<int64_t> shape, Value value) {
  IntegerTerm term;
  term.dims.assign(shape.begin(), shape.end());
  term.tensor = value;
  return term;
}

int64_t IntegerTerm::elementCount() const {
  int64_t count = 1;
  for (int64_t size : dims)
    count *= size;
  return count;
}

Value IntegerTerm::materialize(LoweringContext &c) const {
  if (tensor)
    return tensor;
  auto type = RankedTensorType::get(dims, c.b.getI32Type());
  return arith::ConstantOp::create(c.b, c.loc,
                                   DenseElementsAttr::get(type, ArrayRef<int32_t>(*known)));
}

namespace {

/// The element of a tensor of `shape` that belongs to element `index` of one of shape `whole`.
size_t broadcastIndex(size_t index, ArrayRef<int64_t> whole, ArrayRef<int64_t> shape) {
  size_t result = 0, stride = 1;
  for (size_t back = 1; back <= whole.size(); ++back) {
    size_t size = whole[whole.size() - back], at = index % size;
    index /= size;
    if (back > shape.size())
      continue;
    size_t own = shape[shape.size() - back];
    if (own != 1)
      result += at * stride;
    stride *= own;
  }
  return result;
}

using Scalar = Value (*)(OpBuilder &, Location, ValueRange);

IntegerTerm combine(LoweringContext &c, const IntegerTerm &a, const IntegerTerm &b,
                    int64_t (*number)(int64_t, int64_t), Scalar scalar) {
  std::vector<int64_t> shape = *broadcastShapes(a.shape().vec(), b.shape().vec());
  if (!a.numbers() || !b.numbers()) {
    auto type = RankedTensorType::get(shape, c.b.getI32Type());
    return IntegerTerm::value(shape,
                              c.elementwise(type, {a.materialize(c), b.materialize(c)}, scalar));
  }
  std::vector<int64_t> numbers(TensorType{ElementType::i32, shape}.elementCount());
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = number((*a.numbers())[broadcastIndex(i, shape, a.shape())],
                        (*b.numbers())[broadcastIndex(i, shape, b.shape())]);
  return IntegerTerm::constant(shape, std::move(numbers));
}

} // namespace

IntegerTerm multiply(LoweringContext &c, const IntegerTerm &a, const IntegerTerm &b) {
  return combine(
      c, a, b, [](int64_t x, int64_t y) { return x * y; }, tpp::scalar::mul);
}

IntegerTerm subtract(LoweringContext &c, const IntegerTerm &a, const IntegerTerm &b) {
  return combine(
      c, a, b, [](int64_t x, int64_t y) { return x - y; }, tpp::scalar::sub);
}

Value subtractProducts(LoweringContext &c, Value from, ArrayRef<Factors> products) {
  if (products.empty())
    return from;
  SmallVector<Value> operands = {from};
  for (const Factors &factors : products)
    for (const IntegerTerm &factor : factors)
      operands.push_back(factor.materialize(c));
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value result = v.front();
    v = v.drop_front();
    for (const Factors &factors : products) {
      Value product = v.front();
      for (Value next : v.take_front(factors.size()).drop_front())
        product = tpp::scalar::mul(b, loc, {product, next});
      v = v.drop_front(factors.size());
      result = tpp::scalar::sub(b, loc, {result, product});
    }
    return result;
  };
  return c.elementwise(cast<RankedTensorType>(from.getType()), operands, body);
}

Value asInt32(LoweringContext &c, Value value, ElementType type) {
  auto type32 = cast<RankedTensorType>(value.getType()).clone(c.b.getI32Type());
  return c.elementwise(type32, value, [&](OpBuilder &b, Location loc, ValueRange x) {
    return extended(b, loc, x[0], type, b.getI32Type());
  });
}

std::vector<int64_t> sumsOfConstant(const std::vector<int64_t> &numbers, ArrayRef<int64_t> shape,
                                    size_t axis) {
  size_t inner = elementsInside(shape, static_cast<int64_t>(axis)), size = shape[axis];
  std::vector<int64_t> sums(numbers.size() / size);
  for (size_t i = 0; i < numbers.size(); ++i)
    sums[i / (inner * size) * inner + i % inner] += numbers[i];
  return sums;
}

} // namespace kgen
