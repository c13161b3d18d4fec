// Rows of floats become bytes with scales: loops over rows and blocks, in vectors.
#include "analysis/SizeBounds.h"
#include "costmodel/TaskTiles.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/layout/MatmulNbits.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the loops of one operation: over tasks, rows, and blocks with one scale.
class RowLoops {
public:
  RowLoops(QuantizeRowsOp op, TargetAttr target, int64_t taskWork)
      : op(op), b(op), loc(op.getLoc()), target(target), taskWork(taskWork), k(op.getK()),
        block(op.getBlock()), scaleBlock(op.getScaleBlock()),
        lanes(std::min(block, target.lanes(b.getF32Type()))),
        bytesOfBlock(BlockwiseQuantAttr::rowBlockBytes(block)), f32(b.getF32Type()),
        i32(b.getI32Type()) {}

  void run();

private:
  using Vectors = SmallVector<Value>;
  /// A row in A and in the part of the result that a task writes.
  struct Row {
    Value inA, inPart;
  };
  /// Scale of a block, from its largest magnitude.
  struct Scale {
    Value reciprocal; ///< 127 / magnitude
    Value mask;       ///< i32: all bits where values count, else 0
    Value scale;      ///< magnitude / 127, 0 or NaN
  };

  int64_t rowsOfTask();
  Value rows(Value first, Value result, OpFoldResult count);
  Value scaleBlockAt(const Row &row, Value index, int64_t values, Value result);
  Value blockOf(ArrayRef<Value> values, const Scale &scale, Value row, Value at, Value result);
  Vectors read(Value row, Value first, int64_t values);
  Value readLanes(Value row, Value at, int64_t count);
  Value magnitudeBits(ArrayRef<Value> values);
  Scale scaleOf(Value magnitudeBits);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value plus(Value value, int64_t more) {
    return more == 0 ? value : b.createOrFold<arith::AddIOp>(loc, value, index(more));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value real(float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }
  Value splat(Value scalar, int64_t count) {
    return vector::BroadcastOp::create(b, loc, VectorType::get({count}, scalar.getType()), scalar);
  }
  Value write(Value vector, Value result, Value row, Value at) {
    return vector::TransferWriteOp::create(b, loc, vector, result, ValueRange{row, at},
                                           ArrayRef{true})
        .getResult();
  }

  QuantizeRowsOp op;
  OpBuilder b;
  Location loc;
  TargetAttr target;
  int64_t taskWork, k, block, scaleBlock, lanes, bytesOfBlock;
  Type f32, i32;
};

/// `count` values of a row, at most `lanes`, as f32, and zeros after them.
Value RowLoops::readLanes(Value row, Value at, int64_t count) {
  auto whole = VectorType::get({lanes}, f32);
  if (count <= 0)
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(whole));
  Type element = getElementTypeOrSelf(op.getA().getType());
  auto type = VectorType::get({std::min(count, lanes)}, element);
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value values = vector::TransferReadOp::create(b, loc, type, op.getA(), ValueRange{row, at},
                                                padding, ArrayRef{true});
  if (element != f32)
    values = arith::ExtFOp::create(b, loc, type.clone(f32), values);
  if (count >= lanes)
    return values;
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(whole));
  return vector::InsertStridedSliceOp::create(b, loc, values, zeros, ArrayRef<int64_t>{0},
                                              ArrayRef<int64_t>{1});
}

/// `values` values of a row and zeros up to the end of the last block, in vectors.
RowLoops::Vectors RowLoops::read(Value row, Value first, int64_t values) {
  Vectors result;
  auto end = static_cast<int64_t>(llvm::alignTo(values, block));
  for (int64_t at = 0; at < end; at += lanes)
    result.push_back(readLanes(row, plus(first, at), values - at));
  return result;
}

/// The bits of the largest magnitude. As integers, magnitudes have the order that they have as
/// floats, and NaN is above all.
Value RowLoops::magnitudeBits(ArrayRef<Value> values) {
  auto integers = VectorType::get({lanes}, i32);
  Value largest;
  for (Value value : values) {
    Value bits = arith::BitcastOp::create(b, loc, integers, value);
    bits = arith::AndIOp::create(b, loc, bits, splat(integer(0x7fffffff), lanes));
    largest = largest ? arith::MaxSIOp::create(b, loc, largest, bits).getResult() : bits;
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXSI, largest);
}

RowLoops::Scale RowLoops::scaleOf(Value bits) {
  constexpr int64_t infinity = 0x7f800000;
  auto least = llvm::bit_cast<int32_t>(QuantizeRowsOp::leastMagnitude);
  using arith::CmpIPredicate;
  Value isLarge = arith::CmpIOp::create(b, loc, CmpIPredicate::sge, bits, integer(least)),
        isFinite = arith::CmpIOp::create(b, loc, CmpIPredicate::slt, bits, integer(infinity)),
        counts = arith::AndIOp::create(b, loc, isLarge, isFinite);
  Value magnitude = arith::BitcastOp::create(b, loc, f32, bits), most = real(127);
  // The division is of a number that has a quotient, whatever the magnitude.
  Value divisor = arith::SelectOp::create(b, loc, counts, magnitude, real(1));
  Value otherwise = arith::SelectOp::create(b, loc, isFinite, real(0),
                                            real(std::numeric_limits<float>::quiet_NaN()));
  return {arith::DivFOp::create(b, loc, most, divisor), arith::ExtSIOp::create(b, loc, i32, counts),
          arith::SelectOp::create(b, loc, counts, arith::DivFOp::create(b, loc, magnitude, most),
                                  otherwise)};
}

