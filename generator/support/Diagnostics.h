// Errors that a user can cause, each with a place in a file, collected so that all are reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

/// A place in a file; line and column count from 1, 0 means "the whole file".
struct Location {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string str() const; ///< "file:line:col", or "file" without a line
};

/// A value and where it was written.
template <typename T> struct Located {
  T value{};
  Location where;
};

struct Diagnostic {
  Location where;
  std::string message; ///< what was expected and what was found
  std::string hint;    ///< what to do; may be empty
};

class Diagnostics {
public:
  void error(Location where, std::string message, std::string hint = "");
  bool hasErrors() const { return !list.empty(); }
  const std::vector<Diagnostic> &all() const { return list; }
  /// One "file:line:col: error: message" per error, hints indented below, sorted by place,
  /// duplicates dropped.
  std::string str() const;

private:
  std::vector<Diagnostic> list;
};

/// The candidate closest to `name` by edit distance, or "" if none is near enough to be what was
/// meant.
std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates);

/// " (did you mean 'x'?)" or "": ready to append to a message.
std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates);

} // namespace kgen
