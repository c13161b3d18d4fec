// Finds a target, a machine or a graphics card by name or path.
#include "spec/Yaml.h"
#include "target/GpuSpec.h"
#include "target/MachineLookup.h"
#include "target/TargetFiles.h"
#include "target/TargetSpec.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace kgen {
namespace {

/// A target is known by its file's name: the two must not differ.
bool isNamedLikeFile(const Located<std::string> &name, const TargetFile &file, const char *what,
                     Diagnostics &diagnostics) {
  if (name.value == file.name)
    return true;
  diagnostics.error(name.where, "expected the name of the file, " + quoteText(file.name) +
                                    ", as the " + what + "'s name, found " + quoteText(name.value));
  return false;
}

/// In alphabetical order.
std::vector<std::string> builtInNames(TargetKind kind) {
  std::vector<std::string> names;
  for (const TargetFile &file : builtInTargetFiles())
    if (file.kind == kind)
      names.push_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

bool isTargetPath(const std::string &name) {
  return llvm::StringRef(name).contains('/') || llvm::StringRef(name).ends_with(".yaml");
}

std::optional<TargetSpec> findTarget(const Located<std::string> &name, const std::string &specPath,
                                     const std::vector<std::string> &searchPath,
                                     Diagnostics &diagnostics) {
  std::optional<TargetFile> file =
      findTargetFile(name, TargetKind::cpu, specPath, searchPath, diagnostics);
  if (!file)
    return std::nullopt;
  std::optional<TargetSpec> target = parseTargetText(file->text, file->path, diagnostics);
  if (!target || !isNamedLikeFile(target->name, *file, "target", diagnostics))
    return std::nullopt;
  return target;
}

std::optional<MachineSpec> findMachine(const Located<std::string> &name,
                                       const std::string &specPath,
                                       const std::vector<std::string> &searchPath,
                                       Diagnostics &diagnostics) {
  std::optional<TargetFile> file =
      findTargetFile(name, TargetKind::machine, specPath, searchPath, diagnostics);
  if (!file)
    return std::nullopt;
  std::optional<MachineSpec> machine = parseMachineText(file->text, file->path, diagnostics);
  if (!machine || !isNamedLikeFile(machine->name, *file, "machine", diagnostics))
    return std::nullopt;
  return machine;
}

std::optional<GpuSpec> findGpu(const Located<std::string> &name, const std::string &specPath,
                               const std::vector<std::string> &searchPath,
                               Diagnostics &diagnostics) {
  std::optional<TargetFile> file =
      findTargetFile(name, TargetKind::gpu, specPath, searchPath, diagnostics);
  if (!file)
    return std::nullopt;
  std::optional<GpuSpec> gpu = parseGpuText(file->text, file->path, diagnostics);
  if (!gpu || !isNamedLikeFile(gpu->name, *file, "target", diagnostics))
    return std::nullopt;
  return gpu;
}

std::vector<std::string> builtInMachines() { return builtInNames(TargetKind::machine); }

std::vector<std::string> builtInGpus() { return builtInNames(TargetKind::gpu); }

} // namespace kgen
