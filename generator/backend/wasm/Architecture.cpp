#include "target/Architecture.h"

#include "backend/wasm/Wasm.h"
#include "emit/CpuChecks.h"
#include "emit/Names.h"
#include "emit/Template.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace wasm {

llvm::ArrayRef<const char *> featureNames() {
  // Of the standard's version 2.0, and relaxed-simd of 3.0.
  static constexpr const char *names[] = {"simd128",         "bulk-memory",  "nontrapping-fptoint",
                                          "sign-ext",        "multivalue",   "mutable-globals",
                                          "reference-types", "relaxed-simd", "extended-const"};
  return names;
}

} // namespace wasm

namespace {

constexpr char runtimeText[] =
#include "RuntimeText.inc"
    ;

constexpr char cmakeTemplate[] = R"(
# Copies are instructions. The stack is a part of memory, whose size the linker is told: wasm-ld's own are 64 KiB.
set_target_properties(@library@ PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(@library@ PRIVATE -mbulk-memory)
target_link_options(@library@ INTERFACE "LINKER:-z,stack-size=@stack@")
)";

/// Bytes of stack for a program that calls the library: of several libraries the linker takes the
/// last one's, so none is less than enough for most.
int64_t linkedStack(int64_t needed) {
  constexpr int64_t least = 1 << 20, ofProgram = 64 << 10;
  return std::max(least, needed + ofProgram);
}

/// WebAssembly with addresses of 32 bits, in any engine.
class WasmArchitecture : public Architecture {
public:
  llvm::StringRef name() const override { return "wasm"; }
  llvm::StringRef triple() const override { return "wasm32-unknown-unknown"; }
  bool takes(const llvm::Triple &triple) const override {
    return triple.getArch() == llvm::Triple::wasm32 && triple.isOSUnknown();
  }
  llvm::StringRef compilerMacro() const override { return "__wasm32__"; }

  std::vector<std::string> featureNames() const override {
    llvm::ArrayRef<const char *> names = wasm::featureNames();
    return std::vector<std::string>(names.begin(), names.end());
  }
  llvm::StringRef featureTable() const override { return "backend/wasm/Architecture.cpp"; }
  llvm::StringRef vectorConstraint() const override { return "r"; }
  /// Instructions of its own are found by LLVM; a multiply-add with one rounding is none of them:
  /// that of relaxed-simd may have two.
  Capabilities capabilities(const std::set<std::string> &, int64_t) const override { return {}; }
  std::vector<std::string> featuresOfCpu(const std::string &) const override { return {}; }
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &) const override {
    return {{"wasm32-simd128", ""}};
  }
  std::vector<TargetProblem> check(const TargetDescription &target) const override {
    return wasm::problemsOf(target);
  }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) const override {
    std::string text = runtimeText, rows;
    for (const VariantInterface &variant : variants)
      rows += "  {" + cString(variant.target) + "},\n";
    return text + "\nstatic const struct kgenrt_feature kgenrt_features[] = {{NULL}};\n\n" +
           "static const struct kgenrt_variant kgenrt_variants[] = {\n" + rows + "};\n";
  }
  bool choosesVariants() const override { return false; }
  std::string consumerCMake(const std::string &library, int64_t stackBytes) const override {
    return fillTemplate(cmakeTemplate,
                        {{"library", library}, {"stack", std::to_string(linkedStack(stackBytes))}});
  }
  std::vector<std::string> programOptions(int64_t stackBytes) const override {
    return {"-Wl,-z,stack-size=" + std::to_string(linkedStack(stackBytes))};
  }
  const HostCpu *host() const override { return nullptr; }
};

} // namespace

const Architecture &wasmArchitecture() {
  static const WasmArchitecture architecture;
  return architecture;
}

} // namespace kgen
