#include "transforms/window/WinogradLoops.h"

#include "dialect/kgen/TensorSlice.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"
#include "transforms/window/WinogradTransform.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Scalar operations that moving an element counts as, when it is decided what is a task.
constexpr int64_t moved = 4;

/// A row of tiles, of all images one after another.
struct TileRow {
  Value image, y; ///< y: the first row of results
  Value place;    ///< of its first tile among those of the block
  bool alone;     ///< what it writes to is the part of the whole for this row
};

class WinogradLoops {
public:
  WinogradLoops(const WinogradConvolution &conv, const WinogradPlan &plan, Value filters,
                TargetAttr target, int64_t taskWork)
      : conv(conv), op(conv.op), plan(plan), transform(plan.tile), filters(filters),
        lanes(target.lanes(op.getAType())), taskWork(taskWork), b(op), loc(op.getLoc()),
        element(op.getAType()), down(plan.across(conv.rows)), across(plan.across(conv.columns)) {}

  void run();

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  OpFoldResult attribute(int64_t value) { return b.getIndexAttr(value); }
  AffineExpr dim(unsigned i) { return b.getAffineDimExpr(i); }
  Value apply(AffineExpr expr, ArrayRef<OpFoldResult> at) {
    return getValueOrCreateConstantIndexOp(b, loc,
                                           affine::makeComposedFoldedAffineApply(b, loc, expr, at));
  }
  Value overRows(Value first, int64_t rows, int64_t operations, Value tensor,
                 llvm::function_ref<TensorSlice(const TileRow &)> partOf,
                 llvm::function_ref<Value(const TileRow &, Value, Value)> tile);
  Value overChannels(int64_t size, Value tensor,
                     llvm::function_ref<Value(Value, int64_t, Value)> body);
  Value block(Value first, int64_t rows, Value result);
  TileRow tileRow(Value first, Value row, bool alone);
  Value transformedInput(Value first, int64_t rows);
  Value products(Value input, int64_t rows);
  Value inputTile(const TileRow &row, Value column, Value tensor);
  Value outputTile(const TileRow &row, Value column, Value sums, Value tensor);
  Value finished(Value sum, ArrayRef<Value> at, int64_t width);

  /// Places of a window along a dimension of the image, and for those that may be outside, the
  /// bits of an element that are kept there.
  struct Places {
    SmallVector<Value> at, kept;
  };
  Places places(Value begin, int64_t before, int64_t size, int64_t end);
  SmallVector<Value> placesWithin(Value begin, int64_t end);

  const WinogradConvolution &conv;
  tpp::BrgemmOp op;
  const WinogradPlan &plan;
  WinogradTransform transform;
  Value filters;
  int64_t lanes, taskWork;
  OpBuilder b;
  Location loc;
  Type element;
  int64_t down, across; ///< tiles of an image
};

/// Whole vectors of channels, and what is left.
Value WinogradLoops::overChannels(int64_t size, Value tensor,
                                  llvm::function_ref<Value(Value, int64_t, Value)> body) {
  return buildVectorLoop(b, loc, size, lanes, tensor, body);
}

TileRow WinogradLoops::tileRow(Value first, Value row, bool alone) {
  AffineExpr at = dim(0) + dim(1);
  bool isOne = conv.images == 1;
  return {isOne ? index(0) : apply(at.floorDiv(down), {first, row}),
          apply((isOne ? at : at % down) * plan.tile, {first, row}), apply(dim(0) * across, {row}),
          alone};
}

/// The tiles of `rows` rows, each row a task; a loop if they have too little to do.
Value WinogradLoops::overRows(Value first, int64_t rows, int64_t operations, Value tensor,
                              llvm::function_ref<TensorSlice(const TileRow &)> partOf,
                              llvm::function_ref<Value(const TileRow &, Value, Value)> tile) {
  auto overColumns = [&](const TileRow &row, Value carried) {
    return buildFor(b, loc, 0, across, 1, carried,
                    [&](Value column, Value t) { return tile(row, column, t); });
  };
  if (rows == 1 || operations * rows < taskWork)
    return buildFor(b, loc, 0, rows, 1, tensor, [&](Value row, Value whole) {
      return overColumns(tileRow(first, row, /*alone=*/false), whole);
    });
  auto forall = scf::ForallOp::create(b, loc, ArrayRef{attribute(rows)}, tensor, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  TileRow row = tileRow(first, forall.getInductionVars()[0], /*alone=*/true);
  TensorSlice part = partOf(row);
  Value whole = forall.getRegionIterArgs()[0];
  Value result = overColumns(row, extract(b, loc, whole, part));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, whole, part.offsets, part.sizes,
                                        part.steps(b));
  return forall.getResult(0);
}

