#include "costmodel/Products.h"

#include "costmodel/GemmBlocking.h"
#include "costmodel/Rounding.h"

namespace kgen {
namespace {

bool areBoth(Element a, Element b, Element element) { return a == element && b == element; }
bool isLowPrecisionFloat(Element element) {
  return element == Element::bf16 || element == Element::f16;
}

/// True if the CPU has a dot-product instruction of the full vector width.
bool hasDotProduct(const Cpu &cpu, Element a, Element b) {
  return (areBoth(a, b, Element::bf16) && cpu.hasBf16Products) ||
         (areBoth(a, b, Element::i8) && (cpu.hasI8Products || cpu.hasSameSignI8Products));
}

bool hasTileProduct(const Cpu &cpu, Element a, Element b) {
  return (areBoth(a, b, Element::bf16) && cpu.hasBf16Tiles) ||
         (areBoth(a, b, Element::i8) && cpu.hasI8Tiles);
}

/// Up-conversions of operand vectors for each vector of products: a vector of B serves all rows of
/// a register tile, one of A all its vectors of columns. A of floats is up-converted once, outside
/// of the kernel: kgen-assign-layouts.
double upconversionsPerProduct(const Cpu &cpu, Element a, Element b) {
  constexpr int64_t large = 1 << 20; // a size that limits no tile
  GemmShape shape{a, b, large, large, large};
  shape.isPacked = true;
  GemmBlocking tile = gemmBlocking(cpu, shape);
  int64_t vectors = divideCeil(tile.nr, lanes(cpu, accumulatorOf(a)));
  bool isNarrowB = isLowPrecisionFloat(b) || b == Element::i8;
  return (a == Element::i8 ? 1.0 / static_cast<double>(vectors) : 0) +
         (isNarrowB ? 1.0 / static_cast<double>(tile.mr) : 0);
}

} // namespace

double costOf(const Cpu &cpu, const std::string &instruction) {
  auto stated = cpu.costs.find(instruction);
  if (stated != cpu.costs.end())
    return stated->second;
  if (instruction.rfind("tile_", 0) == 0)
    return 16;
  if (instruction == "fma_f32")
    return 0.5;
  return costOf(cpu, "fma_f32") * (instruction == "convert_f16" ? 2 : 1);
}

double productCost(const Cpu &cpu, ProductForm form, Element a, Element b) {
  double perVector = static_cast<double>(cpu.vectorBits) / 32; // of f32 and i32
  bool isBf16 = areBoth(a, b, Element::bf16), isF16 = a == Element::f16 || b == Element::f16;
  switch (form) {
  case ProductForm::multiplyAdd:
    return costOf(cpu, a == Element::f64 ? "fma_f64" : "fma_f32") /
           static_cast<double>(lanes(cpu, a));
  case ProductForm::upconvert:
    return (costOf(cpu, "fma_f32") + costOf(cpu, isF16 ? "convert_f16" : "widen_bf16") *
                                         upconversionsPerProduct(cpu, a, b)) /
           perVector;
  case ProductForm::dotProduct:
    return isBf16 ? costOf(cpu, "dot_bf16") / (2 * perVector)
                  : costOf(cpu, "dot_i8") / (4 * perVector);
  case ProductForm::multiplyAddI16: // vpmaddwd and an addition, at most as costly as fma_f32
    return (costOf(cpu, "multiply_add_i16") + costOf(cpu, "fma_f32") +
            costOf(cpu, "widen_i8") * upconversionsPerProduct(cpu, a, b)) /
           (2 * perVector);
  case ProductForm::amx: // 16 x 16 sums of 64 bytes each
    break;
  }
  return isBf16 ? costOf(cpu, "tile_bf16") / (16 * 16 * 32)
                : costOf(cpu, "tile_i8") / (16 * 16 * 64);
}

bool prefersF16Accumulate(const Cpu &cpu, Element a, Element b) {
  return areBoth(a, b, Element::f16) && cpu.hasF16Arithmetic &&
         costOf(cpu, "fma_f16") / static_cast<double>(lanes(cpu, a)) <
             productCost(cpu, vectorProductForm(cpu, a, b), a, b);
}

ProductForm vectorProductForm(const Cpu &cpu, Element a, Element b) {
  ProductForm best = areBoth(a, b, Element::i8) ? ProductForm::multiplyAddI16
                     : isLowPrecisionFloat(a) || isLowPrecisionFloat(b) ? ProductForm::upconvert
                                                                        : ProductForm::multiplyAdd;
  bool isCheaper = hasDotProduct(cpu, a, b) &&
                   productCost(cpu, ProductForm::dotProduct, a, b) < productCost(cpu, best, a, b);
  return isCheaper ? ProductForm::dotProduct : best;
}

ProductForm productForm(const Cpu &cpu, Element a, Element b) {
  ProductForm best = vectorProductForm(cpu, a, b);
  bool isCheaper = hasTileProduct(cpu, a, b) &&
                   productCost(cpu, ProductForm::amx, a, b) < productCost(cpu, best, a, b);
  return isCheaper ? ProductForm::amx : best;
}

} // namespace kgen
