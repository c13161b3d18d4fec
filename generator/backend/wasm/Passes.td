// Passes of the WebAssembly back end, which its targets get at the points of backend/Backend.h.
#ifndef KGEN_WASM_PASSES_TD
#define KGEN_WASM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToWasmPass : Pass<"kgen-lower-to-wasm", "::mlir::ModuleOp"> {
  let summary =
      "Lower products of pairs of i16, and extrema, to what WebAssembly has; drop prefetches.";
  let description = [{
    Precondition: vectors of one dimension. Postcondition: no prefetch, which WebAssembly lacks, and
    none of the operations below. kgen-lower-instructions, which follows, lowers the others.

    | operation | applies to | becomes |
    |---|---|---|
    | `kgen.dot` | i16 | `i32x4.dot_i16x8_s` and an addition |
    | `arith.maxnumf`, `arith.minnumf` | all | a comparison and a selection, and those for NaN |
    | `vector.reduction` | `maxnumf`, `minnumf` | the same of halves |
    | `arith.select` | vectors of floats by `arith.cmpf`, with relaxed-simd | the same with `llvm.arithmetic.fence`, which is no instruction |

    The fence hides minima and maxima from LLVM 22, which would take the relaxed instruction, of
    which an engine may return either operand if one is NaN.
  }];
  let statistics = [Statistic<"numDots", "dots", "Dot products that became intrinsics">,
                    Statistic<"numExtrema", "extrema", "Minima and maxima that ignore NaN lowered">,
                    Statistic<"numPrefetches", "prefetches", "Prefetches that were dropped">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif
