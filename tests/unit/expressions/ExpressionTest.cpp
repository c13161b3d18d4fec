// Expressions: values, types of operands, what is refused, limits.
#include "expressions/Expression.h"

#include <catch2/catch.hpp>

using namespace kgen::expressions;

namespace {

const Environment environment = {{"K", Value::makeNumber(6)},
                                 {"T", Value::makeType("bf16")},
                                 {"U", Value::makeType("u8")},
                                 {"S", Value::makeShape({2, 3, 5})},
                                 {"D", Value::makeNumber(dynamicSize)},
                                 {"Epsilon", Value::makeReal(1e-5)},
                                 {"Q", Value::makeShape({dynamicSize, 4})}};

/// The value, or the error with its column.
std::string resultOf(const std::string &text) {
  TargetFacts target{{"avx512bf16"}, {{"vector_bits", 512}}};
  Lexer lexer{text};
  ExpressionError error;
  std::optional<Expression> e = parseExpression(lexer, error);
  std::optional<Value> value =
      e ? evaluate(*e, {environment, &target}, error) : std::optional<Value>();
  if (value && lexer.peek())
    return value->shown() + " and " + lexer.rest.str();
  return value ? value->shown() : std::to_string(error.at - text.data() + 1) + ": " + error.message;
}

} // namespace

TEST_CASE("arithmetic of whole and real numbers") {
  CHECK(resultOf("1 + 2 * 3 - 4") == "3");
  CHECK(resultOf("(1 + 2) * -3") == "-9");
  CHECK(resultOf("K % 4") == "2");
  CHECK(resultOf("-7 % 4") == "1");
  CHECK(resultOf("K / 2") == "3");
  CHECK(resultOf("K / 4") == "3: 6 / 4 is not a whole number");
  CHECK(resultOf("K / 0") == "3: 6 / 0 is not a whole number");
  CHECK(resultOf("floordiv(-7, 2)") == "-4");
  CHECK(resultOf("ceildiv(7, 2)") == "4");
  CHECK(resultOf("7 / 2.0") == "3.5");
  CHECK(resultOf("Epsilon * 2") == "2.0e-05");
  CHECK(resultOf("1.0 / 0") == "5: the result of '/' is not finite");
  CHECK(resultOf("9223372036854775807 + 1") ==
        "21: the result of 9223372036854775807 + 1 does not fit into 64 bits");
  CHECK(resultOf("9223372036854775808") == "1: 9223372036854775808 is not a number of 64 bits");
  CHECK(resultOf("sqrt(16)") == "4.0");
  CHECK(resultOf("min(K, 2) + max(2.5, 1)") == "4.5");
}

TEST_CASE("comparisons and logic") {
  CHECK(resultOf("K >= 6 && !(K < 6)") == "true");
  CHECK(resultOf("K == 6.0 || unknown") == "true");
  CHECK(resultOf("false && 1 / 0 == 1") == "false");
  CHECK(resultOf("true && K") == "6: '&&' does not take true and 6");
  CHECK(resultOf("!K") == "1: '!' does not take 6");
  CHECK(resultOf("T == bf16") == "true");
  CHECK(resultOf("T < 3") == "3: '<' does not take bf16 and 3");
  CHECK(resultOf("!target(\"avx2\")") == "true");
}

TEST_CASE("types") {
  CHECK(resultOf("template::is_same(T, bf16)") == "true");
  CHECK(resultOf("template.is_same(T, vector<4xf32>)") == "false");
  CHECK(resultOf("bitwidth(T) + bitwidth(U) + bitwidth(bool)") == "32");
  CHECK(resultOf("bitwidth(index)") == "1: 'index' has no number of bits");
  CHECK(resultOf("is_float(T) && is_integer(U) && is_unsigned(U) && !is_unsigned(i8)") == "true");
  CHECK(resultOf("compute(T)") == "f32");
  CHECK(resultOf("compute(f64)") == "f64");
  CHECK(environment.at("U").str() == "i8");
}

TEST_CASE("shapes and lists") {
  CHECK(resultOf("rank(S) * elements(S) + S[2] + dim(S, 0)") == "97");
  CHECK(resultOf("S[3]") == "2: 2x3x5 has no item 3");
  CHECK(resultOf("elements(Q)") == "1: the shape ?x4 has no number of elements");
  CHECK(resultOf("Q[0] + 1") == "6: '+' needs a size that is known now, found '?'");
  CHECK(resultOf("S == 2x3x5") == "true");
  CHECK(resultOf("concat(range(0, 2), [5])") == "[0, 1, 5]");
  CHECK(resultOf("concat(range(0, 2), [5])[2]") == "5");
  CHECK(resultOf("size(sizes(S))") == "3");
  CHECK(resultOf("repeat(\"parallel\", 2)") == "[\"parallel\", \"parallel\"]");
  CHECK(resultOf("repeat(1, -1)") == "1: a list has 0 to 4096 items, not -1");
  CHECK(resultOf("range(0, 5000)") == "1: a list has at most 4096 items");
  CHECK(resultOf("identity(2)") == "affine_map<(d0, d1) -> (d0, d1)>");
  CHECK(resultOf("projection(3, [0, 2])") == "affine_map<(d0, d1, d2) -> (d0, d2)>");
  CHECK(resultOf("projection(1, [1])") == "1: a map of 1 dimensions has no dimension 1");
}

TEST_CASE("the target") {
  CHECK(resultOf("target(\"vector_bits\") / bitwidth(f32)") == "16");
  CHECK(resultOf("target(\"avx512bf16\")") == "true");
  std::string text = "target(\"avx2\")";
  Lexer lexer{text};
  ExpressionError error;
  std::optional<Expression> e = parseExpression(lexer, error);
  CHECK(!evaluate(*e, {environment}, error));
  CHECK(error.message == "no target is known here");
}

TEST_CASE("what is no expression") {
  CHECK(resultOf("K + ") == "5: expected a value, a name or '(', found the end of the text");
  CHECK(resultOf("(K") == "3: expected ')' or an operator, found the end of the text");
  CHECK(resultOf("ran(S)") == "1: there is no function 'ran' (did you mean 'rank'?)");
  CHECK(resultOf("rank(S, S)") == "1: rank takes 1 argument, not 2");
  CHECK(resultOf("rank(K)") == "1: rank does not take 6 (a index) as argument #0");
  CHECK(resultOf("Kk + 1") == "1: unknown value 'Kk' (did you mean 'K'?)");
  CHECK(resultOf("D + 1") == "3: '+' needs a size that is known now, found '?'");
  CHECK(resultOf("D == ?") == "true");
  std::string deep = std::string(200, '(') + "1" + std::string(200, ')');
  CHECK(resultOf(deep).find("nested too deeply: 100 levels are the limit") != std::string::npos);
  CHECK(resultOf(std::string(5000, '-') + "1").find("nested too deeply") != std::string::npos);
  CHECK(resultOf(std::string(5000, '[')).find("nested too deeply") != std::string::npos);
  // Each term of a sum is a level.
  auto sumOf = [](int terms) {
    std::string sum = "1";
    for (int i = 1; i < terms; ++i)
      sum += " + 1";
    return sum;
  };
  CHECK(resultOf(sumOf(90)) == "90");
  CHECK(resultOf(sumOf(300)).find("nested too deeply: 100 levels") != std::string::npos);
}

TEST_CASE("real numbers are read back as they were, and have a point") {
  CHECK(realText(1e-6) == "1.0e-06");
  CHECK(realText(3) == "3.0");
  CHECK(realText(0.1) == "0.1");
  CHECK(realText(-0.0) == "-0.0");
}
