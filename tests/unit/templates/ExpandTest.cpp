// The text of instances, where it came from, and types of results.
#include "TemplateText.h"

#include <catch2/catch.hpp>

using namespace kgen::templates;

namespace {

/// The body's text without line ends and doubled blanks, or the error.
std::string bodyOf(const std::string &header, const std::string &body, const Environment &values,
                   ExpansionLimits limits = {}) {
  TextTemplate t(header + " {" + body + "}");
  if (!t.parsed)
    return t.errorText();
  Expander text = expandInstance(*t.parsed, values, nullptr, limits);
  if (!text.error.message.empty())
    return "error: " + text.error.message;
  std::string flat;
  for (char c : text.text.substr(text.text.find('{') + 1))
    if (c != '\n' && !(c == ' ' && (flat.empty() || flat.back() == ' ')))
      flat += c;
  return flat.substr(0, flat.rfind('}'));
}

const Environment values = {{"N", Value::makeNumber(4)},
                            {"S", Value::makeShape({2, 3})},
                            {"Z", Value::makeShape({})},
                            {"T", Value::makeType("u8")},
                            {"E", Value::makeReal(1e-6)}};
const std::string header = "{N : index, S : any_shape, Z : any_shape, T : any_type, E : real} @f()";

} // namespace

TEST_CASE("names stand for sizes, shapes, types and numbers") {
  CHECK(bodyOf(header, "%0 = a.b %x[N, $(N / 2)] : tensor<SxNxT>, vector<NxT>, tensor<ZxT>",
               values) == "%0 = a.b %x[4, 2] : tensor<2x3x4xi8>, vector<4xi8>, tensor<i8>");
  CHECK(bodyOf(header, "tensor<$(N / 2)xSx2xT> tensor<?x8xT> memref<NxT, #map>", values) ==
        "tensor<2x2x3x2xi8> tensor<?x8xi8> memref<4xi8, #map>");
  // Strings, comments and MLIR's words stay.
  CHECK(bodyOf(header, "x.y {N = \"N\", n} // N\n", values) == "x.y {4 = \"N\", n} // N");
  CHECK(bodyOf(header, "template.call @g<N = N + 1, T = T, E = E>(%N) : () -> ()", values) ==
        "template.call @g<N =5, T =u8, E =1.0e-06>(%N) : () -> ()");
}

TEST_CASE("constants are written in the way of their type") {
  CHECK(bodyOf(header, "%0 = template.constant 1 : f32", values) ==
        "%0 = arith.constant 1.0 : f32");
  CHECK(bodyOf(header, "%0 = template.constant N : T", values) == "%0 = arith.constant 4 : i8");
  CHECK(bodyOf(header, "%0 = template.constant true : T", values) == "%0 = arith.constant 1 : i8");
  CHECK(bodyOf(header, "%0 = template.constant true : i1", values) == "%0 = arith.constant 1 : i1");
  CHECK(bodyOf(header, "%0 = template.constant E : vector<Nxf32>", values) ==
        "%0 = arith.constant dense<1.0e-06> : vector<4xf32>");
}

TEST_CASE("a branch that ends in a terminator takes the operation's place") {
  CHECK(bodyOf(header,
               "template.const_if N > 4 { a } else template.const_if N == 4 { return } else { c }",
               values) == "return ");
  CHECK(bodyOf(header, "template.const_if N > 4 { a }", values) == "");
  CHECK(bodyOf(header, "template.const_if true { a.b }", values) ==
        "scf.execute_region { a.b scf.yield}");
  CHECK(bodyOf(header,
               "%0 = template.shape_switch S -> f32 case 2x? { template.yield %x : f32 } "
               "default { no }",
               values) == "%0 = scf.execute_region -> f32 { scf.yield %x : f32 }");
  CHECK(bodyOf(header, "template.value_switch N case 1, 2 { a }", values) ==
        "error: no case takes 4");
}

TEST_CASE("loops are unrolled, and carry values") {
  CHECK(bodyOf(header,
               "%r = template.const_for I = 0 to N step 2 iter_args(%a = %x) -> f32 { "
               "%b = f %a, I\n template.yield %b : f32 } g %r",
               values) ==
        "%r.$1 = scf.execute_region -> f32 { %b = f %x, 0 scf.yield %b : f32 }"
        "%r.$2 = scf.execute_region -> f32 { %b = f %r.$1, 2 scf.yield %b : f32 } g %r.$2");
  CHECK(bodyOf(header, "%r = template.const_for I = 4 to N iter_args(%a = %x) -> f32 { } g %r",
               values) == "g %x");
  CHECK(bodyOf(header, "template.const_for I = 0 to 5000 { a }", values) ==
        "error: unrolled into more than 4096 copies (the limit is the option max-unroll)");
  CHECK(bodyOf(header, "template.const_for I = 0 to 4 { a.b }", values, {4096, 60})
            .find("the limit is the option max-text") != std::string::npos);
  CHECK(bodyOf(header, "template.const_for I = 0 to 4 step 0 { }", values) ==
        "error: a step must be positive, found 0");
}

TEST_CASE("what a template's author says") {
  CHECK(bodyOf(header, "template.assert N < 4, \"short rows\"", values) ==
        "error: short rows (N < 4)");
  CHECK(bodyOf(header, "template.const_if N < 4 { template.error \"no\" }", values) == "");
}

TEST_CASE("places of the text lead back to the template") {
  TextTemplate t(
      "{N : index} @f(%x : tensor<NxNxf32>) {\n  template.let A = N + 1\n  a.b %x, A, c\n}");
  REQUIRE(t.parsed);
  Expander text = expandInstance(*t.parsed, {{"N", Value::makeNumber(100)}}, nullptr);
  llvm::StringRef all = text.text;
  size_t c = all.find(", c") + 2;
  size_t line = all.take_front(c).count('\n'), column = c - all.take_front(c).rfind('\n');
  CHECK(llvm::StringRef(text.sourceOf(line + 1, column)).starts_with("c\n}"));
  CHECK(llvm::StringRef(text.sourceOf(line + 1, column - 4)).starts_with("A, c"));
  CHECK(text.sourceOf(1, 1) == nullptr);
  CHECK(text.sourceOf(99, 1) == nullptr);
}

TEST_CASE("types of results, which a body may decide") {
  TextTemplate t(
      "{T : any_type, N : index} @pack(%x : tensor<NxT>) -> (tensor<PxMRxT>, f32) {\n"
      "  template.let R = min(N, 6)\n  template.result MR = R\n  template.result P = N / R }");
  REQUIRE(t.errorText() == "");
  ExpressionError error;
  auto types = resultTypesOf(
      *t.parsed, {{"T", Value::makeType("bool")}, {"N", Value::makeNumber(12)}}, nullptr, error);
  REQUIRE(types);
  CHECK(*types == std::vector<std::string>{"tensor<2x6xbool>", "f32"});
  CHECK(!resultTypesOf(*t.parsed, {{"T", Value::makeType("bool")}, {"N", Value::makeNumber(7)}},
                       nullptr, error));
  CHECK(error.message == "7 / 6 is not a whole number");
}
