// An architecture with vectors of 128 bits and no instructions of its own. Its code is x86-64's, so
// that it runs where kgen does; the vendor in its triple says that it is another one.
#include "target/Architecture.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace {

/// Every CPU has what its variants need.
constexpr char checks[] = R"(
#include <stddef.h>

struct kgenrt_machine {
  int unused;
};
struct kgenrt_feature {
  int unused;
};
struct kgenrt_cpu {
  int unused;
};
struct kgenrt_variant {
  const char *name;
};

static const struct kgenrt_machine kgenrt_host = {0};
static const struct kgenrt_feature kgenrt_features[] = {{0}};
static const struct kgenrt_variant kgenrt_variants[] = {{"plain"}};

static void kgenrt_detect_host(struct kgenrt_cpu *cpu) { cpu->unused = 0; }

static inline int kgenrt_supported(const struct kgenrt_machine *machine,
                            const struct kgenrt_feature *features, const struct kgenrt_cpu *cpu,
                            const struct kgenrt_variant *variant) {
  (void)machine, (void)features, (void)cpu, (void)variant;
  return 1;
}

enum kgenrt_choice { kgenrt_chosen, kgenrt_unknown_name, kgenrt_unsupported_name, kgenrt_nothing_fits };

static enum kgenrt_choice kgenrt_select(const struct kgenrt_machine *machine,
                                        const struct kgenrt_feature *features,
                                        const struct kgenrt_cpu *cpu,
                                        const struct kgenrt_variant *variants, size_t count,
                                        const char *wanted, size_t *index) {
  (void)machine, (void)features, (void)cpu, (void)variants, (void)count, (void)wanted;
  *index = 0;
  return kgenrt_chosen;
}
)";

class PlainArchitecture : public Architecture {
public:
  llvm::StringRef name() const override { return "plain"; }
  llvm::StringRef triple() const override { return "x86_64-plain-linux-gnu"; }
  bool takes(const llvm::Triple &triple) const override {
    return triple.getVendorName() == "plain";
  }
  std::vector<std::string> featureNames() const override { return {"sse4.1"}; }
  llvm::StringRef featureTable() const override { return "tests/backend/plain"; }
  Capabilities capabilities(const std::set<std::string> &, int64_t) const override { return {}; }
  std::vector<std::string> featuresOfCpu(const std::string &) const override { return {}; }
  std::vector<DefaultTarget> defaultTargets(const ProductTypes &) const override { return {}; }
  std::vector<TargetProblem> check(const TargetDescription &) const override { return {}; }
  std::string emitCpuChecks(llvm::ArrayRef<VariantInterface>) const override { return checks; }
  const HostCpu *host() const override { return nullptr; }
};

} // namespace

const Architecture &plainArchitecture() {
  static const PlainArchitecture architecture;
  return architecture;
}

} // namespace kgen
