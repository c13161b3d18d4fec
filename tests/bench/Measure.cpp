#include "Measure.h"

#include "measure/Peak.h"

#include <stdexcept>

namespace bench {

double fmaRate(Isa isa) {
  static const kgen::ThreadPool oneThread(1);
  std::string_view name = isa == Isa::avx512 ? "vfmaddps zmm" : "vfmaddps ymm";
  for (const kgen::PeakInstruction &instruction : kgen::peakInstructions())
    if (instruction.name == name)
      return kgen::peakRate(instruction, oneThread);
  throw std::logic_error("no such peak");
}

} // namespace bench
