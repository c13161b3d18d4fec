// A target as YAML.
#include "spec/TargetSpec.h"

#include <llvm/ADT/StringExtras.h>

#include <fmt/format.h>

#include <algorithm>

namespace kgen {
namespace {

std::string commentLines(const std::string &comment) {
  std::string text;
  for (llvm::StringRef rest = comment; !rest.empty();) {
    auto [line, following] = rest.split('\n');
    text += ("# " + line).str() + "\n";
    rest = following;
  }
  return text;
}

/// Features, eight on a line.
std::string featureList(const TargetSpec &target) {
  constexpr size_t perLine = 8;
  std::string text = "requires: [";
  std::vector<std::string> names = target.featureNames();
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i % perLine ? ", " : ",\n           ") + names[i];
  return text + "]\n";
}

/// A size as its file may have written it.
std::string bytesText(int64_t bytes) {
  if (bytes > 0 && bytes % (1 << 20) == 0)
    return fmt::format("{}MiB", bytes >> 20);
  if (bytes > 0 && bytes % (1 << 10) == 0)
    return fmt::format("{}KiB", bytes >> 10);
  return std::to_string(bytes);
}

/// The values of a kind of blocks in the order of the documentation.
std::string blockText(const std::string &kind, const std::map<std::string, int64_t> &values) {
  std::vector<std::string> entries;
  for (const std::string &name : blockChoices(kind))
    if (auto value = values.find(name); value != values.end())
      entries.push_back(fmt::format("{}: {}", name, value->second));
  return fmt::format("  {}: {{{}}}\n", kind, llvm::join(entries, ", "));
}

std::string preferenceText(const TargetSpec &target) {
  if (target.preferredVendor.empty())
    return "";
  std::string families;
  for (int64_t family : target.preferredFamilies)
    families += fmt::format("{}{:#x}", families.empty() ? "" : ", ", family);
  return fmt::format("prefers: {{vendor: \"{}\"{}}}\n", target.preferredVendor,
                     families.empty() ? "" : ", families: [" + families + "]");
}

} // namespace

std::string printTargetSpec(const TargetSpec &target, const std::string &comment) {
  std::string text = commentLines(comment);
  text += fmt::format("name: {}\ntriple: {}\nrank: {}\n", target.name.value, target.triple,
                      target.rank);
  text += featureList(target);
  if (!target.tune.empty())
    text += fmt::format("tune: {}\n", target.tune);
  text += fmt::format("vectors: {{bits: {}, registers: {}}}\n", target.vectorBits,
                      target.vectorRegisters);
  text += fmt::format("caches: {{l1d: {}, l2: {}, l3_per_core: {}, line: {}}}\n",
                      bytesText(target.l1dBytes), bytesText(target.l2Bytes),
                      bytesText(target.l3BytesPerCore), target.cacheLine);
  std::vector<std::string> costs;
  for (const auto &[name, cycles] : target.costs)
    costs.push_back(fmt::format("{}: {}", name, cycles));
  if (!costs.empty())
    text += fmt::format("costs: {{{}}}\n", llvm::join(costs, ", "));
  text += "blocks:\n";
  for (const auto &[kind, values] : target.blocks)
    text += blockText(kind, values);
  if (!target.provider.value.empty())
    text += fmt::format("provider: {}\n", target.provider.value);
  return text + preferenceText(target);
}

} // namespace kgen
