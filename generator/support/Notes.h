// Notes about actions that a user may not expect, among the warnings.
#pragma once

#include "support/Diagnostics.h"

namespace kgen {

/// A warning whose message begins so is printed as "file:line:col: note: message".
constexpr std::string_view notePrefix = "note: ";

inline void addNote(Diagnostics &diagnostics, SourceLoc where, const std::string &message) {
  diagnostics.warning(std::move(where), std::string(notePrefix) + message);
}

/// Adds the errors and warnings that were found elsewhere.
inline void addAll(Diagnostics &diagnostics, const Diagnostics &found) {
  for (const Diagnostic &one : found.errors())
    diagnostics.error(one.where, one.message, one.hint);
  for (const Diagnostic &one : found.warnings())
    diagnostics.warning(one.where, one.message, one.hint);
}

} // namespace kgen
