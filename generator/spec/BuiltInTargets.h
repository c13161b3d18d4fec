// The target files that are part of kgen, whatever they describe.
#pragma once

#include <string>
#include <vector>

namespace kgen {

enum class TargetKind { cpu, machine, gpu };

struct TargetFile {
  std::string name; ///< of the file, without folder and `.yaml`
  std::string path; ///< or "<built-in>/NAME.yaml"
  std::string text;
  TargetKind kind = TargetKind::cpu;
};

/// Returns what a target file describes: a machine if it has the key `machine`, a graphics card if
/// it has the key `kind`, whatever else is wrong.
TargetKind kindOfTarget(const std::string &text);

/// True for names of letters, digits, '-', '_' and '.': those of machines and graphics cards.
bool isPlainName(const std::string &name);

/// The files built into kgen.
const std::vector<TargetFile> &builtInTargetFiles();

} // namespace kgen
