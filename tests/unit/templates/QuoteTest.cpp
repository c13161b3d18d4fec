// Files with templates, quoted for MLIR's parser.
#include "templates/language/Quote.h"

#include <catch2/catch.hpp>

using namespace kgen::templates;

TEST_CASE("a template becomes a string, and lines keep their numbers") {
  CHECK(quoteTemplates(
            "a\ntemplate.func {T : any_type}\n@f(%x : T) -> T {\n  return \"x\"\n}\nb\n") ==
        "a\ntemplate.func\n\n\n \" {T : any_type}\\0A@f(%x : T) -> T {\\0A  return "
        "\\22x\\22\\0A}\"\nb\n");
  CHECK(quoteTemplates("func.func @f() { return }\n") == "func.func @f() { return }\n");
  CHECK(quoteTemplates("template.func \"{} @f() { }\"") == "template.func \"{} @f() { }\"");
  CHECK(quoteTemplates("// template.func {\n") == "// template.func {\n");
  CHECK(quoteTemplates("template.func @f( {") == "template.func @f( {");
}

TEST_CASE("aliases that a template uses go with it") {
  CHECK(quoteTemplates("#a = affine_map<(i) -> (i)>\n!t = tensor<4xf32, #a>\n#c = 1\n"
                       "template.func @f(%x : !t) { }") ==
        "#a = affine_map<(i) -> (i)>\n!t = tensor<4xf32, #a>\n#c = 1\n"
        "template.func aliases \"#a = affine_map<(i) -> (i)>\\0A!t = tensor<4xf32, #a>\" \" @f(%x "
        ": !t) { }\"");
  // As they are printed: they stay a part of the text.
  CHECK(quoteTemplates("template.func aliases {#a = 1} @f() { #a }") ==
        "template.func \" aliases {#a = 1} @f() { #a }\"");
}

TEST_CASE("whether there are templates") {
  CHECK(hasTemplates("template.func @f() { }"));
  CHECK(!hasTemplates("// template.func\n"));
  CHECK(!hasTemplates("\"template.func\""));
}
