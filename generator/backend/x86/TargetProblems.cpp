// Checks of target files of x86-64 CPUs against LLVM's TargetParser library.
#include "backend/x86/CpuFeatures.h"
#include "backend/x86/X86.h"
#include "support/Diagnostics.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace kgen::x86 {
namespace {

/// True if LLVM has a scheduling model of that name: "generic" is one, but no CPU.
bool isKnownCpu(llvm::StringRef name) {
  return name == "generic" ||
         llvm::X86::parseArchX86(name, /*Only64Bit=*/true) != llvm::X86::CK_None;
}

/// LLVM's name of a CPU that has another one elsewhere: "znver4" for "zen4"; others stay.
std::string llvmNameOfCpu(const std::string &name) {
  llvm::StringRef number = name;
  if (number.consume_front("zen") && isKnownCpu(("znver" + number).str()))
    return ("znver" + number).str();
  return name;
}

class TargetProblems {
public:
  explicit TargetProblems(const TargetDescription &target) : target(target), cpu(target.cpu) {}

  std::vector<TargetProblem> run() {
    if (target.tune)
      checkTune(*target.tune);
    if (target.features) {
      checkImpliedFeatures();
      checkVectors();
    }
    for (const auto &[kind, sizes] : cpu.gemmTiles)
      if (llvm::StringRef(kind).starts_with("amx_"))
        checkAmxTile(kind, sizes);
    return std::move(problems);
  }

private:
  using Key = TargetProblem::Key;

  bool hasFeature(llvm::StringRef name) const {
    const CpuFeature *known = findCpuFeature(std::string_view(name.data(), name.size()));
    return (known && known->baseline) || llvm::is_contained(*target.features, name);
  }

  void checkTune(const std::string &tune) {
    if (isKnownCpu(tune))
      return;
    llvm::SmallVector<llvm::StringRef> known;
    llvm::X86::fillValidTuneCPUList(known, /*Only64Bit=*/true);
    std::vector<std::string> names;
    for (llvm::StringRef name : known)
      names.push_back(name.str());
    problems.push_back({Key::tune, "",
                        "LLVM knows no CPU '" + tune + "'" + didYouMean(llvmNameOfCpu(tune), names),
                        "known are: " + llvm::join(names, ", ")});
  }

  void checkImpliedFeatures() {
    for (const std::string &feature : *target.features) {
      llvm::StringMap<bool> implied;
      llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, implied);
      std::vector<std::string> missing;
      for (const auto &entry : implied)
        if (entry.second && findCpuFeature(entry.first().str()) && !hasFeature(entry.first()))
          missing.push_back(entry.first().str());
      llvm::sort(missing);
      if (!missing.empty())
        problems.push_back({Key::feature, feature,
                            "feature '" + feature + "' implies " + llvm::join(missing, ", "),
                            "add what is missing to 'requires'"});
    }
  }

  void checkVectors() {
    std::string bits = std::to_string(cpu.vectorBits);
    const char *needed = cpu.vectorBits == 512 ? "avx512f" : cpu.vectorBits == 256 ? "avx" : "sse2";
    if (!hasFeature(needed))
      problems.push_back({Key::vectorBits, "",
                          "vectors of " + bits + " bits need the feature '" + needed + "'",
                          "add it to 'requires', or write fewer bits"});
    // EVEX encodings name 32 registers; shorter vectors have them with AVX512VL.
    const char *evex = cpu.vectorBits == 512 ? "avx512f" : "avx512vl";
    if (cpu.vectorRegisters > 16 && !hasFeature(evex))
      problems.push_back({Key::vectorRegisters, "",
                          std::to_string(cpu.vectorRegisters) + " vector registers of " + bits +
                              " bits need the feature '" + evex + "'",
                          "add it to 'requires', or write 16"});
  }

  /// AMX has 8 tile registers of at most 16 rows of 64 bytes: 16 x 16 accumulators of 32 bits each.
  /// One holds a tile of A, and one a tile of B.
  void checkAmxTile(const std::string &kind, const std::map<std::string, int64_t> &sizes) {
    std::string feature = kind == "amx_i8" ? "amx-int8" : "amx-bf16";
    if (target.features && !hasFeature(feature))
      problems.push_back({Key::gemmTiles, kind,
                          "'" + kind + "' needs the feature '" + feature + "'",
                          "add it to 'requires', or remove '" + kind + "'"});
    auto mr = sizes.find("mr"), nr = sizes.find("nr");
    if (mr == sizes.end() || nr == sizes.end())
      return;
    constexpr int64_t side = 16, tileRegisters = 8;
    int64_t needed = llvm::divideCeil(mr->second, side) * llvm::divideCeil(nr->second, side) + 2;
    if (needed > tileRegisters)
      problems.push_back({Key::gemmTiles, kind,
                          "AMX tiles of " + std::to_string(mr->second) + " x " +
                              std::to_string(nr->second) + " need " + std::to_string(needed) +
                              " tile registers, of which there are 8",
                          "choose mr and nr of at most 32"});
  }

  const TargetDescription &target;
  const Cpu &cpu;
  std::vector<TargetProblem> problems;
};

} // namespace

std::vector<TargetProblem> problemsOf(const TargetDescription &target) {
  return TargetProblems(target).run();
}

std::vector<std::string> featuresOfCpu(const std::string &anyName) {
  std::vector<std::string> names;
  std::string name = llvmNameOfCpu(anyName);
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return names;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(name, features);
  for (llvm::StringRef feature : features)
    names.push_back(feature.str());
  return names;
}

} // namespace kgen::x86
