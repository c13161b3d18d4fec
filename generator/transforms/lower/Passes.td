#ifndef KGEN_TRANSFORMS_LOWER_PASSES_TD
#define KGEN_TRANSFORMS_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerBenchPass : Pass<"kgen-lower-bench", "::mlir::ModuleOp"> {
  let summary = "Lower the bench dialect to calls of the host.";
  let description = [{
    Precondition: `bench` operations on memrefs; no workspace yet. Postcondition: no `bench`
    operations; copies of operands that are not contiguous are `memref.alloc`s, which
    kgen-plan-workspace places.

    Checks and measurements become calls of functions that `kgen-run` provides. Their arguments are
    of type `index`: addresses of C strings with the operation's location and its operands' type,
    addresses of elements, and numbers. Operands that are not contiguous are copied first.

    ```mlir
    bench.expect_finite %m : memref<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = memref.get_global @kgen_text : memref<15xi8>     // "test.mlir:1:1"
    %where = memref.extract_aligned_pointer_as_index %0 : memref<15xi8> -> index
    %1 = memref.get_global @kgen_text_0 : memref<10xi8>   // "f32[4, 8]"
    %type = memref.extract_aligned_pointer_as_index %1 : memref<10xi8> -> index
    %values = memref.extract_aligned_pointer_as_index %m : memref<4x8xf32> -> index
    call @kgen_bench_expect_finite(%where, %type, %values) : (index, index, index) -> ()
    ```
    A measurement becomes a loop around its region that runs until the host stops it. Before, the
    host receives the address of each operand (`kgen_bench_touch`), and constant globals among them
    become mutable, so that LLVM must assume that every iteration reads and writes other values.
  }];
  let statistics = [Statistic<"numLowered", "lowered", "Operations of the bench dialect lowered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMicroKernelCallsPass : Pass<"kgen-lower-micro-kernel-calls", "::mlir::ModuleOp"> {
  let summary = "Lower ukernel.call to calls that pass pointers.";
  let description = [{
    Precondition: every callee of `ukernel.call` is a function (kgen-generate-micro-kernels), and
    configurations of registers are lowered (kgen-lower-to-x86). Postcondition: no `ukernel`
    operations.

    Each tile is passed as the address of its first element.
  }];
  let statistics = [Statistic<"numCalls", "calls", "Calls of micro-kernels lowered">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandMathPass : Pass<"kgen-expand-math"> {
  let summary = "Expand mathematical functions of f32 and f64 into plain arithmetic.";
  let options = [Option<"fused", "fused-products", "bool", /*default=*/"false",
                        "There are multiply-adds that round once, whatever the target says.">];
  let description = [{
    Precondition: mathematical functions on scalars and vectors, not on tensors or memrefs
    (convert-linalg-to-loops). They are one operation each until here, so that passes can count
    them. Postcondition: no function needs libm; kgen-software-pipelining sees the operations of
    each function.

    Expands exp, exp2, expm1, log, log2, log10, log1p, pow, powers of integers, cbrt, rsqrt, erf,
    erfc, gelu and its approximation by tanh, sigmoid, softplus, remainders, roundings away from 0,
    and trigonometric and hyperbolic functions with their inverses and atan2, on scalars and on
    vectors of any shape. Without the instruction, fused multiply-adds of the source are computed
    with more digits. Any other function or type, which would become a call into libm, is an error.

    Accuracy: results are within 4 ulp of the exact ones for every input, subnormal results
    included. They have the same bits on all targets with fused multiply-adds and AVX2, and the same
    on all targets without. Only additions, subtractions, multiplications, fused multiply-adds,
    divisions, comparisons, selections, roundings to integers, integer operations and table lookups
    are used, each rounded on its own.

    | mechanism | applies to | what it does |
    |---|---|---|
    | table lookup (`kgen.dynamic_permute`) | erf, gelu, softplus, log and exponentials of f32 | each lane takes an element of a table of eight. A table holds the coefficients of polynomials of low degree, or a factor, for eight intervals. Without the instruction, and in f64, one polynomial serves all intervals. Logarithms within pow have tables of sixteen: two lookups and a selection with AVX2. |
    | low precision (`kgen.result_precision`) | functions of operators on bf16 and f16, with 8 or 11 significant bits | on targets with lookups, an error of 2^-12.5 or 2^-16 of the result is allowed; after rounding, a result is within 0.55 (bf16) or 0.53 (f16) ulp. See below. |
    | rare cases | sin, cos, log, pow, remainders | a branch if any lane is outside of the usual range: large numbers for sin and cos (a longer argument reduction); numbers that are not positive, finite and normal for log; for pow negative bases, then zeros, then subnormal numbers and exponents beyond 120 (a logarithm with twice the digits); quotients with more digits than a float has for remainders (a loop). `llvm.intr.expect` marks the conditions as false, so that LLVM allocates registers for the usual case. |
    | contraction | sums and differences with products, all marked `contract` | become fused multiply-adds, before software pipelining can separate them |
    | minimum and maximum | f32 that ignore NaN (`arith.maxnumf`), if one operand is known not to be NaN | a comparison and a selection |
    | division of vectors of i64 | targets that convert vectors of i64 to f64 | two divisions in f64, as a quotient may have more than 53 bits, and one correction |

    Low-precision forms: exponentials without lookups; sigmoid and gelu by tanh as a quotient with
    one lookup; gelu as the 32nd power of a polynomial; erf and tanh as polynomials in squares; tan
    as a quotient of two polynomials; asin and acos as a polynomial and a root; sinh and cosh as the
    odd and the even part of an exponential. Registers of sixteen lanes hold tables of sixteen: the
    polynomials of erf and tanh then have one degree less, gelu is the 8th or the 4th power of such
    a polynomial, and exp of bf16 is linear in each sixteenth of an octave. Before rounding, these
    results differ from those with tables of eight. Roundings of values that such a function goes
    into, directly or through products and quotients, get the mark `kgen.result_precision`: their
    ties need not go to even. Roundings to bf16 of values computed from bf16 and constants only get
    the mark `kgen.canonical_nans`.

    A `math.expm1` with the mark `kgen.non_positive` needs one factor 2^n instead of two, and no
    upper limit. pow is 2^(y log2|x|), with the logarithm as a sum of two numbers, the smaller one
    at most 1/80 of it.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes some 25 operations of `arith` on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let statistics = [Statistic<"numFunctions", "functions", "Mathematical functions expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MaskTailsPass : Pass<"kgen-mask-tails", "::mlir::func::FuncOp"> {
  let summary = "Access remainders of rows by one masked instruction (AVX-512).";
  let description = [{
    Precondition: in-bounds vector transfers on memrefs (convert-vector-to-scf); narrow floats
    emulated (kgen-emulate-narrow-floats). Postcondition: transfers of a number of elements that is
    no power of two are masked loads and stores, except those refused.

    Without this pass LLVM splits such an access into up to four of 2^n bytes and combines them.
    Refused: targets without AVX-512 VL and BW; memory that one block of the function both writes
    and reads, because there is no store-to-load forwarding from a masked store. Prefetches are
    neither reads nor writes.

    ```mlir
    %v = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<15xf32>
    ```
    becomes
    ```mlir
    %w = vector.maskedload %m[%i], %mask, %poison : memref<31xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %v = vector.shuffle %w, %w [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] : vector<16xf32>, vector<16xf32>
    ```
  }];
  let statistics = [Statistic<"numMasked", "masked", "Transfers that became masked accesses">,
                    Statistic<"numRefused", "refused",
                              "Transfers of memory that their block both reads and writes">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def SoftwarePipeliningPass : Pass<"kgen-software-pipelining", "::mlir::func::FuncOp"> {
  let summary = "Software-pipeline loops with long chains of dependent operations.";
  let description = [{
    Precondition: mathematical functions are expanded (kgen-expand-math), memory accesses are final
    (kgen-mask-tails), and loops are `scf.for` (before convert-scf-to-cf). Postcondition: pipelined
    loops have a prologue and an epilogue; no contract on the other loops.

    A function of a vector is a chain of dependent operations. A CPU overlaps the chains of several
    iterations only within its scheduler, which holds some 64 instructions; an iteration on two
    vectors has 40 or more. This pass splits an iteration into two or three stages of about the same
    latency, at points where the fewest bits are live, and executes each stage together with earlier
    stages of the next iterations, in the order in which operands become available
    (`scf::pipelineForLoop`).

    Applies to an innermost loop if all hold:

      its iteration has a critical path of 40 cycles or more
      it has a constant trip count of at least 4
      it has at most 160 instructions (an operation on two registers counts as two)
      it has no loop-carried values
      no iteration reads what another one writes
      all its operations are accesses of vectors, prefetches, or free of memory effects (an scf.if
        is one operation)

    Three stages if the critical path has 50 cycles or more and values that are live across stages
    take at most 9/16 of the registers, which leaves some for constants; else two. Masks are
    computed next to their uses, as mask registers are few. `kgen explain` gets a record `pipelined`
    for each such loop, and `not-pipelined` with the reason for each loop that is long enough but
    refused.

    ```mlir
    scf.for %i = %c0 to %c64 step %c16 {
      %x = vector.load %a[%i] : memref<64xf32>, vector<16xf32>
      %y = ...
      %z = math.fma %y, %c, %d : vector<16xf32>
      %r = ...
      vector.store %r, %b[%i] : memref<64xf32>, vector<16xf32>
    }
    ```
    becomes, with two stages,
    ```mlir
    %x0 = vector.load %a[%c0] : memref<64xf32>, vector<16xf32>
    %y0 = ...
    %last = scf.for %i = %c0 to %c48 step %c16 iter_args(%yi = %y0) -> vector<16xf32> {
      %z = math.fma %yi, %c, %d : vector<16xf32>
      %next = arith.addi %i, %c16 : index
      %x = vector.load %a[%next] : memref<64xf32>, vector<16xf32>
      %r = ...
      %y = ...
      vector.store %r, %b[%i] : memref<64xf32>, vector<16xf32>
      scf.yield %y : vector<16xf32>
    }
    %z3 = math.fma %last, %c, %d : vector<16xf32>
    %r3 = ...
    vector.store %r3, %b[%c48] : memref<64xf32>, vector<16xf32>
    ```
  }];
  let statistics = [Statistic<"numPipelined", "pipelined", "Loops pipelined">,
                    Statistic<"numRefused", "refused",
                              "Loops with a long critical path that are not pipelined">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def EmulateNarrowFloatsPass : Pass<"kgen-emulate-narrow-floats", "::mlir::ModuleOp"> {
  let summary =
      "Replace bf16, and f16 on targets without F16C, by i16 with conversions as integer "
      "arithmetic.";
  let description = [{
    Precondition: no arithmetic in bf16 or f16 but conversions, selections and casts;
    kgen-expand-math has placed its marks on roundings. Postcondition: no bf16, and no f16 unless
    the target has F16C, except in operands of CPU instructions (intrinsics), around which there are
    bitcasts. kgen-mask-tails sees i16.

    LLVM has no registers for bf16 on most CPUs: it would call a function to convert such values
    wherever they cross a branch. For f16 without F16C it would call one for each element. Results
    have the same bits on every target. Arithmetic in a type that is replaced is an error.

    bf16: extension is a shift by 16 bits. Rounding is to nearest, ties to even (away from 0 if the
    rounding has the mark `kgen.result_precision`); NaN stays NaN, by a test unless
    `kgen.canonical_nans` makes it unnecessary; subnormal numbers keep their value, for which reason
    `vcvtneps2bf16`, which flushes them to zero, is not used. The upper halves of two vectors are
    one shuffle. Integers become bf16 by way of f32.

    f16 without F16C: rounding to nearest, ties to even; subnormal numbers, infinities and zeros
    keep value and sign; NaN keeps its upper bits and becomes quiet, as with F16C. With F16C, only
    roundings of `math.floor` and the like change: their operand gets a `math.copysign` without
    effect, because LLVM would otherwise round in f16, one element at a time.

    ```mlir
    %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
    ```
    becomes
    ```mlir
    %i = arith.extui %x : vector<16xi16> to vector<16xi32>
    %s = arith.shli %i, %sixteen : vector<16xi32>
    %w = arith.bitcast %s : vector<16xi32> to vector<16xf32>
    ```
    and a conversion of `vector<4xf16>` some 15 operations of `arith` on `vector<4xi32>` and
    `vector<4xf32>`.
  }];
  let statistics = [Statistic<"numConversions", "conversions",
                              "Conversions from and to bf16 and f16 before the pass">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def TppToLinalgPass : Pass<"kgen-tpp-to-linalg", "::mlir::func::FuncOp"> {
  let summary =
      "Lower tile operations other than contractions to linalg.generic, and contractions without "
      "micro-kernel.";
  let description = [{
    Postcondition: contractions that micro-kernels compute are the only tile operations on tensors,
    and, unless `buffers=false`, on memrefs.

    Micro-kernels are made for numbers of columns and products, and for strides, but those of the
    batch. Contractions on tensors of other sizes become a generic, and another one for the
    epilogue, if there is one. If A is transposed and its number of rows is known at run time only,
    the contraction reads a transposed copy of it. If the distance of the products that it adds up
    is known at run time only, a kernel is called for each of them, with sums in C between: a C of a
    narrower type becomes one of the sums' type, and a generic for the epilogue. Slices that are
    collapsed in dimensions of one element are read as slices without them.

    The body of an elementwise operation is its scalar code (`buildScalar`) between conversions.
    `tpp.reduce` and `tpp.transpose` become generics, too, and `tpp.vnni_pack` a transposing generic
    on `[k / v, v, n]`, or one with `linalg.index` if v does not divide k.

    ```mlir
    %r = tpp.neg ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %r = linalg.generic ... ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    ```
  }];
  let options = [Option<"buffers", "buffers", "bool", /*default=*/"true",
                        "Lower operations on memrefs, too">];
  let statistics = [Statistic<"numLowered", "lowered", "Tile operations lowered">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::memref::MemRefDialect", "::kgen::KgenDialect"];
}

def VectorToLlvmPass : Pass<"kgen-vector-to-llvm", "::mlir::func::FuncOp"> {
  let summary = "Lower vectors to the LLVM dialect where addresses have 32 bits.";
  let description = [{
    What upstream's convert-vector-to-llvm does, which takes every index for an integer of 64 bits,
    with indices as wide as addresses of the module's target. Upstream's pass stands in its place
    for all other targets.

    ```mlir
    %v = vector.load %m[%i] : memref<64xf32>, vector<4xf32>
    ```
    becomes, for a target of wasm32,
    ```mlir
    %a = llvm.getelementptr %p[%i32] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %a {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    ```
  }];
  let statistics =
      [Statistic<"numConverted", "converted", "Operations of the vector dialect converted">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

#endif