/// Writes a block of the result from byte `at` of the row on.
Value RowLoops::blockOf(ArrayRef<Value> values, const Scale &scale, Value row, Value at,
                        Value result) {
  auto integers = VectorType::get({lanes}, i32);
  Value sum;
  for (auto [number, value] : llvm::enumerate(values)) {
    Value scaled = arith::MulFOp::create(b, loc, value, splat(scale.reciprocal, lanes));
    // Infinity times anything and NaN become 0, which has an integer.
    Value bits = arith::BitcastOp::create(b, loc, integers, scaled);
    bits = arith::AndIOp::create(b, loc, bits, splat(scale.mask, lanes));
    scaled = arith::BitcastOp::create(b, loc, value.getType(), bits);
    Value rounded = math::RoundEvenOp::create(b, loc, scaled);
    rounded = arith::FPToSIOp::create(b, loc, integers, rounded);
    sum = sum ? arith::AddIOp::create(b, loc, sum, rounded).getResult() : rounded;
    Value bytes = arith::TruncIOp::create(b, loc, integers.clone(b.getI8Type()), rounded);
    result = write(bytes, result, row, plus(at, static_cast<int64_t>(number) * lanes));
  }
  sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sum);
  Value negative = arith::SubIOp::create(b, loc, integer(0), sum),
        scaleBits = arith::BitcastOp::create(b, loc, i32, scale.scale);
  Value both = vector::FromElementsOp::create(b, loc, VectorType::get({2}, i32),
                                              ValueRange{scaleBits, negative});
  both = vector::BitCastOp::create(b, loc, VectorType::get({8}, b.getI8Type()), both);
  return write(both, result, row, plus(at, block));
}

/// The blocks with scale number `index`, which has `values` values.
Value RowLoops::scaleBlockAt(const Row &row, Value index, int64_t values, Value result) {
  Value first = b.createOrFold<arith::MulIOp>(loc, index, this->index(scaleBlock)),
        at = b.createOrFold<arith::MulIOp>(loc, index,
                                           this->index(scaleBlock / block * bytesOfBlock));
  Vectors vectors = read(row.inA, first, values);
  Scale scale = scaleOf(magnitudeBits(vectors));
  ArrayRef<Value> left = vectors;
  auto inBlock = static_cast<size_t>(block / lanes);
  for (int64_t number = 0; !left.empty(); ++number, left = left.drop_front(inBlock))
    result = blockOf(left.take_front(inBlock), scale, row.inPart, plus(at, number * bytesOfBlock),
                     result);
  return result;
}

/// All `count` rows of `result`, a part of it, from row `first` of A on.
Value RowLoops::rows(Value first, Value result, OpFoldResult count) {
  auto loopOver = [&](Value end, Value init, llvm::function_ref<Value(Value, Value)> body) {
    auto loop = scf::ForOp::create(b, loc, index(0), end, index(1), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  };
  Value end = getValueOrCreateConstantIndexOp(b, loc, count);
  return loopOver(end, result, [&](Value number, Value all) {
    Row row{b.createOrFold<arith::AddIOp>(loc, first, number), number};
    int64_t whole = k / scaleBlock, rest = k % scaleBlock;
    if (whole > 0)
      all = loopOver(index(whole), all, [&](Value index, Value some) {
        return scaleBlockAt(row, index, scaleBlock, some);
      });
    return rest > 0 ? scaleBlockAt(row, index(whole), rest, all) : all;
  });
}

/// Rows of a task: equal parts of a number that is known, else of the greatest one.
int64_t RowLoops::rowsOfTask() {
  std::optional<SizeBounds> bounds = sizeBoundsOf(op.getA(), 0);
  int64_t most = std::max<int64_t>(1, bounds ? bounds->greatest : 1);
  constexpr int64_t operations = 8; // for a value
  int64_t wanted = std::min(maxTasksOf(target.cpu()), most * k * operations / taskWork);
  if (!bounds || !bounds->isExact())
    return llvm::divideCeil(most, std::max<int64_t>(wanted, 1));
  return most / evenParts(target.cpu(), most, 1, 1, std::max<int64_t>(wanted, 1));
}

void RowLoops::run() {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  OpFoldResult m = sizeOf(b, loc, op.getA(), 0), bytes = b.getIndexAttr(type.getDimSize(1));
  int64_t ofTask = rowsOfTask();
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult tasks =
      affine::makeComposedFoldedAffineApply(b, loc, d0.ceilDiv(ofTask), ArrayRef<OpFoldResult>{m});
  Value init = emptyTensor(b, loc, ArrayRef<OpFoldResult>{m, bytes}, type.getElementType());
  auto forall = scf::ForallOp::create(b, loc, tasks, init, std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  Value first = b.createOrFold<arith::MulIOp>(loc, forall.getInductionVar(0), index(ofTask));
  std::optional<int64_t> known = getConstantIntValue(m);
  OpFoldResult count = b.getIndexAttr(ofTask);
  if (!known || *known % ofTask != 0) // the last task has the rest
    count = affine::makeComposedFoldedAffineMin(
        b, loc, AffineMap::get(2, 0, {b.getAffineConstantExpr(ofTask), d1 - d0}, b.getContext()),
        {OpFoldResult(first), m});
  Value out = forall.getRegionIterArgs()[0];
  TensorSlice slice({OpFoldResult(first), b.getIndexAttr(0)}, {count, bytes});
  Value written = rows(first, extract(b, loc, out, slice), count);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, written, out, slice.offsets, slice.sizes,
                                        slice.strides(b));
  op.getResult().replaceAllUsesWith(forall.getResult(0));
  op.erase();
}

} // namespace

void lowerQuantizedRows(QuantizeRowsOp op, TargetAttr target, int64_t taskWork) {
  RowLoops(op, target, taskWork).run();
}

} // namespace kgen
