#ifndef KGEN_TRANSFORMS_VECTORIZE_PASSES_TD
#define KGEN_TRANSFORMS_VECTORIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VectorizePass : Pass<"kgen-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg.generic on tensors into loops over vectors.";
  let description = [{
    Collapses dimensions that every operand walks through together, chooses one dimension to vectorize (contiguous in the
    result, or in the inputs of a reduction), and writes loops over tensors whose innermost one moves vectors of the
    target's width. What does not fill a vector becomes one operation on a shorter vector of exactly that many elements,
    so nothing is read or written out of bounds and no scalar remainder is left. Elementwise operations with functions (exp, gelu)
    are written for vectors of twice the width, which LLVM splits into two chains of instructions that a CPU overlaps, unless one
    alone takes most of 32 registers (pow); other long loops for as many elements as a cache line has. Reductions along the vectors keep vectors of
    partial results, and walk through the largest operand as it lies in memory. Short rows are reduced as many at a time as there are
    lanes, or as a group of 128 bits has: their vectors are interleaved until each lane has a row's result. Reductions of few rows across
    vectors stay in registers, other ones go through memory row by row, four rows at a time, over panels of columns whose
    results stay in the first-level cache. Indices become vectors of consecutive numbers. An operand that is not contiguous in the
    chosen dimension is gathered element by element, except where a copy puts two or four rows next to each other, as packs for
    dot products do, or each element several times: vectors are interleaved. Copies from and to up to six places next to each
    other (three without AVX-512) gather lanes of as many vectors.

    A tensor that the body reads at a place which it computes (`tensor.extract`) is read by vectors where the place moves by one
    from lane to lane, forwards or backwards: rows that are found by an index, borders, strides of outer dimensions. What is the
    same for all lanes is computed once, outside of the loop over vectors. Places of f32 that grow along a constant table, so slowly that those
    of a vector lie in a register or two, are lanes of these (`kgen.dynamic_permute`): the points of resized images. Other places are read
    one by one.

    Sums, products and extremes over windows of images whose channels come last become loops over vectors of channels, several pixels
    at a time. An image may be read at all channels of the group that a channel belongs to, a power of two of them
    (`(c floordiv 4) * 4 + j`): each of them is spread over the group's lanes. Windows over one image whose columns come last become
    loops over vectors of neighbours in a row of the result: what the taps of a column read is combined as it lies in memory, and every
    second to fourth element of it is taken where windows move by as many columns. What two vectors of results need of it the loop
    carries.

    What is computed of an element and of a number for its row (f32, AVX2) is computed as if all rows were one, where rows fill no whole
    vectors: of as many rows as there are lanes, a register has the numbers, and a table says which one an element needs
    (`kgen.dynamic_permute`). So it is in rows of two thirds of a vector to a whole one; in those of up to four vectors whose last one would
    hold an eighth or less, or a single element of 16 bits; and where results go past the caches, which is done in whole lines then
    (kgen-non-temporal-stores). Rows of six to eight vectors of 512 bits whose last one is nearly full stay in registers instead.
    Other results that go past the caches in rows that begin within lines, those of 1000 elements of 16 bits or those of odd lengths with a
    number for each column, are made line by line, from one row that begins with a line to the next one that does. Lines that end a row
    and begin the next one are made from what both need.

    Divisions and functions of an elementwise operation whose operands are the same along some loops, like 1 / sum of a row,
    become an operation of their own over the other loops.

    Operations with several results or with other than projected permutations as maps are left
    alone and become scalar loops later.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect", "::mlir::affine::AffineDialect"];
}

#endif
