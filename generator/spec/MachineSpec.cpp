// Reads a machine's description key by key.
#include "spec/MachineSpec.h"

#include "spec/BuiltInTargets.h"
#include "spec/Fields.h"
#include "spec/ScheduleReader.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cmath>

namespace kgen {
namespace {

using MachineKey = FieldRule::Kind;

constexpr int64_t maxGridSide = 1024;                ///< blocks or cores in one dimension
constexpr size_t maxGridRank = 3;                    ///< as gpu.block and gpu.thread: z, y, x
constexpr int64_t maxMemoryBytes = int64_t(1) << 34; ///< 16 GiB: more is no memory on a chip
constexpr double maxRate = 1e9;                      ///< bytes or products a cycle

const std::vector<FieldRule> &machineBodyRules() {
  static const std::vector<FieldRule> rules = {{"grid", MachineKey::required, ""},
                                               {"memories", MachineKey::required, ""},
                                               {"bytes_per_cycle", MachineKey::required, ""},
                                               {"products_per_cycle", MachineKey::required, ""},
                                               {"schedules", MachineKey::optional, ""}};
  return rules;
}

/// Element types of which a core can state its speed.
const std::vector<std::string> &productTypes() {
  static const std::vector<std::string> types = {"i8",  "i16",  "i32", "i64",
                                                 "f16", "bf16", "f32", "f64"};
  return types;
}

int64_t productOf(const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::string timesText(const std::vector<int64_t> &sizes) {
  std::vector<std::string> words;
  for (int64_t size : sizes)
    words.push_back(std::to_string(size));
  return llvm::join(words, "x");
}

constexpr const char *machineNames = "a machine's name of letters, digits, '-', '_' and '.'";

class MachineReader {
public:
  MachineReader(const SpecReader &reader, MachineSpec &machine)
      : reader(reader), machine(machine) {}

  void readBody(const Fields &fields) {
    auto with = [&](const char *key, void (MachineReader::*readField)(const YamlNode &)) {
      if (const YamlNode *node = fields.find(key))
        (this->*readField)(*node);
    };
    with("grid", &MachineReader::readGrid);
    with("memories", &MachineReader::readMemories);
    with("bytes_per_cycle", &MachineReader::readBytesPerCycle);
    with("products_per_cycle", &MachineReader::readProductsPerCycle);
    if (const YamlNode *schedules = fields.find("schedules"))
      readTargetSchedules(reader, *schedules, machine.schedules);
  }

  void readName(const YamlNode &node) {
    auto name = reader.text(node, "the machine's name");
    if (name && isPlainName(name->value))
      machine.name = *name;
    else if (name)
      reader.expected(node, machineNames);
  }

private:
  void readGrid(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {block: 1, core: [2, 2]}"))
      return;
    Fields fields(reader, node, "'grid'",
                  {{"block", MachineKey::required, ""}, {"core", MachineKey::required, ""}});
    if (const YamlNode *block = fields.find("block"))
      readSides(*block, "'block'", machine.blockGrid);
    if (const YamlNode *core = fields.find("core"))
      readSides(*core, "'core'", machine.coreGrid);
  }

  /// A number, or a list of up to three.
  void readSides(const YamlNode &node, const std::string &what, std::vector<int64_t> &sides) {
    std::vector<int64_t> read;
    if (node.kind != YamlNode::Kind::sequence) {
      if (auto side = reader.integer(node, what, 1, maxGridSide))
        sides = {*side};
      return;
    }
    if (node.items.empty() || node.items.size() > maxGridRank) {
      reader.error(node.mark, "expected one to three sizes for " + what + ", found " +
                                  std::to_string(node.items.size()));
      return;
    }
    for (const YamlNode &item : node.items)
      if (auto side = reader.integer(item, what, 1, maxGridSide))
        read.push_back(*side);
    if (read.size() == node.items.size())
      sides = read;
  }

  void readMemories(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {L2: {of: block, bytes: 512KiB}, L1: {of: core, bytes: "
                            "64KiB}}"))
      return;
    Fields fields(reader, node, "'memories'",
                  {{"L2", MachineKey::required, ""}, {"L1", MachineKey::required, ""}},
                  "a machine has L2 and L1; L3, which blocks share, has no limit");
    if (const YamlNode *l2 = fields.find("L2"))
      readMemory(*l2, machine.l2);
    if (const YamlNode *l1 = fields.find("L1"))
      readMemory(*l1, machine.l1);
  }

  void readMemory(const YamlNode &node, MachineMemory &memory) {
    std::string owner = memory.ofCore ? "core" : "block";
    if (!reader.isMap(node, "a map such as {of: " + owner + ", bytes: 64KiB}"))
      return;
    Fields fields(reader, node, "'" + memory.name + "'",
                  {{"of", MachineKey::required, ""}, {"bytes", MachineKey::required, ""}});
    if (const YamlNode *of = fields.find("of"))
      if (auto text = reader.text(*of, "'" + owner + "' for 'of'"); text && text->value != owner)
        reader.expected(*of, "'" + owner + "' for 'of' of " + memory.name,
                        "each block has an L2, and each core an L1");
    const YamlNode *bytes = fields.find("bytes");
    if (!bytes)
      return;
    auto value = reader.byteSize(*bytes, "'bytes'");
    if (value && (*value < 1 || *value > maxMemoryBytes))
      reader.expected(*bytes, "from 1 byte to 16GiB for 'bytes' of " + memory.name);
    memory.bytes = value.value_or(0);
  }

  std::optional<double> readRate(const YamlNode &node, const std::string &what) {
    auto rate = reader.real(node, what);
    if (!rate)
      return std::nullopt;
    if (std::isfinite(*rate) && *rate > 0 && *rate <= maxRate)
      return rate;
    reader.expected(node, "a number above 0 and up to 1e9 for " + what);
    return std::nullopt;
  }

  void readBytesPerCycle(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {L3: 32, L2: 16}"))
      return;
    Fields fields(reader, node, "'bytes_per_cycle'",
                  {{"L3", MachineKey::required, ""}, {"L2", MachineKey::required, ""}});
    if (const YamlNode *l3 = fields.find("L3"))
      machine.l3BytesPerCycle = readRate(*l3, "bytes a cycle of L3").value_or(0);
    if (const YamlNode *l2 = fields.find("L2"))
      machine.l2BytesPerCycle = readRate(*l2, "bytes a cycle of L2").value_or(0);
  }

  void readProductsPerCycle(const YamlNode &node) {
    if (!reader.isMap(node, "a map such as {i32: 32, f32: 32}"))
      return;
    std::vector<FieldRule> rules;
    for (const std::string &type : productTypes())
      rules.push_back({type, MachineKey::optional, ""});
    Fields fields(reader, node, "'products_per_cycle'", rules);
    for (const std::string &type : productTypes())
      if (const YamlNode *value = fields.find(type))
        if (auto rate = readRate(*value, "products a cycle of '" + type + "'"))
          machine.productsPerCycle[type] = *rate;
    if (node.entries.empty())
      reader.error(node.mark, "expected the products a cycle of at least one type, found none",
                   "for example {i32: 32}");
  }

  const SpecReader &reader;
  MachineSpec &machine;
};

} // namespace

int64_t MachineSpec::blocks() const { return productOf(blockGrid); }
int64_t MachineSpec::cores() const { return productOf(coreGrid); }

std::string MachineSpec::gridText() const {
  return blocks() == 1 ? timesText(coreGrid)
                       : timesText(blockGrid) + " blocks of " + timesText(coreGrid);
}

const char *memoryName(int64_t space) { return space == 0 ? "L3" : space == 1 ? "L2" : "L1"; }

void readMachines(const SpecReader &reader, const YamlNode &map,
                  std::vector<MachineSpec> &machines) {
  if (!reader.isMap(map, "a map from names to machines"))
    return;
  for (const YamlEntry &entry : map.entries) {
    auto isSame = [&](const MachineSpec &other) { return other.name.value == entry.key; };
    if (!isPlainName(entry.key))
      reader.error(entry.keyMark,
                   "expected " + std::string(machineNames) + ", found " + quoteText(entry.key));
    else if (llvm::any_of(machines, isSame))
      reader.error(entry.keyMark, "there are two machines '" + entry.key + "'");
    else if (reader.isMap(entry.value, "a map with 'grid', 'memories', 'bytes_per_cycle'")) {
      MachineSpec machine;
      machine.path = reader.file;
      machine.name = {entry.key, reader.at(entry.keyMark)};
      MachineReader(reader, machine)
          .readBody(Fields(reader, entry.value, "machine '" + entry.key + "'", machineBodyRules()));
      machines.push_back(std::move(machine));
    }
  }
}

std::optional<MachineSpec> parseMachineText(const std::string &text, const std::string &path,
                                            Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  std::optional<YamlNode> root = parseYaml(text, path, diagnostics);
  if (!root)
    return std::nullopt;
  MachineSpec machine;
  machine.path = path;
  SpecReader reader(path, diagnostics);
  if (!reader.isMap(*root, "a map with 'machine', 'grid', 'memories', 'bytes_per_cycle'"))
    return std::nullopt;
  std::vector<FieldRule> rules = machineBodyRules();
  rules.insert(rules.begin(), {"machine", MachineKey::required, ""});
  Fields fields(reader, *root, "a machine's file", rules);
  MachineReader body(reader, machine);
  if (const YamlNode *name = fields.find("machine"))
    body.readName(*name);
  body.readBody(fields);
  if (diagnostics.errors().size() != before)
    return std::nullopt;
  return machine;
}

std::optional<MachineSpec> parseMachineSpec(const std::string &path, Diagnostics &diagnostics) {
  std::optional<std::string> text = readYamlText(path, diagnostics);
  return text ? parseMachineText(*text, path, diagnostics) : std::nullopt;
}

} // namespace kgen
