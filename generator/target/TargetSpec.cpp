// Reads a target file key by key; target/TargetChecks.cpp checks what keys say together.
#include "target/TargetSpec.h"

#include "target/Architecture.h"

#include "spec/Fields.h"
#include "spec/ScheduleReader.h"
#include "target/TargetChecks.h"
#include "target/TargetFacts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cmath>
#include <set>

namespace kgen {
namespace {

using Kind = FieldRule::Kind;

/// A kind of kernel or layout that has measured sizes.
struct TileKind {
  std::string name;
  Kind kind;
  std::vector<std::string> sizes; ///< their names
  const char *example;
  const char *oldName = nullptr;
};

const std::vector<TileKind> &tileKinds() {
  static const std::vector<std::string> gemm = {"mr", "nr", "mc", "kc"}, pack = {"m", "n", "k"};
  constexpr const char *gemmExample = "a map such as {mr: 6, nr: 16, mc: 96, kc: 1024}",
                       *packExample = "a map such as {m: 32, n: 64, k: 64}";
  static const std::vector<TileKind> kinds = {
      {"gemm_f32", Kind::required, gemm, gemmExample},
      {"gemm_f64", Kind::required, gemm, gemmExample},
      {"gemm_bf16", Kind::optional, gemm, gemmExample},
      {"gemm_f16", Kind::optional, gemm, gemmExample},
      {"gemm_i8", Kind::optional, gemm, gemmExample},
      {"matrix_bf16", Kind::optional, gemm, gemmExample},
      {"matrix_i8", Kind::optional, gemm, gemmExample},
      {"amx_bf16", Kind::optional, gemm, gemmExample, "tiles_bf16"},
      {"amx_i8", Kind::optional, gemm, gemmExample, "tiles_i8"},
      {"block_layout_f32", Kind::optional, pack, packExample, "pack_f32"},
      {"block_layout_f64", Kind::optional, pack, packExample, "pack_f64"}};
  return kinds;
}

class TargetReader {
public:
  TargetReader(const SpecReader &reader, TargetSpec &target) : reader(reader), target(target) {}

  void read(const YamlNode &root) {
    if (!reader.isMap(root, "a map with 'name', 'triple', 'rank', 'requires'"))
      return;
    Fields fields(reader, root, "a target file",
                  {{"name", Kind::required, ""},
                   {"triple", Kind::required, ""},
                   {"rank", Kind::required, ""},
                   {"requires", Kind::required, ""},
                   {"tune", Kind::optional, ""},
                   {"vectors", Kind::required, ""},
                   {"caches", Kind::required, ""},
                   {"pipelines", Kind::optional, ""},
                   {"cores", Kind::optional, ""},
                   {"heuristics", Kind::optional, ""},
                   {"reciprocal_throughput", Kind::optional, ""},
                   {"gemm_tiles", Kind::required, ""},
                   {"provider", Kind::optional, ""},
                   {"only_on", Kind::optional, ""},
                   {"schedules", Kind::optional, ""},
                   {"blocks", Kind::renamed, "gemm_tiles"},
                   {"costs", Kind::renamed, "reciprocal_throughput"},
                   {"prefers", Kind::renamed, "only_on"}});
    auto with = [&](const char *key, void (TargetReader::*readField)(const YamlNode &)) {
      if (const YamlNode *node = fields.find(key))
        (this->*readField)(*node);
    };
    with("name", &TargetReader::readName);
    with("triple", &TargetReader::readTriple);
    with("rank", &TargetReader::readRank);
    with("requires", &TargetReader::readFeatures);
    with("tune", &TargetReader::readTune);
    with("vectors", &TargetReader::readVectors);
    if (const YamlNode *caches = fields.find("caches"))
      readCaches(reader, *caches, target);
    if (const YamlNode *pipelines = fields.find("pipelines"))
      readPipelines(reader, *pipelines, target);
    if (const YamlNode *cores = fields.find("cores"))
      target.cores = reader.integer(*cores, "'cores'", 1, 1 << 16).value_or(target.cores);
    if (const YamlNode *heuristics = fields.find("heuristics"))
      readHeuristics(reader, *heuristics, target.heuristics);
    with("reciprocal_throughput", &TargetReader::readCosts);
    with("gemm_tiles", &TargetReader::readTiles);
    with("provider", &TargetReader::readProvider);
    with("only_on", &TargetReader::readOnlyOn);
    if (const YamlNode *schedules = fields.find("schedules"))
      readTargetSchedules(reader, *schedules, target.schedules);
    TargetChecks(reader, target, locations).run();
  }

private:
  static bool isWord(llvm::StringRef text, llvm::StringRef extra) {
    return !text.empty() && text.size() <= 64 && llvm::isAlnum(text.front()) &&
           llvm::all_of(text, [&](char c) { return llvm::isAlnum(c) || extra.contains(c); });
  }

