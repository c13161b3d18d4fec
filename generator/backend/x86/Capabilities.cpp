#include "backend/x86/X86.h"

namespace kgen::x86 {

static std::vector<Product> productsOf(const std::set<std::string> &features, int64_t vectorBits) {
  auto has = [&](const char *feature) { return features.count(feature) != 0; };
  std::vector<Product> products;
  if (has("avx512bf16"))
    products.push_back({Element::bf16, 1, 1, 2});
  if (has("avx512vnni") || (vectorBits <= 256 && has("avxvnni")))
    products.push_back({Element::i8, 1, 1, 4, Product::Signs::unequal});
  if (has("amx-tile") && has("amx-bf16"))
    products.push_back({Element::bf16, 16, 16, 32, Product::Signs::any, /*inTiles=*/true, "amx"});
  if (has("amx-tile") && has("amx-int8"))
    products.push_back({Element::i8, 16, 16, 64, Product::Signs::any, /*inTiles=*/true, "amx"});
  return products;
}

Capabilities capabilitiesOf(const std::set<std::string> &features, int64_t vectorBits) {
  auto has = [&](const char *feature) { return features.count(feature) != 0; };
  Capabilities can;
  can.hasFma = has("fma");
  can.hasF16Conversion = has("f16c");
  can.hasF16Arithmetic = has("avx512fp16");
  can.products = productsOf(features, vectorBits);
  can.hasMaskedWords = has("avx2");
  can.hasMaskedMemory = has("avx512vl") && has("avx512bw");
  can.hasRegisterGather = has("avx2");
  can.hasWideRegisterGather = has("avx512f");
  can.hasI16RegisterGather = has("avx512bw");
  can.hasTwoSourceShuffles = has("avx512f");
  can.hasSaturatingPacks = vectorBits < 512 || has("avx512bw");
  can.hasExponentInstructions = has("avx512f");
  can.hasMagnitudeMinimum = has("avx512f") && has("avx512dq");
  can.hasI64Conversion = has("avx512dq");
  return can;
}

} // namespace kgen::x86
