// Errors and warnings about a user's files, each with its location, collected so that all are
// reported.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

/// A position in a text, or a node of a model. Line and column count from 1; line 0 means "the
/// whole file", or the node.
struct SourceLoc {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string node{};      ///< its name in a model file; empty: none
  std::string str() const; ///< "file:line:col", "file: node 'name'", or "file"
};

/// A value and where it was written.
template <typename T> struct Located {
  T value{};
  SourceLoc where;
};

enum class Severity { error, warning };

struct Diagnostic {
  SourceLoc where;
  std::string message; ///< what was expected and what was found
  std::string hint;    ///< what to do; may be empty
  Severity severity = Severity::error;
};

class Diagnostics {
public:
  void error(SourceLoc where, std::string message, std::string hint = "");
  /// A warning is printed and does not fail: hasErrors() and errors() leave it out.
  void warning(SourceLoc where, std::string message, std::string hint = "");
  bool hasErrors() const { return !errorList.empty(); }
  const std::vector<Diagnostic> &errors() const { return errorList; }
  const std::vector<Diagnostic> &warnings() const { return warningList; }
  /// One line "file:line:col: error: message" or "...: warning: message" for each diagnostic, its
  /// hint indented below it. Sorted by location; duplicates are dropped. After `most` errors, and
  /// as many warnings, the others are counted.
  std::string str(size_t most = SIZE_MAX) const;

private:
  std::vector<Diagnostic> errorList, warningList;
};

/// The candidate with the smallest edit distance from `name`; "" if all distances exceed a third of
/// the length of `name`.
std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates);

/// " (did you mean 'x'?)" or "": ready to append to a message.
std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates);

} // namespace kgen
