#include "support/Diagnostics.h"

#include "support/Notes.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <tuple>

namespace kgen {

std::string SourceLoc::str() const {
  if (line == 0)
    return node.empty() ? file : file + ": node '" + node + "'";
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

void Diagnostics::error(SourceLoc where, std::string message, std::string hint) {
  errorList.push_back({std::move(where), std::move(message), std::move(hint), Severity::error});
}

void Diagnostics::warning(SourceLoc where, std::string message, std::string hint) {
  warningList.push_back({std::move(where), std::move(message), std::move(hint), Severity::warning});
}

/// " error: ...", " warning: ...", or the text of a note.
static std::string textOf(const Diagnostic &d) {
  if (d.severity == Severity::error)
    return " error: " + d.message;
  const bool isNote = std::string_view(d.message).substr(0, notePrefix.size()) == notePrefix;
  return (isNote ? " " : " warning: ") + d.message;
}

/// "12 errors", "1 warning".
static std::string countOf(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Diagnostics::str(size_t most) const {
  auto key = [](const Diagnostic &d) {
    return std::tie(d.where.file, d.where.line, d.where.column, d.message);
  };
  std::vector<Diagnostic> sorted = errorList;
  sorted.insert(sorted.end(), warningList.begin(), warningList.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto &a, const auto &b) { return key(a) < key(b); });
  auto same = [&](const auto &a, const auto &b) { return key(a) == key(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  std::string text;
  size_t errors = 0, warnings = 0;
  for (const Diagnostic &d : sorted) {
    if (++(d.severity == Severity::error ? errors : warnings) > most)
      continue;
    text += d.where.str() + ":" + textOf(d) + "\n";
    if (!d.hint.empty())
      text += "    " + d.hint + "\n";
  }
  if (errors > most)
    text += "... and " + countOf(errors - most, "more error") + "\n";
  if (warnings > most)
    text += "... and " + countOf(warnings - most, "more warning") + "\n";
  return text;
}

std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates) {
  llvm::StringRef text(name.data(), name.size());
  // No suggestion for a single letter: its distance from any other one is 1.
  unsigned size = static_cast<unsigned>(name.size()), limit = size < 2 ? 0 : std::max(1u, size / 3);
  unsigned best = limit + 1;
  std::string match;
  for (const std::string &candidate : candidates) {
    // Wrong case alone ("relu" for "Relu") counts as the nearest match there is.
    unsigned distance = text.equals_insensitive(candidate)
                            ? 0
                            : text.edit_distance(candidate, /*AllowReplacements=*/true, limit + 1);
    if (distance < best) {
      best = distance;
      match = candidate;
    }
  }
  return match;
}

std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates) {
  std::string match = nearestMatch(name, candidates);
  return match.empty() ? "" : " (did you mean '" + match + "'?)";
}

} // namespace kgen