  void readName(const YamlNode &node) {
    auto name = reader.text(node, "the target's name");
    if (!name)
      return;
    if (isWord(name->value, "-_."))
      target.name = *name;
    else
      reader.expected(node, "a target's name of letters, digits, '-', '_' and '.'");
  }

  void readTriple(const YamlNode &node) {
    auto triple = reader.text(node, "a target triple");
    if (!triple)
      return;
    target.triple = triple->value;
    if (!isWord(triple->value, "-_."))
      reader.expected(node, "a target triple such as " + architectures().front()->triple().str());
    else
      locations.triple = node.mark;
  }

  void readRank(const YamlNode &node) {
    target.rank = reader.integer(node, "'rank'", 0, 1000000).value_or(0);
  }

  /// Those that targets with the triple may require; of one that no back end takes: all.
  std::vector<const Architecture *> architecturesOfTriple() const {
    if (const Architecture *architecture = architectureOf(target.triple))
      return {architecture};
    return architectures().vec();
  }

  void reportUnknownFeature(YamlMark mark, const std::string &name,
                            const std::vector<std::string> &known) const {
    std::vector<std::string> tables;
    for (const Architecture *architecture : architecturesOfTriple())
      tables.push_back(architecture->featureTable().str());
    reader.error(mark,
                 "unknown CPU feature " + quoteText(name) + didYouMean(name.substr(0, 64), known),
                 llvm::join(tables, ", ") + " lists them, in LLVM's spelling");
  }

  void readFeatures(const YamlNode &node) {
    if (!reader.isList(node, "a list of CPU features"))
      return;
    std::vector<std::string> known;
    for (const Architecture *architecture : architecturesOfTriple())
      llvm::append_range(known, architecture->featureNames());
    std::set<std::string> seen;
    size_t before = reader.diagnostics.errors().size();
    for (const YamlNode &item : node.items) {
      auto feature = reader.text(item, "the name of a CPU feature");
      if (!feature)
        continue;
      if (!llvm::is_contained(known, feature->value))
        reportUnknownFeature(item.mark, feature->value, known);
      else if (!seen.insert(feature->value).second)
        reader.error(item.mark, "feature '" + feature->value + "' is listed twice");
      else
        target.requiredFeatures.push_back(*feature);
    }
    if (reader.diagnostics.errors().size() == before)
      locations.features = node.mark;
  }

  void readTune(const YamlNode &node) {
    auto tune = reader.text(node, "the name of a CPU for 'tune'");
    if (tune && !isWord(tune->value, "-_."))
      reader.expected(node, "the name of a CPU for 'tune'");
    else if (tune) {
      target.tune = tune->value;
      locations.tune = node.mark;
    }
  }

  void readVectors(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {bits: 512, registers: 32}"))
      return;
    Fields fields(reader, node, "'vectors'",
                  {{"bits", Kind::required, ""}, {"registers", Kind::required, ""}});
    if (const YamlNode *bits = fields.find("bits")) {
      int64_t value = reader.integer(*bits, "'bits'", 1, 1 << 20).value_or(128);
      if (value != 128 && value != 256 && value != 512) {
        reader.expected(*bits, "128, 256 or 512 for 'bits'");
      } else {
        target.vectorBits = value;
        locations.bits = bits->mark;
      }
    }
    if (const YamlNode *registers = fields.find("registers")) {
      target.vectorRegisters = reader.integer(*registers, "'registers'", 4, 32).value_or(0);
      locations.registers = registers->mark;
    }
  }

  void readCosts(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {fma_f32: 0.5, dot_i8: 0.5}"))
      return;
    std::vector<FieldRule> rules;
    for (const std::string &name : costNames())
      rules.push_back({name, Kind::optional, ""});
    Fields fields(reader, node, "'reciprocal_throughput'", rules);
    for (const std::string &name : costNames()) {
      const YamlNode *value = fields.find(name);
      if (!value)
        continue;
      auto cost = reader.real(*value, "the cost of '" + name + "'");
      if (cost && (!std::isfinite(*cost) || *cost <= 0))
        reader.expected(*value, "a positive number of cycles");
      if (cost)
        target.costs[name] = *cost;
    }
  }

  void readTiles(const YamlNode &node) {
    if (!reader.isMap(node, "a map from kinds of kernel to their tile sizes"))
      return;
    std::vector<FieldRule> rules;
    for (const TileKind &kind : tileKinds()) {
      rules.push_back({kind.name, kind.kind, ""});
      if (kind.oldName)
        rules.push_back({kind.oldName, Kind::renamed, kind.name});
    }
    Fields fields(reader, node, "'gemm_tiles'", rules);
    for (const TileKind &kind : tileKinds())
      if (const YamlNode *sizes = fields.find(kind.name))
        readTileSizes(kind, *sizes);
  }

