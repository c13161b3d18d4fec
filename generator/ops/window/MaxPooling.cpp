// MaxPool: the largest element of each window, and where in the image it stands.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/TypeRules.h"
#include "ops/window/ReduceWindow.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/TypeUtilities.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t nowhere = std::numeric_limits<int32_t>::max();

std::vector<TensorType> inferMaxPool(InferenceContext &context) {
  std::vector<TensorType> results = inferPool(context);
  if (results.empty())
    return results;
  int64_t order = context.integer("storage_order"), pixels = 1;
  if (order != 0 && order != 1) {
    context.error("storage_order must be 0 or 1, not " + std::to_string(order));
    return {};
  }
  const TensorShape &shape = context.input(0).shape;
  for (size_t d = 2; d < shape.size(); ++d)
    pixels *= shape.dim(d).bounds().max;
  if (pixels >= nowhere) {
    context.error("MaxPool of images of 2^31 pixels or more: the input is " +
                  context.input(0).str());
    return {};
  }
  for (size_t d = 2; d < shape.size() && context.resultCount() > 1; ++d)
    if (shape.isSymbolic(d)) {
      context.error("MaxPool of " + context.input(0).str() +
                        ": indices of images whose dimension " + std::to_string(d) +
                        " is known at run time only are not computed",
                    "give the symbol a size: a number in `dims`, or --dim");
      return {};
    }
  results.push_back({ElementType::i64, results.front().shape});
  return results;
}

/// The row-major index in the image of each row and column of the padded image: signed integers
/// of 32 bits, or `nowhere`.
Value indicesInImage(LoweringContext &c, Type rowsAndColumns, const Window &window) {
  auto type = cast<RankedTensorType>(rowsAndColumns);
  return c.indexed(type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    Value isInside, position = number(0);
    for (auto [index, axis] : {std::pair(at[0], window.height), std::pair(at[1], window.width)}) {
      Value here = arith::SubIOp::create(
          b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), index), number(axis.padBegin));
      // As an unsigned number, what is in front of the image is beyond its end.
      Value inAxis = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, here,
                                           number(*axis.input.number()));
      isInside = isInside ? arith::AndIOp::create(b, loc, isInside, inAxis).getResult() : inAxis;
      position = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, position, number(*axis.input.number())), here);
    }
    return arith::SelectOp::create(b, loc, isInside, position, number(nowhere)).getResult();
  });
}

/// The first row-major index in the image of each window's largest element. NaN is the largest.
Value indicesOfMax(LoweringContext &c, Value image, Value largest, const Window &window,
                   int64_t rows) {
  MLIRContext *context = c.b.getContext();
  Type i32 = c.b.getI32Type();
  image = padded(c, image, window, maxOf(c.resultType().element).start, /*always=*/true,
                 {rows, rows + 1});
  ArrayRef<int64_t> shape = cast<RankedTensorType>(image.getType()).getShape();
  Value indices =
      indicesInImage(c, RankedTensorType::get({shape[rows], shape[rows + 1]}, i32), window);
  AffineMap whole = windowMap(context, window, rows);
  WindowOperand perWindow{largest, AffineMap::getMultiDimMapWithTargets(6, {0, 1, 2, 3}, context)};
  WindowOperand perPixel{indices, whole.getSubMap({unsigned(rows), unsigned(rows) + 1})};
  auto combine = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(nowhere));
    Value candidate = arith::SelectOp::create(
        b, loc, tpp::scalar::isExtremum(b, loc, v.take_front(2)), v[2], none);
    return arith::MinSIOp::create(b, loc, candidate, v[3]);
  };
  return reduceWindows(c, image, window, rows, i32, {double(nowhere), combine},
                       {perWindow, perPixel});
}

