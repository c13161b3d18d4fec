// Element types of contractions, as the cost model knows them.
#pragma once

#include "target/Cpu.h"

namespace kgen {

/// "bf16", as keys of `gemm_tiles` spell it.
const char *nameOf(Element element);
int64_t bytesOf(Element element);

/// The type of sums of products: i32 for i8, f32 for bf16 and f16, otherwise the type itself.
Element accumulatorOf(Element element);

/// Values of k in 32 bits of packed B if it is of bf16 or bytes, else 1: the depth of dot products
/// of the type on all targets that have them, which share packed weights with those that do not.
/// For the latter, pairs and fours cost no more to up-convert than single values.
int64_t vnniFactor(Element b);

/// Elements in one vector register, at least 1.
int64_t lanes(const Cpu &cpu, Element element);

} // namespace kgen
