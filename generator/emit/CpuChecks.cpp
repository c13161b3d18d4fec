#include "emit/CpuChecks.h"

#include "emit/Names.h"
#include "emit/Template.h"

namespace kgen {

static constexpr char checksTemplate[] = R"(@runtime@
/* The CPU features that the variants require */

enum {
@feature_names@};

static const struct kgenrt_feature kgenrt_features[] = {
@features@};

/* The variants, best first */

@requirements@
static const struct kgenrt_variant kgenrt_variants[] = {
@variants@};

static void kgenrt_detect_host(struct kgenrt_cpu *cpu) {
  kgenrt_detect(&kgenrt_host, kgenrt_features, sizeof kgenrt_features / sizeof *kgenrt_features, cpu);
}
)";

std::string featureEnumerator(std::string_view name) {
  return "kgenrt_has_" + cIdentifier(std::string(name));
}

std::string cpuChecksText(const CpuChecks &checks) {
  return fillTemplate(checksTemplate, {{"runtime", checks.runtime},
                                       {"feature_names", checks.enumerators},
                                       {"features", checks.features},
                                       {"requirements", checks.requirements},
                                       {"variants", checks.variants}});
}

} // namespace kgen
