// Passes of the AArch64 back end, which its targets get at the points of backend/Backend.h.
#ifndef KGEN_AARCH64_PASSES_TD
#define KGEN_AARCH64_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToAArch64Pass : Pass<"kgen-lower-to-aarch64", "::mlir::ModuleOp"> {
  let summary =
      "Lower operations that stand for NEON's dot products and matrix products to intrinsics.";
  let description = [{
    Precondition: vectors of one dimension. Postcondition: none of the operations below.
    kgen-lower-instructions, which follows, lowers the others.

    | operation | applies to | becomes |
    |---|---|---|
    | `kgen.dot` | i8 with `both_signed`, with `both_unsigned`, with neither | `sdot`, `udot`, `usdot` |
    | `kgen.dot` | bf16 | `bfdot` |
    | `kgen.matrix_dot` | i8 with `both_signed`, with `both_unsigned`, with neither | `smmla`, `ummla`, `usmmla` |
    | `kgen.matrix_dot` | bf16 | `bfmmla` |

    Of factors with one sign, and of bf16, the first one becomes the last operand of the
    instruction, which may be a lane of a register: kernels put the element of A first. LLVM itself
    turns `usdot` round (`sudot`), and broadcasts lanes of bf16 before it multiplies.
  }];
  let statistics =
      [Statistic<"numDots", "dots", "Dot products and matrix products that became intrinsics">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
