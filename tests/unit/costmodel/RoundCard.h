// A graphics card with round figures.
#pragma once

#include "target/Gpu.h"

inline kgen::GpuFacts card() {
  kgen::GpuFacts gpu;
  gpu.cores = 64;
  gpu.subgroup = 32;
  gpu.threadsOfBlock = 1024;
  gpu.threadsOfCore = 2048;
  gpu.blocksOfCore = 32;
  gpu.sharedBytes = 48 << 10;
  gpu.sharedBytesOfCore = 128 << 10;
  gpu.registers = 255;
  gpu.registersOfCore = 65536;
  gpu.multiplyAddsPerCycle = 64;
  gpu.sharedBytesPerCycle = 128;
  gpu.bytesPerCycle = 1024;
  return gpu;
}
