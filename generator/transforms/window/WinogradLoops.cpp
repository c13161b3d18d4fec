#include "transforms/window/WinogradLoops.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
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

/// A row of output tiles; the rows of all images are numbered consecutively.
struct TileRow {
  Value image, y;  ///< y: the first row of results
  Value firstTile; ///< index of its first tile in the block
  bool isSlice;    ///< its destination is the slice for this row, not the whole tensor
};

class WinogradLoops {
public:
  WinogradLoops(const WinogradConvolution &conv, const WinogradPlan &plan, Value filters,
                TargetAttr target, int64_t taskWork)
      : conv(conv), op(conv.op), plan(plan), transform(plan.tile), filters(filters),
        lanes(target.lanes(op.getAType())), taskWork(taskWork), b(op), loc(op.getLoc()),
        element(op.getAType()), tilesDown(plan.tilesAlong(conv.rows)),
        tilesAcross(plan.tilesAlong(conv.columns)), moveCost(target.tradeoffs().cachedMoveCost) {}

  void run();

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  OpFoldResult attribute(int64_t value) { return b.getIndexAttr(value); }
  AffineExpr dim(unsigned i) { return b.getAffineDimExpr(i); }
  Value apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return getValueOrCreateConstantIndexOp(
        b, loc, affine::makeComposedFoldedAffineApply(b, loc, expr, operands));
  }
  Value emitRowLoop(Value first, int64_t rows, int64_t operations, Value tensor,
                    llvm::function_ref<TensorSlice(const TileRow &)> sliceOf,
                    llvm::function_ref<Value(const TileRow &, Value, Value)> tile);
  Value emitChannelLoop(int64_t size, Value tensor,
                        llvm::function_ref<Value(Value, int64_t, Value)> body);
  Value block(Value first, int64_t rows, Value result);
  TileRow tileRow(Value first, Value row, bool isSlice);
  Value transformedInput(Value first, int64_t rows);
  Value multiply(Value input, int64_t rows);
  Value inputTile(const TileRow &row, Value column, Value tensor);
  Value outputTile(const TileRow &row, Value column, Value sums, Value tensor);
  Value epilogue(Value sum, ArrayRef<Value> indices, int64_t width);

  /// The indices of an input tile along a dimension of the image, and the masks of their elements:
  /// all ones if the index is valid; 0, with index 0, if it lies in the padding or beyond. Masks
  /// are null if all indices are valid.
  struct Indices {
    SmallVector<Value> index, mask;
  };
  Indices clampedIndices(Value begin, int64_t before, int64_t size, int64_t end);
  SmallVector<Value> outputIndices(Value begin, int64_t end);

  const WinogradConvolution &conv;
  tpp::BrgemmOp op;
  const WinogradPlan &plan;
  WinogradTransform transform;
  Value filters;
  int64_t lanes, taskWork;
  OpBuilder b;
  Location loc;
  Type element;
  int64_t tilesDown, tilesAcross; ///< output tiles of an image, along rows and columns
  int64_t moveCost; ///< scalar operations that loading or storing an element counts as
};

/// A loop over full vectors of channels, then the remainder.
Value WinogradLoops::emitChannelLoop(int64_t size, Value tensor,
                                     llvm::function_ref<Value(Value, int64_t, Value)> body) {
  return buildVectorLoop(b, loc, size, lanes, tensor, body);
}

TileRow WinogradLoops::tileRow(Value first, Value row, bool isSlice) {
  AffineExpr number = dim(0) + dim(1);
  bool isOne = conv.images == 1;
  return {isOne ? index(0) : apply(number.floorDiv(tilesDown), {first, row}),
          apply((isOne ? number : number % tilesDown) * plan.tile, {first, row}),
          apply(dim(0) * tilesAcross, {row}), isSlice};
}

/// Computes the tiles of `rows` rows. Each row is a task, unless the rows together have less than
/// `taskWork` operations; then it is a loop.
Value WinogradLoops::emitRowLoop(Value first, int64_t rows, int64_t operations, Value tensor,
                                 llvm::function_ref<TensorSlice(const TileRow &)> sliceOf,
                                 llvm::function_ref<Value(const TileRow &, Value, Value)> tile) {
  auto emitColumnLoop = [&](const TileRow &row, Value carried) {
    return buildFor(b, loc, 0, tilesAcross, 1, carried,
                    [&](Value column, Value t) { return tile(row, column, t); });
  };
  if (rows == 1 || operations * rows < taskWork)
    return buildFor(b, loc, 0, rows, 1, tensor, [&](Value row, Value whole) {
      return emitColumnLoop(tileRow(first, row, /*isSlice=*/false), whole);
    });
  auto forall = scf::ForallOp::create(b, loc, ArrayRef{attribute(rows)}, tensor, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  TileRow row = tileRow(first, forall.getInductionVars()[0], /*isSlice=*/true);
  TensorSlice slice = sliceOf(row);
  Value whole = forall.getRegionIterArgs()[0];
  Value result = emitColumnLoop(row, extract(b, loc, whole, slice));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, whole, slice.offsets, slice.sizes,
                                        slice.strides(b));
  return forall.getResult(0);
}

