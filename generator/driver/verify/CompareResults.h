// Compares a generated folder with the library that would be generated now: both compute the same
// where machine code may differ because another LLVM wrote it.
#pragma once

#include "driver/generate/Generate.h"

namespace kgen {

struct FolderComparison {
  std::vector<std::string> differences; ///< one line each; empty: the folder is up to date
  std::vector<std::string> notes;       ///< what was compared how, and what could not be
};

/// The LLVM version that the manifest in `directory` names; empty if there is none.
std::string llvmVersionOf(const std::string &directory, const std::string &library);

/// Compares `directory` with `result`: the folder must be as its own manifest says; header,
/// dispatcher and the other texts have the same bytes; the manifest says the same but for LLVM and
/// the objects; every function of every variant that this CPU supports gives the same results for
/// seeded inputs. Floats may differ by 1024 u of the output's largest magnitude (u: half an ulp of
/// 1), integers not at all. Objects of other variants are compared by their bytes. Runs code of the
/// folder, in a process of its own.
FolderComparison compareByResults(const std::string &directory, const GenerateResult &result);

} // namespace kgen