/// Computes the indices where elements have at most 32 bits, as the largest of keys: an element's
/// order, then how far it is from the image's end.
Value indicesByKeys(LoweringContext &c, Value image, const Window &window, int64_t rows) {
  auto type = cast<RankedTensorType>(image.getType());
  Type i32 = c.b.getI32Type(), i64 = c.b.getI64Type();
  AffineMap identity = c.b.getMultiDimIdentityMap(4);
  Value orders =
      c.elementwise(type.clone(i32), image, [&](OpBuilder &b, Location loc, ValueRange v) {
        return tpp::scalar::ordered(b, loc, v[0], isUnsigned(c.input(0).element));
      });
  Value keys = c.indexed(
      type.clone(i64), orders, identity,
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange v) {
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
        };
        auto index = [&](int64_t d) -> Value {
          return arith::IndexCastOp::create(b, loc, i64, at[d]);
        };
        Value before =
            arith::MulIOp::create(b, loc, index(rows), number(*window.width.input.number()));
        Value position = arith::AddIOp::create(b, loc, before, index(rows + 1));
        Value order = arith::ExtSIOp::create(b, loc, i64, v[0]);
        return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, order, number(32)),
                                    arith::SubIOp::create(b, loc, number(nowhere), position))
            .getResult();
      });
  auto largest = [](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return arith::MaxSIOp::create(b, loc, v[1], v[0]);
  };
  Value found =
      reduceWindows(c, keys, window, rows, {double(std::numeric_limits<int64_t>::min()), largest});
  return c.elementwise(cast<RankedTensorType>(found.getType()).clone(i32), found,
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Value low = arith::TruncIOp::create(b, loc, i32, v[0]);
                         return arith::SubIOp::create(
                             b, loc,
                             arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(nowhere)), low);
                       });
}

/// Places in images as ONNX counts them: over all of the tensor's images, each row by row or, with
/// a `storage_order` of 1, column by column.
Value indicesInTensor(LoweringContext &c, Value indices, const Window &window, int64_t rows) {
  int64_t height = *window.height.input.number(), width = *window.width.input.number(),
          channels = c.input(0).shape[1], channel = rows == 1 ? 3 : 1;
  bool byColumns = c.integer("storage_order") == 1;
  auto type = cast<RankedTensorType>(indices.getType());
  AffineMap identity = c.b.getMultiDimIdentityMap(4);
  return c.indexed(
      type.clone(c.b.getI64Type()), indices, identity,
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) {
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
        };
        auto index = [&](int64_t d) -> Value {
          return arith::IndexCastOp::create(b, loc, b.getI64Type(), at[d]);
        };
        auto after = [&](Value first, int64_t size, Value second) -> Value {
          return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, first, number(size)),
                                       second);
        };
        Value position = scalars[0];
        if (byColumns) {
          Value columns = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(width)),
                all = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(height));
          Value row = arith::DivUIOp::create(b, loc, position, columns),
                column = arith::RemUIOp::create(b, loc, position, columns);
          position = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, column, all), row);
        }
        Value image = after(index(0), channels, index(channel));
        return after(image, height * width,
                     arith::ExtSIOp::create(b, loc, b.getI64Type(), position));
      });
}

void lowerMaxPool(LoweringContext &c) {
  Window window = *poolOf(c);
  int64_t rows = dimensionOfRows(c);
  ElementType type = c.resultType().element;
  Value image = pooledImage(c, rows);
  Value values = reduceWindows(c, image, window, rows, maxOf(type));
  if (isFloat(type))
    values = c.rounded(values, toMlir(type, c.b.getContext()));
  setPooled(c, values, rows);
  if (!c.hasResult(1))
    return;
  Value indices = type == ElementType::f64 ? indicesOfMax(c, image, values, window, rows)
                                           : indicesByKeys(c, image, window, rows);
  setPooled(c, indicesInTensor(c, indices, window, rows), rows, 1);
}

} // namespace

std::vector<Operator> maxPoolingOperators() {
  Operator op = pool(
      "MaxPool", "the largest element of each window and its index in the input; NaN propagates");
  op.outputs = 2;
  op.optionalOutputs = 1;
  op.types.insert(op.types.end(), {ElementType::i8, ElementType::u8});
  op.attributes.push_back({"storage_order", AttributeKind::integer, int64_t(0), false,
                           "1: indices count the elements of images column by column"});
  op.infer = inferMaxPool;
  op.lower = lowerMaxPool;
  return {op};
}

} // namespace kgen
