// Instructions that multiply two element types, and their costs.
#pragma once

#include "costmodel/Element.h"

namespace kgen {

/// Ways to multiply elements of two types and add up. The last three are instructions of the CPU
/// (Cpu::products).
enum class ProductForm {
  multiplyAdd,    ///< of the type itself
  upconvert,      ///< up-convert both to f32, then multiply-add
  multiplyAddI16, ///< up-convert 8-bit to 16-bit integers, then multiply and add pairs
  dotProduct,     ///< Product::Kind::dot
  matrix,         ///< Product::Kind::matrix: blocks of sums in vector registers
  tile            ///< Product::Kind::tile
};

/// The reciprocal throughput, in cycles, of an instruction of the full vector width. Defaults for
/// what the CPU does not state: fma_f32 0.5; convert_f16 twice fma_f32; an instruction on tile
/// registers 16; any other as fma_f32.
double costOf(const Cpu &cpu, const std::string &instruction);

/// Cycles for one multiply-add of `a` and `b` within a full register tile, including its share of
/// the up-conversion of the operands.
double productCost(const Cpu &cpu, ProductForm form, Element a, Element b);

/// THE decision which instructions multiply elements of `a` (left) with elements of `b` (right):
/// the form with the smallest productCost of those that the CPU's features allow.
ProductForm productForm(const Cpu &cpu, Element a, Element b);

/// Like productForm, but without blocks of sums: for kernels whose shape or layout does not fit
/// them.
ProductForm vectorProductForm(const Cpu &cpu, Element a, Element b);

/// Values of k that are adjacent in packed B: the depth of matrix products where they are the
/// cheapest form and sums may be in any order, else vnniFactor.
int64_t packedDepth(const Cpu &cpu, Element a, Element b, bool strictOrder);

/// The matrix product whose groups of k packed B has if `depth` values are adjacent; null if the
/// CPU has none.
const Product *matrixProduct(const Cpu &cpu, Element a, Element b, int64_t depth);

/// True if sums of products of `a` and `b` are kept in f16 where the graph allows it: the CPU has
/// an instruction for it, and it is cheaper.
bool prefersF16Accumulate(const Cpu &cpu, Element a, Element b);

} // namespace kgen
