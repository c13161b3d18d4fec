// The points that Resize reads, against exact fractions: all coordinate transformations and
// roundings, for many sizes and scales.
#include "ops/sampling/ResizeGrid.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace kgen;

namespace {

__extension__ using Integer = __int128;

/// A fraction with a positive denominator, not reduced.
struct Fraction {
  Integer above, below = 1;

  Fraction operator+(Fraction o) const {
    return {above * o.below + o.above * below, below * o.below};
  }
  Fraction operator-(Fraction o) const { return *this + Fraction{-o.above, o.below}; }
  Fraction operator*(Fraction o) const { return {above * o.above, below * o.below}; }
  Fraction operator/(Fraction o) const {
    bool isNegative = o.above < 0;
    return {above * (isNegative ? -o.below : o.below), below * (isNegative ? -o.above : o.above)};
  }
  bool operator<(Fraction o) const { return above * o.below < o.above * below; }
  Integer floor() const { return above >= 0 ? above / below : -((-above + below - 1) / below); }
  Integer ceil() const { return -Fraction{-above, below}.floor(); }
  long double value() const { return (long double)(above) / (long double)(below); }
};

const Fraction half{1, 2};

Fraction exactly(float number) {
  int exponent = 0;
  auto digits = static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 24));
  Fraction result{digits, 1};
  for (int i = exponent - 24; i < 0; ++i)
    result.below *= 2;
  for (int i = exponent - 24; i > 0; --i)
    result.above *= 2;
  while (result.above % 2 == 0 && result.below % 2 == 0)
    result.above /= 2, result.below /= 2;
  return result;
}

struct Resizing {
  std::string mode, placing, rounding;
  int64_t input;
  float scale = 0; ///< or 0: `size`
  int64_t size = 0;
  float start = 0, end = 1; ///< of the region, for tf_crop_and_resize
};

/// The standard's formulas.
Fraction place(const Resizing &r, int64_t output, Fraction scale, int64_t point) {
  Fraction x{point}, input{r.input}, last{r.input - 1}, size{output};
  if (r.placing == "asymmetric")
    return x / scale;
  Fraction length = input * scale - Fraction{1};
  if (r.placing == "align_corners")
    return output == 1 ? Fraction{0} : x * last / length;
  if (r.placing == "tf_crop_and_resize") {
    Fraction start = exactly(r.start), end = exactly(r.end);
    return output == 1 ? half * (start + end) * last
                       : start * last + x * (end - start) * last / length;
  }
  Fraction position = (x + half) / scale - half;
  if (r.placing == "pytorch_half_pixel")
    return output == 1 ? Fraction{0} : position;
  if (r.placing == "half_pixel_symmetric")
    return position + input * half * (Fraction{1} - size / (scale * input));
  return position;
}

Integer rounded(Fraction place, const std::string &how) {
  if (how == "floor")
    return place.floor();
  if (how == "ceil")
    return place.ceil();
  return how == "round_prefer_floor" ? (place - half).ceil() : (place + half).floor();
}

Integer limited(Integer at, int64_t size) { return std::clamp<Integer>(at, 0, size - 1); }

/// The points of the only axis as the operator finds them.
ResizedPoints pointsOf(const Resizing &r) {
  GraphSpec spec;
  spec.name.value = "g";
  NodeSpec node;
  node.name.value = "y";
  node.op.value = "Resize";
  node.outputs = {node.name};
  Located<std::string> x{"x", {}};
  spec.inputs.push_back({x, {{ElementType::f32, {r.input}}, {}}});
  node.inputs.push_back(x);
  node.attributes["mode"].value = r.mode;
  node.attributes["coordinate_transformation_mode"].value = r.placing;
  node.attributes["nearest_mode"].value = r.rounding;
  if (r.scale != 0)
    node.attributes["scales"].value = std::vector<double>{r.scale};
  else
    node.attributes["sizes"].value = std::vector<int64_t>{r.size};
  if (r.placing == "tf_crop_and_resize")
    node.attributes["roi"].value = std::vector<double>{r.start, r.end};
  spec.nodes = {node};
  spec.outputs = {node.name};
  Diagnostics diagnostics;
  auto graph = buildGraph(spec, builtInOperators(), diagnostics);
  REQUIRE(graph);
  InferenceContext context(*graph, graph->nodes[0], diagnostics);
  auto axes = resizedAxes(context);
  REQUIRE(axes);
  return kgen::pointsOf(context, (*axes)[0], 0);
}

/// Checks the indices of nearest elements, and the weights of linear ones.
void check(const Resizing &r) {
  ResizedPoints points = pointsOf(r);
  auto output = static_cast<int64_t>(points.inside.size());
  Fraction scale = r.scale != 0 ? exactly(r.scale) : Fraction{r.size, r.input};
  for (int64_t i = 0; i < output; ++i) {
    Fraction exact = place(r, output, scale, i);
    INFO(r.placing << " " << r.rounding << " " << r.input << " to " << output << " by " << r.scale
                   << ", point " << i << " at " << double(exact.value()));
    if (r.mode == "nearest") {
      REQUIRE(points.taps[0][i] == int64_t(limited(rounded(exact, r.rounding), r.input)));
      continue;
    }
    Integer below = exact.floor();
    long double share = (exact - Fraction{below}).value();
    REQUIRE(std::fabs(points.shares[1][i] - double(share)) < 0x1p-40);
    if (share != 0) {
      REQUIRE(points.taps[0][i] == int64_t(limited(below, r.input)));
      REQUIRE(points.taps[1][i] == int64_t(limited(below + 1, r.input)));
    }
  }
}

const char *const placings[] = {"half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
                                "align_corners", "asymmetric",           "tf_crop_and_resize"};
const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

} // namespace

TEST_CASE("Resize reads the points that exact fractions lead to") {
  std::string placing = GENERATE(from_range(std::begin(placings), std::end(placings)));
  std::string rounding = GENERATE(from_range(std::begin(roundings), std::end(roundings)));
  std::string mode = GENERATE("nearest", "linear");
  if (mode == "linear" && rounding != "floor")
    return;
  for (int64_t input : {1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 16, 25, 31, 64, 100}) {
    Resizing r{mode, placing, rounding, input};
    r.start = 0.125F, r.end = 1.375F;
    for (float scale :
         {0.1F,     0.125F, 0.2F, 0.25F, 0.3F, 1 / 3.0F, 0.4F,  0.5F,     0.6F, 2 / 3.0F,
          0.7F,     0.75F,  0.8F, 0.9F,  1.0F, 1.1F,     1.25F, 4 / 3.0F, 1.5F, 1.6F,
          5 / 3.0F, 1.75F,  2.0F, 2.4F,  2.5F, 3.0F,     3.2F,  3.75F,    4.0F, 7.3F}) {
      r.scale = scale;
      if (float(input) * scale >= 1)
        check(r);
    }
    r.scale = 0;
    for (int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 20, 21, 32, 33, 50, 99}) {
      r.size = size;
      check(r);
    }
  }
}
