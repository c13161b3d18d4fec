// A target as YAML.
#include "spec/ScheduleText.h"
#include "support/InputFile.h"
#include "target/TargetSpec.h"

#include <llvm/ADT/StringExtras.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// A size in the largest unit that divides it: "1MiB", "48KiB", "1000".
std::string bytesText(int64_t bytes) {
  if (bytes > 0 && bytes % (1 << 20) == 0)
    return fmt::format("{}MiB", bytes >> 20);
  if (bytes > 0 && bytes % (1 << 10) == 0)
    return fmt::format("{}KiB", bytes >> 10);
  return std::to_string(bytes);
}

/// The sizes of a kind of `gemm_tiles` in the order of the documentation.
std::string tileText(const std::string &kind, const std::map<std::string, int64_t> &values) {
  std::vector<std::string> entries;
  for (const std::string &name : tileSizeNames(kind))
    if (auto value = values.find(name); value != values.end())
      entries.push_back(fmt::format("{}: {}", name, value->second));
  return fmt::format("  {}: {{{}}}\n", kind, llvm::join(entries, ", "));
}

/// ", KEY: [0x..., ...]", or nothing for an empty list.
std::string idsText(const char *key, const std::vector<int64_t> &ids) {
  return ids.empty() ? "" : fmt::format(", {}: [{:#x}]", key, fmt::join(ids, ", "));
}

std::string onlyOnText(const CpuMatch &cpus) {
  return cpus.vendor.empty()
             ? ""
             : fmt::format("only_on: {{vendor: \"{}\"{}{}}}\n", cpus.vendor,
                           idsText("families", cpus.families), idsText("models", cpus.models));
}

/// Paths of scripts as they are from everywhere.
std::string schedulesText(const TargetSchedules &schedules) {
  std::vector<std::string> names;
  for (const Located<std::string> &name : schedules.names)
    names.push_back(name.value);
  if (!names.empty())
    return fmt::format("schedules: [{}]\n", llvm::join(names, ", "));
  std::string text = schedules.own.empty() ? "" : "schedules:\n";
  for (ScheduleSpec schedule : schedules.own) {
    if (!schedule.script.value.empty())
      schedule.script.value = resolvePath(schedule.script.value, schedule.file);
    for (Located<std::string> &library : schedule.libraries)
      library.value = resolvePath(library.value, schedule.file);
    llvm::SmallVector<llvm::StringRef> lines;
    std::string entry = scheduleText(schedule);
    llvm::StringRef(entry).rtrim('\n').split(lines, '\n');
    text += "  " + llvm::join(lines, "\n  ") + "\n";
  }
  return text;
}

/// Facts of a section that differ from their defaults.
std::vector<std::string> factTexts(const TargetSpec &target, llvm::StringRef section) {
  std::vector<std::string> facts;
  for (const FactEntry &fact : factEntries())
    if (int64_t value = target.*fact.member; value != fact.value && section == fact.section)
      facts.push_back(fmt::format("{}: {}", fact.name,
                                  llvm::StringRef(fact.unit) == "bytes" ? bytesText(value)
                                                                        : std::to_string(value)));
  return facts;
}

std::string factsText(const TargetSpec &target) {
  std::vector<std::string> caches = factTexts(target, "caches"),
                           pipelines = factTexts(target, "pipelines");
  caches.insert(caches.begin(), {fmt::format("l1d: {}", bytesText(target.l1dBytes)),
                                 fmt::format("l2: {}", bytesText(target.l2Bytes))});
  std::string text = fmt::format("caches: {{{}}}\n", llvm::join(caches, ", "));
  if (!pipelines.empty())
    text += fmt::format("pipelines: {{{}}}\n", llvm::join(pipelines, ", "));
  if (target.cores != Cpu().cores)
    text += fmt::format("cores: {}\n", target.cores);
  return text;
}

std::string heuristicsText(const TargetSpec &target) {
  std::vector<std::string> entries;
  for (const HeuristicEntry &entry : heuristicEntries())
    if (double value = entry.get(target.heuristics); value != entry.value)
      entries.push_back(fmt::format("{}: {}", entry.name, value));
  return entries.empty() ? "" : fmt::format("heuristics: {{{}}}\n", llvm::join(entries, ", "));
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
  text += factsText(target) + heuristicsText(target);
  std::vector<std::string> costs;
  for (const auto &[name, cycles] : target.costs)
    costs.push_back(fmt::format("{}: {}", name, cycles));
  if (!costs.empty())
    text += fmt::format("reciprocal_throughput: {{{}}}\n", llvm::join(costs, ", "));
  text += "gemm_tiles:\n";
  for (const auto &[kind, values] : target.gemmTiles)
    text += tileText(kind, values);
  if (!target.provider.value.empty())
    text += fmt::format("provider: {}\n", target.provider.value);
  return text + onlyOnText(target.onlyOn) + schedulesText(target.schedules);
}

} // namespace kgen
