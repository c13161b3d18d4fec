#include "spec/ScheduleReader.h"

#include "spec/Names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <limits>

namespace kgen {

namespace {

using Kind = FieldRule::Kind;

constexpr int64_t largestScheduleSize = std::numeric_limits<int32_t>::max(),
                  maxUnrolledVectors = 64; // more than a register file has

/// One schedule's map.
class ScheduleReader {
public:
  ScheduleReader(const SpecReader &reader, ScheduleSpec &schedule)
      : reader(reader), schedule(schedule) {}

  void read(const YamlNode &map) {
    auto has = [&](llvm::StringRef key) {
      return llvm::any_of(map.entries, [&](const YamlEntry &e) { return e.key == key; });
    };
    static constexpr llvm::StringLiteral decisions[] = {
        "tasks", "caches", "registers", "unroll", "non_temporal", "layout", "provider"};
    bool isScript = has("script"),
         isDecisions = !isScript && !has("nest") && llvm::any_of(decisions, has);
    std::vector<FieldRule> rules = {{"match", Kind::optional, ""},
                                    {"parameters", Kind::optional, ""}};
    if (isScript)
      rules.insert(rules.end(),
                   {{"script", Kind::required, ""}, {"libraries", Kind::optional, ""}});
    else if (isDecisions)
      for (llvm::StringLiteral decision : decisions)
        rules.push_back({decision.str(), Kind::optional, ""});
    else
      rules.insert(rules.end(), {{"nest", Kind::required, ""},
                                 {"tiles", Kind::optional, ""},
                                 {"layout", Kind::optional, ""},
                                 {"ragged", Kind::optional, ""},
                                 {"fuse", Kind::optional, ""}});
    Fields fields(reader, map, "a schedule", rules,
                  isScript ? "a schedule with 'script' is written there"
                  : isDecisions
                      ? "a schedule without 'nest' and 'script' changes single decisions alone"
                      : "");
    if (const YamlNode *parameters = fields.find("parameters"))
      readParameters(*parameters); // first: sizes refer to them
    if (const YamlNode *match = fields.find("match"))
      readMatch(*match);
    if (isScript)
      return readScript(fields);
    if (isDecisions)
      return readDecisions(fields);
    readNestFields(fields);
  }

private:
  void readScript(const Fields &fields) {
    if (const YamlNode *script = fields.find("script"))
      if (auto path = reader.text(*script, "the path of a file with a transform script"))
        schedule.script = *path;
    if (const YamlNode *libraries = fields.find("libraries"))
      readTexts(*libraries, "the path of a file with transform scripts", schedule.libraries);
  }

  void readTexts(const YamlNode &node, const std::string &what,
                 std::vector<Located<std::string>> &texts) {
    if (!reader.isList(node, "a list, each " + what))
      return;
    for (const YamlNode &item : node.items)
      if (auto text = reader.text(item, what))
        texts.push_back(*text);
  }

  ScheduleDecisions::Tiles readTiles(const YamlNode &node) {
    ScheduleDecisions::Tiles tiles;
    if (reader.isMap(node, "a map from loops to sizes, such as {m: 4, n: 8, k: 8}"))
      for (const YamlEntry &entry : node.entries)
        if (auto size = readSize(entry.value, "the tile of loop '" + entry.key + "'"))
          tiles.push_back({entry.key, *size});
    return tiles;
  }

  void readDecisions(const Fields &fields) {
    if (const YamlNode *tasks = fields.find("tasks"))
      schedule.decisions.tasks = readTiles(*tasks);
    if (const YamlNode *caches = fields.find("caches"))
      schedule.decisions.caches = readTiles(*caches);
    if (const YamlNode *registers = fields.find("registers"))
      schedule.decisions.registers = readTiles(*registers);
    if (const YamlNode *unroll = fields.find("unroll"))
      schedule.decisions.unroll = readUnroll(*unroll);
    if (const YamlNode *layout = fields.find("layout"))
      readOperandLayouts(*layout);
    if (const YamlNode *stores = fields.find("non_temporal"))
      if (std::string choice = readChoice(*stores, {"true", "false"}); !choice.empty())
        schedule.decisions.nonTemporal = choice == "true";
    if (const YamlNode *provider = fields.find("provider"))
      if (auto text = reader.text(*provider, "the name of a provider of micro-kernels"))
        schedule.decisions.provider = *text;
  }

