// YAML text as a small tree with locations. Every scalar stays a string: the schema decides what it
// means, so that `y`, `no` and `null` are ordinary names.
#pragma once

#include "support/Diagnostics.h"

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

constexpr uint64_t yamlMaxBytes = 16u << 20;
constexpr unsigned yamlMaxDepth = 64;
constexpr size_t yamlMaxNodes = 1u << 20;

/// Line and column count from 1. The owner of the tree knows the file.
struct YamlMark {
  uint32_t line = 1, column = 1;
};

struct YamlEntry;

struct YamlNode {
  /// `invalid` stands for something that was reported already (an alias); readers pass over it
  /// silently.
  enum class Kind { invalid, scalar, sequence, map };
  Kind kind = Kind::invalid;
  bool quoted = false; ///< a scalar in quotes or a block scalar
  YamlMark mark;
  std::string text;               ///< scalar
  std::vector<YamlNode> items;    ///< sequence
  std::vector<YamlEntry> entries; ///< map, in the order of the file, without duplicates

  /// "a list", "a map", "'text'", "nothing": for messages.
  std::string describe() const;
};

struct YamlEntry {
  std::string key;
  YamlMark keyMark;
  YamlNode value;
};

/// The text in single quotes for a message: one line, shortened.
std::string quoteText(llvm::StringRef text, size_t limit = 60);
/// The path of a file in single quotes for a message, which is shortened only where it cannot
/// exist.
inline std::string quotePath(llvm::StringRef path) { return quoteText(path, 4096); }

/// Parses one document. Duplicate keys, anchors, aliases, tags, deep nesting, several documents,
/// invalid UTF-8 and syntax errors are reported; nothing is returned if no useful tree exists. The
/// tree may be usable although errors were reported, so that a reader can find more of them.
std::optional<YamlNode> parseYaml(const std::string &text, const std::string &file,
                                  Diagnostics &diagnostics);

/// The text of a YAML file; a file that cannot be read or is too large is reported.
std::optional<std::string> readYamlText(const std::string &path, Diagnostics &diagnostics);

} // namespace kgen
