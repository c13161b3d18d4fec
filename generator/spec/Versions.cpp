// `versions` of a library or a graph: sizes that have code of their own.
#include "spec/SpecParts.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// [1, 8, 64]
std::vector<Located<int64_t>> readSizes(const SpecReader &reader, const YamlEntry &entry) {
  std::vector<Located<int64_t>> sizes;
  if (!reader.isList(entry.value, "a list of sizes, such as [1, 8, 64]"))
    return sizes;
  if (entry.value.items.empty())
    reader.error(entry.value.mark, "'versions' has no size of '" + entry.key + "'");
  for (const YamlNode &item : entry.value.items) {
    std::optional<int64_t> size =
        reader.integer(item, "a size of '" + entry.key + "'", 0, maxTensorBytes);
    if (!size)
      continue;
    auto isSame = [&](const Located<int64_t> &other) { return other.value == *size; };
    if (auto other = llvm::find_if(sizes, isSame); other != sizes.end())
      reader.error(item.mark, "duplicate version " + item.text + " of '" + entry.key + "'",
                   "the other is at " + other->where.str());
    else
      sizes.push_back({*size, reader.at(item.mark)});
  }
  return sizes;
}

} // namespace

void readVersions(const SpecReader &reader, const YamlNode &node,
                  std::vector<VersionSizes> &versions) {
  if (!reader.isMap(node, "a map from dimensions to sizes, such as {batch: [1, 8, 64]}"))
    return;
  for (const YamlEntry &entry : node.entries)
    if (std::vector<Located<int64_t>> sizes = readSizes(reader, entry); !sizes.empty())
      versions.push_back({{entry.key, reader.at(entry.keyMark)}, std::move(sizes)});
}

} // namespace kgen
