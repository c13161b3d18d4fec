#include "spec/ScheduleText.h"

#include "support/InputFile.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

namespace {

std::string sizeText(const ScheduleSize &size) {
  return size.parameter.empty() ? std::to_string(size.number) : size.parameter;
}

std::string tilesText(const ScheduleDecisions::Tiles &tiles) {
  std::vector<std::string> parts;
  for (const auto &[loop, size] : tiles)
    parts.push_back(loop + ": " + sizeText(size));
  return "{" + llvm::join(parts, ", ") + "}";
}

std::string conditionText(const ScheduleCondition &condition) {
  std::string left = condition.name;
  if (condition.divisor)
    left += " % " + std::to_string(condition.divisor);
  return left + " " + condition.relation + " " +
         (condition.type.empty() ? std::to_string(condition.number) : condition.type);
}

std::string listText(const std::vector<Located<std::string>> &list) {
  std::vector<std::string> quoted;
  for (const Located<std::string> &one : list)
    quoted.push_back("\"" + one.value + "\"");
  return "[" + llvm::join(quoted, ", ") + "]";
}

std::string matchText(const ScheduleMatch &match) {
  std::vector<std::string> parts, conditions;
  if (!match.op.value.empty())
    parts.push_back("op: " + match.op.value);
  if (!match.nodes.empty())
    parts.push_back("nodes: " + listText(match.nodes));
  if (!match.targets.empty())
    parts.push_back("targets: " + listText(match.targets));
  for (const ScheduleCondition &condition : match.where)
    conditions.push_back(conditionText(condition));
  if (!conditions.empty())
    parts.push_back("where: \"" + llvm::join(conditions, " and ") + "\"");
  return "{" + llvm::join(parts, ", ") + "}";
}

std::string levelText(const ScheduleLevel &level) {
  std::vector<std::string> parts, kept;
  bool isLoop = level.kind == ScheduleLevel::Kind::loop;
  if (isLoop)
    parts.push_back("for: " + level.sizes.front().first +
                    ", step: " + sizeText(level.sizes.front().second));
  else
    parts.push_back(level.kind == ScheduleLevel::Kind::core ? "forall: core" : "forall: block");
  if (!isLoop)
    for (const auto &[loop, size] : level.sizes)
      parts.push_back(loop + ": " + sizeText(size));
  for (const auto &[operand, memory] : level.keep)
    kept.push_back(operand + ": " + memory.value);
  if (!kept.empty())
    parts.push_back("keep: {" + llvm::join(kept, ", ") + "}");
  if (level.buffers > 1)
    parts.push_back("buffers: " + std::to_string(level.buffers));
  return "{" + llvm::join(parts, ", ") + "}";
}

std::string parameterText(const ScheduleSpec &schedule) {
  std::vector<std::string> parts;
  for (const auto &[name, values] : schedule.parameters) {
    std::vector<std::string> numbers;
    for (int64_t value : values)
      numbers.push_back(std::to_string(value));
    parts.push_back(name + ": [" + llvm::join(numbers, ", ") + "]");
  }
  return "{" + llvm::join(parts, ", ") + "}";
}

} // namespace

std::string scheduleText(const ScheduleSpec &schedule) {
  std::string text = schedule.name.value + ":\n";
  auto line = [&](const std::string &key, const std::string &value) {
    text += "  " + key + ": " + value + "\n";
  };
  if (schedule.match.isGiven)
    line("match", matchText(schedule.match));
  if (!schedule.parameters.empty())
    line("parameters", parameterText(schedule));
  if (schedule.decisions.any()) {
    if (schedule.decisions.tasks)
      line("tasks", tilesText(*schedule.decisions.tasks));
    if (schedule.decisions.caches)
      line("caches", tilesText(*schedule.decisions.caches));
    if (schedule.decisions.registers)
      line("registers", tilesText(*schedule.decisions.registers));
    if (std::optional<int64_t> unroll = schedule.decisions.unroll)
      line("unroll", *unroll ? std::to_string(*unroll) : "all");
    if (auto rhs = schedule.decisions.layout.find("rhs"); rhs != schedule.decisions.layout.end())
      line("layout", "{rhs: " + rhs->second + "}");
    if (schedule.decisions.nonTemporal)
      line("non_temporal", *schedule.decisions.nonTemporal ? "true" : "false");
    if (!schedule.decisions.provider.value.empty())
      line("provider", "\"" + schedule.decisions.provider.value + "\"");
    return text;
  }
  if (schedule.nest.empty()) {
    line("script", "\"" + schedule.script.value + "\"");
    if (!schedule.libraries.empty())
      line("libraries", listText(schedule.libraries));
    return text;
  }
  text += "  nest:\n";
  for (const ScheduleLevel &level : schedule.nest)
    text += "  - " + levelText(level) + "\n";
  std::vector<std::string> layout;
  if (!schedule.tiles.empty())
    line("tiles", tilesText(schedule.tiles));
  for (const auto &[operand, order] : schedule.layout)
    layout.push_back(operand + ": " + order.value);
  if (!layout.empty())
    line("layout", "{" + llvm::join(layout, ", ") + "}");
  if (schedule.splitsRagged)
    line("ragged", "split");
  if (schedule.fusesEpilogue)
    line("fuse", "epilogue");
  return text;
}

std::vector<std::string> scheduleFiles(const LibrarySpec &library) {
  std::vector<std::string> files;
  for (const ScheduleSpec &schedule : library.schedules) {
    if (!schedule.script.value.empty())
      files.push_back(resolvePath(schedule.script.value, schedule.file));
    for (const Located<std::string> &path : schedule.libraries)
      files.push_back(resolvePath(path.value, schedule.file));
  }
  return files;
}

} // namespace kgen