  std::optional<int64_t> readUnroll(const YamlNode &node) {
    if (node.kind == YamlNode::Kind::scalar && node.text == "all")
      return 0;
    return reader.integer(node, "the vectors of an iteration, or 'all'", 1, maxUnrolledVectors);
  }

  void readOperandLayouts(const YamlNode &node) {
    if (!reader.isMap(node, "a map from operands to layouts, such as {rhs: packed}"))
      return;
    for (const YamlEntry &entry : node.entries)
      if (entry.key != "rhs")
        reader.error(entry.keyMark,
                     "there is no choice for the layout of operand '" + entry.key + "'",
                     "the operand with one is rhs: packed or plain");
      else if (std::string form = readChoice(entry.value, {"packed", "plain"}); !form.empty())
        schedule.decisions.layout[entry.key] = form;
  }

  void readNestFields(const Fields &fields) {
    if (const YamlNode *nest = fields.find("nest"))
      readNest(*nest);
    if (const YamlNode *tiles = fields.find("tiles"))
      schedule.tiles = readTiles(*tiles);
    if (const YamlNode *layout = fields.find("layout"))
      if (reader.isMap(*layout, "a map from operands to orders, such as {lhs: kmmk}"))
        for (const YamlEntry &entry : layout->entries)
          if (auto order = reader.text(entry.value, "the order of dimensions, outer then inner"))
            schedule.layout[entry.key] = *order;
    if (const YamlNode *ragged = fields.find("ragged"))
      schedule.splitsRagged = readChoice(*ragged, {"pad", "split"}) == "split";
    if (const YamlNode *fuse = fields.find("fuse"))
      schedule.fusesEpilogue = readChoice(*fuse, {"epilogue"}) == "epilogue";
  }

  std::string readChoice(const YamlNode &node, const std::vector<std::string> &allowed) {
    std::string list = llvm::join(allowed, " or ");
    auto text = reader.text(node, list);
    if (text && !llvm::is_contained(allowed, text->value))
      reader.error(node.mark, "expected " + list + ", found " + node.describe() +
                                  didYouMean(text->value, allowed));
    return text ? text->value : "";
  }

  void readParameters(const YamlNode &node) {
    if (!reader.isMap(node, "a map from names to numbers or lists of them"))
      return;
    for (const YamlEntry &entry : node.entries) {
      std::string what = "the value of parameter '" + entry.key + "'";
      std::vector<int64_t> values;
      if (entry.value.kind == YamlNode::Kind::sequence) {
        for (const YamlNode &item : entry.value.items)
          if (auto value = reader.integer(item, what, 0, largestScheduleSize))
            values.push_back(*value);
        if (entry.value.items.empty())
          reader.error(entry.value.mark, "parameter '" + entry.key + "' needs at least one value");
      } else if (auto value = reader.integer(entry.value, what, 0, largestScheduleSize)) {
        values.push_back(*value);
      }
      if (!values.empty())
        schedule.parameters.push_back({entry.key, values});
    }
  }

  std::optional<ScheduleSize> readSize(const YamlNode &node, const std::string &what) {
    ScheduleSize size;
    size.where = reader.at(node.mark);
    auto isNamed = [&](const auto &parameter) { return parameter.first == node.text; };
    if (node.kind == YamlNode::Kind::scalar && llvm::any_of(schedule.parameters, isNamed)) {
      size.parameter = node.text;
      return size;
    }
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty() && !llvm::isDigit(node.text[0]) &&
        node.text[0] != '-') {
      std::vector<std::string> names;
      for (const auto &parameter : schedule.parameters)
        names.push_back(parameter.first);
      reader.error(node.mark,
                   "there is no parameter '" + node.text + "'" + didYouMean(node.text, names),
                   "a size is a number or one of 'parameters'");
      return std::nullopt;
    }
    auto number = reader.integer(node, what, 1, largestScheduleSize);
    if (!number)
      return std::nullopt;
    size.number = *number;
    return size;
  }

