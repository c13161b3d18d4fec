// Decomposes matmuls with blockwise quantized weights: weights as f32, then a contraction.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/layout/MatmulNbits.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using utils::IteratorType;

class NbitsDecomposer {
public:
  explicit NbitsDecomposer(MatmulNbitsOp op)
      : op(op), b(op), loc(op.getLoc()), bits(op.getBits()), f32(b.getF32Type()) {}

  void run() {
    op.getResult().replaceAllUsesWith(contraction(weights()));
    op.erase();
  }

private:
  Value weights();
  Value roundedRows();
  Value magnitude(Value row, Value first);
  Value rounded(Value x, Value magnitude);
  Value contraction(Value weights);
  Value integer(Value byte, Value position);

  AffineMap map(unsigned dims, ArrayRef<AffineExpr> results) {
    return AffineMap::get(dims, 0, results, b.getContext());
  }
  /// A new matrix of f32 with as many rows as A.
  Value withRowsOfA(int64_t columns) {
    SmallVector<OpFoldResult> sizes{sizeOf(b, loc, op.getA(), 0), b.getIndexAttr(columns)};
    return emptyTensor(b, loc, sizes, f32);
  }
  Value real(float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value toF32(Value value) {
    return value.getType() == f32 ? value : arith::ExtFOp::create(b, loc, f32, value).getResult();
  }

  MatmulNbitsOp op;
  OpBuilder b;
  Location loc;
  int64_t bits;
  Type f32;
};

/// Integer number `position` of the row, of which `byte` holds it, minus half of its range.
Value NbitsDecomposer::integer(Value byte, Value position) {
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value value = arith::ExtUIOp::create(b, loc, i32, byte);
  if (bits == 4) {
    Value index = arith::IndexCastOp::create(b, loc, i32, position);
    Value odd = arith::AndIOp::create(b, loc, index, number(1));
    Value shift = arith::MulIOp::create(b, loc, odd, number(4));
    value = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, value, shift), number(15));
  }
  return arith::SubIOp::create(b, loc, value, number(int64_t(1) << (bits - 1)));
}

/// The weights as [n, k] in f32.
Value NbitsDecomposer::weights() {
  int64_t block = op.getBlock(), perByte = 8 / bits;
  AffineExpr n, k;
  bindDims(b.getContext(), n, k);
  SmallVector<Value> inputs{op.getWeights(), op.getScales()};
  SmallVector<AffineMap> maps{map(2, {n, k.floorDiv(block), (k % block).floorDiv(perByte)}),
                              map(2, {n, k.floorDiv(block)})};
  if (op.getZeros()) {
    inputs.push_back(op.getZeros());
    maps.push_back(map(2, {n, k.floorDiv(block * perByte)}));
  }
  maps.push_back(map(2, {n, k}));
  auto type = RankedTensorType::get({op.getN(), op.getK()}, f32);
  Value empty = emptyTensor(b, loc, type.getShape(), f32);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, loc, type, inputs, empty, maps, iterators);
  SmallVector<Type> types;
  for (Value value : generic->getOperands())
    types.push_back(getElementTypeOrSelf(value.getType()));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&generic.getRegion(), {}, types, SmallVector<Location>(types.size(), loc));
  Value position = linalg::IndexOp::create(b, loc, 1);
  Value value = integer(body->getArgument(0), position);
  if (op.getZeros()) {
    Value size = arith::ConstantIndexOp::create(b, loc, block);
    Value blockIndex = arith::DivUIOp::create(b, loc, position, size);
    value = arith::SubIOp::create(b, loc, value, integer(body->getArgument(2), blockIndex));
  }
  value = arith::SIToFPOp::create(b, loc, f32, value);
  value = arith::MulFOp::create(b, loc, value, toF32(body->getArgument(1)));
  linalg::YieldOp::create(b, loc, value);
  return generic.getResult(0);
}

