// Lookups by permutes of a register (kgen.dynamic_permute). On Zen 4 these run on another execution
// unit than multiplications, so that piecewise polynomials of low degree cost less than one long
// polynomial.
#include "math/TableLookup.h"
#include "math/NativeInstructions.h"

using namespace mlir;

namespace kgen::vecmath {

namespace {

constexpr int64_t tableSize = 8, longTableSize = 16;

/// One permute, which uses the lowest bits of each index. A register of sixteen holds a table of
/// eight twice.
Value shuffle(const Site &site, Value index, ArrayRef<double> table) {
  int64_t lanes = cast<VectorType>(index.getType()).getNumElements();
  SmallVector<float> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(static_cast<float>(table[lane % table.size()]));
  auto type = VectorType::get({lanes}, site.builder.getF32Type());
  Value constant = arith::ConstantOp::create(
      site.builder, site.loc, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  return DynamicPermuteOp::create(site.builder, site.loc, constant, index);
}

} // namespace

bool hasLookups(const Site &site) { return site.machine.lookupLanes != 0 && !site.isF64(); }

bool hasLongLookups(const Site &site) {
  return hasLookups(site) && site.machine.lookupLanes == longTableSize;
}

bool isLowPrecision(const Site &site) { return site.hasReducedPrecision() && hasLookups(site); }

/// A lookup in a table of sixteen in two registers of eight.
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
  Value found = applyPerRegister(site, index.value(), lanes, site.builder.getF32Type(),
                                 [&](Value part) { return shuffle(site, part, table); });
  return {site, found};
}

Real piecewise(Bits interval, Real t, ArrayRef<double> table, size_t intervals) {
  Real sum = lookup(interval, table.take_back(intervals));
  for (table = table.drop_back(intervals); !table.empty(); table = table.drop_back(intervals))
    sum = fma(sum, t, lookup(interval, table.take_back(intervals)));
  return sum;
}

Real oddPiecewise(Real x, double limit, double scale, ArrayRef<double> slopes) {
  Real a = x.magnitude().atMost(limit);
  Interval interval = intervalOf(a, scale);
  return ((a * piecewise(interval.number, interval.t, slopes)).bits() | x.signBits()).real();
}

Real oddBySquares(Real x, const OddTable &intervals) {
  Real b = x.atMost(intervals.limit).atLeast(-intervals.limit);
  Real u = fma(b * b, intervals.scale, intervals.offset);
  return b * piecewise(u.bits() >> intervals.firstBit, u, intervals.slopes, intervals.count);
}

/// Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum.
Interval intervalOf(Real x, double scale) {
  constexpr double magic = 0x1.8p23;
  Real shifted = fma(x, scale, magic);
  return {shifted.bits(), fma(x, scale, -(shifted - magic))};
}

} // namespace kgen::vecmath
