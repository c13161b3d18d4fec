// Results of operations of arith and math, against values that were worked out by hand.
#include "simulate/ScalarProgram.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace kgen;

namespace {

Lane integer(int64_t value) {
  Lane lane;
  lane.i = value;
  return lane;
}
Lane real(double value) {
  Lane lane;
  lane.f = value;
  return lane;
}

/// The result of `%r = OPERATION`, whose operands are %a, %b and %c of these types.
Lane compute(const std::string &operation, const std::string &a, const std::string &b,
             std::vector<Lane> operands, const std::string &c = "i1") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context
      .loadDialect<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::func::FuncDialect>();
  std::string text = "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c +
                     ") {\n  %r = " + operation + "\n  return\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  INFO(text);
  REQUIRE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  mlir::Operation &op = function.getBody().front().front();
  std::optional<LaneInstruction> instruction = instructionOf(&op);
  REQUIRE(instruction);
  for (mlir::Value operand : op.getOperands())
    instruction->operands.push_back(
        static_cast<int>(mlir::cast<mlir::BlockArgument>(operand).getArgNumber()));
  instruction->result = 3;
  operands.resize(4);
  instruction->run(operands.data(), 1, 1);
  return operands[3];
}

int64_t runIntegers(const std::string &name, const std::string &type, int64_t a, int64_t b) {
  return compute("arith." + name + " %a, %b : " + type, type, type, {integer(a), integer(b)}).i;
}
double runFloats(const std::string &name, const std::string &type, double a, double b) {
  return compute(name + " %a, %b : " + type, type, type, {real(a), real(b)}).f;
}
double runFloat(const std::string &name, const std::string &type, double a) {
  return compute(name + " %a : " + type, type, type, {real(a)}).f;
}

const double quietNan = std::nan(""), infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("integers") {
  CHECK(runIntegers("addi", "i8", 100, 100) == -56);
  CHECK(runIntegers("subi", "i16", INT16_MIN, 1) == INT16_MAX);
  CHECK(runIntegers("muli", "i32", 65536, 65536) == 0);
  CHECK(runIntegers("muli", "i64", INT64_MAX, 2) == -2);
  CHECK(runIntegers("divsi", "i32", -7, 2) == -3);
  CHECK(runIntegers("divsi", "i64", INT64_MIN, -1) == INT64_MIN);
  CHECK(runIntegers("divsi", "i32", 1, 0) == 0);
  CHECK(runIntegers("floordivsi", "i32", -7, 2) == -4);
  CHECK(runIntegers("ceildivsi", "i32", 7, 2) == 4);
  CHECK(runIntegers("ceildivsi", "i32", -7, 2) == -3);
  CHECK(runIntegers("remsi", "i32", -7, 2) == -1);
  CHECK(runIntegers("divui", "i8", -1, 2) == 127);
  CHECK(runIntegers("remui", "i8", -1, 16) == 15);
  CHECK(runIntegers("maxui", "i8", -1, 1) == -1);
  CHECK(runIntegers("maxsi", "i8", -1, 1) == 1);
  CHECK(runIntegers("minui", "i32", -1, 1) == 1);
  CHECK(runIntegers("shli", "i8", 3, 7) == -128);
  CHECK(runIntegers("shrsi", "i8", -128, 7) == -1);
  CHECK(runIntegers("shrui", "i8", -128, 7) == 1);
  CHECK(runIntegers("xori", "i1", 1, 1) == 0);
  CHECK(runIntegers("addi", "i1", 1, 1) == 0);
}

TEST_CASE("comparisons and choices") {
  auto compare = [](const char *predicate, const char *type, int64_t a, int64_t b) {
    std::string text = std::string("arith.cmpi ") + predicate + ", %a, %b : " + type;
    return compute(text, type, type, {integer(a), integer(b)}).i;
  };
  CHECK(compare("slt", "i8", -1, 1) == 1);
  CHECK(compare("ult", "i8", -1, 1) == 0);
  CHECK(compare("uge", "i8", -1, 1) == 1);
  CHECK(compare("slt", "i1", 1, 0) == 1); // the bit is the sign
  CHECK(compare("ult", "i1", 1, 0) == 0);
  CHECK(compare("ne", "i64", 1, 1) == 0);
  auto compareFloats = [](const char *predicate, double a, double b) {
    std::string text = std::string("arith.cmpf ") + predicate + ", %a, %b : f32";
    return compute(text, "f32", "f32", {real(a), real(b)}).i;
  };
  CHECK(compareFloats("olt", quietNan, 1) == 0);
  CHECK(compareFloats("ult", quietNan, 1) == 1);
  CHECK(compareFloats("oeq", 0.0, -0.0) == 1);
  CHECK(compareFloats("uno", quietNan, 1) == 1);
  CHECK(compareFloats("ord", 2, 1) == 1);
  CHECK(compareFloats("une", quietNan, quietNan) == 1);
  CHECK(compute("arith.select %a, %b, %c : i32", "i1", "i32", {integer(1), integer(7), integer(8)},
                "i32")
            .i == 7);
  CHECK(compute("arith.select %a, %b, %c : i32", "i1", "i32", {integer(0), integer(7), integer(8)},
                "i32")
            .i == 8);
}

