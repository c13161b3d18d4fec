#include "driver/load/Sizes.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

Dim atSizes(const Dim &dim, const SizeValues &sizes) {
  Dim sum = 0;
  for (const DimTerm &term : dim.sum()) {
    Dim product = term.coefficient;
    for (const DimFactor &factor : term.factors) {
      auto size = factor.symbol ? sizes.find(factor.symbol->name) : sizes.end();
      Dim one = !factor.symbol        ? atSizes(factor.dividend, sizes).floorDiv(factor.divisor)
                : size != sizes.end() ? Dim(size->second)
                                      : Dim(factor.symbol);
      for (int power = 0; power < factor.power; ++power)
        product = product * one;
    }
    sum = sum + product;
  }
  return sum;
}

TensorType atSizes(TensorType type, const SizeValues &sizes) {
  for (size_t i = 0; i < type.shape.size(); ++i)
    if (type.shape.isSymbolic(i))
      type.shape.setDim(i, atSizes(type.shape.dim(i), sizes));
  return type;
}

const GraphInterface &codeFor(const GraphInterface &graph, const SizeValues &sizes) {
  for (const GraphInterface &version : graph.versions)
    if (llvm::all_of(version.sizes, [&](const auto &size) {
          auto given = sizes.find(size.first);
          return given != sizes.end() && given->second == size.second;
        }))
      return version;
  return graph;
}

void bindSizes(ModelBindings &bindings, const SizeValues &sizes) {
  SizeValues others = sizes;
  for (auto &[name, dim] : bindings.dims) {
    const auto symbols = dim.symbols();
    for (const auto &[symbolName, symbol] : symbols)
      others.erase(symbolName);
    others.erase(name);
    dim = atSizes(dim, sizes);
  }
  bindings.dims.insert(others.begin(), others.end());
}

GraphInterface atSizes(const GraphInterface &graph, const SizeValues &sizes) {
  GraphInterface result = graph;
  for (auto *tensors : {&result.inputs, &result.outputs})
    for (TensorInterface &tensor : *tensors)
      tensor.type = atSizes(tensor.type, sizes);
  for (auto &[target, parts] : result.workspaceSizes) {
    int64_t greatest = 0;
    for (Dim &part : parts)
      greatest = std::max(greatest, part.valueFor(sizes));
    result.workspaceBytes[target] = greatest;
  }
  return result;
}

std::string sizesText(const SizeValues &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

std::string atText(const SizeValues &sizes) {
  return sizes.empty() ? "" : " at " + sizesText(sizes);
}

std::vector<SizeValues> combinations(const GraphInterface &graph, const SizeLists &requested) {
  std::vector<SizeValues> all(1);
  for (const DimSymbol &dim : graph.dims) {
    auto found = requested.find(dim.name);
    std::vector<int64_t> sizes =
        found == requested.end() ? std::vector<int64_t>{dim.max} : found->second;
    std::vector<SizeValues> more;
    for (const SizeValues &before : all)
      for (int64_t size : sizes) {
        more.push_back(before);
        more.back()[dim.name] = size;
      }
    all = std::move(more);
  }
  return all;
}

void checkSizes(const std::vector<GraphInterface> &graphs, const SizeLists &requested,
                const std::string &option, Diagnostics &diagnostics) {
  for (const auto &[name, sizes] : requested) {
    std::vector<std::string> names;
    bool isKnown = false;
    for (const GraphInterface &graph : graphs)
      for (const DimSymbol &dim : graph.dims) {
        names.push_back(dim.name);
        if (dim.name != name)
          continue;
        isKnown = true;
        for (int64_t size : sizes)
          if (!dim.contains(size))
            diagnostics.error({option + " " + name + "=" + std::to_string(size), 0, 0},
                              "graph '" + graph.name + "' takes sizes from " + dim.range() +
                                  " for '" + name + "'");
      }
    if (!isKnown)
      diagnostics.error({option + " " + name, 0, 0},
                        "no function is given a size '" + name + "' when it is called" +
                            didYouMean(name, names),
                        names.empty() ? "all sizes of the library are numbers" : "");
  }
}

} // namespace kgen
