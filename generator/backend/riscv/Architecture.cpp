#include "target/Architecture.h"

#include "backend/riscv/CpuFeatures.h"
#include "backend/riscv/Riscv.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace riscv {

const std::vector<CpuFeature> &cpuFeatures() {
  static const std::vector<CpuFeature> rows = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, hwcap, probe, bytes)                          \
  {name, baseline == 1, hwcap, probe, bytes},
#include "backend/riscv/runtime/cpu_features.def"
  };
  return rows;
}

} // namespace riscv

namespace {

/// RISC-V of 64 bits with the extensions that Linux distributions require (RV64GC), on Linux.
class RiscvArchitecture : public Architecture {
public:
  llvm::StringRef name() const override { return "riscv"; }
  llvm::StringRef triple() const override { return "riscv64-unknown-linux-gnu"; }
  bool takes(const llvm::Triple &triple) const override {
    return triple.getArch() == llvm::Triple::riscv64 && triple.isOSLinux() &&
           triple.isOSBinFormatELF();
  }
  llvm::StringRef compilerMacro() const override { return "__riscv"; }

  std::vector<std::string> featureNames() const override {
    std::vector<std::string> names;
    for (const riscv::CpuFeature &feature : riscv::cpuFeatures())
      names.emplace_back(feature.name);
    return names;
  }
  llvm::StringRef featureTable() const override { return "backend/riscv/runtime/cpu_features.def"; }
  Capabilities capabilities(const std::set<std::string> &features, int64_t) const override {
    Capabilities can;
    can.hasFma = can.hasI64Conversion = true;
    can.hasMaskedWords = can.hasMaskedMemory = features.count("v") != 0;
    return can;
  }
  std::vector<std::string> featuresOfCpu(const std::string &name) const override {
    return riscv::featuresOfCpu(name);
  }
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &) const override {
    return {{"rv64gc", ""}, {"rv64gcv", ""}, {"rv64gcv-zvl256b", ""}};
  }
  std::vector<TargetProblem> check(const TargetDescription &target) const override {
    return riscv::problemsOf(target);
  }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) const override {
    return riscv::emitCpuChecks(variants);
  }
  /// kgen has not been run on such a CPU.
  const HostCpu *host() const override { return nullptr; }
};

} // namespace

const Architecture &riscvArchitecture() {
  static const RiscvArchitecture architecture;
  return architecture;
}

} // namespace kgen
