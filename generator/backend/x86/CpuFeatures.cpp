// Expands backend/x86/runtime/cpu_features.def.
#include "backend/x86/CpuFeatures.h"

#include <algorithm>

namespace kgen {
namespace {
/// "A, B" (an argument list as text) -> {"A", "B"}; slices of string literals, so they live for
/// ever.
std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    items.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
  }
  return items;
}
} // namespace

const std::vector<CpuFeature> &cpuFeatures() {
  static const std::vector<CpuFeature> rows = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, leaf, subleaf, reg, bit, os, ...)             \
  {name, #identifier, baseline == 1, leaf, subleaf, #reg, bit, os, split("" #__VA_ARGS__)},
#include "backend/x86/runtime/cpu_features.def"
  };
  return rows;
}

const CpuFeature *findCpuFeature(std::string_view name) {
  for (const CpuFeature &feature : cpuFeatures())
    if (feature.name == name)
      return &feature;
  return nullptr;
}

const std::vector<std::string_view> &baseIsaSets() {
  static const std::vector<std::string_view> sets =
#define KGEN_CPU_FEATURE(...)
#define KGEN_BASE_ISA(...) split(#__VA_ARGS__)
#include "backend/x86/runtime/cpu_features.def"
      ;
  return sets;
}

} // namespace kgen
