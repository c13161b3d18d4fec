#include "driver/load/DefaultTargets.h"

#include "graph/Operator.h"
#include "ops/product/BlockwiseQuant.h"
#include "ops/product/DequantizedProduct.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

bool isByte(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }

/// Finds out what the products of one graph are of.
class ProductFinder {
public:
  explicit ProductFinder(const Graph &graph) : graph(graph), producers(producersOf(graph)) {}

  void addTo(ProductTypes &products) const {
    for (const Node &node : graph.nodes) {
      if (products.bytes.empty() && roundedRowBlock(graph, node) != 0)
        products.bytes = node.name;
      if (node.op->factors < 2 && !node.op->sumsProducts)
        continue;
      if (products.bytes.empty() && multiplies(node, [&](ValueId id) { return leadsToBytes(id); }))
        products.bytes = node.name;
      if (products.bf16.empty() && multiplies(node, [&](ValueId id) { return isBf16(node, id); }))
        products.bf16 = node.name;
    }
  }

private:
  static bool multiplies(const Node &node, llvm::function_ref<bool(ValueId)> isOfType) {
    return llvm::count_if(node.inputs, [&](ValueId id) { return id != noValue && isOfType(id); }) >
           1;
  }

  bool isBf16(const Node &node, ValueId id) const {
    ElementType type = graph.values[id].type.element;
    return type == ElementType::bf16 ||
           (graph.compute == ElementType::bf16 && node.op->factors > 1 && type == ElementType::f32);
  }

  /// True for bytes, and for what one node computes from them that dequantizes: products of such
  /// are products of bytes where the scales allow it. What only reorders elements may stand
  /// between.
  bool leadsToBytes(ValueId id) const {
    const Node *node = producers[id];
    while (node && (node->op->name == "Transpose" || node->op->name == "Reshape")) {
      id = node->inputs[0];
      node = producers[id];
    }
    if (isByte(graph.values[id].type.element))
      return true;
    bool mayDequantize = node && (node->op->name == "DequantizeLinear" ||
                                  (isCode(*node) && !node->op->sumsProducts));
    return mayDequantize && llvm::any_of(node->inputs, [&](ValueId input) {
             return input != noValue && isByte(graph.values[input].type.element);
           });
  }

  /// True for an operation of an MLIR file.
  static bool isCode(const Node &node) { return node.attributes.count("code") != 0; }

  const Graph &graph;
  Producers producers;
};

} // namespace

ProductTypes productTypesOf(llvm::ArrayRef<Graph> graphs) {
  ProductTypes products;
  for (const Graph &graph : graphs)
    ProductFinder(graph).addTo(products);
  return products;
}

std::vector<DefaultTarget> defaultTargets(llvm::ArrayRef<Graph> graphs,
                                          const Architecture *architecture) {
  if (!architecture)
    architecture = architectureOf(hostTriple());
  if (!architecture)
    architecture = architectures().front();
  return architecture->defaultTargets(productTypesOf(graphs));
}

std::string usedAdvantage(const Cpu &cpu, const Cpu &other, const ProductTypes &products) {
  auto multiplies = [&](Element element) { // with an instruction of a kind that `other` lacks
    return llvm::any_of(cpu.products, [&](const Product &one) {
      return one.element == element && !other.product(one.kind(), element);
    });
  };
  if (!products.bytes.empty() && multiplies(Element::i8))
    return "dot products of bytes, as in '" + products.bytes + "'";
  if (!products.bf16.empty() && multiplies(Element::bf16))
    return "dot products of bf16, as in '" + products.bf16 + "'";
  return cpu.vectorBits > other.vectorBits ? std::to_string(cpu.vectorBits) + "-bit vectors" : "";
}

std::vector<std::string> describe(llvm::ArrayRef<DefaultTarget> targets) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons; // in their first order
  for (const DefaultTarget &target : targets) {
    auto known = llvm::find_if(reasons, [&](const auto &r) { return r.first == target.reason; });
    if (known == reasons.end())
      known = reasons.insert(known, {target.reason, {}});
    known->second.push_back(target.name);
  }
  std::vector<std::string> lines;
  for (const auto &[reason, names] : reasons)
    lines.push_back(llvm::join(names, ", ") + ": " + (reason.empty() ? "every library" : reason));
  return lines;
}

} // namespace kgen
