// The machine's f32 FMA rate, measured: what a benchmark's figures are a fraction of.
#pragma once

namespace bench {

enum class Isa { avx2, avx512 };

/// GFLOPS of one short run of independent FMAs in registers (about a millisecond).
double fmaRate(Isa isa);

} // namespace bench
