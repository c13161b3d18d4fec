// Reads a graphics card's description key by key.
#include "target/GpuSpec.h"

#include "spec/BuiltInTargets.h"
#include "spec/Fields.h"

namespace kgen {
namespace {

using Key = FieldRule::Kind;

constexpr int64_t maxCount = int64_t(1) << 30; ///< of bytes, registers, threads: more is no fact
constexpr double maxRate = 1e9;                ///< bytes or products a cycle

struct GpuReader {
  const SpecReader &reader;

  void read(const YamlNode &node, const std::string &key, int64_t &value) const {
    // Sizes of memories may have a unit.
    const bool isSize = key.rfind("shared_bytes", 0) == 0;
    std::optional<int64_t> found = isSize ? reader.byteSize(node, "'" + key + "'")
                                          : reader.integer(node, "'" + key + "'", 1, maxCount);
    if (found && (*found < 1 || *found > maxCount))
      reader.expected(node, "from 1 byte to 1GiB for '" + key + "'");
    value = found.value_or(1);
  }

  void read(const YamlNode &node, const std::string &key, double &value) const {
    std::optional<double> found = reader.real(node, "'" + key + "'");
    if (found && !(*found > 0 && *found <= maxRate)) {
      reader.expected(node, "a number above 0 and up to 1e9 for '" + key + "'");
      found.reset();
    }
    value = found.value_or(1);
  }
};

} // namespace

std::optional<GpuSpec> parseGpuText(const std::string &text, const std::string &path,
                                    Diagnostics &diagnostics) {
  const size_t before = diagnostics.errors().size();
  std::optional<YamlNode> root = parseYaml(text, path, diagnostics);
  if (!root)
    return std::nullopt;
  SpecReader reader(path, diagnostics);
  if (!reader.isMap(*root, "a map with 'name', 'kind' and the figures of a graphics card"))
    return std::nullopt;
  std::vector<FieldRule> rules = {
      {"name", Key::required, ""}, {"kind", Key::required, ""}, {"api", Key::required, ""}};
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING) rules.push_back({#KEY, Key::required, ""});
#include "target/GpuFacts.def"
  Fields fields(reader, *root, "a graphics card's file", rules);
  GpuSpec gpu;
  gpu.path = path;
  if (const YamlNode *name = fields.find("name"))
    if (auto word = reader.text(*name, "the target's name")) {
      gpu.name = *word;
      if (!isPlainName(word->value))
        reader.expected(*name, "a name of letters, digits, '-', '_' and '.'");
    }
  if (const YamlNode *kind = fields.find("kind"))
    if (auto word = reader.text(*kind, "'gpu' for 'kind'"); word && word->value != "gpu")
      reader.expected(*kind, "'gpu' for 'kind'", "CPUs and machines have no 'kind'");
  if (const YamlNode *api = fields.find("api"))
    if (auto word = reader.text(*api, "'vulkan' or 'cuda' for 'api'")) {
      gpu.language = word->value == "cuda" ? GpuLanguage::ptx : GpuLanguage::spirv;
      if (word->value != "vulkan" && word->value != "cuda")
        reader.expected(*api, "'vulkan' or 'cuda' for 'api'");
    }
  GpuReader figures{reader};
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING)                                                  \
  if (const YamlNode *node = fields.find(#KEY))                                                    \
    figures.read(*node, #KEY, gpu.facts.MEMBER);
#include "target/GpuFacts.def"
  if (diagnostics.errors().size() != before)
    return std::nullopt;
  return gpu;
}

} // namespace kgen
