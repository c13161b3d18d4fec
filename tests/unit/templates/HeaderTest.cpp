// Headers, and what is checked when a template is defined.
#include "TemplateText.h"

#include <catch2/catch.hpp>

using namespace kgen::templates;

static std::string errorsOf(const std::string &text) { return TextTemplate(text).errorText(); }

TEST_CASE("a header's parts") {
  TextTemplate t(
      "aliases {#map = affine_map<(i) -> (i)>}\n"
      "{S : any_shape_of<32x64, ?x64>, T : template.any_type_of<f32, u8> = u8,\n"
      " N : index_of<1, 8 to 33 step 8>, M : any_dim, Flag : bool = true,\n"
      " Name : string = \"a, }\", E : real_of<1.0e-5, 2> = 2.0}\n"
      "@my.op(%x : tensor< S x T >, %y : memref<MxNxf32, strided<[?, 1]>>) -> (tensor<SxT>, f32)\n"
      "  requires N % 2 == 1 || M == ?, \"odd\" requires true examples {N = 8, S = 7x64}\n"
      "{ return }");
  REQUIRE(t.errorText() == "");
  const Template &p = *t.parsed;
  CHECK(p.name == "my.op");
  CHECK(p.parameters.size() == 7);
  CHECK(p.find("N")->setText() == "1, 8, 16, 24, 32");
  CHECK(p.find("E")->otherwise->real == 2);
  CHECK(p.find("Name")->otherwise->text == "a, }");
  CHECK(p.arguments[0].type.dims == std::vector<llvm::StringRef>{"S"});
  CHECK(p.arguments[1].type.tail == ", strided<[?, 1]>");
  CHECK(p.requirements.size() == 2);
  CHECK(p.requirements[0].message == "odd");
  CHECK(p.examples.front().at("S").shown() == "7x64");
}

TEST_CASE("what a template is for, and what it costs") {
  TextTemplate t("{N : index} @f(%x : tensor<Nxf32>) -> tensor<Nxf32> reference @plain\n"
                 "replaces @\"my pattern\" cost 2 * N + 0.5 requires N > 0 { return }");
  REQUIRE(t.errorText() == "");
  CHECK(t.parsed->reference == "plain");
  CHECK(t.parsed->replaces == "my pattern");
  ExpressionError error;
  Environment values{{"N", Value::makeNumber(4)}};
  CHECK(costOf(*t.parsed, values, nullptr, error) == 8.5);
  CHECK(!costOf(*TextTemplate("@f() { }").parsed, {}, nullptr, error));
  CHECK(error.message.empty());
  CHECK(errorsOf("@f() replaces x { }") == "1:15: expected '@' and a template's name, found 'x'");
  CHECK(errorsOf("@f() cost M { }") == "1:11: unknown value 'M'");
  CHECK(errorsOf("@f() cost { }") == "1:11: expected a value, a name or '(', found '{'");
}

TEST_CASE("a template that is a micro-kernel lists the attributes that it depends on") {
  std::string all = "element = f32, m = M, n = 16, k = 2 * M, a_row = 1, a_col = 1, b_row = 1";
  TextTemplate t("{M : index} @f() kernel ukernel.gemm {" + all + ", c_row = 1} cost 1 { return }");
  REQUIRE(t.errorText() == "");
  CHECK(t.parsed->kernel->size() == 8);
  auto errors = [](const std::string &list) {
    return errorsOf("{M : index} @f() kernel ukernel.gemm {" + list + "} { }");
  };
  CHECK(errors(all) == "1:25: it does not say what c_row is");
  CHECK(errors("a_rows = 1") ==
        "1:39: a kernel does not depend on 'a_rows' (did you mean 'a_row'?)");
  CHECK(errors("m 1") == "1:41: expected '=' and what m is, found '1'");
  CHECK(errors("m = 1 n = 1") == "1:45: expected ',' or '}' behind an attribute, found 'n'");
  CHECK(errors(all + ", c_row = Q") == "1:121: unknown value 'Q'");
  CHECK(errorsOf("@f() kernel tpp.gemm { } { }") ==
        "1:13: expected 'ukernel.gemm' behind 'kernel', found 'tpp.gemm'");
}

