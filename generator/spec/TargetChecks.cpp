// See TargetChecks.h. What LLVM knows about x86-64 CPUs is asked of its TargetParser library.
#include "spec/TargetChecks.h"

#include "support/CpuFeatures.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace kgen {

/// "generic" is a scheduling model, but no CPU.
bool isKnownCpu(llvm::StringRef name) {
  return name == "generic" ||
         llvm::X86::parseArchX86(name, /*Only64Bit=*/true) != llvm::X86::CK_None;
}

std::string llvmNameOfCpu(const std::string &name) {
  llvm::StringRef number = name;
  if (number.consume_front("zen") && isKnownCpu(("znver" + number).str()))
    return ("znver" + number).str();
  return name;
}

std::vector<std::string> featuresOfCpu(llvm::StringRef name) {
  std::vector<std::string> names;
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return names;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(name, features);
  for (llvm::StringRef feature : features)
    names.push_back(feature.str());
  return names;
}

void TargetChecks::run() const {
  checkTriple();
  checkTune();
  checkImpliedFeatures();
  checkVectors();
  for (const auto &[kind, mark] : locations.tiles)
    if (llvm::StringRef(kind).starts_with("gemm_"))
      checkRegisterTile(kind, mark);
    else if (llvm::StringRef(kind).starts_with("amx_"))
      checkAmxTile(kind, mark);
}

bool TargetChecks::hasFeature(llvm::StringRef name) const {
  const CpuFeature *known = findCpuFeature(std::string_view(name.data(), name.size()));
  return (known && known->baseline) ||
         llvm::any_of(target.requiredFeatures,
                      [&](const Located<std::string> &feature) { return feature.value == name; });
}

/// Objects are ELF, and dispatchers ask Linux for permission to use AMX.
void TargetChecks::checkTriple() const {
  if (!locations.triple)
    return;
  llvm::Triple triple(target.triple);
  if (triple.getArch() != llvm::Triple::x86_64)
    reader.error(*locations.triple,
                 "not supported yet: architecture of triple " + quoteText(target.triple),
                 "only x86_64 is: write x86_64-unknown-linux-gnu");
  else if (!triple.isOSLinux() || !triple.isOSBinFormatELF())
    reader.error(*locations.triple,
                 "not supported yet: operating system of triple " + quoteText(target.triple),
                 "only Linux is: write x86_64-unknown-linux-gnu");
}

void TargetChecks::checkTune() const {
  if (!locations.tune || isKnownCpu(target.tune))
    return;
  llvm::SmallVector<llvm::StringRef> known;
  llvm::X86::fillValidTuneCPUList(known, /*Only64Bit=*/true);
  std::vector<std::string> names;
  for (llvm::StringRef name : known)
    names.push_back(name.str());
  reader.error(*locations.tune,
               "LLVM knows no CPU " + quoteText(target.tune) +
                   didYouMean(llvmNameOfCpu(target.tune), names),
               "known are: " + llvm::join(names, ", "));
}

void TargetChecks::checkImpliedFeatures() const {
  if (!locations.features)
    return;
  for (const Located<std::string> &feature : target.requiredFeatures) {
    llvm::StringMap<bool> implied;
    llvm::X86::updateImpliedFeatures(feature.value, /*Enabled=*/true, implied);
    std::vector<std::string> missing;
    for (const auto &entry : implied)
      if (entry.second && findCpuFeature(entry.first().str()) && !hasFeature(entry.first()))
        missing.push_back(entry.first().str());
    llvm::sort(missing);
    if (!missing.empty())
      reader.diagnostics.error(
          feature.where, "feature '" + feature.value + "' implies " + llvm::join(missing, ", "),
          "add what is missing to 'requires'");
  }
}

void TargetChecks::checkVectors() const {
  if (!locations.features)
    return;
  const char *needed = target.vectorBits == 512   ? "avx512f"
                       : target.vectorBits == 256 ? "avx"
                                                  : "sse2";
  if (locations.bits && !hasFeature(needed))
    reader.error(*locations.bits,
                 "vectors of " + std::to_string(target.vectorBits) + " bits need the feature '" +
                     needed + "'",
                 "add it to 'requires', or write fewer bits");
  // EVEX encodings name 32 registers; shorter vectors have them with AVX512VL.
  const char *evex = target.vectorBits == 512 ? "avx512f" : "avx512vl";
  if (locations.registers && target.vectorRegisters > 16 && !hasFeature(evex))
    reader.error(*locations.registers,
                 std::to_string(target.vectorRegisters) + " vector registers of " +
                     std::to_string(target.vectorBits) + " bits need the feature '" + evex + "'",
                 "add it to 'requires', or write 16");
}

/// A register tile of mr x nr accumulators stays in registers beside one vector of an operand.
void TargetChecks::checkRegisterTile(const std::string &kind, YamlMark mark) const {
  auto sizes = target.gemmTiles.find(kind);
  if (sizes == target.gemmTiles.end() || !sizes->second.count("mr") || !sizes->second.count("nr") ||
      !target.vectorBits || !target.vectorRegisters)
    return;
  // Accumulators of bf16 and of bytes have 32 bits.
  int64_t bits = kind == "gemm_f64" ? 64 : kind == "gemm_f16" ? 16 : 32;
  int64_t lanes = target.vectorBits / bits, mr = sizes->second.at("mr"),
          nr = sizes->second.at("nr"), needed = mr * ((nr + lanes - 1) / lanes) + 1;
  if (needed > target.vectorRegisters)
    reader.error(mark,
                 "a register tile of " + std::to_string(mr) + " x " + std::to_string(nr) +
                     " needs " + std::to_string(needed) + " vector registers of " +
                     std::to_string(target.vectorBits) + " bits, of which there are " +
                     std::to_string(target.vectorRegisters),
                 "choose mr and nr such that mr * nr / " + std::to_string(lanes) + " is below " +
                     std::to_string(target.vectorRegisters));
}

/// AMX has 8 tile registers of at most 16 rows of 64 bytes: 16 x 16 accumulators of 32 bits each.
/// One holds a tile of A, and one a tile of B.
void TargetChecks::checkAmxTile(const std::string &kind, YamlMark mark) const {
  std::string feature = kind == "amx_i8" ? "amx-int8" : "amx-bf16";
  if (locations.features && !hasFeature(feature))
    reader.error(mark, "'" + kind + "' needs the feature '" + feature + "'",
                 "add it to 'requires', or remove '" + kind + "'");
  auto sizes = target.gemmTiles.find(kind);
  if (sizes == target.gemmTiles.end() || !sizes->second.count("mr") || !sizes->second.count("nr"))
    return;
  constexpr int64_t side = 16, tileRegisters = 8;
  int64_t mr = sizes->second.at("mr"), nr = sizes->second.at("nr"),
          needed = ((mr + side - 1) / side) * ((nr + side - 1) / side) + 2;
  if (needed > tileRegisters)
    reader.error(mark,
                 "AMX tiles of " + std::to_string(mr) + " x " + std::to_string(nr) + " need " +
                     std::to_string(needed) + " tile registers, of which there are 8",
                 "choose mr and nr of at most 32");
}

} // namespace kgen
