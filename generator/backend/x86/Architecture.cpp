#include "target/Architecture.h"

#include "backend/x86/CpuFeatures.h"
#include "backend/x86/X86.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace {

/// Objects are ELF, COFF or Mach-O.
class X86Architecture : public Architecture {
public:
  llvm::StringRef name() const override { return "x86"; }
  llvm::StringRef triple() const override { return "x86_64-unknown-linux-gnu"; }
  bool takes(const llvm::Triple &triple) const override {
    const bool isElf = triple.isOSLinux() && triple.isOSBinFormatELF();
    return triple.getArch() == llvm::Triple::x86_64 &&
           (isElf || triple.isWindowsGNUEnvironment() || triple.isMacOSX());
  }
  llvm::StringRef tripleOn(System system) const override {
    switch (system) {
    case System::onLinux:
      return triple();
    case System::onWindows:
      return "x86_64-w64-windows-gnu";
    case System::onMacos:
      return "x86_64-apple-macosx11.0.0";
    }
    return "";
  }
  llvm::StringRef compilerMacro() const override { return "__x86_64__"; }
  llvm::StringRef msvcMacro() const override { return "_M_X64"; }

  std::vector<std::string> featureNames() const override {
    std::vector<std::string> names;
    for (const CpuFeature &feature : cpuFeatures())
      names.emplace_back(feature.name);
    return names;
  }
  llvm::StringRef featureTable() const override { return "backend/x86/runtime/cpu_features.def"; }
  llvm::StringRef vectorConstraint() const override { return "v"; }
  std::vector<std::string> ownTiles() const override { return {"amx_bf16", "amx_i8"}; }
  Capabilities capabilities(const std::set<std::string> &features,
                            int64_t vectorBits) const override {
    return x86::capabilitiesOf(features, vectorBits);
  }
  std::vector<std::string> featuresOfCpu(const std::string &name) const override {
    return x86::featuresOfCpu(name);
  }
  /// The levels that the ABI names; dot products of bytes are in neither v3 nor v4, and no CPU has
  /// those of bf16 without v4. Tiles and names of CPUs are only for libraries that name them.
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &products) const override {
    const std::string bytes =
        products.bytes.empty() ? "" : "products of bytes, as in '" + products.bytes + "'";
    const std::string bf16 =
        products.bf16.empty() ? "" : "products of bf16, as in '" + products.bf16 + "'";
    std::vector<DefaultTarget> targets = {{"x86-64-v2", ""}, {"x86-64-v3", ""}};
    if (!bytes.empty())
      targets.push_back({"x86-64-v3-vnni", bytes});
    targets.push_back({"x86-64-v4", ""});
    if (!bytes.empty())
      targets.push_back({"x86-64-v4-vnni", bytes});
    if (!bf16.empty())
      targets.push_back({"x86-64-v4-bf16", bf16});
    return targets;
  }
  std::vector<TargetProblem> check(const TargetDescription &target) const override {
    return x86::problemsOf(target);
  }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) const override {
    return x86::emitCpuChecks(variants);
  }
  const HostCpu *host() const override { return &x86::host(); }
};

} // namespace

const Architecture &x86Architecture() {
  static const X86Architecture architecture;
  return architecture;
}

} // namespace kgen
