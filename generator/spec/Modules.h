// Modules: subgraphs that are written once and used many times, in the same file or in
// others that it includes. A use is replaced by the module's nodes and weights before anything else
// sees the graph.
#pragma once

#include "spec/SpecParts.h"
#include "spec/Substitution.h"

#include <memory>

namespace kgen {

struct Module {
  const SpecReader *reader = nullptr; ///< the file that it is written in
  YamlMark mark;
  const YamlNode *with = nullptr; ///< names of values and their defaults, in order
  const YamlNode *weights = nullptr, *nodes = nullptr;
  std::vector<Located<std::string>> inputs, outputs;
  size_t size = 0; ///< YAML nodes of its tree, which each copy adds
};

/// The number of YAML nodes of a tree.
size_t treeSize(const YamlNode &node);

/// The modules that a library may use, by name.
class ModuleTable {
public:
  /// Schedules and machines of included files are appended to those of `spec`.
  explicit ModuleTable(LibrarySpec &spec) : spec(spec) {}
  /// Reads a `modules:` map; reports bad ones and names that are taken.
  void read(const SpecReader &reader, const YamlNode &map);
  /// Reads the files of an `include:` list and what they include, each once. Paths are relative to
  /// the file that names them.
  void include(const SpecReader &reader, const YamlNode &list);

  const Module *find(const std::string &name) const;
  std::vector<std::string> names() const;
  /// Paths of the included files, for dependency files.
  const std::vector<std::string> &files() const { return included; }

private:
  void readFile(const Located<std::string> &path, const SpecReader &from);

  LibrarySpec &spec;
  std::map<std::string, Module> modules;
  std::vector<std::string> included;
  std::vector<std::unique_ptr<SpecReader>> readers;
  std::vector<std::unique_ptr<YamlNode>> trees; ///< owns the nodes that the modules point to
};

/// Weights and nodes of a graph with all modules expanded.
class BodyReader {
public:
  explicit BodyReader(const ModuleTable &modules) : modules(modules) {}

  /// Appends the weights and nodes of the two trees to `body`; a tree may be null. Types name the
  /// graph's dimensions. Entries with errors are reported and left out.
  void read(const SpecReader &reader, const Dims &dims, const YamlNode *weights,
            const YamlNode *nodes, GraphBody &body);

private:
  struct Use;
  class Renaming;
  void expand(const SpecReader &reader, const Dims &dims, const YamlNode &node, GraphBody &body);
  void copy(const SpecReader &reader, const Dims &dims, const Use &use, int64_t index,
            GraphBody &body);
  bool mayCopy(const SpecReader &reader, const Use &use);

  const ModuleTable &modules;
  std::vector<std::string> open; ///< modules that are being expanded, outermost first
  size_t copied = 0;             ///< YAML nodes copied so far
  bool tooLarge = false;
};

} // namespace kgen
