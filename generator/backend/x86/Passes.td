// Passes of the x86 back end, which its targets get at the points of backend/Backend.h.
#ifndef KGEN_X86_PASSES_TD
#define KGEN_X86_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertAmxConfigPass : Pass<"kgen-insert-amx-config", "::mlir::ModuleOp"> {
  let summary = "Configure the AMX tile registers for micro-kernels, as seldom as possible.";
  let description = [{
    Precondition: kernels have code, whose function says the shapes that it needs (`ukernel.tiles`,
    kgen-generate-micro-kernels); tasks are functions (kgen-outline-tasks). Postcondition: wherever
    such a kernel is called, the tile registers have its shapes, and no function returns with
    configured registers. kgen-lower-to-x86 lowers both operations.

    A configuration takes about as long as four products of AMX tiles, so it is not part of each
    call: `ukernel.configure_tiles` stands before the outermost loop, or other operation, in which
    all kernels need the same shapes, and not at all where the operations before have left them so.
    Where a loop contains kernels of several shapes, its body configures them in turn. Launches and
    calls of other functions lose the shapes, and before a `kgen.extern` the registers are released.
    A function that configures them ends with `ukernel.release_tiles`; so does each task, which runs
    on a thread of its own.

    ```mlir
    ukernel.configure_tiles rows [16, 16, 16, 16, 16, 16, 16, 16] bytes [64, 64, 64, 64, 64, 64, 64, 64]
    scf.for %i = %c0 to %c256 step %c32 {
      ukernel.call @uk_gemm_bf16_f32_32x32x1024(%a, %b, %c) : ...
    }
    ukernel.release_tiles
    ```
  }];
  let statistics =
      [Statistic<"numConfigurations", "configurations",
                 "ukernel.configure_tiles that were inserted">,
                    Statistic<"numReused", "reused",
                              "Operations that found the registers as they need them">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def LowerToX86Pass : Pass<"kgen-lower-to-x86", "::mlir::ModuleOp"> {
  let summary = "Lower operations that stand for instructions to LLVM's intrinsics for x86.";
  let description = [{
    Precondition: mathematical functions are expanded (kgen-expand-math). Postcondition: no
    operation of `dialect/kgen/Instructions.td`, and no `ukernel.configure_tiles` or
    `ukernel.release_tiles`; kgen-software-pipelining sees the instructions of each function.

    | operation | applies to | becomes |
    |---|---|---|
    | `kgen.store_fence` | | `sfence` |
    | `kgen.dynamic_permute` | AVX2, AVX-512 | `vpermps` or `vpermt2ps`; `vpermw` for i16; of two registers without AVX-512 VL, each lane is selected from two permutes |
    | `kgen.dot` | bf16, i8 | `vdpbf16ps`, `vpdpbusd` |
    | `kgen.dot` | i16 | `pmaddwd` and an addition |
    | `arith.fptosi` of `math.roundeven` | full registers of f32 to i32 | `cvtps2dq`, which rounds to nearest, ties to even, unless the program sets another mode |
    | `kgen.pack` | | `packssdw`, `packsswb`, `packuswb` |
    | `kgen.exponent`, `kgen.mantissa`, `kgen.negative_magnitude_min` | scalars and vectors of any shape | `vgetexp`, `vgetmant`, `vrange` on registers of 512 bits; unused lanes of the last one are poison |
    | `arith.maximumf`, `arith.minimumf` | full registers of f32 and f64, AVX-512 DQ and VL | `vrange`, which orders zeros, and a sum for NaN: three instructions where LLVM emits six |
    | `ukernel.configure_tiles`, `ukernel.release_tiles` | | `ldtilecfg`, whose operand is a constant of 64 bytes that equal shapes share, and `tilerelease` |
  }];
  let statistics =
      [Statistic<"numInstructions", "instructions", "Operations that became intrinsics">,
                    Statistic<"numConfigurations", "configurations", "AMX configurations lowered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

#endif