/// The largest magnitude of the values of a row that share a scale, from value `first` on; NaN if
/// there is one.
Value NbitsDecomposer::magnitude(Value row, Value first) {
  Value end = arith::AddIOp::create(b, loc, first, index(*op.getRowScaleBlock()));
  end = arith::MinUIOp::create(b, loc, end, index(op.getK()));
  auto loop = scf::ForOp::create(b, loc, first, end, index(1), real(0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value x = tensor::ExtractOp::create(b, loc, op.getA(), ValueRange{row, loop.getInductionVar()});
  x = math::AbsFOp::create(b, loc, toF32(x));
  scf::YieldOp::create(b, loc,
                       arith::MaximumFOp::create(b, loc, loop.getRegionIterArg(0), x).getResult());
  return loop.getResult(0);
}

/// `x` as a multiple of its scale, as kgen.quantize_rows says.
Value NbitsDecomposer::rounded(Value x, Value magnitude) {
  using arith::CmpFPredicate;
  Value most = real(127);
  Value isSmall = arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, magnitude,
                                        real(QuantizeRowsOp::leastMagnitude)),
        isFinite = arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, magnitude,
                                         real(std::numeric_limits<float>::infinity()));
  Value divisor = arith::SelectOp::create(b, loc, isSmall, real(1), magnitude);
  Value factor = arith::DivFOp::create(b, loc, most, divisor),
        scale = arith::DivFOp::create(b, loc, divisor, most);
  Value number =
      math::RoundEvenOp::create(b, loc, arith::MulFOp::create(b, loc, x, factor).getResult());
  Value value = arith::MulFOp::create(b, loc, number, scale);
  value = arith::SelectOp::create(b, loc, isSmall, real(0), value);
  return arith::SelectOp::create(b, loc, isFinite, value,
                                 real(std::numeric_limits<float>::quiet_NaN()));
}

/// A, rounded block by block.
Value NbitsDecomposer::roundedRows() {
  auto type = RankedTensorType::get({op.getM(), op.getK()}, f32);
  Value empty = withRowsOfA(op.getK());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(2));
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, op.getA(), empty, maps, iterators,
             [&](OpBuilder &inner, Location, ValueRange v) {
               OpBuilder::InsertionGuard guard(b);
               b.restoreInsertionPoint(inner.saveInsertionPoint());
               Value row = linalg::IndexOp::create(b, loc, 0),
                     k = linalg::IndexOp::create(b, loc, 1), size = index(*op.getRowScaleBlock());
               Value first = arith::DivUIOp::create(b, loc, k, size);
               first = arith::MulIOp::create(b, loc, first, size);
               linalg::YieldOp::create(b, loc, rounded(toF32(v[0]), magnitude(row, first)));
             })
      .getResult(0);
}

Value NbitsDecomposer::contraction(Value weights) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  Value a = op.getRowScaleBlock() ? roundedRows() : op.getA();
  Value empty = withRowsOfA(op.getN());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(f32));
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  SmallVector<AffineMap> maps{map(3, {m, k}), map(3, {n, k}), map(3, {m, n})};
  SmallVector<IteratorType> iterators{IteratorType::parallel, IteratorType::parallel,
                                      IteratorType::reduction};
  return linalg::GenericOp::create(
             b, loc, type, ValueRange{a, weights}, init, maps, iterators,
             [&](OpBuilder &inner, Location where, ValueRange v) {
               OpBuilder::InsertionGuard guard(b);
               b.restoreInsertionPoint(inner.saveInsertionPoint());
               Value factors = arith::MulFOp::create(b, where, toF32(v[0]), v[1]);
               linalg::YieldOp::create(b, where,
                                       arith::AddFOp::create(b, where, v[2], factors).getResult());
             })
      .getResult(0);
}

} // namespace

void decompose(MatmulNbitsOp op, DecisionLog &log) {
  log.add("applied", op.getLoc(),
          log.details().set("what", "weights become f32, then a contraction"));
  NbitsDecomposer(op).run();
}

} // namespace kgen
