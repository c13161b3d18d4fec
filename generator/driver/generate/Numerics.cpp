#include "driver/generate/Numerics.h"

#include "dialect/kgen/Kgen.h"
#include "ops/product/BlockwiseQuant.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace kgen {

namespace {

/// Returns how contractions multiply, for the header's comment.
std::vector<std::string> productNumerics(const Graph &graph) {
  if (graph.compute == ElementType::f32)
    return {"Contractions accumulate in the type of their elements; the order of the sum is fixed "
            "for a"};
  std::string type(toString(graph.compute));
  std::string sums = graph.accumulate == ElementType::f16 ? "f32 or f16, see below" : "f32";
  std::vector<std::string> lines = {"Contractions of f32 multiply operands rounded to " + type +
                                    " (to nearest, ties to even) and add up in " + sums + "."};
  if (graph.compute == ElementType::f16)
    lines.push_back("Operands of a magnitude of 65520 and more become infinite.");
  lines.push_back("Other contractions accumulate in the type of their elements; the order of a sum "
                  "is fixed for a");
  return lines;
}

/// Returns what `accumulate: f16` allows, for the header's comment. The bound of inner products
/// holds for any number of terms in any order: Jeannerod and Rump, "Improved error bounds for inner
/// products in floating-point arithmetic" (2013); here in units of f16, with the error of subnormal
/// sums.
std::vector<std::string> halfSumNumerics(const Graph &graph) {
  if (graph.accumulate != ElementType::f16)
    return {};
  std::string run = std::to_string(maxF16Products);
  return {"Contractions of f16 may add up " + run +
              " products at a time in f16, and such sums in f32:",
          "of K products, a sum is within (min(K, " + run +
              ") + 2) * 2^-11 * S + K * 2^-25 of the exact one,",
          "S being the sum of their magnitudes; one of " + run +
              " products that passes 65504 on its way is",
          "infinite. Variants for CPUs without arithmetic in f16 add up in f32."};
}

/// Returns what `winograd` allows, for the header's comment. A sum of products of transformed
/// numbers is as precise as any other; what is lost is that their magnitudes are larger than those
/// of the products that they stand for, by max over i of (sum over j of |A[j, i]| sum |G[j]| sum
/// |B[j]|) for each of two dimensions, with sums of the magnitudes of columns: 8 * 8 and 48 * 48.
/// Besides the additions over channels, there are at most 13 roundings from an element to a result.
std::vector<std::string> winogradNumerics(const Graph &graph) {
  if (graph.winograd == 0)
    return {};
  std::string side = std::to_string(graph.winograd), factor = graph.winograd == 2 ? "64" : "2304";
  std::string window = std::to_string(graph.winograd + 2);
  return {"Convolutions of 3 x 3 windows in f32 may be computed in tiles of up to " + side + " x " +
              side + " results (Winograd's",
          "minimal filtering): with C channels, a result is within (C + 13) * 2^-24 * " + factor +
              " * S of the exact one, S being",
          "the sum over channels of the largest magnitude among the " + window + " x " + window +
              " elements that its tile reads,",
          "times that of the filter. NaN, infinities, elements from 2^120 on and an S from 2^116 "
          "on may",
          "make NaN of all results of a tile."};
}

/// Returns what `activations` and `accuracy_level` do to rows, for the header's comment.
std::vector<std::string> roundedRowNumerics(const Graph &graph) {
  std::map<int64_t, std::string> nodes; // by the values with one scale
  for (const Node &node : graph.nodes)
    if (int64_t block = roundedRowBlock(graph, node))
      nodes[block] += (nodes[block].empty() ? "" : ", ") + node.name;
  std::vector<std::string> lines;
  for (const auto &[block, names] : nodes) {
    lines.push_back("Rows that " + names +
                    " multiplies are rounded to multiples of a scale, the "
                    "largest magnitude of");
    lines.push_back(std::to_string(block) + " values divided by 127; a row with NaN or an infinity "
                                            "gives NaN. Products of such blocks are exact.");
  }
  return lines;
}

} // namespace

std::vector<std::string> numericsOf(const Graph &graph) {
  std::vector<std::string> lines = productNumerics(graph);
  lines.insert(lines.end(),
               {"variant and may differ between variants. exp, log, tanh, erf, "
                "sigmoid and gelu are within 4 ulp",
                "and have the same bits in every variant from x86-64-v3 on. NaN propagates."});
  for (ElementType type : {ElementType::bf16, ElementType::f16}) {
    bool isUsed = llvm::any_of(graph.values,
                               [&](const GraphValue &value) { return value.type.element == type; });
    if (isUsed)
      lines.insert(lines.end(),
                   {"Operators on " + std::string(toString(type)) +
                        " compute and accumulate in f32 and round their result once, to nearest,",
                    "ties to even; a result that only goes into an operator fused with this one is "
                    "not rounded."});
  }
  llvm::append_range(lines, halfSumNumerics(graph));
  llvm::append_range(lines, winogradNumerics(graph));
  llvm::append_range(lines, roundedRowNumerics(graph));
  for (const GraphValue &value : graph.values)
    if (value.quantize)
      lines.push_back(
          "Weight " + value.name + " is quantized: " + std::to_string(value.quantize->bits) +
          " bits, one scale in " + (value.quantize->f16Scales ? "f16" : "f32") + " for " +
          std::to_string(value.quantize->block) + " of them; its products are added up in f32.");
  return lines;
}

} // namespace kgen
