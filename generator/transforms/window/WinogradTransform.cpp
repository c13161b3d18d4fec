#include "transforms/window/WinogradTransform.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

using Values = SmallVector<Value>;

/// One-dimensional transforms of vectors with the fewest operations known.
class Transform1D {
public:
  Transform1D(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(cast<VectorType>(type)) {}

  Values input(int64_t tile, ArrayRef<Value> d) {
    if (tile == 2)
      return {sub(d[0], d[2]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[1], d[3])};
    Value even = added(d[4], -4, d[2]), odd = added(d[3], -4, d[1]);
    Value outer = sub(d[4], d[2]), inner = sub(d[3], d[1]);
    return {added(outer, 4, sub(d[0], d[2])),
            add(even, odd),
            sub(even, odd),
            added(outer, 2, inner),
            added(outer, -2, inner),
            added(sub(d[5], d[3]), -4, inner)};
  }

  Values output(int64_t tile, ArrayRef<Value> m) {
    if (tile == 2)
      return {add(add(m[0], m[1]), m[2]), sub(sub(m[1], m[2]), m[3])};
    Value ones = add(m[1], m[2]), signedOnes = sub(m[1], m[2]);
    Value twos = add(m[3], m[4]), signedTwos = sub(m[3], m[4]);
    return {add(add(m[0], ones), twos), added(signedOnes, 2, signedTwos), added(ones, 4, twos),
            added(add(signedOnes, m[5]), 8, signedTwos)};
  }

private:
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  /// sum + factor * x
  Value added(Value sum, double factor, Value x) {
    Attribute number = b.getFloatAttr(type.getElementType(), factor);
    Value constant = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
    return vector::FMAOp::create(b, loc, constant, x, sum);
  }

  OpBuilder &b;
  Location loc;
  VectorType type;
};

/// Applies `transform` to the rows of a square tile, then to the columns of the result.
Values transform2D(ArrayRef<Value> square, int64_t side,
                   llvm::function_ref<Values(ArrayRef<Value>)> transform) {
  SmallVector<Values> rows;
  for (int64_t row = 0; row < side; ++row)
    rows.push_back(transform(square.slice(row * side, side)));
  auto width = static_cast<int64_t>(rows.front().size());
  SmallVector<Values> columns;
  for (int64_t column = 0; column < width; ++column)
    columns.push_back(
        transform(Values(llvm::map_range(rows, [&](Values &row) { return row[column]; }))));
  Values result;
  for (int64_t row = 0; row < width; ++row)
    for (Values &column : columns)
      result.push_back(column[row]);
  return result;
}

} // namespace

SmallVector<Value> WinogradTransform::input(OpBuilder &b, Location loc,
                                            ArrayRef<Value> image) const {
  Transform1D transform(b, loc, image.front().getType());
  return transform2D(image, inputTile(),
                     [&](ArrayRef<Value> d) { return transform.input(tile, d); });
}

SmallVector<Value> WinogradTransform::output(OpBuilder &b, Location loc,
                                             ArrayRef<Value> sums) const {
  Transform1D transform(b, loc, sums.front().getType());
  return transform2D(sums, inputTile(),
                     [&](ArrayRef<Value> d) { return transform.output(tile, d); });
}

void WinogradTransform::filters(ArrayRef<float> taps, int64_t count,
                                MutableArrayRef<float> result) const {
  using Row = std::array<double, 3>;
  static constexpr Row two[] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static constexpr Row four[] = {{1. / 4, 0, 0},
                                 {-1. / 6, -1. / 6, -1. / 6},
                                 {-1. / 6, 1. / 6, -1. / 6},
                                 {1. / 24, 1. / 12, 1. / 6},
                                 {1. / 24, -1. / 12, 1. / 6},
                                 {0, 0, 1}};
  ArrayRef<Row> rows = tile == 2 ? ArrayRef(two) : ArrayRef(four);
  // Columns of the filters first: [3][count] for each row of G.
  std::vector<double> row(3 * count);
  for (int64_t i = 0; i < inputTile(); ++i) {
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t at = 0; at < count; ++at)
        row[j * count + at] = rows[i][0] * taps[j * count + at] +
                              rows[i][1] * taps[(3 + j) * count + at] +
                              rows[i][2] * taps[(6 + j) * count + at];
    for (int64_t j = 0; j < inputTile(); ++j)
      for (int64_t at = 0; at < count; ++at)
        result[(i * inputTile() + j) * count + at] = static_cast<float>(
            rows[j][0] * row[at] + rows[j][1] * row[count + at] + rows[j][2] * row[2 * count + at]);
  }
}

} // namespace kgen
