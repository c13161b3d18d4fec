// A target file, or one of a machine or a graphics card, from hostile bytes. What is taken is
// printed, and read again.
#include "spec/MachineSpec.h"
#include "target/GpuSpec.h"
#include "target/TargetSpec.h"

#include <cstdlib>

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void readAgain(const kgen::TargetSpec &target) {
  kgen::Diagnostics diagnostics;
  std::string text = kgen::printTargetSpec(target, "printed");
  auto again = kgen::parseTargetText(text, "printed.yaml", diagnostics);
  require(again && kgen::printTargetSpec(*again, "printed") == text);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics, ofMachine, ofGpu;
  std::string text(reinterpret_cast<const char *>(data), size);
  auto target = kgen::parseTargetText(text, "fuzz.yaml", diagnostics);
  require(target.has_value() != diagnostics.hasErrors());
  if (target)
    readAgain(*target);
  auto machine = kgen::parseMachineText(text, "fuzz.yaml", ofMachine);
  require(machine.has_value() != ofMachine.hasErrors());
  auto gpu = kgen::parseGpuText(text, "fuzz.yaml", ofGpu);
  require(gpu.has_value() != ofGpu.hasErrors());
  return 0;
}
