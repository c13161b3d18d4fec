#include "target/TargetFacts.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace kgen {
namespace {

using Kind = FieldRule::Kind;

/// Bytes of the least line and page: a line holds an element of each type.
constexpr int64_t minLineBytes = 16;

/// Lines and pages are powers of two: alignments follow from them.
void readFact(const SpecReader &reader, const YamlNode &node, const FactEntry &fact, Cpu &cpu) {
  std::string what = "'" + std::string(fact.name) + "'";
  bool isPower = fact.member == &Cpu::lineBytes || fact.member == &Cpu::pageBytes;
  auto value = llvm::StringRef(fact.unit) == "bytes" ? reader.byteSize(node, what)
                                                     : reader.integer(node, what, 1, 1 << 20);
  int64_t least = isPower ? minLineBytes : 1;
  if (value && (*value < least || (isPower && !llvm::isPowerOf2_64(*value)))) {
    reader.expected(node, isPower ? "a power of two of at least " + std::to_string(least) +
                                        " bytes for " + what
                                  : "at least 1 for " + what);
    return;
  }
  cpu.*fact.member = value.value_or(cpu.*fact.member);
}

std::vector<FactEntry> factsOf(llvm::StringRef section) {
  std::vector<FactEntry> facts;
  for (const FactEntry &fact : factEntries())
    if (section == fact.section)
      facts.push_back(fact);
  return facts;
}

} // namespace

void readPipelines(const SpecReader &reader, const YamlNode &node, Cpu &cpu) {
  if (!reader.isMap(node, "a map such as {chains: 8, load: 6}"))
    return;
  std::vector<FieldRule> rules;
  for (const FactEntry &fact : factsOf("pipelines"))
    rules.push_back({fact.name, Kind::optional, ""});
  Fields fields(reader, node, "'pipelines'", rules);
  for (const FactEntry &fact : factsOf("pipelines"))
    if (const YamlNode *value = fields.find(fact.name))
      readFact(reader, *value, fact, cpu);
}

void readCaches(const SpecReader &reader, const YamlNode &node, Cpu &cpu) {
  if (!reader.isMap(node, "a map such as {l1d: 32KiB, l2: 1MiB}"))
    return;
  std::vector<FieldRule> rules = {{"l1d", Kind::required, ""}, {"l2", Kind::required, ""}};
  for (const FactEntry &fact : factsOf("caches"))
    rules.push_back({fact.name, Kind::optional, ""});
  Fields fields(reader, node, "'caches'", rules);
  auto bytes = [&](const char *key, int64_t min, int64_t &result) {
    const YamlNode *size = fields.find(key);
    if (!size)
      return;
    auto value = reader.byteSize(*size, "'" + std::string(key) + "'");
    if (value && *value < min)
      reader.expected(*size, "at least " + std::to_string(min) + " bytes for '" + key + "'");
    result = value.value_or(result);
  };
  bytes("l1d", 1024, cpu.l1dBytes);
  bytes("l2", 1024, cpu.l2Bytes);
  for (const FactEntry &fact : factsOf("caches"))
    if (const YamlNode *value = fields.find(fact.name))
      readFact(reader, *value, fact, cpu);
}

void readHeuristics(const SpecReader &reader, const YamlNode &node, Heuristics &heuristics) {
  if (!reader.isMap(node, "a map such as {max_tasks: 64}"))
    return;
  std::vector<FieldRule> rules;
  for (const HeuristicEntry &entry : heuristicEntries())
    rules.push_back({entry.name, Kind::optional, ""});
  Fields fields(reader, node, "'heuristics'", rules);
  for (const HeuristicEntry &entry : heuristicEntries()) {
    const YamlNode *value = fields.find(entry.name);
    if (!value)
      continue;
    std::string what = "'" + std::string(entry.name) + "'";
    std::optional<double> number;
    if (!entry.isInteger)
      number = reader.real(*value, what);
    else if (auto integer = reader.integer(*value, what, 1, int64_t(1) << 40))
      number = static_cast<double>(*integer);
    if (number && (!std::isfinite(*number) || *number <= 0))
      reader.expected(*value, "a positive number of " + std::string(entry.unit));
    else if (number)
      entry.set(heuristics, *number);
  }
}

} // namespace kgen
