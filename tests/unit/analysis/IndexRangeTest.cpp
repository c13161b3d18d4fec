// Ranges, divisors and linear forms of indices. The index under test is an operand of "use".
#include "analysis/IndexRange.h"

#include <catch2/catch.hpp>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Parser/Parser.h>

using namespace mlir;
using namespace kgen;

namespace {

/// The operands of "use" in the body of a function of two indices, %x and %y.
class Indices {
public:
  explicit Indices(const std::string &body) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect>();
    context.allowUnregisteredDialects();
    std::string constants;
    for (int number : {0, 1, 4, 8, 24, 32, 60, 64})
      constants += "%c" + std::to_string(number) + " = arith.constant " + std::to_string(number) +
                   " : index\n";
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: index, %y: index) {\n" + constants + body + "\nreturn\n}", &context);
    REQUIRE(module);
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "use")
        use = op;
    });
    REQUIRE(use);
  }

  Value get(unsigned number = 0) const { return use->getOperand(number); }
  Value argument(unsigned number) const {
    return use->getParentOfType<func::FuncOp>().getArgument(number);
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *use = nullptr;
};

/// The index `value` in a loop over `bounds`, the variable of which is %i.
std::string inLoop(const std::string &bounds, const std::string &value) {
  return "scf.for %i = " + bounds + " {\n" + value + "\n\"use\"(%v) : (index) -> ()\n}";
}

std::string apply(const std::string &map, const std::string &operands) {
  return "%v = affine.apply affine_map<" + map + ">(" + operands + ")";
}

void checkRange(const std::string &body, int64_t first, int64_t last) {
  INFO(body);
  std::optional<IndexRange> range = rangeOf(Indices(body).get());
  REQUIRE(range);
  CHECK(range->first == first);
  CHECK(range->last == last);
}

void checkNoRange(const std::string &body) {
  INFO(body);
  CHECK(!rangeOf(Indices(body).get()));
}

int64_t divisor(const std::string &body) {
  INFO(body);
  return knownDivisor(Indices(body).get());
}

const std::string same = "%v = arith.addi %i, %c0 : index";

} // namespace

TEST_CASE("a loop's variable ends a whole number of steps after its first value") {
  checkRange(inLoop("%c0 to %c64 step %c8", same), 0, 56);
  checkRange(inLoop("%c0 to %c60 step %c8", same), 0, 56);
  checkRange(inLoop("%c4 to %c60 step %c8", same), 4, 52);
  checkRange(inLoop("%c0 to %c1 step %c8", same), 0, 0);
  checkRange("scf.forall (%i) = (8) to (32) step (8) {\n\"use\"(%i) : (index) -> ()\n}", 8, 24);
}

TEST_CASE("nothing is known about the variable of a loop that never runs, and of arguments") {
  checkNoRange(inLoop("%c8 to %c8 step %c1", same));
  checkNoRange(inLoop("%c0 to %x step %c1", same));
  checkNoRange("\"use\"(%x) : (index) -> ()");
}

TEST_CASE("bounds of a loop may be variables of loops around it, and its step an argument") {
  const std::string around = "scf.for %o = %c0 to %c64 step %c8 {\n", end = "\n}";
  checkRange(around + inLoop("%o to %c64 step %c8", same) + end, 0, 63);
  checkRange(around +
                 inLoop("%c0 to %e step %c4", same).insert(0, "%e = arith.addi %o, %c8 : index\n") +
                 end,
             0, 60);
  checkRange(inLoop("%c0 to %c64 step %x", same), 0, 63);
}

TEST_CASE("ranges of arithmetic") {
  const std::string loop = "%c0 to %c64 step %c8";
  checkRange(inLoop(loop, apply("(d0) -> (d0 * 2 + 3)", "%i")), 3, 115);
  checkRange(inLoop(loop, apply("(d0) -> (60 - d0)", "%i")), 4, 60);
  checkRange(inLoop(loop, apply("(d0) -> ((d0 floordiv 16) * 32)", "%i")), 0, 96);
  checkRange(inLoop(loop, apply("(d0, d1) -> (d0 + d1 mod 4)", "%i, %x")), 0, 59);
  checkRange(inLoop(loop, "%v = arith.subi %c64, %i : index"), 8, 64);
  checkRange(inLoop(loop, "%v = arith.minsi %i, %c24 : index"), 0, 24);
  checkNoRange(inLoop(loop, "%v = arith.addi %i, %x : index"));
}

TEST_CASE("what divides an index") {
  CHECK(divisor("\"use\"(%c24) : (index) -> ()") == 24);
  CHECK(divisor("\"use\"(%c0) : (index) -> ()") == 0);
  CHECK(divisor("\"use\"(%x) : (index) -> ()") == 1);
  CHECK(divisor(inLoop("%c0 to %x step %c8", same)) == 8);
  CHECK(divisor(inLoop("%c4 to %x step %c8", same)) == 4);
  CHECK(divisor(inLoop("%c0 to %x step %c8", "%v = arith.muli %i, %y : index")) == 8);
  CHECK(divisor(inLoop("%c0 to %x step %c8", apply("(d0) -> (d0 * 4 + 48)", "%i"))) == 16);
  CHECK(divisor(inLoop("%c0 to %x step %c8", apply("(d0) -> (d0 floordiv 2)", "%i"))) == 4);
}

TEST_CASE("linear forms") {
  Indices indices("%a = arith.muli %x, %c8 : index\n"
                  "%b = affine.apply affine_map<(d0)[s0] -> (d0 - s0 * 2 + 5)>(%a)[%y]\n"
                  "%c = arith.subi %b, %a : index\n"
                  "%d = arith.addi %b, %c64 : index\n"
                  "%e = arith.divui %a, %c4 : index\n"
                  "\"use\"(%b, %c, %d, %e) : (index, index, index, index) -> ()");
  Value x = indices.argument(0), y = indices.argument(1);
  LinearIndex b(indices.get(0)), c(indices.get(1)), d(indices.get(2)), e(indices.get(3));
  CHECK(b.coefficientOf(x) == 8);
  CHECK(b.coefficientOf(y) == -2);
  CHECK(b.getConstant() == 5);
  CHECK(c.getTerms().size() == 1); // what cancels out is no term
  CHECK(c.coefficientOf(y) == -2);
  CHECK(d.differsByConstant(b));
  CHECK(d.getConstant() - b.getConstant() == 64);
  CHECK(!c.differsByConstant(b));
  CHECK(e.getTerms().size() == 1);
  CHECK(e.coefficientOf(x) == 0);
  CHECK(e.coefficientOf(indices.get(3)) == 1); // a quotient is a value of its own
}
