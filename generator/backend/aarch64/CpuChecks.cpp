// The part of a dispatcher in C that knows AArch64 CPUs.
#include "emit/CpuChecks.h"
#include "backend/aarch64/AArch64.h"
#include "backend/aarch64/CpuFeatures.h"
#include "emit/Names.h"

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

} // namespace

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) {
  constexpr unsigned noWord = 0xff;
  return cpuChecksByFeatures<CpuFeature>(
      runtimeText, variants, cpuFeatures(), [](const std::string &name, const CpuFeature *row) {
        return row ? featureRow(name, row->word, row->bit, cString(std::string(row->sysctl)))
                   : featureRow(name, noWord, 0, "NULL");
      });
}

} // namespace kgen::aarch64
