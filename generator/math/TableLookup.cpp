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
Value shuffle(const Emitter &emitter, Value index, ArrayRef<double> table) {
  int64_t lanes = cast<VectorType>(index.getType()).getNumElements();
  SmallVector<float> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(static_cast<float>(table[lane % table.size()]));
  auto type = VectorType::get({lanes}, emitter.builder.getF32Type());
  Value constant = arith::ConstantOp::create(
      emitter.builder, emitter.loc, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  return DynamicPermuteOp::create(emitter.builder, emitter.loc, constant, index);
}

} // namespace

bool hasLookups(const Emitter &emitter) {
  return emitter.machine.lookupLanes != 0 && !emitter.isF64();
}

bool hasLongLookups(const Emitter &emitter) {
  return hasLookups(emitter) && emitter.machine.lookupLanes == longTableSize;
}

bool isLowPrecision(const Emitter &emitter) {
  return emitter.hasReducedPrecision() && hasLookups(emitter);
}

/// A lookup in a table of sixteen in two registers of eight.
static FloatValue lookupByHalves(BitsValue index, ArrayRef<double> table) {
  Mask isUpper = !((index << 28) < 0x80000000);
  return isUpper.select(lookup(index, table.take_back(tableSize)),
                        lookup(index, table.take_front(tableSize)));
}

FloatValue lookup(BitsValue index, ArrayRef<double> table) {
  const Emitter &emitter = index.where();
  if (table.size() == longTableSize && !hasLongLookups(emitter))
    return lookupByHalves(index, table);
  auto type = dyn_cast<VectorType>(emitter.type);
  bool isLong = table.size() == longTableSize || (type && type.getNumElements() > tableSize);
  int64_t lanes = isLong ? emitter.machine.lookupLanes : tableSize;
  Value found = applyPerRegister(emitter, index.value(), lanes, emitter.builder.getF32Type(),
                                 [&](Value part) { return shuffle(emitter, part, table); });
  return {emitter, found};
}

FloatValue piecewise(BitsValue interval, FloatValue t, ArrayRef<double> table, size_t intervals) {
  FloatValue sum = lookup(interval, table.take_back(intervals));
  for (table = table.drop_back(intervals); !table.empty(); table = table.drop_back(intervals))
    sum = fma(sum, t, lookup(interval, table.take_back(intervals)));
  return sum;
}

FloatValue oddPiecewise(FloatValue x, double limit, double scale, ArrayRef<double> slopes) {
  FloatValue a = x.magnitude().atMost(limit);
  Interval interval = intervalOf(a, scale);
  return ((a * piecewise(interval.number, interval.t, slopes)).bits() | x.signBits()).real();
}

FloatValue oddBySquares(FloatValue x, const OddTable &intervals) {
  FloatValue b = x.atMost(intervals.limit).atLeast(-intervals.limit);
  FloatValue u = fma(b * b, intervals.scale, intervals.offset);
  return b * piecewise(u.bits() >> intervals.firstBit, u, intervals.slopes, intervals.count);
}

/// Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum.
Interval intervalOf(FloatValue x, double scale) {
  constexpr double magic = 0x1.8p23;
  FloatValue shifted = fma(x, scale, magic);
  return {shifted.bits(), fma(x, scale, -(shifted - magic))};
}

} // namespace kgen::vecmath