WinogradLoops::Indices WinogradLoops::clampedIndices(Value begin, int64_t before, int64_t size,
                                                     int64_t end) {
  Indices result;
  for (int64_t i = 0; i < transform.inputTile(); ++i) {
    Value position = apply(dim(0) + (i - before), {begin}), mask;
    if (before > 0 || end - before > size) {
      // One unsigned comparison: negative indices are large.
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, index(size));
      position = arith::SelectOp::create(b, loc, isInside, position, index(0));
      mask = arith::ExtSIOp::create(b, loc, b.getI32Type(), isInside);
    }
    result.index.push_back(position);
    result.mask.push_back(mask);
  }
  return result;
}

/// B^T d B of one tile, for all channels.
Value WinogradLoops::inputTile(const TileRow &row, Value column, Value tensor) {
  int64_t side = transform.inputTile();
  Value x = apply(dim(0) * plan.tile, {column});
  Indices rows = clampedIndices(row.y, conv.above, conv.height, (tilesDown - 1) * plan.tile + side),
          columns = clampedIndices(x, conv.left, conv.width, (tilesAcross - 1) * plan.tile + side);
  SmallVector<Value> masks;
  for (Value ofRow : rows.mask)
    for (Value ofColumn : columns.mask)
      masks.push_back(!ofRow      ? ofColumn
                      : !ofColumn ? ofRow
                                  : arith::AndIOp::create(b, loc, ofRow, ofColumn).getResult());
  Value tile = row.isSlice ? column : apply(dim(0) + dim(1), {row.firstTile, column});
  SmallVector<Value> starts;
  for (Value position : columns.index)
    starts.push_back(apply(dim(0) * conv.channels, {position}));
  return emitChannelLoop(conv.channels, tensor, [&](Value channel, int64_t width, Value t) {
    SmallVector<Value> inputs;
    auto bits = VectorType::get({width}, b.getI32Type()),
         type = VectorType::get({width}, this->element);
    for (int64_t i = 0; i < side; ++i)
      for (int64_t j = 0; j < side; ++j) {
        Value element = arith::AddIOp::create(b, loc, starts[j], channel);
        Value value = readVector(b, loc, conv.image, {row.image, rows.index[i], element}, width);
        if (Value mask = masks[i * side + j]) {
          Value vectorMask = broadcastToLanes(b, loc, mask, width);
          value = arith::BitcastOp::create(b, loc, bits, value);
          value = arith::AndIOp::create(b, loc, value, vectorMask);
          value = arith::BitcastOp::create(b, loc, type, value);
        }
        inputs.push_back(value);
      }
    for (auto [i, value] : llvm::enumerate(transform.input(b, loc, inputs)))
      t = writeVector(b, loc, value, t, {index(i), tile, channel});
    return t;
  });
}

Value WinogradLoops::transformedInput(Value first, int64_t rows) {
  int64_t products = transform.products();
  Value empty =
      emptyTensor(b, loc, ArrayRef<int64_t>{products, rows * tilesAcross, conv.channels}, element);
  int64_t operations =
      tilesAcross * conv.channels * (transform.inputOperations() + moveCost * 2 * products);
  return emitRowLoop(
      first, rows, operations, empty,
      [&](const TileRow &row) {
        return TensorSlice({attribute(0), row.firstTile, attribute(0)},
                           {attribute(products), attribute(tilesAcross), attribute(conv.channels)});
      },
      [&](const TileRow &row, Value column, Value t) { return inputTile(row, column, t); });
}