WinogradLoops::Places WinogradLoops::places(Value begin, int64_t before, int64_t size,
                                            int64_t end) {
  Places result;
  for (int64_t i = 0; i < transform.window(); ++i) {
    Value at = apply(dim(0) + (i - before), {begin}), kept;
    if (before > 0 || end - before > size) {
      // One comparison: what is negative is large without a sign.
      Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(size));
      at = arith::SelectOp::create(b, loc, isInside, at, index(0));
      kept = arith::ExtSIOp::create(b, loc, b.getI32Type(), isInside);
    }
    result.at.push_back(at);
    result.kept.push_back(kept);
  }
  return result;
}

/// B^T d B of one tile, for all channels.
Value WinogradLoops::inputTile(const TileRow &row, Value column, Value tensor) {
  int64_t side = transform.window();
  Value x = apply(dim(0) * plan.tile, {column});
  Places rows = places(row.y, conv.above, conv.height, (down - 1) * plan.tile + side),
         columns = places(x, conv.left, conv.width, (across - 1) * plan.tile + side);
  SmallVector<Value> kept;
  for (Value ofRow : rows.kept)
    for (Value ofColumn : columns.kept)
      kept.push_back(!ofRow      ? ofColumn
                     : !ofColumn ? ofRow
                                 : arith::AndIOp::create(b, loc, ofRow, ofColumn).getResult());
  Value place = row.alone ? column : apply(dim(0) + dim(1), {row.place, column});
  SmallVector<Value> starts;
  for (Value at : columns.at)
    starts.push_back(apply(dim(0) * conv.channels, {at}));
  return overChannels(conv.channels, tensor, [&](Value channel, int64_t width, Value t) {
    SmallVector<Value> window;
    auto bits = VectorType::get({width}, b.getI32Type()), type = VectorType::get({width}, element);
    for (int64_t i = 0; i < side; ++i)
      for (int64_t j = 0; j < side; ++j) {
        Value at = arith::AddIOp::create(b, loc, starts[j], channel);
        Value value = readVector(b, loc, conv.image, {row.image, rows.at[i], at}, width);
        if (Value mask = kept[i * side + j]) {
          Value wide = broadcastToLanes(b, loc, mask, width);
          value = arith::BitcastOp::create(b, loc, bits, value);
          value = arith::AndIOp::create(b, loc, value, wide);
          value = arith::BitcastOp::create(b, loc, type, value);
        }
        window.push_back(value);
      }
    for (auto [i, value] : llvm::enumerate(transform.input(b, loc, window)))
      t = writeVector(b, loc, value, t, {index(i), place, channel});
    return t;
  });
}

Value WinogradLoops::transformedInput(Value first, int64_t rows) {
  int64_t products = transform.products();
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{products, rows * across, conv.channels}, element);
  int64_t operations =
      across * conv.channels * (transform.inputOperations() + moved * 2 * products);
  return overRows(
      first, rows, operations, empty,
      [&](const TileRow &row) {
        return TensorSlice({attribute(0), row.place, attribute(0)},
                           {attribute(products), attribute(across), attribute(conv.channels)});
      },
      [&](const TileRow &row, Value column, Value t) { return inputTile(row, column, t); });
}

