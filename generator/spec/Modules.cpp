// The table of modules, from the library file and the files that it includes.
#include "spec/Modules.h"

#include "spec/ScheduleReader.h"
#include "support/InputFile.h"

#include <llvm/Support/FileSystem.h>

#include <algorithm>

namespace kgen {

using Kind = FieldRule::Kind;

constexpr size_t maxIncludedFiles = 256;

size_t treeSize(const YamlNode &node) {
  size_t size = 1;
  for (const YamlNode &item : node.items)
    size += treeSize(item);
  for (const YamlEntry &entry : node.entries)
    size += treeSize(entry.value);
  return size;
}

/// Names of a module's inputs or results, each only once.
static std::vector<Located<std::string>> readNames(const SpecReader &reader, const YamlNode &node,
                                                   const std::string &what) {
  std::vector<Located<std::string>> names;
  if (!reader.isList(node, "a list of names"))
    return names;
  for (const YamlNode &item : node.items) {
    auto name = readName(reader, item, what, NameUse::label);
    if (!name)
      continue;
    if (std::any_of(names.begin(), names.end(),
                    [&](auto &other) { return other.value == name->value; }))
      reader.error(item.mark, quoteText(name->value) + " is listed twice");
    else
      names.push_back(*name);
  }
  return names;
}

static void checkValueNames(const SpecReader &reader, const YamlNode &with) {
  if (!reader.isMap(with, "a map from names of values to their defaults"))
    return;
  for (const YamlEntry &entry : with.entries) {
    readKeyName(reader, entry, "a value", NameUse::label);
    if (entry.key == "index")
      reader.error(entry.keyMark,
                   "'index' cannot be the name of a value: it is the number of the copy");
    reader.text(entry.value, "a number or a text for value '" + entry.key + "'");
  }
}

void ModuleTable::read(const SpecReader &reader, const YamlNode &map) {
  if (!reader.isMap(map, "a map from names of modules to their inputs, nodes and outputs"))
    return;
  for (const YamlEntry &entry : map.entries) {
    auto name = readKeyName(reader, entry, "a module", NameUse::label);
    if (!reader.isMap(entry.value, "a module (a map with 'inputs', 'nodes' and 'outputs')"))
      continue;
    Fields fields(reader, entry.value, "a module",
                  {{"with", Kind::optional, ""},
                   {"inputs", Kind::required, ""},
                   {"weights", Kind::optional, ""},
                   {"nodes", Kind::required, ""},
                   {"outputs", Kind::required, ""}});
    Module module;
    module.reader = &reader;
    module.mark = entry.keyMark;
    module.with = fields.find("with");
    module.weights = fields.find("weights");
    module.nodes = fields.find("nodes");
    module.size = treeSize(entry.value);
    if (module.with)
      checkValueNames(reader, *module.with);
    if (const YamlNode *inputs = fields.find("inputs"))
      module.inputs = readNames(reader, *inputs, "a module's input");
    if (const YamlNode *outputs = fields.find("outputs")) {
      module.outputs = readNames(reader, *outputs, "a module's result");
      if (outputs->kind == YamlNode::Kind::sequence && outputs->items.empty())
        reader.error(outputs->mark, "a module needs at least one output");
    }
    if (!name || !module.nodes)
      continue;
    auto [other, isNew] = modules.insert({entry.key, module});
    if (!isNew)
      reader.error(entry.keyMark, "module '" + entry.key + "' is defined twice, first at " +
                                      other->second.reader->at(other->second.mark).str());
  }
}

void ModuleTable::include(const SpecReader &reader, const YamlNode &list) {
  if (!reader.isList(list, "a list of YAML files with modules, schedules and machines"))
    return;
  for (const YamlNode &item : list.items)
    if (auto path = reader.text(item, "the path of a YAML file with modules"))
      readFile(*path, reader);
}

void ModuleTable::readFile(const Located<std::string> &path, const SpecReader &from) {
  std::string file = resolvePath(path.value, from.file);
  auto isSame = [&](const std::string &other) { return llvm::sys::fs::equivalent(file, other); };
  if (isSame(from.file) || std::any_of(included.begin(), included.end(), isSame))
    return;
  Diagnostics &diagnostics = from.diagnostics;
  if (included.size() == maxIncludedFiles) {
    diagnostics.error(path.where, "a library may include at most " +
                                      std::to_string(maxIncludedFiles) + " files");
    return;
  }
  bool isFolder = llvm::sys::fs::is_directory(file);
  if (isFolder || !llvm::sys::fs::exists(file)) {
    diagnostics.error(path.where,
                      "included file " + quotePath(file) +
                          (isFolder ? " is a folder" : " does not exist"),
                      "paths are relative to the file that names them");
    return;
  }
  included.push_back(file);
  std::optional<std::string> text = readYamlText(file, diagnostics);
  std::optional<YamlNode> root = text ? parseYaml(*text, file, diagnostics) : std::nullopt;
  if (!root)
    return;
  readers.push_back(std::make_unique<SpecReader>(file, diagnostics));
  trees.push_back(std::make_unique<YamlNode>(std::move(*root)));
  const SpecReader &reader = *readers.back();
  const YamlNode &tree = *trees.back();
  if (!reader.isMap(tree, "a map with 'modules', 'schedules' or 'machines'"))
    return;
  Fields fields(reader, tree, "an included file",
                {{"include", Kind::optional, ""},
                 {"modules", Kind::optional, ""},
                 {"schedules", Kind::optional, ""},
                 {"machines", Kind::optional, ""}});
  if (const YamlNode *map = fields.find("schedules"))
    readSchedules(reader, *map, spec.schedules);
  if (const YamlNode *map = fields.find("machines"))
    readMachines(reader, *map, spec.machines);
  if (const YamlNode *map = fields.find("modules"))
    read(reader, *map);
  if (const YamlNode *more = fields.find("include"))
    include(reader, *more);
}

const Module *ModuleTable::find(const std::string &name) const {
  auto found = modules.find(name);
  return found == modules.end() ? nullptr : &found->second;
}

std::vector<std::string> ModuleTable::names() const {
  std::vector<std::string> names;
  for (const auto &[name, module] : modules)
    names.push_back(name);
  return names;
}

} // namespace kgen
