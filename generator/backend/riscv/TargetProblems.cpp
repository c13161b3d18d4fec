// Checks of target files of RISC-V CPUs.
#include "backend/riscv/CpuFeatures.h"
#include "backend/riscv/Riscv.h"
#include "support/Diagnostics.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/TargetParser/RISCVTargetParser.h>

#include <set>

namespace kgen::riscv {
namespace {

using Key = TargetProblem::Key;

void checkTune(const std::string &tune, std::vector<TargetProblem> &problems) {
  if (llvm::RISCV::parseTuneCPU(tune, /*IsRV64=*/true))
    return;
  llvm::SmallVector<llvm::StringRef> known;
  llvm::RISCV::fillValidTuneCPUArchList(known, /*IsRV64=*/true);
  std::vector<std::string> names;
  for (llvm::StringRef name : known)
    names.push_back(name.str());
  problems.push_back({Key::tune, "", "LLVM knows no CPU '" + tune + "'" + didYouMean(tune, names),
                      "known are: " + llvm::join(names, ", ")});
}

/// Lengths of registers are features of their own. Code without vectors has four numbers in place
/// of one.
void checkVectors(int64_t bits, const std::vector<std::string> &features,
                  std::vector<TargetProblem> &problems) {
  constexpr int64_t least = 128;
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(features, name); };
  for (const std::string &feature : features)
    if (llvm::StringRef(feature).starts_with("zvl") && !has("v"))
      problems.push_back({Key::feature, feature, "feature '" + feature + "' implies v",
                          "add what is missing to 'requires'"});
  std::string length = bits == least ? "" : "zvl" + std::to_string(bits) + "b";
  if (bits > least && !has(length))
    problems.push_back(
        {Key::vectorBits, "",
         "vectors of " + std::to_string(bits) + " bits need the feature '" + length + "'",
         "add it to 'requires'"});
}

} // namespace

std::vector<TargetProblem> problemsOf(const TargetDescription &target) {
  std::vector<TargetProblem> problems;
  if (target.tune)
    checkTune(*target.tune, problems);
  if (target.features)
    checkVectors(target.cpu.vectorBits, *target.features, problems);
  if (target.hasOnlyOn)
    problems.push_back({Key::onlyOn, "",
                        "'only_on' names CPUs as x86-64's cpuid does, which RISC-V has not",
                        "remove 'only_on': the features that a target requires choose it"});
  return problems;
}

std::vector<std::string> featuresOfCpu(const std::string &name) {
  std::vector<std::string> names;
  llvm::SmallVector<std::string> features;
  if (llvm::RISCV::parseCPU(name, /*IsRV64=*/true))
    llvm::RISCV::getFeaturesForCPU(name, features);
  for (const std::string &feature : features)
    names.push_back(llvm::StringRef(feature).ltrim('+').str());
  return names;
}

std::string archString(llvm::StringRef features) {
  std::set<llvm::StringRef> names;
  for (llvm::StringRef feature : llvm::split(features, ','))
    names.insert(feature.ltrim('+'));
  std::string text = "rv64i";
  for (char letter : llvm::StringRef("mafdcv")) // in the order of the standard
    if (names.erase(llvm::StringRef(&letter, 1)))
      text += letter;
  for (llvm::StringRef name : names)
    text += "_" + name.str();
  return text;
}

} // namespace kgen::riscv
