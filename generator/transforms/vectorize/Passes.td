#ifndef KGEN_TRANSFORMS_VECTORIZE_PASSES_TD
#define KGEN_TRANSFORMS_VECTORIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VectorizePass : Pass<"kgen-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg.generic on tensors into loops over vectors.";
  let description = [{
    Precondition: linalg.generic on tensors; sizes are constant, or have bounds (`kgen.size`), and
    `lowering_config` says which tiles stay in registers (`unroll = 0`) (kgen-cache-tiling), by
    which strategy each op is vectorized and in which vectors (`strategy` and `vector`,
    kgen-select-tiling with `level=vector`). Postcondition: loops over vectors on tensors
    (vector.transfer_read and transfer_write in bounds), which bufferization and
    kgen-non-temporal-results rely on; what has no vector form stays a linalg.generic and becomes
    scalar loops.

    An op whose strategy does not match, or has other vectors, is an error. What is not written on
    an op is decided in the same way as in kgen-select-tiling, so that the pass can be run alone.

    | strategy | matches |
    |---|---|
    | `windows-nhwc` | sums, products, extrema over windows of NHWC images; vectors of channels, several pixels at a time; grouped channels `(c floordiv 4) * 4 + j` are broadcast to their group's lanes. Products of bytes take several taps at once; those of a constant filter lie beside each other, in a constant that is made at build time. An elementwise op that alone reads the result is fused; of bytes, what it selects by a number of the channel is a branch for all channels of a vector, or of a block |
    | `windows-nchw` | sums, extrema over windows of NCHW images; vectors of neighbours in a row. The taps of a column are combined as they are in memory, then every second to fourth column is taken if windows move by as many. The loop carries the columns that two vectors share. An elementwise op that alone reads the result is fused |
    | `byte-rows` | depthwise convolutions of bytes on NCHW images, for CPUs that pack with saturation and have no dot products of bytes; vectors of neighbours in a row, whose pairs of taps are shuffled out of the bytes of a row. A row is read once for all rows of results that it is added to, whose sums stay in registers; two vectors that are a whole row share what is read and are written at once, over the beginning of the next row. Pairs of a constant filter are made at build time. Applies if rows begun are at most `max_rows_begun` besides one, or `max_rows_begun_in_full` where no result is in two vectors, if a plane has `min_results_per_tap`, if vectors have at most a third of their results twice, with strides of columns of at most 2. An elementwise op that alone reads the result is fused; what it selects by a number of the channel is a branch around the code of the channel |
    | `interleaved-copies` | copies [..., v, n] to [..., n, v] or back, v is 2 or 4, or up to 6 (3 without AVX-512): vectors are interleaved |
    | `pair-shuffles` | elementwise ops of static pairs, in which an element reads the other one of its pair: vectors of whole pairs, shuffled |
    | `flattened-rows` | elementwise ops with a full operand and one f32 per row, AVX2, rows that fill no whole vectors |
    | `full-lines` | elementwise ops with rows that begin within cache lines; pays for results that exceed the last-level cache |
    | `vector-loops` | anything else with linear indices and one result; the only one for dynamic sizes |
    | `scalar-loops` | all ops: a linalg.generic remains |

    *Loops over vectors.* The vectorized dimension is contiguous in the result, or in the inputs of
    a reduction. The remainder is one shorter vector, so that nothing is accessed out of bounds.
    Mathematical functions get vectors of twice the width, which LLVM splits into two chains of
    instructions that overlap, unless a function alone takes most of 32 registers (pow); other long
    loops get a cache line. Another power of two can be written, up to half of the registers. An
    operand that is contiguous along another dimension is transposed in registers, or read element
    by element.

    *Reductions* along the vectors keep vectors of partial results and follow the memory order of
    the largest operand. Short rows are reduced as many at a time as there are lanes, or elements in
    128 bits. Reductions of few rows across vectors stay in registers; others go row by row, four at
    a time, over panels of columns whose accumulators stay in the L1.

    *Dynamic sizes.* Loops end at values. What whole vectors leave over is masked, if the target
    masks lanes of the operands' width and nothing in the body traps; else it is computed in vectors
    of half the width, a quarter of it and so on. Only sizes without a remainder (by what divides
    them) need neither. A group of collapsed dimensions has at most one dynamic size; rows of whole
    vectors stay separate. Decisions that depend on a size take its greatest number. Sums along a
    dynamic size are added in the order of a constant one of at least a vector: what is left over
    are parts of their own, whose other lanes are neutral, or take the place of the chains in short
    rows. Of a dynamic number of rows that are reduced together, those that are left over are
    reduced in the same order, so that no row depends on how many there are. Transposes whose
    dynamic size is less than a block are done element by element.

    *Computed indices* (`tensor.extract`): indices that move by one from lane to lane, forwards or
    backwards, give vectors; an index that all lanes share is computed before the loop; f32 at
    indices of a sorted constant table, which span at most two registers, are gathered in registers
    (`kgen.dynamic_permute`), like the points of resized images; others are read one by one.

    *Flattened rows.* A register holds one element for each of as many rows as there are lanes, and
    a table says which of them an element needs (`kgen.dynamic_permute`). This pays for rows of two
    thirds of a vector to a whole one, for rows of up to four vectors whose last one holds at most
    an eighth (or one element, if the result has 16 bits), and for results that exceed the
    last-level cache. Rows of six to eight vectors of 512 bits whose last one is nearly full stay in
    registers instead.

    *Full lines.* The code for rows between two that begin with a cache line is unrolled; vectors
    that end a row and begin the next one are made of both.
  }];
  let statistics = [
    Statistic<"numWindows", "windows", "Windows vectorized">,
    Statistic<"numVectorized", "vectorized", "Other operations vectorized">,
    Statistic<"numScalar", "scalar", "Operations left to scalar loops">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect", "::mlir::affine::AffineDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif
