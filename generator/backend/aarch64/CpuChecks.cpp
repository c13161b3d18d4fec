// The part of a dispatcher in C that knows AArch64 CPUs.
#include "backend/aarch64/AArch64.h"
#include "backend/aarch64/CpuFeatures.h"
#include "emit/Names.h"
#include "emit/Template.h"

#include <set>

namespace kgen::aarch64 {
namespace {

constexpr char runtimeText[] =
#include "RuntimeText.inc"
    ;

constexpr char checksTemplate[] = R"(@runtime@
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

/// A variant's own features and those of every CPU, which are checked as well.
std::set<std::string> requirements(const VariantInterface &variant) {
  std::set<std::string> names(variant.requiredFeatures.begin(), variant.requiredFeatures.end());
  for (const CpuFeature &feature : cpuFeatures())
    if (feature.baseline)
      names.insert(std::string(feature.name));
  return names;
}

/// The enumerator that indexes a feature's row.
std::string enumerator(std::string_view name) {
  return "kgenrt_has_" + cIdentifier(std::string(name));
}

std::string featureRow(std::string_view name, unsigned word, unsigned bit,
                       const std::string &sysctl) {
  return "  {" + cString(std::string(name)) + ", " + std::to_string(word) + ", " +
         std::to_string(bit) + ", " + sysctl + "},\n";
}

/// The rows that the library needs, in the table's order, and their enumerators. A feature that the
/// table does not know gets a row that no system reports: it counts as missing.
void addFeatures(std::set<std::string> names, std::string &enumerators, std::string &rows) {
  for (const CpuFeature &feature : cpuFeatures())
    if (names.erase(std::string(feature.name))) {
      enumerators += "  " + enumerator(feature.name) + ",\n";
      rows +=
          featureRow(feature.name, feature.word, feature.bit, cString(std::string(feature.sysctl)));
    }
  constexpr unsigned noWord = 0xff;
  for (const std::string &name : names) {
    enumerators += "  " + enumerator(name) + ",\n";
    rows += featureRow(name, noWord, 0, "NULL");
  }
}

} // namespace

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) {
  std::set<std::string> used;
  std::string enumerators, features, tables, rows;
  for (const VariantInterface &variant : variants) {
    std::set<std::string> names = requirements(variant);
    std::string table = "kgenrt_requires_" + cIdentifier(variant.target);
    tables += "static const uint8_t " + table + "[] = {";
    for (const std::string &name : names)
      tables += "\n    " + enumerator(name) + ",";
    tables += "\n};\n";
    rows += "  {" + cString(variant.target) + ", " + table + ", sizeof " + table + "},\n";
    used.merge(names);
  }
  addFeatures(used, enumerators, features);
  return fillTemplate(checksTemplate, {{"runtime", runtimeText},
                                       {"feature_names", enumerators},
                                       {"features", features},
                                       {"requirements", tables},
                                       {"variants", rows}});
}

} // namespace kgen::aarch64
