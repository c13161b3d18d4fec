#include "costmodel/Products.h"

#include "costmodel/GemmBlocking.h"
#include "costmodel/Rounding.h"

#include <cassert>

namespace kgen {
namespace {

bool areBoth(Element a, Element b, Element element) { return a == element && b == element; }
bool isLowPrecisionFloat(Element element) {
  return element == Element::bf16 || element == Element::f16;
}

/// The CPU's instruction of a form; null if it has none, or the form is none.
const Product *instructionOf(const Cpu &cpu, ProductForm form, Element a, Element b) {
  if (a != b)
    return nullptr;
  switch (form) {
  case ProductForm::dotProduct:
    return cpu.product(Product::Kind::dot, b);
  case ProductForm::matrix:
    return cpu.product(Product::Kind::matrix, b);
  case ProductForm::tile:
    return cpu.product(Product::Kind::tile, b);
  default:
    return nullptr;
  }
}

/// The key of `reciprocal_throughput`.
std::string costName(ProductForm form, Element element) {
  std::string kind = form == ProductForm::dotProduct ? "dot_"
                     : form == ProductForm::matrix   ? "matrix_"
                                                     : "tile_";
  return kind + nameOf(element);
}

/// `best`, or `form` if the CPU has it and it is cheaper.
ProductForm cheaper(const Cpu &cpu, ProductForm best, ProductForm form, Element a, Element b) {
  bool isCheaper =
      instructionOf(cpu, form, a, b) && productCost(cpu, form, a, b) < productCost(cpu, best, a, b);
  return isCheaper ? form : best;
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
  bool isF16 = a == Element::f16 || b == Element::f16;
  switch (form) {
  case ProductForm::multiplyAdd:
    return costOf(cpu, a == Element::f64 ? "fma_f64" : "fma_f32") /
           static_cast<double>(lanes(cpu, a));
  case ProductForm::upconvert:
    return (costOf(cpu, "fma_f32") + costOf(cpu, isF16 ? "convert_f16" : "widen_bf16") *
                                         upconversionsPerProduct(cpu, a, b)) /
           perVector;
  case ProductForm::multiplyAddI16: // with an addition, at most as costly as fma_f32
    return (costOf(cpu, "multiply_add_i16") + costOf(cpu, "fma_f32") +
            costOf(cpu, "widen_i8") * upconversionsPerProduct(cpu, a, b)) /
           (2 * perVector);
  case ProductForm::dotProduct:
  case ProductForm::matrix:
  case ProductForm::tile:
    break;
  }
  const Product *product = instructionOf(cpu, form, a, b);
  assert(product && "the CPU has the instruction");
  double sums =
      product->inTiles ? static_cast<double>(product->rows * product->columns) : perVector;
  return costOf(cpu, costName(form, b)) / (sums * static_cast<double>(product->depth));
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
  return cheaper(cpu, best, ProductForm::dotProduct, a, b);
}

ProductForm productForm(const Cpu &cpu, Element a, Element b) {
  ProductForm best = vectorProductForm(cpu, a, b);
  best = cheaper(cpu, best, ProductForm::matrix, a, b);
  return cheaper(cpu, best, ProductForm::tile, a, b);
}

int64_t packedDepth(const Cpu &cpu, Element a, Element b, bool strictOrder) {
  bool isExact = b == Element::i8; // in any order
  if (productForm(cpu, a, b) == ProductForm::matrix && (isExact || !strictOrder))
    return instructionOf(cpu, ProductForm::matrix, a, b)->depth;
  return vnniFactor(b);
}

const Product *matrixProduct(const Cpu &cpu, Element a, Element b, int64_t depth) {
  const Product *product = instructionOf(cpu, ProductForm::matrix, a, b);
  return product && product->depth == depth ? product : nullptr;
}

} // namespace kgen
