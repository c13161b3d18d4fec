// Element types of contractions, as the cost model knows them.
#pragma once

#include "target/Cpu.h"

namespace kgen {

enum class Element { i8, i16, i32, i64, f16, bf16, f32, f64 };

/// "bf16", as keys of `gemm_tiles` spell it.
const char *nameOf(Element element);
int64_t bytesOf(Element element);

/// The type of sums of products: i32 for i8, f32 for bf16 and f16, otherwise the type itself.
Element accumulatorOf(Element element);

/// Values of k that are adjacent in packed B: as many as a dot-product instruction of the type
/// takes, on every target, so that all share the packed weights. Where there is no such
/// instruction, pairs and fours cost no more to up-convert than single values.
int64_t vnniFactor(Element b);

/// Elements in one vector register, at least 1.
int64_t lanes(const Cpu &cpu, Element element);

} // namespace kgen