TEST_CASE("errors of headers") {
  CHECK(errorsOf("{ins : index} @f() { }") ==
        "1:2: expected a new name that begins with a capital letter, found 'ins'");
  CHECK(errorsOf("{T : any_typ} @f() { }") ==
        "1:6: expected any_type, any_shape, index, any_dim, bool, string or real, found 'any_typ'");
  CHECK(errorsOf("{M : index_of<1, eight>} @f() { }") == "1:18: 'eight' cannot be in the set of M");
  CHECK(errorsOf("{M : index_of<0 to 5000>} @f() { }") == "1:15: a set has at most 256 members");
  CHECK(errorsOf("{M : index_of<4 to 4>} @f() { }") ==
        "1:15: expected 'FROM to END [step STEP]', found '4 to 4'");
  CHECK(errorsOf("{M : index_of<1, 8> = 3} @f() { }") ==
        "1:23: '3', the default of M, is not a value of index_of<1, 8>");
  CHECK(errorsOf("f() { }") == "1:1: expected '@' and the template's name, found 'f'");
  CHECK(errorsOf("@f(x) { }") == "1:4: expected '%name : type' or ')', found 'x'");
  CHECK(errorsOf("@f() requires M { }") == "1:15: unknown value 'M'");
  CHECK(errorsOf("@f() { ") == "1:6: the body is not closed");
  CHECK(errorsOf("@f() { } {") == "1:10: expected nothing behind the body, found '{'");
  CHECK(errorsOf("{M : index} @f() examples {N = 3} { }") ==
        "1:28: expected a parameter's name, found 'N'");
  std::string many = "{";
  for (int i = 0; i < 33; ++i)
    many += (i ? ", P" : "P") + std::to_string(i) + " : index";
  CHECK(errorsOf(many + "} @f() { }").find("a template has at most 32 parameters") !=
        std::string::npos);
}

TEST_CASE("errors of bodies are found when a template is defined, all at once") {
  CHECK(errorsOf("{N : index} @f() {\n  template.let A = M + 1\n  template.iff\n"
                 "  %0 = tensor.empty() : tensor<Halfx4xf32>\n}") ==
        "2:20: unknown value 'M'\n"
        "3:3: there is no operation 'template.iff' (did you mean 'template.let'?)\n"
        "4:32: unknown value 'Halfx4xf32' in a type");
  CHECK(errorsOf("{T : any_type_of<f32, bf16, i8>} @f() { template.type_switch T case f32 { } }") ==
        "1:41: no case takes T = bf16, i8");
  CHECK(errorsOf("{T : any_type_of<f32, i8>} @f() { template.type_switch T case f32, i8 { } }") ==
        "");
  CHECK(
      errorsOf(
          "{T : any_type} @f() { template.type_switch T case f32 { } default { } case i8 { } }") ==
      "1:71: 'default' is the last of all");
  CHECK(errorsOf("@f() { %0 = template.const_if true -> f32 { } }") ==
        "1:13: a template.const_if with results needs an 'else'");
  CHECK(errorsOf("@f() { %0 = template.const_if true { } else { } }") ==
        "1:36: expected '->' and the types of the results, found '{'");
  CHECK(errorsOf("@f() { template.const_if true return }") ==
        "1:31: expected a block in braces, found 'return'");
  CHECK(errorsOf("@f() { template.const_for I = 0 to 4 iter_args(%a = %b) { } }") ==
        "1:8: the loop has 0 results and 1 iter_args");
  CHECK(errorsOf("@f() { template.let a = 1 }") ==
        "1:21: expected a new name that begins with a capital letter, found 'a'");
  CHECK(errorsOf("@f() { template.error 3 }") == "1:23: expected a text in quotes, found '3'");
  CHECK(errorsOf("@f() { template.call f() : () -> () }") ==
        "1:22: expected '@' and a template's name, found 'f'");
  CHECK(errorsOf("@f() { template.call @f<K = L>() : () -> () }") == "1:29: unknown value 'L'");
  // A name ends with its block.
  CHECK(errorsOf("@f() { template.const_if true { template.let A = 1 } template.let B = A }") ==
        "1:71: unknown value 'A'");
}
