#include "backend/x86/X86.h"

namespace kgen::x86 {

Capabilities capabilitiesOf(const std::set<std::string> &features, int64_t vectorBits) {
  auto has = [&](const char *feature) { return features.count(feature) != 0; };
  Capabilities can;
  can.hasFma = has("fma");
  can.hasF16Conversion = has("f16c");
  can.hasF16Arithmetic = has("avx512fp16");
  can.hasBf16Products = has("avx512bf16");
  can.hasI8Products = has("avx512vnni") || (vectorBits <= 256 && has("avxvnni"));
  can.hasBf16Tiles = has("amx-tile") && has("amx-bf16");
  can.hasI8Tiles = has("amx-tile") && has("amx-int8");
  can.hasMaskedWords = has("avx2");
  can.hasMaskedMemory = has("avx512vl") && has("avx512bw");
  can.hasRegisterGather = has("avx2");
  can.hasWideRegisterGather = has("avx512f");
  can.hasI16RegisterGather = has("avx512bw");
  can.hasTwoSourceShuffles = has("avx512f");
  can.hasExponentInstructions = has("avx512f");
  can.hasMagnitudeMinimum = has("avx512f") && has("avx512dq");
  can.hasI64Conversion = has("avx512dq");
  return can;
}

} // namespace kgen::x86
