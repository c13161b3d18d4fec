// Calls: parameters that follow from operands, refusals, run time, overloads.
#include "TemplateText.h"

#include <catch2/catch.hpp>

using namespace kgen::templates;

namespace {

/// The parameters, or the refusal.
std::string matchText(const std::string &header, const std::vector<std::string> &operands,
                      std::map<std::string, std::string, std::less<>> given = {}) {
  TextTemplate t(header + " { return }");
  if (!t.parsed)
    return t.errorText();
  TextCall call(operands, std::move(given));
  Match match = matchCall(*t.parsed, call.shape, nullptr);
  std::string text = match.fits() ? shown(match.values) : "refused: " + match.refusal.message;
  for (const RunTimeParameter &p : match.atRunTime) {
    text += "; " + p.parameter->name.str() + " at run time:";
    for (const Value &choice : p.choices)
      text += " " + choice.shown();
  }
  return text;
}

const std::string mma = "{T : any_type_of<f32, bf16>, M : index, N : index, K : index} "
                        "@mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>)";

} // namespace

TEST_CASE("parameters follow from operands") {
  CHECK(matchText(mma, {"tensor<4x8xbf16>", "tensor<8x6xbf16>"}) ==
        "K = 8, M = 4, N = 6, T = bf16");
  CHECK(matchText(mma, {"tensor<4x8xf16>", "tensor<8x6xf16>"}) ==
        "refused: T = f16 is not one of f32, bf16");
  CHECK(matchText(mma, {"tensor<4x8xf32>", "tensor<7x6xf32>"}) ==
        "refused: K is 8 in operand #0 (%a) and 7 in operand #1 (%b)");
  CHECK(matchText(mma, {"tensor<4x8xf32>", "tensor<8x6xf32>"}, {{"T", "bf16"}}) ==
        "refused: T is bf16 in <...> and f32 in operand #0 (%a)");
  CHECK(matchText(mma, {"tensor<4x8xf32>", "tensor<8x6xf32>"}, {{"Tt", "bf16"}}) ==
        "refused: it has no parameter Tt (did you mean 'T'?)");
  CHECK(matchText(mma, {"tensor<4x8xf32>"}) == "refused: it takes 2 operands, not 1");
  CHECK(
      matchText(mma, {"tensor<*xf32>", "tensor<8x6xf32>"}) ==
      "refused: operand #0 (%a) is tensor<*xf32>, whose rank is not known; tensor<MxKxT> needs it");
  CHECK(matchText(mma, {"memref<4x8xf32>", "tensor<8x6xf32>"}) ==
        "refused: operand #0 (%a) is memref<4x8xf32>, not tensor<MxKxT>");
  // A size that is known wins.
  CHECK(matchText(mma, {"tensor<4x?xf32>", "tensor<8x6xf32>"}) == "K = 8, M = 4, N = 6, T = f32");
  CHECK(matchText(mma, {"tensor<?x8xf32>", "tensor<8x6xf32>"}) ==
        "refused: M = ? is known at run time only, and M has no finite set");
}

TEST_CASE("shapes take the sizes that are left") {
  const std::string f = "{S : any_shape, N : index} @f(%x : tensor<SxNxf32>, %w : tensor<Nxf32>)";
  CHECK(matchText(f, {"tensor<2x3x8xf32>", "tensor<8xf32>"}) == "N = 8, S = 2x3");
  CHECK(matchText(f, {"tensor<8xf32>", "tensor<8xf32>"}) == "N = 8, S = []");
  CHECK(matchText(f, {"tensor<f32>", "tensor<8xf32>"}) ==
        "refused: operand #0 (%x) is tensor<f32>, not tensor<SxNxf32>");
  CHECK(matchText("{S : any_shape_of<32x64, ?x8>} @f(%x : tensor<Sxf32>)", {"tensor<9x8xf32>"}) ==
        "S = 9x8");
  CHECK(matchText("{S : any_shape_of<32x64, 64x64>} @f(%x : tensor<Sxf32>)",
                  {"tensor<32x128xf32>"}) == "refused: S = 32x128 is not one of 32x64, 64x64");
}

TEST_CASE("values that calls give, defaults, and types of specs") {
  const std::string f = "{U : any_type_of<u8, f32>, E : real = 1.0, P : bool = false, N : index} "
                        "@f(%x : tensor<4xU>)";
  CHECK(matchText(f, {"tensor<4xi8>"}, {{"N", "3"}}) == "E = 1.0, N = 3, P = false, U = u8");
  CHECK(matchText(f, {"tensor<4xi8>"}, {{"N", "3"}, {"U", "u8"}, {"E", "2"}, {"P", "true"}}) ==
        "E = 2.0, N = 3, P = true, U = u8");
  CHECK(matchText(f, {"tensor<4xf32>"}) ==
        "refused: N does not follow from the operands: say @f<N = ...>");
  CHECK(matchText(f, {"tensor<4xf32>"}, {{"N", "x"}}) == "refused: N : index cannot be x");
}

