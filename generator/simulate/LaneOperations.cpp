// Semantics of arith and math operations, lane by lane.
#include "simulate/ScalarProgram.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace kgen {
namespace {

using Integers = int64_t (*)(int64_t, int64_t);
using Unsigned = uint64_t (*)(uint64_t, uint64_t);
using Floats = double (*)(double, double);
using Float = double (*)(double);

/// Integers wrap: they are added without their sign.
int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }

/// A shift by the width or more is poison; here it gives 0 or the sign.
int64_t shiftedLeft(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : wrapped(static_cast<uint64_t>(a) << b);
}
int64_t shiftedRight(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }

/// A division by 0 is undefined; here it gives 0.
int64_t divided(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? wrapped(-uint64_t(a)) : a / b;
}
int64_t remainderOf(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

const llvm::StringMap<Integers> &integerOperations() {
  static const llvm::StringMap<Integers> table = {
      {"arith.addi", [](int64_t a, int64_t b) { return wrapped(uint64_t(a) + uint64_t(b)); }},
      {"arith.subi", [](int64_t a, int64_t b) { return wrapped(uint64_t(a) - uint64_t(b)); }},
      {"arith.muli", [](int64_t a, int64_t b) { return wrapped(uint64_t(a) * uint64_t(b)); }},
      {"arith.andi", [](int64_t a, int64_t b) { return a & b; }},
      {"arith.ori", [](int64_t a, int64_t b) { return a | b; }},
      {"arith.xori", [](int64_t a, int64_t b) { return a ^ b; }},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"arith.divsi", divided},
      {"arith.remsi", remainderOf},
      {"arith.floordivsi",
       [](int64_t a, int64_t b) {
         return divided(a, b) - (remainderOf(a, b) != 0 && (a < 0) != (b < 0));
       }},
      {"arith.ceildivsi",
       [](int64_t a, int64_t b) {
         return divided(a, b) + (remainderOf(a, b) != 0 && (a < 0) == (b < 0));
       }},
      {"arith.shli", shiftedLeft},
      {"arith.shrsi", shiftedRight},
      {"math.absi", [](int64_t a, int64_t) { return a < 0 ? wrapped(-uint64_t(a)) : a; }},
  };
  return table;
}

