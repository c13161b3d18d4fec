// The part of a dispatcher in C that knows RISC-V CPUs.
#include "emit/CpuChecks.h"
#include "backend/riscv/CpuFeatures.h"
#include "backend/riscv/Riscv.h"
#include "emit/Names.h"

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

} // namespace

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) {
  return cpuChecksByFeatures<CpuFeature>(
      runtimeText, variants, cpuFeatures(), [](const std::string &name, const CpuFeature *row) {
        return featureRow(row ? *row : CpuFeature{name, false, noBit, noBit, 0});
      });
}

} // namespace kgen::riscv
