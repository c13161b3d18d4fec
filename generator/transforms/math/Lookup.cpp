// Lookups by the shuffles of AVX2 and AVX-512 whose places are numbers in a register. On Zen 4 they
// run beside multiplications, so that a few pieces of a low degree cost less than one long
// polynomial.
#include "transforms/math/Lookup.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen::vecmath {

namespace {

constexpr int64_t tableSize = 8;

/// One shuffle: the lowest bits of each index count, of which a table of sixteen is the same twice.
Value shuffle(const Site &site, Value index, ArrayRef<double> table) {
  int64_t lanes = cast<VectorType>(index.getType()).getNumElements();
  SmallVector<float> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(static_cast<float>(table[lane % tableSize]));
  auto type = VectorType::get({lanes}, site.builder.getF32Type());
  Value constant = arith::ConstantOp::create(
      site.builder, site.loc, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  StringRef name = lanes == tableSize ? "llvm.x86.avx2.permps" : "llvm.x86.avx512.permvar.sf.512";
  return LLVM::CallIntrinsicOp::create(site.builder, site.loc, type,
                                       site.builder.getStringAttr(name),
                                       ValueRange{constant, index})
      .getResult(0);
}

/// `count` elements from `start` on as a vector of that many lanes; those behind them are anything.
Value lanesFrom(const Site &site, Value vector, int64_t start, int64_t count, int64_t lanes) {
  SmallVector<int64_t> places(lanes, vector::ShuffleOp::kPoisonIndex);
  for (int64_t lane = 0; lane < count; ++lane)
    places[lane] = start + lane;
  return vector::ShuffleOp::create(site.builder, site.loc, vector, vector, places);
}

Value lookupRow(const Site &site, Value index, ArrayRef<double> table) {
  OpBuilder &b = site.builder;
  int64_t count = cast<VectorType>(index.getType()).getNumElements();
  int64_t lanes = count > tableSize ? site.machine.lookupLanes : tableSize;
  if (count == lanes)
    return shuffle(site, index, table);
  auto type = VectorType::get({count}, b.getF32Type());
  Value row = arith::ConstantOp::create(b, site.loc, b.getZeroAttr(type));
  for (int64_t start = 0; start < count; start += lanes) {
    int64_t part = std::min(lanes, count - start);
    Value found = shuffle(site, lanesFrom(site, index, start, part, lanes), table);
    if (part < lanes)
      found = lanesFrom(site, found, 0, part, part);
    row = vector::InsertStridedSliceOp::create(b, site.loc, found, row, ArrayRef<int64_t>{start},
                                               ArrayRef<int64_t>{1});
  }
  return row;
}

} // namespace

bool hasLookups(const Site &site) { return site.machine.lookupLanes != 0 && !site.isF64(); }

bool isRough(const Site &site) { return site.isRounded() && hasLookups(site); }

Real lookup(Bits index, ArrayRef<double> table) {
  const Site &site = index.where();
  OpBuilder &b = site.builder;
  auto type = dyn_cast<VectorType>(site.type);
  if (!type) {
    auto lanes = VectorType::get({tableSize}, index.value().getType());
    Value row = vector::BroadcastOp::create(b, site.loc, lanes, index.value());
    Value found = vector::ExtractOp::create(b, site.loc, shuffle(site, row, table), 0);
    return {site, found};
  }
  auto flat = VectorType::get({type.getNumElements()}, b.getI32Type());
  bool isFlat = type.getRank() == 1;
  Value row = index.value();
  if (!isFlat)
    row = vector::ShapeCastOp::create(b, site.loc, flat, row);
  Value found = lookupRow(site, row, table);
  if (!isFlat)
    found = vector::ShapeCastOp::create(b, site.loc, type, found);
  return {site, found};
}

Real piecewise(Bits piece, Real t, ArrayRef<double> table) {
  Real sum = lookup(piece, table.take_back(tableSize));
  for (table = table.drop_back(tableSize); !table.empty(); table = table.drop_back(tableSize))
    sum = fma(sum, t, lookup(piece, table.take_back(tableSize)));
  return sum;
}

Real oddByPieces(Real x, double most, double scale, ArrayRef<double> slopes) {
  Real a = x.magnitude().atMost(most);
  Place place = placeOf(a, scale);
  return ((a * piecewise(place.piece, place.t, slopes)).bits() | x.signBits()).real();
}

Real oddBySquares(Real x, const OddPieces &pieces) {
  Real b = x.atMost(pieces.most).atLeast(-pieces.most);
  Real u = fma(b * b, pieces.scale, pieces.offset);
  return b * piecewise(u.bits() >> pieces.firstBit, u, pieces.slopes);
}

/// Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum.
Place placeOf(Real x, double scale) {
  constexpr double magic = 0x1.8p23;
  Real shifted = fma(x, scale, magic);
  return {shifted.bits(), fma(x, scale, -(shifted - magic))};
}

} // namespace kgen::vecmath