const llvm::StringMap<Unsigned> &unsignedOperations() {
  static const llvm::StringMap<Unsigned> table = {
      {"arith.divui", [](uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }},
      {"arith.ceildivui", [](uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b + (a % b != 0); }},
      {"arith.remui", [](uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }},
      {"arith.maxui", [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"arith.minui", [](uint64_t a, uint64_t b) { return std::min(a, b); }},
      {"arith.shrui", [](uint64_t a, uint64_t b) { return b > 63 ? 0 : a >> b; }},
      {"arith.extui", [](uint64_t a, uint64_t) { return a; }},
      {"arith.index_castui", [](uint64_t a, uint64_t) { return a; }},
  };
  return table;
}

/// The larger one, NaN if there is one; 0 is larger than -0.
double maximumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double minimumOf(double a, double b) { return -maximumOf(-a, -b); }

const llvm::StringMap<Floats> &floatOperations() {
  static const llvm::StringMap<Floats> table = {
      {"arith.addf", [](double a, double b) { return a + b; }},
      {"arith.subf", [](double a, double b) { return a - b; }},
      {"arith.mulf", [](double a, double b) { return a * b; }},
      {"arith.divf", [](double a, double b) { return a / b; }},
      {"arith.remf", [](double a, double b) { return std::fmod(a, b); }},
      {"arith.maximumf", maximumOf},
      {"arith.minimumf", minimumOf},
      {"arith.maxnumf",
       [](double a, double b) { return std::isnan(a)   ? b
                                       : std::isnan(b) ? a
                                                       : maximumOf(a, b); }},
      {"arith.minnumf",
       [](double a, double b) { return std::isnan(a)   ? b
                                       : std::isnan(b) ? a
                                                       : minimumOf(a, b); }},
      {"math.powf", [](double a, double b) { return std::pow(a, b); }},
      {"math.atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"math.copysign", [](double a, double b) { return std::copysign(a, b); }},
  };
  return table;
}

const llvm::StringMap<Float> &functions() {
  static const llvm::StringMap<Float> table = {
      {"arith.negf", [](double a) { return -a; }},
      {"arith.extf", [](double a) { return a; }},
      {"arith.truncf", [](double a) { return a; }},
      {"math.absf", [](double a) { return std::fabs(a); }},
      {"math.acos", [](double a) { return std::acos(a); }},
      {"math.acosh", [](double a) { return std::acosh(a); }},
      {"math.asin", [](double a) { return std::asin(a); }},
      {"math.asinh", [](double a) { return std::asinh(a); }},
      {"math.atan", [](double a) { return std::atan(a); }},
      {"math.atanh", [](double a) { return std::atanh(a); }},
      {"math.cbrt", [](double a) { return std::cbrt(a); }},
      {"math.ceil", [](double a) { return std::ceil(a); }},
      {"math.cos", [](double a) { return std::cos(a); }},
      {"math.cosh", [](double a) { return std::cosh(a); }},
      {"math.erf", [](double a) { return std::erf(a); }},
      {"math.erfc", [](double a) { return std::erfc(a); }},
      {"math.exp", [](double a) { return std::exp(a); }},
      {"math.exp2", [](double a) { return std::exp2(a); }},
      {"math.expm1", [](double a) { return std::expm1(a); }},
      {"math.floor", [](double a) { return std::floor(a); }},
      {"math.log", [](double a) { return std::log(a); }},
      {"math.log10", [](double a) { return std::log10(a); }},
      {"math.log1p", [](double a) { return std::log1p(a); }},
      {"math.log2", [](double a) { return std::log2(a); }},
      {"math.round", [](double a) { return std::round(a); }},
      {"math.roundeven", [](double a) { return std::nearbyint(a); }},
      {"math.rsqrt", [](double a) { return 1 / std::sqrt(a); }},
      {"math.sin", [](double a) { return std::sin(a); }},
      {"math.sinh", [](double a) { return std::sinh(a); }},
      {"math.sqrt", [](double a) { return std::sqrt(a); }},
      {"math.tan", [](double a) { return std::tan(a); }},
      {"math.tanh", [](double a) { return std::tanh(a); }},
      {"math.trunc", [](double a) { return std::trunc(a); }},
  };
  return table;
}

/// The second operand of an operation that has one only is the first.
const Lane *second(const LaneInstruction &instruction, const Lane *const *operands) {
  return operands[instruction.operands.size() > 1 ? 1 : 0];
}

void applyIntegers(const LaneInstruction &in, const Lane *const *operands, Lane *result,
                   int count) {
  const Lane *a = operands[0], *b = second(in, operands);
  for (int lane = 0; lane < count; ++lane)
    result[lane].i = in.integerFunction(a[lane].i, b[lane].i);
}
void applyUnsigned(const LaneInstruction &in, const Lane *const *operands, Lane *result,
                   int count) {
  const Lane *a = operands[0], *b = second(in, operands);
  for (int lane = 0; lane < count; ++lane)
    result[lane].i =
        wrapped(in.unsignedFunction(unsignedOf(in.from, a[lane]), unsignedOf(in.from, b[lane])));
}
void applyFloats(const LaneInstruction &in, const Lane *const *operands, Lane *result, int count) {
  for (int lane = 0; lane < count; ++lane)
    result[lane].f = in.floatFunction(operands[0][lane].f, operands[1][lane].f);
}
void applyFloat(const LaneInstruction &in, const Lane *const *operands, Lane *result, int count) {
  for (int lane = 0; lane < count; ++lane)
    result[lane].f = in.unaryFloatFunction(operands[0][lane].f);
}

/// Each lane by a function of the instruction and its operands.
template <Lane (*compute)(const LaneInstruction &, Lane, Lane, Lane)>
void applyEach(const LaneInstruction &in, const Lane *const *operands, Lane *result, int count) {
  const Lane *b = second(in, operands), *c = operands[in.operands.size() - 1];
  for (int lane = 0; lane < count; ++lane)
    result[lane] = compute(in, operands[0][lane], b[lane], c[lane]);
}

Lane laneOfInteger(int64_t value) {
  Lane lane;
  lane.i = value;
  return lane;
}
Lane laneOfDouble(double value) {
  Lane lane;
  lane.f = value;
  return lane;
}

Lane compareIntegers(const LaneInstruction &in, Lane a, Lane b, Lane) {
  uint64_t x = unsignedOf(in.from, a), y = unsignedOf(in.from, b);
  // The only bit of an i1 is its sign.
  int64_t s = in.from == Number::i1 ? -a.i : a.i, t = in.from == Number::i1 ? -b.i : b.i;
  switch (static_cast<mlir::arith::CmpIPredicate>(in.predicate)) {
  case mlir::arith::CmpIPredicate::eq:
    return laneOfInteger(x == y);
  case mlir::arith::CmpIPredicate::ne:
    return laneOfInteger(x != y);
  case mlir::arith::CmpIPredicate::slt:
    return laneOfInteger(s < t);
  case mlir::arith::CmpIPredicate::sle:
    return laneOfInteger(s <= t);
  case mlir::arith::CmpIPredicate::sgt:
    return laneOfInteger(s > t);
  case mlir::arith::CmpIPredicate::sge:
    return laneOfInteger(s >= t);
  case mlir::arith::CmpIPredicate::ult:
    return laneOfInteger(x < y);
  case mlir::arith::CmpIPredicate::ule:
    return laneOfInteger(x <= y);
  case mlir::arith::CmpIPredicate::ugt:
    return laneOfInteger(x > y);
  case mlir::arith::CmpIPredicate::uge:
    return laneOfInteger(x >= y);
  }
  return laneOfInteger(0);
}

/// Predicates are bits as LLVM has them: 1 equal, 2 greater, 4 less, 8 unordered.
Lane compareFloats(const LaneInstruction &in, Lane a, Lane b, Lane) {
  llvm::APFloat x(a.f), y(b.f);
  auto predicate = static_cast<mlir::arith::CmpFPredicate>(in.predicate);
  return laneOfInteger(mlir::arith::applyCmpPredicate(predicate, x, y));
}

Lane select(const LaneInstruction &, Lane condition, Lane ifTrue, Lane ifFalse) {
  return condition.i & 1 ? ifTrue : ifFalse;
}

Lane extendSign(const LaneInstruction &in, Lane a, Lane, Lane) {
  return laneOfInteger(in.from == Number::i1 ? -a.i : a.i);
}

/// Directly to f32: by way of double, large integers would be rounded twice.
Lane floatOfSigned(const LaneInstruction &in, Lane a, Lane, Lane) {
  int64_t value = in.from == Number::i1 ? -a.i : a.i;
  return laneOfDouble(in.type == Number::f32 ? double(float(value)) : double(value));
}
Lane floatOfUnsigned(const LaneInstruction &in, Lane a, Lane, Lane) {
  uint64_t value = unsignedOf(in.from, a);
  return laneOfDouble(in.type == Number::f32 ? double(float(value)) : double(value));
}

/// Returns the float as an integer. Where LLVM's result would be poison, it is the nearest number
/// that 64 bits hold, and 0 for a NaN.
Lane signedOfFloat(const LaneInstruction &, Lane a, Lane, Lane) {
  if (!(std::fabs(a.f) < 0x1p63))
    return laneOfInteger(std::isnan(a.f) ? 0 : a.f < 0 ? INT64_MIN : INT64_MAX);
  return laneOfInteger(static_cast<int64_t>(a.f));
}
Lane unsignedOfFloat(const LaneInstruction &, Lane a, Lane, Lane) {
  if (!(a.f > -1 && a.f < 0x1p64))
    return laneOfInteger(a.f > 0 ? -1 : 0);
  return laneOfInteger(wrapped(static_cast<uint64_t>(a.f)));
}

Lane bitCast(const LaneInstruction &in, Lane a, Lane, Lane) {
  alignas(8) char bytes[8];
  Lane result;
  storeLanes(in.from, bytes, 0, 1, 1, &a);
  loadLanes(in.type, bytes, 0, 1, 1, &result);
  return result;
}

Lane fusedMultiplyAdd(const LaneInstruction &in, Lane a, Lane b, Lane c) {
  return laneOfDouble(in.type == Number::f32 ? std::fma(float(a.f), float(b.f), float(c.f))
                                             : std::fma(a.f, b.f, c.f));
}

Lane integerPower(const LaneInstruction &, Lane a, Lane b, Lane) {
  return laneOfDouble(std::pow(a.f, static_cast<double>(b.i)));
}

const llvm::StringMap<LaneFunction> &otherOperations() {
  static const llvm::StringMap<LaneFunction> table = {
      {"arith.cmpi", applyEach<compareIntegers>}, {"arith.cmpf", applyEach<compareFloats>},
      {"arith.select", applyEach<select>},        {"arith.extsi", applyEach<extendSign>},
      {"arith.trunci", applyEach<extendSign>},    {"arith.index_cast", applyEach<extendSign>},
      {"arith.sitofp", applyEach<floatOfSigned>}, {"arith.uitofp", applyEach<floatOfUnsigned>},
      {"arith.fptosi", applyEach<signedOfFloat>}, {"arith.fptoui", applyEach<unsignedOfFloat>},
      {"arith.bitcast", applyEach<bitCast>},      {"math.fma", applyEach<fusedMultiplyAdd>},
      {"math.fpowi", applyEach<integerPower>},
  };
  return table;
}

/// Sets the function of an operation of that name; false if there is none.
bool setFunction(LaneInstruction &instruction, llvm::StringRef name) {
  if (Integers f = integerOperations().lookup(name)) {
    instruction.apply = applyIntegers;
    instruction.integerFunction = f;
  } else if (Unsigned f = unsignedOperations().lookup(name)) {
    instruction.apply = applyUnsigned;
    instruction.unsignedFunction = f;
  } else if (Floats f = floatOperations().lookup(name)) {
    instruction.apply = applyFloats;
    instruction.floatFunction = f;
  } else if (Float f = functions().lookup(name)) {
    instruction.apply = applyFloat;
    instruction.unaryFloatFunction = f;
  } else {
    instruction.apply = otherOperations().lookup(name);
  }
  return instruction.apply;
}

} // namespace

std::optional<LaneInstruction> instructionOf(mlir::Operation *op) {
  LaneInstruction instruction;
  if (op->getNumResults() != 1 || op->getNumOperands() < 1 || op->getNumOperands() > 3 ||
      !setFunction(instruction, op->getName().getStringRef()))
    return std::nullopt;
  auto type = numberOf(op->getResult(0).getType()), from = numberOf(op->getOperand(0).getType());
  if (!type || !from)
    return std::nullopt;
  instruction.type = *type;
  instruction.from = *from;
  if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op))
    instruction.predicate = static_cast<int>(compare.getPredicate());
  if (auto compare = mlir::dyn_cast<mlir::arith::CmpFOp>(op))
    instruction.predicate = static_cast<int>(compare.getPredicate());
  return instruction;
}

} // namespace kgen