TEST_CASE("requirements say their condition and all values") {
  CHECK(
      matchText(mma + " requires K % 2 == 0, \"pairs\"", {"tensor<4x3xf32>", "tensor<3x6xf32>"}) ==
      "refused: pairs: it requires K % 2 == 0 (K = 3, M = 4, N = 6, T = f32)");
  CHECK(matchText("{K : index} @f(%a : tensor<Kxf32>, %b : tensor<$(K / 2)xf32>)",
                  {"tensor<8xf32>", "tensor<5xf32>"}) ==
        "refused: size 0 of operand #1 is 5, not $(K / 2) = 4");
  CHECK(matchText("{K : index} @f(%a : tensor<Kxf32>, %b : tensor<$(K / 2)xf32>)",
                  {"tensor<8xf32>", "tensor<4xf32>"}) == "K = 8");
}

TEST_CASE("what a header asks of a target is left out without one") {
  std::string text =
      "{N : index} @f(%x : tensor<Nxf32>, %y : tensor<$(target(\"vector_bits\"))xf32>) "
      "requires target(\"avx2\") && N > 0 { return }";
  TextTemplate parsed(text);
  REQUIRE(parsed.errorText() == "");
  TextCall call({"tensor<4xf32>", "tensor<256xf32>"});
  TargetFacts narrow{{"sse2"}, {{"vector_bits", 128}}}, wide{{"avx2"}, {{"vector_bits", 256}}};
  CHECK(matchCall(*parsed.parsed, call.shape, nullptr).fits());
  CHECK(matchCall(*parsed.parsed, call.shape, &wide).fits());
  CHECK(matchCall(*parsed.parsed, call.shape, &narrow).refusal.message ==
        "size 0 of operand #1 is 256, not $(target(\"vector_bits\")) = 128");
}

TEST_CASE("finite sets are found out at run time") {
  CHECK(matchText("{M : index_of<1, 8>, N : index} @f(%x : tensor<MxNxf32>)",
                  {"tensor<?x4xf32>"}) == "N = 4; M at run time: 1 8");
  CHECK(matchText("{S : any_shape_of<32x64, 32x8, 4x4>} @f(%x : tensor<Sxf32>)",
                  {"tensor<32x?xf32>"}) == "; S at run time: 32x64 32x8");
  CHECK(matchText("{M : any_dim} @f(%x : tensor<Mxf32>)", {"tensor<?xf32>"}) == "M = ?");
  CHECK(matchText("{S : any_shape} @f(%x : tensor<Sxf32>)", {"tensor<?x3xf32>"}) == "S = ?x3");
}

TEST_CASE("the most special template") {
  auto compare = [](const std::string &a, const std::string &b) {
    TextTemplate left("" + a + " { return }"), right(b + " { return }");
    REQUIRE(left.parsed);
    REQUIRE(right.parsed);
    return std::string(isMoreSpecial(*left.parsed, *right.parsed) ? "<" : "") +
           (isMoreSpecial(*right.parsed, *left.parsed) ? ">" : "");
  };
  CHECK(compare("{N : index} @f(%x : tensor<8xNxf32>)",
                "{M : index, N : index} @f(%x : tensor<MxNxf32>)") == "<");
  CHECK(compare("{N : index} @f(%x : tensor<8xNxf32>)", "{N : index} @f(%x : tensor<Nx8xf32>)") ==
        "");
  CHECK(compare("{S : any_shape} @f(%x : tensor<Sxf32>)", "{N : index} @f(%x : tensor<Nx8xf32>)") ==
        ">");
  CHECK(compare("{T : any_type_of<f32>} @f(%x : T)", "{T : any_type_of<f32, bf16>} @f(%x : T)") ==
        "<");
  CHECK(compare("@f(%x : f32)", "{T : any_type_of<f32, bf16>} @f(%x : T)") == "<");
  CHECK(compare("@f(%x : i8)", "{T : any_type_of<f32, bf16>} @f(%x : T)") == "");
  CHECK(compare("{N : index} @f(%x : tensor<NxNxf32>)",
                "{M : index, N : index} @f(%x : tensor<MxNxf32>)") == "<");
  CHECK(compare("{N : index} @f(%x : tensor<Nxf32>)", "{N : any_dim} @f(%x : tensor<Nxf32>)") ==
        "<");
  CHECK(compare("{N : index} @f(%x : tensor<Nxf32>) requires N > 4",
                "{N : index} @f(%x : tensor<Nxf32>)") == "<");
  CHECK(compare("@f(%x : f32)", "@f(%x : f32, %y : f32)") == "");
}

TEST_CASE("the header that would decide") {
  auto decide = [](const std::string &a, const std::string &b) {
    TextTemplate left(a + " { return }"), right(b + " { return }");
    return decidingHeader(*left.parsed, *right.parsed);
  };
  CHECK(decide("{M : index} @two(%x : tensor<Mx8xf32>)",
               "{N : index} @two(%x : tensor<8xNxf32>)") == "@two(%x : tensor<8x8xf32>)");
  CHECK(decide("{T : any_type, N : index_of<1, 2, 3>} @f(%x : tensor<NxT>, %y : f32)",
               "{N : index_of<2, 3, 4>, U : any_type} @f(%x : tensor<Nxf32>, %y : U)") ==
        "{N : index_of<2, 3>} @f(%x : tensor<Nxf32>, %y : f32)");
}
