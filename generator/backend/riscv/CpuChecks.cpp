// The part of a dispatcher in C that knows RISC-V CPUs.
#include "emit/CpuChecks.h"
#include "backend/riscv/CpuFeatures.h"
#include "backend/riscv/Riscv.h"
#include "emit/Names.h"

#include <set>

namespace kgen::riscv {
namespace {

constexpr char runtimeText[] =
#include "RuntimeText.inc"
    ;

std::string bitText(unsigned bit) { return bit == noBit ? "kgenrt_no_bit" : std::to_string(bit); }

std::string featureRow(const CpuFeature &feature) {
  return "  {" + cString(std::string(feature.name)) + ", " + bitText(feature.hwcap) + ", " +
         bitText(feature.probe) + ", " + std::to_string(feature.vectorBytes) + "},\n";
}

/// The rows that the library needs, in the table's order, and their enumerators. A feature that the
/// table does not know gets a row that no system reports: it counts as missing.
void addFeatures(std::set<std::string> names, std::string &enumerators, std::string &rows) {
  auto add = [&](const CpuFeature &feature) {
    enumerators += "  " + featureEnumerator(feature.name) + ",\n";
    rows += featureRow(feature);
  };
  for (const CpuFeature &feature : cpuFeatures())
    if (names.erase(std::string(feature.name)))
      add(feature);
  for (const std::string &name : names)
    add({name, false, noBit, noBit, 0});
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

} // namespace kgen::riscv