  void readTileSizes(const TileKind &kind, const YamlNode &node) {
    if (!reader.isMap(node, kind.example))
      return;
    std::vector<FieldRule> rules;
    for (const std::string &name : kind.sizes)
      rules.push_back({name, Kind::required, ""});
    Fields fields(reader, node, "'" + kind.name + "'", rules);
    for (const std::string &name : kind.sizes)
      if (const YamlNode *value = fields.find(name))
        if (auto number = reader.integer(*value, "'" + name + "'", 1, 1 << 20))
          target.gemmTiles[kind.name][name] = *number;
    locations.tiles[kind.name] = node.mark;
  }

  /// The names are the providers' affair; whoever compiles for the target checks them.
  void readProvider(const YamlNode &node) {
    if (auto provider = reader.text(node, "the name of a provider of micro-kernels"))
      target.provider = *provider;
  }

  void readOnlyOn(const YamlNode &node) {
    locations.onlyOn = node.mark;
    if (!reader.isMap(node, "a map such as {vendor: AuthenticAMD, families: [0x1a]}"))
      return;
    Fields fields(reader, node, "'only_on'",
                  {{"vendor", Kind::required, ""},
                   {"families", Kind::optional, ""},
                   {"models", Kind::optional, ""}});
    if (const YamlNode *vendor = fields.find("vendor"))
      if (auto text = reader.text(*vendor, "a CPU vendor as cpuid spells it")) {
        target.onlyOn.vendor = text->value;
        if (text->value.size() != 12 || !llvm::all_of(text->value, llvm::isPrint) ||
            llvm::StringRef(text->value).find_first_of("\"\\") != llvm::StringRef::npos)
          reader.expected(*vendor, "a CPU vendor of 12 characters, as cpuid spells it",
                          "for example GenuineIntel or AuthenticAMD");
      }
    // The largest values that the fields of cpuid leaf 1 can give.
    constexpr int64_t maxFamily = 0xf + 0xff, maxModel = 0xff;
    if (const YamlNode *families = fields.find("families"))
      readIds(*families, "family", maxFamily, target.onlyOn.families);
    if (const YamlNode *models = fields.find("models")) {
      readIds(*models, "model", maxModel, target.onlyOn.models);
      if (target.onlyOn.families.size() != 1)
        reader.error(models->mark, "expected exactly one family beside 'models'",
                     "each family numbers its models anew: write a target for each family");
    }
  }

  /// A list of CPU families or models from 0 to `max`; `what` is "family" or "model".
  void readIds(const YamlNode &node, const std::string &what, int64_t max,
               std::vector<int64_t> &ids) {
    bool isFamily = what == "family";
    if (!reader.isList(node, isFamily ? "a list of CPU families" : "a list of CPU models"))
      return;
    for (const YamlNode &item : node.items) {
      std::optional<int64_t> id = parseId(item);
      if (id && *id >= 0 && *id <= max)
        ids.push_back(*id);
      else
        reader.expected(item, isFamily ? "a CPU family such as 6 or 0x1a"
                                       : "a CPU model such as 151 or 0x97");
    }
  }

  /// Families and models are written in hexadecimal in most manuals.
  static std::optional<int64_t> parseId(const YamlNode &node) {
    if (node.kind != YamlNode::Kind::scalar || node.quoted)
      return std::nullopt;
    llvm::StringRef text = node.text;
    int64_t value;
    if (text.consume_front("0x"))
      return text.size() > 8 || text.getAsInteger(16, value) ? std::nullopt : std::optional(value);
    return parseInteger(text);
  }

  const SpecReader &reader;
  TargetSpec &target;
  TargetLocations locations;
};
} // namespace

/// Instructions whose throughput a target may state; specs/README.md says what each of them is.
const std::vector<std::string> &costNames() {
  static const std::vector<std::string> names = {
      "fma_f32",          "fma_f64",    "fma_f16",     "dot_bf16", "dot_i8",
      "multiply_add_i16", "widen_bf16", "convert_f16", "widen_i8", "matrix_bf16",
      "matrix_i8",        "tile_bf16",  "tile_i8"};
  return names;
}

std::vector<std::string> tileSizeNames(const std::string &name) {
  for (const TileKind &kind : tileKinds())
    if (kind.name == name)
      return kind.sizes;
  return {};
}

std::vector<std::string> TargetSpec::featureNames() const {
  std::vector<std::string> names;
  for (const Located<std::string> &feature : requiredFeatures)
    names.push_back(feature.value);
  return names;
}

std::optional<TargetSpec> parseTargetText(const std::string &text, const std::string &path,
                                          Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  std::optional<YamlNode> root = parseYaml(text, path, diagnostics);
  if (!root)
    return std::nullopt;
  TargetSpec target;
  target.path = path;
  SpecReader reader(path, diagnostics);
  TargetReader(reader, target).read(*root);
  if (diagnostics.errors().size() != before)
    return std::nullopt;
  return target;
}

std::optional<TargetSpec> parseTargetSpec(const std::string &path, Diagnostics &diagnostics) {
  std::optional<std::string> text = readYamlText(path, diagnostics);
  return text ? parseTargetText(*text, path, diagnostics) : std::nullopt;
}

} // namespace kgen