/// A product of matrices for each element of a window.
Value WinogradLoops::products(Value input, int64_t rows) {
  AffineExpr element, tile, filter, channel;
  bindDims(b.getContext(), element, tile, filter, channel);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{transform.products(), rows * across, conv.filters}, this->element);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(4, 0, results, b.getContext());
  };
  auto gemm = tpp::GemmOp::create(
      b, loc, empty.getType(), input, filters, ValueRange(), empty, map({element, tile, channel}),
      map({element, channel, filter}), b.getAffineMapArrayAttr({}), IntegerAttr(), /*vnni=*/1,
      /*accumulate=*/false, op.getStrictOrder(), /*a_unsigned=*/false, /*b_unsigned=*/false,
      BlockwiseQuantAttr(), DenseI64ArrayAttr(), /*f16_accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&gemm.getEpilogue(), {}, {this->element}, {loc});
  tpp::YieldOp::create(b, loc, body->getArgument(0));
  return gemm->getResult(0);
}

/// The convolution's epilogue for the results at [image, y, x, filter].
Value WinogradLoops::finished(Value sum, ArrayRef<Value> at, int64_t width) {
  Block &body = op.getEpilogue().front();
  IRMapping values;
  values.map(body.getArgument(0), sum);
  for (auto [argument, extra, map] :
       llvm::zip(body.getArguments().drop_front(), op.getEpilogueIns(),
                 op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())) {
    SmallVector<Value> place;
    for (AffineExpr result : map.getResults())
      place.push_back(at[cast<AffineDimExpr>(result).getPosition()]);
    values.map(argument, map.isFunctionOfDim(3)
                             ? readVector(b, loc, extra, place, width)
                             : tensor::ExtractOp::create(b, loc, extra, place).getResult());
  }
  return vectorizeBody(b, loc, body, values, width);
}

/// The places `begin`, begin + 1, ... of a tile along a dimension; those behind `end` are its last.
SmallVector<Value> WinogradLoops::placesWithin(Value begin, int64_t end) {
  SmallVector<Value> result;
  for (int64_t i = 0; i < plan.tile; ++i) {
    if (end % plan.tile == 0) {
      result.push_back(apply(dim(0) + i, {begin}));
      continue;
    }
    auto least =
        AffineMap::get(1, 0, {dim(0) + i, b.getAffineConstantExpr(end - 1)}, b.getContext());
    OpFoldResult place = affine::makeComposedFoldedAffineMin(b, loc, least, {begin});
    result.push_back(getValueOrCreateConstantIndexOp(b, loc, place));
  }
  return result;
}

/// A^T m A of one tile and the epilogue, for all filters. What a tile has behind the image's end is
/// written to its last place, in an order in which what belongs there comes last: no branches.
Value WinogradLoops::outputTile(const TileRow &row, Value column, Value sums, Value tensor) {
  Value place = apply(dim(0) + dim(1), {row.place, column});
  SmallVector<Value> ys = placesWithin(row.y, conv.rows),
                     xs = placesWithin(apply(dim(0) * plan.tile, {column}), conv.columns);
  return overChannels(conv.filters, tensor, [&](Value filter, int64_t width, Value t) {
    SmallVector<Value> window;
    for (int64_t i = 0; i < transform.products(); ++i)
      window.push_back(readVector(b, loc, sums, {index(i), place, filter}, width));
    SmallVector<Value> results = transform.output(b, loc, window);
    for (int64_t i = plan.tile - 1; i >= 0; --i)
      for (int64_t j = plan.tile - 1; j >= 0; --j) {
        Value value =
            finished(results[i * plan.tile + j], {row.image, ys[i], xs[j], filter}, width);
        Value image = row.alone ? index(0) : row.image,
              y = row.alone ? apply(dim(0) - dim(1), {ys[i], row.y}) : ys[i];
        t = writeVector(b, loc, value, t, {image, y, xs[j], filter});
      }
    return t;
  });
}

/// The results of `rows` rows of tiles.
Value WinogradLoops::block(Value first, int64_t rows, Value result) {
  Value input = transformedInput(first, rows), sums = products(input, rows);
  int64_t operations =
      across * conv.filters * (transform.outputOperations() + moved * 2 * transform.products());
  return overRows(
      first, rows, operations, result,
      [&](const TileRow &row) {
        OpFoldResult tall = attribute(plan.tile);
        if (conv.rows % plan.tile != 0) {
          auto least = AffineMap::get(
              1, 0, {b.getAffineConstantExpr(plan.tile), conv.rows - dim(0)}, b.getContext());
          tall = affine::makeComposedFoldedAffineMin(b, loc, least, {row.y});
        }
        return TensorSlice({row.image, row.y, attribute(0), attribute(0)},
                           {attribute(1), tall, attribute(conv.columns), attribute(conv.filters)});
      },
      [&](const TileRow &row, Value column, Value t) { return outputTile(row, column, sums, t); });
}

void WinogradLoops::run() {
  auto type = cast<RankedTensorType>(op.getInit().getType());
  Value result = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  int64_t rows = conv.images * down, whole = rows / plan.tileRows * plan.tileRows;
  result = buildFor(b, loc, 0, whole, plan.tileRows, result,
                    [&](Value first, Value t) { return block(first, plan.tileRows, t); });
  if (whole < rows)
    result = block(index(whole), rows - whole, result);
  op->getResult(0).replaceAllUsesWith(result);
  op.erase();
}

} // namespace

void expandWinograd(const WinogradConvolution &convolution, const WinogradPlan &plan, Value filters,
                    TargetAttr target, int64_t taskWork) {
  WinogradLoops(convolution, plan, filters, target, taskWork).run();
}

} // namespace kgen
