// Lookups by the shuffles of AVX2 and AVX-512 whose places are numbers in a register. On Zen 4 they
// run beside multiplications, so that a few pieces of a low degree cost less than one long
// polynomial.
#include "transforms/math/TableLookup.h"
#include "transforms/math/NativeInstructions.h"

using namespace mlir;

namespace kgen::vecmath {

namespace {

constexpr int64_t tableSize = 8, longTableSize = 16;

/// One shuffle: the lowest bits of each index count. In a register of sixteen, a table of eight
/// stands twice.
Value shuffle(const Site &site, Value index, ArrayRef<double> table) {
  int64_t lanes = cast<VectorType>(index.getType()).getNumElements();
  SmallVector<float> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(static_cast<float>(table[lane % table.size()]));
  auto type = VectorType::get({lanes}, site.builder.getF32Type());
  Value constant = arith::ConstantOp::create(
      site.builder, site.loc, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  StringRef name = lanes == tableSize ? "llvm.x86.avx2.permps" : "llvm.x86.avx512.permvar.sf.512";
  return intrinsic(site, type, name, {constant, index});
}

} // namespace

bool hasLookups(const Site &site) { return site.machine.lookupLanes != 0 && !site.isF64(); }

bool hasLongLookups(const Site &site) {
  return hasLookups(site) && site.machine.lookupLanes == longTableSize;
}

bool isLowPrecision(const Site &site) { return site.isRounded() && hasLookups(site); }

/// Of sixteen numbers in two registers of eight.
static Real lookupByHalves(Bits index, ArrayRef<double> table) {
  Truth isUpper = !((index << 28) < 0x80000000);
  return isUpper.select(lookup(index, table.take_back(tableSize)),
                        lookup(index, table.take_front(tableSize)));
}

Real lookup(Bits index, ArrayRef<double> table) {
  const Site &site = index.where();
  if (table.size() == longTableSize && !hasLongLookups(site))
    return lookupByHalves(index, table);
  auto type = dyn_cast<VectorType>(site.type);
  bool isLong = table.size() == longTableSize || (type && type.getNumElements() > tableSize);
  int64_t lanes = isLong ? site.machine.lookupLanes : tableSize;
  Value found = throughRegisters(site, index.value(), lanes, site.builder.getF32Type(),
                                 [&](Value part) { return shuffle(site, part, table); });
  return {site, found};
}

Real piecewise(Bits piece, Real t, ArrayRef<double> table, size_t pieces) {
  Real sum = lookup(piece, table.take_back(pieces));
  for (table = table.drop_back(pieces); !table.empty(); table = table.drop_back(pieces))
    sum = fma(sum, t, lookup(piece, table.take_back(pieces)));
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
  return b * piecewise(u.bits() >> pieces.firstBit, u, pieces.slopes, pieces.count);
}

/// Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum.
Place placeOf(Real x, double scale) {
  constexpr double magic = 0x1.8p23;
  Real shifted = fma(x, scale, magic);
  return {shifted.bits(), fma(x, scale, -(shifted - magic))};
}

} // namespace kgen::vecmath
