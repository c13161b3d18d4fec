// Instructions that multiply two element types, and their costs.
#pragma once

#include "costmodel/Element.h"

namespace kgen {

/// Kinds of instructions that multiply elements of two types and add up.
enum class ProductForm {
  multiplyAdd,    ///< of the type itself
  upconvert,      ///< up-convert both to f32, then multiply-add
  dotProduct,     ///< pairs of bf16 (vdpbf16ps) or fours of 8-bit integers (vpdpbusd) at once
  multiplyAddI16, ///< up-convert 8-bit to 16-bit integers, then vpmaddwd on pairs
  amx             ///< 16 x 16 sums in one instruction on AMX tiles
};

/// The reciprocal throughput, in cycles, of an instruction of the full vector width. Defaults for
/// what the CPU does not state: fma_f32 0.5; convert_f16 twice fma_f32; an instruction on AMX tiles
/// 16; any other as fma_f32.
double costOf(const Cpu &cpu, const std::string &instruction);

/// Cycles for one multiply-add of `a` and `b` within a full register tile, including its share of
/// the up-conversion of the operands.
double productCost(const Cpu &cpu, ProductForm form, Element a, Element b);

/// THE decision which instructions multiply elements of `a` (left) with elements of `b` (right):
/// the form with the smallest productCost of those that the CPU's features allow.
ProductForm productForm(const Cpu &cpu, Element a, Element b);

/// Like productForm, but without AMX: for kernels whose shape does not fit AMX tiles.
ProductForm vectorProductForm(const Cpu &cpu, Element a, Element b);

/// True if sums of products of `a` and `b` are kept in f16 where the graph allows it: the CPU has
/// an instruction for it, and it is cheaper.
bool prefersF16Accumulate(const Cpu &cpu, Element a, Element b);

} // namespace kgen
