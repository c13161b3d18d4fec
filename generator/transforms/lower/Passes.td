#ifndef KGEN_TRANSFORMS_LOWER_PASSES_TD
#define KGEN_TRANSFORMS_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerBenchPass : Pass<"kgen-lower-bench", "::mlir::ModuleOp"> {
  let summary = "Turn checks and measurements into calls of the host.";
  let description = [{
    The operations of the `bench` dialect, on memrefs, become calls of functions that `kgen-run` provides. They get addresses
    and numbers as `index`: where the operation was written and the type of its operands as C strings, and the elements'
    address. What is not contiguous is copied first.

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
    A measurement becomes a loop around its region that runs until the host has seen enough. The host is told the address of
    each operand before (`kgen_bench_touch`), and a global among them is no constant any more, so that LLVM must assume that
    every iteration reads and writes other values.

    Runs before kgen-plan-workspace, which places the copies.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMicroKernelCallsPass : Pass<"kgen-lower-micro-kernel-calls", "::mlir::ModuleOp"> {
  let summary = "Turn ukernel.call into calls that pass pointers.";
  let description = [{
    The shapes that `ukernel.configure_tiles` sets become constants of 64 bytes in the format of the instruction `ldtilecfg`, one for all
    that are equal.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandMathPass : Pass<"kgen-expand-math"> {
  let summary = "Expand exp, expm1, log, log1p, pow, erf, gelu and its form by tanh, sigmoid, softplus, remainders, and trigonometric and hyperbolic functions with their inverse ones, of f32 and f64, into plain arithmetic.";
  let description = [{
    Results are within 4 ulp of the exact ones for every input, subnormal results included, and have the same bits on every
    target with fused multiply-adds and AVX2, and on every one without: only additions, subtractions, multiplications, fused
    multiply-adds, divisions, comparisons, selections, roundings to whole numbers, integer operations and lookups are used,
    each rounded on its own.

    Lookups take an element of a table of eight for each lane: `vpermps` of AVX2 and AVX-512, beside which the CPU still
    multiplies. So erf, gelu, softplus, log and powers of f32 are polynomials of a low degree whose coefficients, or whose
    factor, belong to one of eight pieces; without these instructions, and in f64, one polynomial serves all. The logarithms in
    powers have tables of sixteen, which are two lookups and a selection with AVX2.

    Lanes by numbers in a register (`kgen.dynamic_permute`) become the same instructions.

    Functions marked with `kgen.result_precision` belong to operators on bf16 and f16, whose results have as many digits as the mark says,
    8 or 11. Where there are lookups, they may be off by 2^-12.5 or 2^-16 of their size, so that shorter polynomials do, and a
    result is within 0.55 (bf16) or 0.53 units in the last place once it is rounded. Powers need no lookups then; sigmoid and
    gelu by tanh are a quotient with one, gelu has the 32nd power of a polynomial, erf and tanh polynomials in squares; tan is a
    quotient of two polynomials, asin and acos a polynomial and a root, sinh and cosh the odd and the even part of a power. Registers
    of sixteen numbers hold tables of sixteen: the pieces of erf and tanh have polynomials of one degree less then, gelu has the 8th
    or the 4th power of such ones, and exp of bf16 is a line in each sixteenth of an octave; before they are rounded, these differ
    from those of targets with tables of eight. Roundings of what they go into, also by products and quotients, are marked too: their
    ties are accidents, which need not go to even.
    Roundings to bf16 of what is made of bf16 and of numbers alone, and all of a module with that mark, get the mark
    `kgen.canonical_nans`: a NaN has no digits there that rounding could carry into its exponent.

    The mark `kgen.non_positive` is for a `math.expm1` whose result is used only where the operand is not positive, as activation
    functions do: its power has one factor of 2^n then, and no upper limit.

    sin and cos take a multiple of pi from their argument, and branch to a longer division where a vector holds a large
    number; log branches for what is not positive, finite and normal. pow is 2^(y log2|x|) with a logarithm that is the sum of two
    numbers, of which the smaller one is at most 1/80 of it; it branches for negative bases, from there for zeros, and from there
    for what is not normal or has an exponent beyond 120, for which the logarithm has twice the digits. These conditions are
    `llvm.intr.expect`ed to be false, so that LLVM gives the registers of a loop to what it computes nearly always. Remainders
    (`arith.remf`) are exact: by the quotient, or by subtraction in a loop where a vector holds a quotient of more digits than a
    number has. Works on scalars and on vectors of any shape. What would remain as a call into libm, be it another function or
    another type, is an error. Sums and differences with products, all marked `contract`, are made fused multiply-adds before loops
    are pipelined, which may part them. Maxima and minima of f32 that ignore NaNs become a comparison and a selection where one
    operand is known to be a number, as one that began with an infinity is.

    Where integers of 64 bits are converted to f64 by an instruction (AVX-512 DQ), vectors of them are divided as f64: twice, as
    a quotient may have more than 53 digits, and with one correction at the end.

    With AVX-512, maxima and minima of whole registers become `vrangeps`, which knows the order of zeros, and a sum where an
    operand is NaN: three instructions, of which LLVM makes six.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes some 25 operations of `arith` on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MaskTailsPass : Pass<"kgen-mask-tails", "::mlir::func::FuncOp"> {
  let summary = "Read and write parts of a register by one instruction with a mask, with AVX-512.";
  let description = [{
    What is left of a row beside whole vectors is a vector of any number of elements. LLVM moves it in pieces of 2^n bytes, up
    to four of them, and puts them together. Does nothing if the target has no masks (AVX-512 with VL and BW), or if the number
    is a power of two. Memory that a block of the function both writes and reads keeps its pieces: a read waits until what was just
    written with a mask is in the cache. A prefetch is neither.

    ```mlir
    %v = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<15xf32>
    ```
    becomes
    ```mlir
    %w = vector.maskedload %m[%i], %mask, %poison : memref<31xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %v = vector.shuffle %w, %w [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] : vector<16xf32>, vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def SoftwarePipeliningPass : Pass<"kgen-software-pipelining", "::mlir::func::FuncOp"> {
  let summary = "Overlap stages of two or three steps of loops that compute functions.";
  let description = [{
    A function of a vector is one chain of operations, each of which waits for the one before it. A CPU overlaps the chains of
    several steps only as far as its schedulers reach: some 64 instructions, of which one step of two vectors has 40 or more.
    Software pipelining cuts a step into two or three stages of about the same time, where the fewest vectors are carried from one
    to another, and puts each stage beside the earlier ones of the next steps, in the order in which their operands are ready, so
    that what is waited for is done meanwhile. The first stages of the first steps come before the loop, the last ones of the last
    steps after it. Steps of 50 cycles or more have three stages if what is carried takes 9/16 of the registers or less: constants
    want some, too.

    This is done by upstream's `scf::pipelineForLoop` to innermost loops whose steps are a chain of 40 cycles or more, with four
    steps or more and 160 instructions at most (an operation on two vectors is two), without values that they carry themselves, and
    if no step reads what another one writes. A branch that needs no memory is one operation. Masks are made beside what uses them,
    as registers for them are few.

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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandBf16Pass : Pass<"kgen-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "Turn bf16 into i16, and its conversions into shifts and additions.";
  let description = [{
    Widening shifts by 16 bits; rounding is to nearest, ties to even (of a rounding that is marked with `kgen.result_precision`, away from
    0), NaN stays NaN, by a test unless `kgen.canonical_nans` says that there is no need for one, and subnormal numbers keep their value. The upper halves of rounded vectors are one shuffle, which takes
    two registers at once.
    The results have the same bits on every target; `vcvtneps2bf16` is not used, because it takes subnormal numbers for
    zeros. Everything else that holds bf16 (buffers, vectors, constants) holds i16 afterwards: LLVM has no registers for
    bf16 on most CPUs, and converts such values by calling a function wherever they cross a branch. Instructions that take
    bf16 (`x86vector`, intrinsics) get casts. Integers become bf16 by way of f32, which is how the canonicalizer's
    `arith.sitofp` to bf16 came about. Any other arithmetic in bf16 is an error.

    ```mlir
    %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
    ```
    becomes
    ```mlir
    %i = arith.extui %x : vector<16xi16> to vector<16xi32>
    %s = arith.shli %i, %sixteen : vector<16xi32>
    %w = arith.bitcast %s : vector<16xi32> to vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandF16Pass : Pass<"kgen-expand-f16", "::mlir::ModuleOp"> {
  let summary = "Turn f16 into i16, and its conversions into arithmetic, where the target cannot convert it.";
  let description = [{
    If the target has F16C, LLVM uses its instructions, and this pass only copies signs of numbers that were rounded to whole ones,
    which they have already, before they become f16: LLVM would round them in f16, one by one. Elsewhere it would call a function for
    each element.
    The results have the same bits as those of the instructions: rounded to nearest, ties to even; subnormal numbers,
    infinities and zeros keep their value and sign; NaN keeps its upper digits and becomes quiet. Everything else that holds
    f16 (buffers, vectors, constants) holds i16 afterwards. Any other arithmetic in f16 is an error.

    ```mlir
    %w = arith.extf %x : vector<4xf16> to vector<4xf32>
    ```
    becomes some 15 operations of `arith` on `vector<4xi32>` and `vector<4xf32>`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TppToLinalgPass : Pass<"kgen-tpp-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower tile operations that are no contractions to linalg.generic.";
  let description = [{
    Elementwise operations get their scalar code (`buildScalar`) as body, with conversions around it; `tpp.reduce` and `tpp.transpose`
    become generics, too, and `tpp.vnni_pack` a transposing generic on `[k / v, v, n]`, or one that asks for the index where v does not
    divide k. On tensors and, unless `buffers=false`, on memrefs.

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
  let options = [Option<"buffers", "buffers", "bool", /*default=*/"true", "Lower operations on memrefs, too">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::memref::MemRefDialect", "::kgen::KgenDialect"];
}

#endif