TEST_CASE("conversions") {
  auto convert = [](const char *name, const char *from, const char *to, Lane value) {
    return compute(std::string("arith.") + name + " %a : " + from + " to " + to, from, "i1",
                   {value});
  };
  CHECK(convert("extsi", "i8", "i32", integer(-1)).i == -1);
  CHECK(convert("extui", "i8", "i32", integer(-1)).i == 255);
  CHECK(convert("extsi", "i1", "i32", integer(1)).i == -1);
  CHECK(convert("extui", "i1", "i32", integer(1)).i == 1);
  CHECK(convert("trunci", "i32", "i8", integer(384)).i == -128);
  CHECK(convert("trunci", "i32", "i1", integer(3)).i == 1);
  CHECK(convert("sitofp", "i8", "f32", integer(-5)).f == -5);
  CHECK(convert("uitofp", "i8", "f32", integer(-5)).f == 251);
  CHECK(convert("sitofp", "i64", "f32", integer((int64_t(1) << 60) + (int64_t(1) << 36) + 1)).f ==
        0x1p60 + 0x1p37);
  CHECK(convert("sitofp", "i32", "bf16", integer(257)).f == 256);
  CHECK(convert("fptosi", "f32", "i32", real(-2.9)).i == -2);
  CHECK(convert("fptosi", "f32", "i32", real(quietNan)).i == 0);
  CHECK(convert("fptoui", "f32", "i8", real(200.5)).i == -56);
  CHECK(convert("truncf", "f64", "f32", real(1 + 0x1p-30)).f == 1);
  CHECK(convert("extf", "f16", "f32", real(0.5)).f == 0.5);
  CHECK(convert("bitcast", "f32", "i32", real(1)).i == 0x3f800000);
  CHECK(convert("bitcast", "i16", "bf16", integer(0x3f80)).f == 1);
  CHECK(convert("index_cast", "index", "i32", integer((int64_t(1) << 32) + 5)).i == 5);
}

TEST_CASE("floats") {
  CHECK(runFloats("arith.addf", "f32", 1, 0x1p-25) == 1);
  CHECK(runFloats("arith.addf", "f64", 1, 0x1p-25) == 1 + 0x1p-25);
  CHECK(runFloats("arith.mulf", "f16", 300, 300) == infinity);
  CHECK(runFloats("arith.divf", "f32", 1, 3) == double(1.0f / 3.0f));
  CHECK(runFloats("arith.divf", "f32", -1, 0) == -infinity);
  CHECK(std::isnan(runFloats("arith.divf", "f32", 0, 0)));
  CHECK(runFloats("arith.remf", "f32", -7, 2) == -1);
  CHECK(runFloat("arith.negf", "f32", 2) == -2);
  CHECK(std::signbit(runFloat("arith.negf", "f32", 0.0)));
}

TEST_CASE("largest and smallest") {
  for (bool isMaximum : {true, false}) {
    std::string max = isMaximum ? "arith.maximumf" : "arith.minimumf",
                maxnum = isMaximum ? "arith.maxnumf" : "arith.minnumf";
    CHECK(std::isnan(runFloats(max, "f32", quietNan, 1)));
    CHECK(std::isnan(runFloats(max, "f32", 1, quietNan)));
    CHECK(runFloats(maxnum, "f32", quietNan, 1) == 1);
    CHECK(runFloats(maxnum, "f32", 1, quietNan) == 1);
    CHECK(runFloats(max, "f32", 2, 3) == (isMaximum ? 3 : 2));
    CHECK(runFloats(maxnum, "f32", -infinity, 3) == (isMaximum ? 3 : -infinity));
    CHECK(std::signbit(runFloats(max, "f32", 0.0, -0.0)) == !isMaximum);
    CHECK(std::signbit(runFloats(max, "f32", -0.0, 0.0)) == !isMaximum);
  }
}

TEST_CASE("functions") {
  CHECK(runFloat("math.exp", "f32", 1) == double(float(std::exp(1.0))));
  CHECK(runFloat("math.exp", "f32", -infinity) == 0);
  CHECK(runFloat("math.sqrt", "f64", 2) == std::sqrt(2.0));
  CHECK(std::isnan(runFloat("math.log", "f32", -1)));
  CHECK(runFloat("math.roundeven", "f32", 2.5) == 2);
  CHECK(runFloat("math.round", "f32", 2.5) == 3);
  CHECK(runFloat("math.floor", "f32", -0.5) == -1);
  CHECK(runFloat("math.absf", "bf16", -3) == 3);
  CHECK(runFloats("math.powf", "f32", 2, 10) == 1024);
  CHECK(compute("math.absi %a : i8", "i8", "i1", {integer(-128)}).i == -128);
  // The product is not rounded.
  CHECK(compute("math.fma %a, %b, %c : f32", "f32", "f32",
                {real(1 + 0x1p-23), real(1 - 0x1p-23), real(-1)}, "f32")
            .f == -0x1p-46);
}