  void readMatch(const YamlNode &node) {
    schedule.match.isGiven = true;
    if (node.kind == YamlNode::Kind::scalar) {
      if (auto op = reader.text(node, "the name of an operator"))
        schedule.match.op = *op;
      return;
    }
    if (!reader.isMap(node, "an operator, or a map with 'op', 'nodes', 'targets' and 'where'"))
      return;
    Fields fields(reader, node, "a schedule's 'match'",
                  {{"op", Kind::optional, ""},
                   {"nodes", Kind::optional, ""},
                   {"targets", Kind::optional, ""},
                   {"where", Kind::optional, ""}});
    if (const YamlNode *op = fields.find("op"))
      if (auto text = reader.text(*op, "the name of an operator"))
        schedule.match.op = *text;
    if (const YamlNode *nodes = fields.find("nodes"))
      readTexts(*nodes, "the name of a node, with * for any text", schedule.match.nodes);
    if (const YamlNode *targets = fields.find("targets"))
      readTexts(*targets, "the name of a target", schedule.match.targets);
    if (const YamlNode *where = fields.find("where"))
      readConditions(*where);
  }

  /// "m >= 256 and k % 64 == 0 and type == f32"
  void readConditions(const YamlNode &node) {
    auto text = reader.text(node, "conditions such as \"m >= 256 and type == f32\"");
    if (!text)
      return;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(text->value, words);
    for (llvm::ArrayRef<llvm::StringRef> left = words; !left.empty();) {
      llvm::ArrayRef<llvm::StringRef> one =
          left.take_until([](llvm::StringRef word) { return word == "and"; });
      readCondition(node, one);
      left = left.drop_front(std::min(one.size() + 1, left.size()));
    }
  }

  void readCondition(const YamlNode &node, llvm::ArrayRef<llvm::StringRef> words) {
    auto fail = [&] {
      reader.error(node.mark, "'" + llvm::join(words, " ") + "' is no condition",
                   "conditions are 'm >= 256', 'k % 64 == 0' or 'type == f32', joined by 'and'");
    };
    ScheduleCondition condition;
    condition.where = reader.at(node.mark);
    if (words.size() == 5 && words[1] == "%" && parseInteger(words[2]).value_or(0) > 0) {
      condition.divisor = *parseInteger(words[2]);
    } else if (words.size() != 3) {
      return fail();
    }
    condition.name = words.front().str();
    condition.relation = words[words.size() - 2].str();
    const char *relations[] = {"==", "!=", "<", "<=", ">", ">="};
    if (!llvm::is_contained(relations, condition.relation))
      return fail();
    if (condition.name == "type") {
      condition.type = words.back().str();
      if (condition.divisor != 0 || (condition.relation != "==" && condition.relation != "!="))
        return fail();
    } else if (auto number = parseInteger(words.back())) {
      condition.number = *number;
    } else {
      return fail();
    }
    schedule.match.where.push_back(condition);
  }

  void readNest(const YamlNode &node) {
    if (!reader.isList(node, "a list of loops, from the outside in"))
      return;
    if (node.items.empty())
      reader.error(node.mark, "a nest needs at least one loop");
    for (const YamlNode &item : node.items)
      readLevel(item);
  }

  void readLevel(const YamlNode &node) {
    const char *example = "a loop such as {forall: block, m: 64, n: 64} or {for: k, step: 32}";
    if (!reader.isMap(node, example))
      return;
    ScheduleLevel level;
    level.where = reader.at(node.mark);
    std::optional<std::string> loop;
    for (const YamlEntry &entry : node.entries)
      if (entry.key == "forall" || entry.key == "for")
        loop = readKind(entry, level);
    if (!loop)
      return reader.expected(node, example);
    for (const YamlEntry &entry : node.entries)
      readLevelEntry(entry, *loop, level);
    bool hasSizes = std::any_of(node.entries.begin(), node.entries.end(), [](const YamlEntry &e) {
      return e.key != "forall" && e.key != "for" && e.key != "keep" && e.key != "buffers";
    });
    if (level.sizes.empty() && hasSizes)
      return; // reported
    if (level.sizes.empty())
      reader.error(node.mark, level.kind == ScheduleLevel::Kind::loop
                                  ? "missing key 'step' in a loop"
                                  : "a 'forall' needs the size of a loop, such as m: 64");
    schedule.nest.push_back(level);
  }

