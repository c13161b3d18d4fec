// Places of target files, whatever they describe: beside the spec, in the search path, built in.
#pragma once

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen {

enum class TargetKind { cpu, machine };

struct TargetFile {
  std::string name; ///< of the file, without folder and `.yaml`
  std::string path; ///< or "<built-in>/NAME.yaml"
  std::string text;
  TargetKind kind = TargetKind::cpu;
};

/// Returns what a target file describes: a machine if it has the key `machine`, whatever else is
/// wrong.
TargetKind kindOfTarget(const std::string &text);

/// The files built into kgen.
const std::vector<TargetFile> &builtInTargetFiles();

/// Looks a target file up, as findTarget() documents. Reports what cannot be read, a name that
/// nothing has, with names of the kind that is wanted, and a file of the other kind.
std::optional<TargetFile> findTargetFile(const Located<std::string> &name, TargetKind wanted,
                                         const std::string &specPath,
                                         const std::vector<std::string> &searchPath,
                                         Diagnostics &diagnostics);

} // namespace kgen
