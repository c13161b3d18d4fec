#ifndef KGEN_TRANSFORMS_DECOMPOSE_PASSES_TD
#define KGEN_TRANSFORMS_DECOMPOSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeNamedOpsPass : Pass<"kgen-decompose-named-ops", "::mlir::func::FuncOp"> {
  let summary =
      "Make loops of operators by name: softmax, log-sum-exp, normalization, index of an extremum, "
      "cumulative sum, first elements in order, sampled image, rotary embedding, product of bytes.";
  let description = [{
    Precondition: tensors, whose sizes are static or have bounds (`kgen.size`). Attention has been
    recognized (kgen-fuse-attention), and elementwise operations have not been fused yet, so that
    those before and after join the loops. With `products-only`, it may be before all that, and
    takes products of bytes apart, which are contractions then. Postcondition: no operation of
    `dialect/kgen/NamedOps.td` is left, or no product of bytes.

    | operation | form, an attribute `kgen.form` of its last loop that `kgen explain` shows | where |
    |---|---|---|
    | `kgen.softmax` | maximum, exponentials, their sum, quotient; the maximum of rows of 16-bit floats is one of integers (`min_integer_maximum_row`) | a cache keeps the exponentials (`max_cached_axis`, `max_axis_rows_read_again`) |
    | | maximum and sum, then the exponentials once more | no cache keeps them |
    | `kgen.softmax` with `logarithm`, `kgen.log_sum_exp` | maximum, sum of exponentials, difference or sum with its logarithm | |
    | maximum and sum of any | of blocks of the axis, then of these | no cache keeps the axis between two readings (`max_cached_axis`, `max_axis_rows`) and a length divides it. With few slices besides (`min_slices`), tasks divide the blocks |
    | `kgen.arg_extremum` | the extremum, then the first or last index of what equals it | |
    | | of blocks of the axis, then of these | no cache keeps the axis between the two (`max_cached_axis`, `max_axis_rows`) and a length divides it |
    | `kgen.cumulative_sum` | sums of several rows at a time, in registers (`independent_chains`) | along the last dimension |
    | | sums of all elements after the axis at a time | along others |
    | `kgen.top_k` | one pass over a row for each element that is found, on vectors of rows | of short rows (`max_top_k_row`), as many as a vector has lanes (`min_top_k_rows`) |
    | | the largest of blocks (`min_top_k_block`), of which the one is searched again that an element was found in | of others. Tasks divide the rows (`min_top_k_work`) |
    | `kgen.grid_sample` | points of one channel in a vector | |
    | | channels of one point in a vector: the image and the result are transposed | of channels as many as `min_sampled_channels` |
    | `kgen.normalization` | mean, sum of squares, product with the inverse deviation | |
    | | the inverse is rounded once, or elements are divided by the root | `rounded_quotient` of f32 or f64: with fused multiply-adds, or without them |
    | | rows are converted to f32 before | of bf16, with scales along them, as long as L1 keeps them and more than one is not read at a time (`min_converted_row`, `max_converted_row`), and in a cache (`max_cached_bytes`) |
    | its scale and bias | constants of 16 bits are converted when code is generated | but for long ones beside rows from memory (`max_converted_parameters`) |
    | `kgen.rotary_embedding` | the first halves of rows, then the second ones | |
    | | each element by its neighbour, over pairs, which kgen-vectorize exchanges in registers; cosines and sines that are elements of pairs themselves are read where they lie | `interleaved`, of sizes that are known |
    | | slices of neighbours | `interleaved`, of others |
    | `kgen.quantized_product` | a product of bytes in i32, less terms of zero points: `sum(a b) - za (sum(b) - K zb) - zb sum(a)`; times the scales | what depends on constants alone is computed when code is generated |

    The quotient of a softmax is a product with the inverse of the sum. Exponentials that are too
    small to change the sum, and results that would be subnormal, are 0.

    With `by-definition`, what operations compute by AggregatedOpInterface: plain loops, which code
    is compared with.

    ```mlir
    %y = kgen.softmax %x along [1] : tensor<8x16xf32> -> tensor<8x16xf32>
    ```
    becomes
    ```mlir
    %m = linalg.generic ... ins(%x) { maximum of rows }
    %e = linalg.generic ... ins(%x, %m) { kgen.exp_or_zero of the difference }
    %s = linalg.generic ... ins(%e) { sum of rows }
    %y = linalg.generic ... ins(%e, %s) { product with 1 / sum } {kgen.form = "exponentials kept"}
    ```
  }];
  let options = [
    Option<"productsOnly", "products-only", "bool", "false",
           "Take apart products of bytes alone, which become contractions">,
    Option<"byDefinition", "by-definition", "bool", "false",
           "The loops of the definition, for every target">
  ];
  let statistics = [Statistic<"numDecomposed", "decomposed", "Operations that became loops">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
}