  /// The operator's loop of a `for`, "" for a `forall`; nothing if there was an error.
  std::optional<std::string> readKind(const YamlEntry &entry, ScheduleLevel &level) {
    if (entry.key == "for") {
      auto loop = reader.text(entry.value, "one of the operator's loops, such as k");
      return loop ? std::optional(loop->value) : std::nullopt;
    }
    std::string grid = readChoice(entry.value, {"block", "core"});
    level.kind = grid == "core" ? ScheduleLevel::Kind::core : ScheduleLevel::Kind::block;
    return "";
  }

  void readLevelEntry(const YamlEntry &entry, const std::string &loop, ScheduleLevel &level) {
    bool isLoop = level.kind == ScheduleLevel::Kind::loop;
    if (entry.key == "forall" || entry.key == "for")
      return;
    if (entry.key == "keep") {
      if (reader.isMap(entry.value, "a map from operands to memories, such as {lhs: L2}"))
        for (const YamlEntry &kept : entry.value.entries)
          if (auto memory = reader.text(kept.value, "the name of a memory"))
            level.keep[kept.key] = *memory;
      return;
    }
    if (entry.key == "buffers") {
      if (auto count = reader.integer(entry.value, "a number of buffers", 1, 8))
        level.buffers = *count;
      return;
    }
    if (isLoop != (entry.key == "step")) {
      reader.error(entry.keyMark,
                   "unknown key '" + entry.key + "' in a '" + (isLoop ? "for" : "forall") + "'",
                   isLoop ? "known keys are step, keep, buffers"
                          : "known keys are the operator's loops, keep, buffers");
      return;
    }
    if (auto size = readSize(entry.value, "a size"))
      level.sizes.push_back({isLoop ? loop : entry.key, *size});
  }

  const SpecReader &reader;
  ScheduleSpec &schedule;
};

} // namespace

void readSchedules(const SpecReader &reader, const YamlNode &map,
                   std::vector<ScheduleSpec> &schedules) {
  if (!reader.isMap(map, "a map from names to schedules"))
    return;
  for (const YamlEntry &entry : map.entries) {
    // Like other names, and with "-": it is no name in code.
    std::string plain = entry.key;
    std::replace(plain.begin(), plain.end(), '-', '_');
    std::string problem = nameProblem(plain, NameUse::label);
    if (!problem.empty()) {
      reader.error(entry.keyMark,
                   "'" + entry.key + "' cannot be the name of a schedule: " + problem);
      continue;
    }
    if (llvm::any_of(schedules, [&](const ScheduleSpec &s) { return s.name.value == entry.key; })) {
      reader.error(entry.keyMark, "there are two schedules '" + entry.key + "'");
      continue;
    }
    if (!reader.isMap(entry.value, "a schedule (a map with 'match' and 'nest', 'script' or single "
                                   "decisions such as 'tasks')"))
      continue;
    ScheduleSpec schedule;
    schedule.name = {entry.key, reader.at(entry.keyMark)};
    schedule.file = reader.file;
    ScheduleReader(reader, schedule).read(entry.value);
    schedules.push_back(std::move(schedule));
  }
}

void readTargetSchedules(const SpecReader &reader, const YamlNode &node,
                         TargetSchedules &schedules) {
  if (node.kind == YamlNode::Kind::map) {
    readSchedules(reader, node, schedules.own);
    for (const ScheduleSpec &schedule : schedules.own)
      for (const Located<std::string> &target : schedule.match.targets)
        reader.diagnostics.error(target.where,
                                 "schedule '" + schedule.name.value +
                                     "' stands in a target's file and is for that target",
                                 "leave 'targets' out");
    return;
  }
  if (!reader.isList(node, "a map from names to schedules, or a list of schedules of the library"))
    return;
  for (const YamlNode &item : node.items)
    if (auto name = reader.text(item, "the name of a schedule"))
      schedules.names.push_back(*name);
}

} // namespace kgen
