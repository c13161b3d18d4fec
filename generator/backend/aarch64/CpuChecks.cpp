// The part of a dispatcher in C that knows AArch64 CPUs.
#include "emit/CpuChecks.h"
#include "backend/aarch64/AArch64.h"
#include "backend/aarch64/CpuFeatures.h"
#include "emit/Names.h"

#include <set>

namespace kgen::aarch64 {
namespace {

constexpr char runtimeText[] =
#include "RuntimeText.inc"
    ;

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
      enumerators += "  " + featureEnumerator(feature.name) + ",\n";
      rows +=
          featureRow(feature.name, feature.word, feature.bit, cString(std::string(feature.sysctl)));
    }
  constexpr unsigned noWord = 0xff;
  for (const std::string &name : names) {
    enumerators += "  " + featureEnumerator(name) + ",\n";
    rows += featureRow(name, noWord, 0, "NULL");
  }
}

} // namespace

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) {
  std::set<std::string> used;
  std::string enumerators, features, tables, rows;
  for (const VariantInterface &variant : variants) {
    std::set<std::string> names = checkedFeatures(variant, cpuFeatures());
    std::string table = "kgenrt_requires_" + cIdentifier(variant.target);
    tables += "static const uint8_t " + table + "[] = {";
    for (const std::string &name : names)
      tables += "\n    " + featureEnumerator(name) + ",";
    tables += "\n};\n";
    rows += "  {" + cString(variant.target) + ", " + table + ", sizeof " + table + "},\n";
    used.merge(names);
  }
  addFeatures(used, enumerators, features);
  return cpuChecksText({runtimeText, enumerators, features, tables, rows});
}

} // namespace kgen::aarch64
