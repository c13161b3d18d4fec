// An architecture that takes a triple, and of which nothing else is known.
#include "target/Architecture.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace {

class EmptyArchitecture : public Architecture {
public:
  llvm::StringRef name() const override { return "empty"; }
  llvm::StringRef triple() const override { return "riscv64-unknown-linux-gnu"; }
  bool takes(const llvm::Triple &triple) const override { return triple.isRISCV64(); }
  std::vector<std::string> featureNames() const override { return {"v"}; }
  llvm::StringRef featureTable() const override { return "tests/backend/empty"; }
  Capabilities capabilities(const std::set<std::string> &, int64_t) const override { return {}; }
  std::vector<std::string> featuresOfCpu(const std::string &) const override { return {}; }
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &) const override { return {}; }
  std::vector<TargetProblem> check(const TargetDescription &) const override { return {}; }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface>) const override { return ""; }
  const HostCpu *host() const override { return nullptr; }
};

} // namespace

const Architecture &emptyArchitecture() {
  static const EmptyArchitecture architecture;
  return architecture;
}

} // namespace kgen
