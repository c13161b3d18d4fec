// Checks of target files of AArch64 CPUs against LLVM's TargetParser library.
#include "backend/aarch64/AArch64.h"
#include "backend/aarch64/CpuFeatures.h"
#include "support/Diagnostics.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/TargetParser/AArch64TargetParser.h>

namespace kgen::aarch64 {
namespace {

using Key = TargetProblem::Key;

constexpr int64_t neonBits = 128;

void checkTune(const std::string &tune, std::vector<TargetProblem> &problems) {
  if (tune == "generic" || llvm::AArch64::parseCpu(tune))
    return;
  std::vector<std::string> names;
  for (const llvm::AArch64::CpuInfo &cpu : llvm::AArch64::CpuInfos)
    names.push_back(cpu.Name.str());
  problems.push_back({Key::tune, "", "LLVM knows no CPU '" + tune + "'" + didYouMean(tune, names),
                      "known are: " + llvm::join(names, ", ")});
}

/// Features that come with one, by LLVM's own list of what extensions need.
std::vector<std::string> impliedBy(const std::string &feature) {
  std::vector<std::string> implied;
  std::optional<llvm::AArch64::ExtensionInfo> extension =
      llvm::AArch64::targetFeatureToExtension("+" + feature);
  if (!extension)
    return implied;
  llvm::AArch64::ExtensionSet set;
  set.enable(extension->ID);
  for (const CpuFeature &other : cpuFeatures()) {
    std::string name(other.name);
    auto known = llvm::AArch64::targetFeatureToExtension("+" + name);
    if (known && name != feature && !other.baseline && set.Enabled.test(known->ID))
      implied.push_back(name);
  }
  return implied;
}

void checkFeatures(const std::vector<std::string> &features, std::vector<TargetProblem> &problems) {
  for (const std::string &feature : features) {
    std::vector<std::string> missing;
    for (const std::string &implied : impliedBy(feature))
      if (!llvm::is_contained(features, implied))
        missing.push_back(implied);
    if (!missing.empty())
      problems.push_back({Key::feature, feature,
                          "feature '" + feature + "' implies " + llvm::join(missing, ", "),
                          "add what is missing to 'requires'"});
  }
}

void checkVectors(int64_t bits, const std::vector<std::string> &features,
                  std::vector<TargetProblem> &problems) {
  constexpr const char *needed = "neon";
  if (bits != 0 && bits != neonBits)
    problems.push_back({Key::vectorBits, "",
                        "NEON has no vectors of " + std::to_string(bits) + " bits",
                        "write 128: kgen makes no code for SVE"});
  else if (!llvm::is_contained(features, needed))
    problems.push_back({Key::vectorBits, "", "vectors of 128 bits need the feature 'neon'",
                        "add it to 'requires'"});
}

void checkTiles(const std::string &kind, const std::optional<std::vector<std::string>> &features,
                std::vector<TargetProblem> &problems) {
  if (!llvm::StringRef(kind).starts_with("matrix_") || !features)
    return;
  std::string feature = kind == "matrix_i8" ? "i8mm" : "bf16";
  if (!llvm::is_contained(*features, feature))
    problems.push_back({Key::gemmTiles, kind, "'" + kind + "' needs the feature '" + feature + "'",
                        "add it to 'requires', or remove '" + kind + "'"});
}

} // namespace

std::vector<TargetProblem> problemsOf(const TargetDescription &target) {
  std::vector<TargetProblem> problems;
  if (target.tune)
    checkTune(*target.tune, problems);
  if (target.features)
    checkFeatures(*target.features, problems);
  if (target.features)
    checkVectors(target.cpu.vectorBits, *target.features, problems);
  for (const auto &[kind, sizes] : target.cpu.gemmTiles)
    checkTiles(kind, target.features, problems);
  if (target.hasOnlyOn)
    problems.push_back({Key::onlyOn, "",
                        "'only_on' names CPUs as x86-64's cpuid does, which AArch64 has not",
                        "remove 'only_on': the features that a target requires choose it"});
  return problems;
}

std::vector<std::string> featuresOfCpu(const std::string &name) {
  std::vector<std::string> names;
  std::optional<llvm::AArch64::CpuInfo> cpu = llvm::AArch64::parseCpu(name);
  if (!cpu)
    return names;
  std::vector<llvm::StringRef> features;
  llvm::AArch64::getExtensionFeatures(cpu->getImpliedExtensions(), features);
  for (llvm::StringRef feature : features)
    if (feature.consume_front("+"))
      names.push_back(feature.str());
  return names;
}

} // namespace kgen::aarch64