/// One gemm with a batch of the elements of an input tile.
Value WinogradLoops::multiply(Value input, int64_t rows) {
  AffineExpr element, tile, filter, channel;
  bindDims(b.getContext(), element, tile, filter, channel);
  Value empty =
      emptyTensor(b, loc, ArrayRef<int64_t>{transform.products(), rows * tilesAcross, conv.filters},
                  this->element);
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

/// The convolution's epilogue of `width` results from index [image, y, x, filter] on.
Value WinogradLoops::epilogue(Value sum, ArrayRef<Value> indices, int64_t width) {
  Block &body = op.getEpilogue().front();
  IRMapping values;
  values.map(body.getArgument(0), sum);
  for (auto [argument, operand, map] :
       llvm::zip(body.getArguments().drop_front(), op.getEpilogueIns(),
                 op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())) {
    SmallVector<Value> operandIndices;
    for (AffineExpr result : map.getResults())
      operandIndices.push_back(indices[cast<AffineDimExpr>(result).getPosition()]);
    values.map(argument,
               map.isFunctionOfDim(3)
                   ? readVector(b, loc, operand, operandIndices, width)
                   : tensor::ExtractOp::create(b, loc, operand, operandIndices).getResult());
  }
  return vectorizeBody(b, loc, body, values, width);
}

/// The indices `begin`, begin + 1, ... of an output tile along a dimension of size `end`, clamped
/// to end - 1.
SmallVector<Value> WinogradLoops::outputIndices(Value begin, int64_t end) {
  SmallVector<Value> result;
  for (int64_t i = 0; i < plan.tile; ++i) {
    if (end % plan.tile == 0) {
      result.push_back(apply(dim(0) + i, {begin}));
      continue;
    }
    auto clamp =
        AffineMap::get(1, 0, {dim(0) + i, b.getAffineConstantExpr(end - 1)}, b.getContext());
    OpFoldResult clamped = affine::makeComposedFoldedAffineMin(b, loc, clamp, {begin});
    result.push_back(getValueOrCreateConstantIndexOp(b, loc, clamped));
  }
  return result;
}

/// A^T m A of one tile and the epilogue, for all filters. Results after the image's end are
/// written to its last index; the result that belongs there is written last. This needs no
/// branches.
Value WinogradLoops::outputTile(const TileRow &row, Value column, Value sums, Value tensor) {
  Value tile = apply(dim(0) + dim(1), {row.firstTile, column});
  SmallVector<Value> ys = outputIndices(row.y, conv.rows),
                     xs = outputIndices(apply(dim(0) * plan.tile, {column}), conv.columns);
  return emitChannelLoop(conv.filters, tensor, [&](Value filter, int64_t width, Value t) {
    SmallVector<Value> products;
    for (int64_t i = 0; i < transform.products(); ++i)
      products.push_back(readVector(b, loc, sums, {index(i), tile, filter}, width));
    SmallVector<Value> results = transform.output(b, loc, products);
    for (int64_t i = plan.tile - 1; i >= 0; --i)
      for (int64_t j = plan.tile - 1; j >= 0; --j) {
        Value value =
            epilogue(results[i * plan.tile + j], {row.image, ys[i], xs[j], filter}, width);
        Value image = row.isSlice ? index(0) : row.image,
              y = row.isSlice ? apply(dim(0) - dim(1), {ys[i], row.y}) : ys[i];
        t = writeVector(b, loc, value, t, {image, y, xs[j], filter});
      }
    return t;
  });
}

/// Computes a block: `rows` rows of output tiles.
Value WinogradLoops::block(Value first, int64_t rows, Value result) {
  Value input = transformedInput(first, rows), sums = multiply(input, rows);
  int64_t operations = tilesAcross * conv.filters *
                       (transform.outputOperations() + moveCost * 2 * transform.products());
  return emitRowLoop(
      first, rows, operations, result,
      [&](const TileRow &row) {
        OpFoldResult height = attribute(plan.tile);
        if (conv.rows % plan.tile != 0) {
          auto clamp = AffineMap::get(
              1, 0, {b.getAffineConstantExpr(plan.tile), conv.rows - dim(0)}, b.getContext());
          height = affine::makeComposedFoldedAffineMin(b, loc, clamp, {row.y});
        }
        return TensorSlice(
            {row.image, row.y, attribute(0), attribute(0)},
            {attribute(1), height, attribute(conv.columns), attribute(conv.filters)});
      },
      [&](const TileRow &row, Value column, Value t) { return outputTile(row, column, sums, t); });
}

void WinogradLoops::run() {
  auto type = cast<RankedTensorType>(op.getInit().getType());
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, op.getInit());
  Value result = emptyTensor(b, loc, sizes, type.getElementType());
  bool isStatic = !ShapedType::isDynamic(conv.images);
  int64_t rows = conv.imagesTogether() * tilesDown, whole = rows / plan.tileRows * plan.tileRows;
  OpFoldResult end = isStatic ? attribute(whole)
                              : OpFoldResult(apply(b.getAffineSymbolExpr(0) * rows, {sizes[0]}));
  result = buildFor(b, loc, attribute(0), end, plan.tileRows, result,
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
