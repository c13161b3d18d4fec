// Reads the schema's parts out of a YAML tree: maps with known keys, lists, names, numbers.
// Everything that does not fit is reported with its location; reading goes on.
#pragma once

#include "spec/Yaml.h"

#include <functional>
#include <limits>
#include <map>

namespace kgen {

/// A file being read: where errors go and which file they are in.
class SpecReader {
public:
  SpecReader(std::string file, Diagnostics &diagnostics)
      : file(std::move(file)), diagnostics(diagnostics) {}

  SourceLoc at(YamlMark mark) const { return {file, mark.line, mark.column}; }
  void error(YamlMark mark, std::string message, std::string hint = "") const;
  void warning(YamlMark mark, std::string message, std::string hint = "") const;
  /// "expected WHAT, found ..." at the node.
  void expected(const YamlNode &node, const std::string &what, std::string hint = "") const;

  bool isMap(const YamlNode &node, const std::string &what) const;
  bool isList(const YamlNode &node, const std::string &what) const;
  std::optional<Located<std::string>> text(const YamlNode &node, const std::string &what) const;
  std::optional<int64_t> integer(const YamlNode &node, const std::string &what, int64_t min,
                                 int64_t max) const;
  std::optional<double> real(const YamlNode &node, const std::string &what) const;
  /// A number of bytes: 64, 32KiB, 1.375MiB, 1GiB.
  std::optional<int64_t> byteSize(const YamlNode &node, const std::string &what) const;

  const std::string file;
  Diagnostics &diagnostics;
};

struct FieldRule {
  enum class Kind {
    required,
    optional,
    later,   ///< an error: not supported yet
    renamed, ///< an old name of another key: accepted with a warning
    unused   ///< nothing reads the key any more: accepted with a warning
  };
  std::string key;
  Kind kind = Kind::optional;
  /// `later`: what the key would do; `renamed`: the key's new name; `unused`: why it is not needed.
  std::string note;
};

/// A map whose keys are known. The constructor reports unknown keys, keys of later versions,
/// missing keys, and keys with an old name.
class Fields {
public:
  /// `unknownHint` replaces the list of known keys in the hint for an unknown one.
  Fields(const SpecReader &reader, const YamlNode &map, const std::string &what,
         const std::vector<FieldRule> &rules, const std::string &unknownHint = "");
  /// The key's value, under its own name or an old one; null if it is absent.
  const YamlNode *find(const std::string &key) const;

private:
  void checkEntry(const SpecReader &reader, const YamlEntry &entry, const FieldRule &rule) const;

  const YamlNode &map;
  std::map<std::string, std::string> oldNames; ///< from a key to the old name that the map has
};

/// Decimal integers without leading zeros; nothing if the text is not one. `tooLarge` tells whether
/// it would be one.
std::optional<int64_t> parseInteger(llvm::StringRef text, bool *tooLarge = nullptr);
/// Integers that are not negative, up to 2^64 - 1, in the same form.
std::optional<uint64_t> parseUnsigned(llvm::StringRef text);
/// Decimal numbers, and .inf, -.inf, .nan as in YAML.
std::optional<double> parseReal(llvm::StringRef text);

} // namespace kgen