def OrderWindowsPass : Pass<"kgen-order-windows", "::mlir::func::FuncOp"> {
  let summary = "Reduce windows over images along rows, or with channels last; convolve groups.";
  let description = [{
    Precondition: tensors, whose sizes are static or have bounds (`kgen.size`). Transpositions are
    `linalg.transpose`.

    Reductions over windows of images in the order [n, c, rows, columns], as pooling operators have
    them and MLIR's, work along rows. Images whose rows are short get their channels last, so that
    vectors hold channels: what follows element by element moves with them, and one transposition
    each is at both ends, if no other one is there that it cancels.

    | windows | when |
    |---|---|
    | along rows | results have rows as long as `min_pooled_row`, or as `min_pooled_row_from_memory` where no cache keeps the image (`max_cached_pixels`), and strides are at most 4 |
    | with channels last | else, and where images come so |

    Convolutions in groups, of images [n, rows, columns, group, channels], become products of
    matrices:

    | products | when |
    |---|---|
    | one for each group, whose pixels are next to each other in a transposed image | channels of several groups share a line of the cache, the taps of a row are next to each other, and there are `min_reuse_per_stride` of them for each pixel of the stride |
    | one for each group and column of the window | else |

    ```mlir
    %s = linalg.generic ... ins(%x, %w : tensor<2x16x6x6xf32>, tensor<3x3xf32>) outs(%i : tensor<2x16x4x4xf32>)
    %y = linalg.generic ... ins(%s : tensor<2x16x4x4xf32>) { quotient }
    ```
    becomes
    ```mlir
    %t = linalg.transpose ins(%x : tensor<2x16x6x6xf32>) outs(%e : tensor<2x6x6x16xf32>) permutation = [0, 2, 3, 1]
    %s = linalg.generic ... ins(%t, %w : tensor<2x6x6x16xf32>, tensor<3x3xf32>) outs(%i : tensor<2x4x4x16xf32>)
    %q = linalg.generic ... ins(%s : tensor<2x4x4x16xf32>) { quotient }
    %y = linalg.transpose ins(%q : tensor<2x4x4x16xf32>) outs(%f : tensor<2x16x4x4xf32>) permutation = [0, 3, 1, 2]
    ```
  }];
  let statistics = [
    Statistic<"numMoved", "moved", "Reductions that got their channels last">,
    Statistic<"numConvolutions", "convolutions", "Convolutions in groups that became products">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def KeepImageOrderPass : Pass<"kgen-keep-image-order", "::mlir::func::FuncOp"> {
  let summary =
      "Convolve images of bytes along their rows, where they would only be transposed for it.";
  let description = [{
    Precondition: elementwise operations are fused (kgen-fuse-epilogues), and transpositions have
    moved as far as they go. Postcondition: kgen-vectorize takes the convolution as it is
    (`byte-rows`), and folds its padding.

    A depthwise convolution gets its channels last when it is decomposed, so that vectors hold
    channels. Where no neighbour keeps that order, what is left are transpositions of the image and
    of the result, which cost as much as a third of a convolution of bytes on CPUs without dot
    products of bytes. There, vectors along rows of the image take fewer instructions, too.

    Applies if all hold:
      a copy transposes the image, and only the convolution reads it, padded or not
      one elementwise operation makes bytes of the sums, and one copy transposes these back
      kgen-vectorize takes it as `byte-rows`: the target packs with saturation and has no dot
        products
      of bytes, and planes and rows are long enough
      no schedule tiles rows or columns of the images

    ```mlir
    %t = linalg.generic ... ins(%x : tensor<1x32x14x14xi8>) outs(%e : tensor<1x14x14x32xi8>) { copy }
    %s = linalg.generic ... ins(%t, %w : tensor<1x14x14x32xi8>, tensor<3x3x32xi8>) outs(%f : tensor<1x12x12x32xi32>) { sums }
    %q = linalg.generic ... ins(%s, %scale : tensor<1x12x12x32xi32>, tensor<32xf32>) outs(%g : tensor<1x12x12x32xi8>) { bytes }
    %y = linalg.generic ... ins(%q : tensor<1x12x12x32xi8>) outs(%h : tensor<1x32x12x12xi8>) { copy }
    ```
    becomes
    ```mlir
    %s = linalg.generic ... ins(%x, %w : tensor<1x32x14x14xi8>, tensor<3x3x32xi8>) outs(%f : tensor<1x32x12x12xi32>) { sums }
    %y = linalg.generic ... ins(%s, %scale : tensor<1x32x12x12xi32>, tensor<32xf32>) outs(%h : tensor<1x32x12x12xi8>) { bytes }
    ```
  }];
  let statistics = [Statistic<"numRestored", "restored", "Convolutions along rows of images">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
