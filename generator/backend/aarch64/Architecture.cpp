#include "target/Architecture.h"

#include "backend/aarch64/AArch64.h"
#include "backend/aarch64/CpuFeatures.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace aarch64 {

const std::vector<CpuFeature> &cpuFeatures() {
  static const std::vector<CpuFeature> rows = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, word, bit, sysctl)                            \
  {name, #identifier, baseline == 1, word, bit, sysctl},
#include "backend/aarch64/runtime/cpu_features.def"
  };
  return rows;
}

} // namespace aarch64

namespace {

std::vector<Product> productsOf(const std::set<std::string> &features) {
  std::vector<Product> products;
  if (features.count("bf16")) {
    products.push_back({Element::bf16, 1, 1, 2});
    products.push_back({Element::bf16, 2, 2, 4});
  }
  if (features.count("dotprod"))
    products.push_back({Element::i8, 1, 1, 4, Product::Signs::equal});
  if (features.count("i8mm")) {
    products.push_back({Element::i8, 1, 1, 4, Product::Signs::unequal});
    products.push_back({Element::i8, 2, 2, 8});
  }
  return products;
}

/// AArch64 with NEON, little-endian. Objects are ELF or Mach-O.
class AArch64Architecture : public Architecture {
public:
  llvm::StringRef name() const override { return "aarch64"; }
  llvm::StringRef triple() const override { return "aarch64-unknown-linux-gnu"; }
  bool takes(const llvm::Triple &triple) const override {
    const bool isElf = triple.isOSLinux() && triple.isOSBinFormatELF();
    return triple.getArch() == llvm::Triple::aarch64 && (isElf || triple.isMacOSX());
  }
  llvm::StringRef tripleOn(System system) const override {
    return system == System::onLinux   ? triple()
           : system == System::onMacos ? "arm64-apple-macosx11.0.0"
                                       : "";
  }
  llvm::StringRef compilerMacro() const override { return "__aarch64__"; }

  std::vector<std::string> featureNames() const override {
    std::vector<std::string> names;
    for (const aarch64::CpuFeature &feature : aarch64::cpuFeatures())
      names.emplace_back(feature.name);
    return names;
  }
  llvm::StringRef featureTable() const override {
    return "backend/aarch64/runtime/cpu_features.def";
  }
  std::vector<std::string> ownTiles() const override { return {"matrix_bf16", "matrix_i8"}; }
  llvm::StringRef vectorConstraint() const override { return "w"; }
  Capabilities capabilities(const std::set<std::string> &features, int64_t) const override {
    Capabilities can;
    can.hasFma = can.hasF16Conversion = can.hasI64Conversion = true;
    can.hasF16Arithmetic = features.count("fullfp16") != 0;
    can.products = productsOf(features);
    can.hasLaneProducts = true;
    return can;
  }
  std::vector<std::string> featuresOfCpu(const std::string &name) const override {
    return aarch64::featuresOfCpu(name);
  }
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &products) const override {
    std::vector<DefaultTarget> targets = {{"aarch64", ""}};
    std::string reason;
    if (!products.bytes.empty())
      reason = "products of bytes, as in '" + products.bytes + "'";
    else if (!products.bf16.empty())
      reason = "products of bf16, as in '" + products.bf16 + "'";
    if (!products.bytes.empty())
      targets.push_back({"armv8.2-dotprod-fp16", reason});
    if (!reason.empty())
      targets.push_back({"armv8.6-i8mm-bf16", reason});
    return targets;
  }
  std::vector<TargetProblem> check(const TargetDescription &target) const override {
    return aarch64::problemsOf(target);
  }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) const override {
    return aarch64::emitCpuChecks(variants);
  }
  /// kgen has not been run on such a CPU.
  const HostCpu *host() const override { return nullptr; }
};

} // namespace

const Architecture &aarch64Architecture() {
  static const AArch64Architecture architecture;
  return architecture;
}

} // namespace kgen
