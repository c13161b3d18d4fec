#ifndef KGEN_TRANSFORMS_WINDOW_PASSES_TD
#define KGEN_TRANSFORMS_WINDOW_PASSES_TD

include "mlir/Pass/PassBase.td"

def WinogradPass : Pass<"kgen-winograd", "::mlir::ModuleOp"> {
  let summary =
      "Compute 3 x 3 convolutions by Winograd's minimal filtering, if allowed and profitable.";
  let description = [{
    Precondition: convolutions are `tpp.brgemm` with complete epilogues (kgen-fuse-epilogues) and
    unpacked B (kgen-assign-layouts runs later). Pads are `tensor.pad`
    (kgen-fold-pad-into-contractions and kgen-lower-packs run later). Postcondition: a rewritten
    convolution is loops around one `tpp.gemm`, which kgen-assign-layouts and
    kgen-gemm-to-macro-kernel handle, and vector code that is final.

    Applies to a `tpp.brgemm` if all hold:
      the function has `kgen.winograd = m`, m = 2 or 4
      all types are f32; the filters are constant; the order of sums is free
      A is `[images, height, width * channels]`, read through 3 x 3 windows of stride 1
      vectors along the filters can read every operand of the epilogue
      the plan with the fewest estimated cycles (WinogradPlan.cpp has the formulas) takes less than
        0.9 of the direct convolution

    An output tile has 2 x 2 or, if m is 4, also 4 x 4 results (S. Winograd, "Arithmetic complexity
    of computations", 1980; A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks",
    2015). A tile of t x t results takes P = (t + 2)^2 products for each channel and filter instead
    of 9 t^2: 2.25 times fewer for t = 2, 4 times fewer for t = 4.

    Filters are transformed by the pass, in double. Rows of output tiles are computed a block at a
    time, so that intermediate tensors stay in L2:

    | phase     | code                                                            | result                   |
    |-----------|-----------------------------------------------------------------|--------------------------|
    | input     | vectors of channels: B^T d B of each input tile                 | `[P, tiles, channels]`   |
    | multiply  | one `tpp.gemm` with a batch of P                                | `[P, tiles, filters]`    |
    | output    | vectors of filters: A^T m A, then the epilogue                  | the result's rows        |

    Implicit padding, and what input tiles at the image's end read beyond it, is not in memory:
    loads are clamped and masked.

    Upstream's `linalg.winograd_*` transforms whole images at a time, each channel of a tile by
    itself, as products of 6 x 6 matrices, and transforms the filters at run time.

    ```mlir
    scf.for %rows = %c0 to %c14 step %c2 iter_args(%result = ...) {
      %windows = scf.forall (%row) in (2) ... { vectors: B^T d B } -> tensor<36x28x64xf32>
      %sums = tpp.gemm ins(%windows, %filters) ... -> tensor<36x28x64xf32>
      %next = scf.forall (%row) in (2) shared_outs(%out = %result) ... { vectors: A^T m A, epilogue }
    }
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", /*default=*/"0",
           "Rows of output tiles in a block, with the largest tiles wherever they are possible; 0: what is estimated to be fastest">,
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task must have to be worth its start">
  ];
  let statistics = [
    Statistic<"numRewritten", "rewritten", "Convolutions by Winograd's minimal filtering">,
    Statistic<"numRefused", "refused",
              "3 x 3 convolutions of another form, or estimated to be faster without">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::mlir::ub::UBDialect"];
}

def FoldPadIntoContractionsPass : Pass<"kgen-fold-pad-into-contractions", "::mlir::func::FuncOp"> {
  let summary = "Fold pads with zeros into contractions that read them through windows.";
  let description = [{
    Precondition: the layout of B is decided (kgen-assign-layouts); pads are `tensor.pad`
    (kgen-lower-packs has not run). Postcondition: a folded pad is a `tpp.implicit_pad`, which
    kgen-gemm-to-macro-kernel skips; kgen-lower-packs copies the others.

    Applies to a pad with zeros if each use is one of these, and at least one is a contraction:

    | use                     | condition                                                                                         |
    |-------------------------|---------------------------------------------------------------------------------------------------|
    | A of a contraction      | floats of one type, no VNNI layout; B is not packed into panels of one column (dot products read all of A); no padded dimension of A depends on n, or on both reduction dimensions |
    | reshape, slice          | padded dimensions stay separate, or are the outermost of a collapsed group; all its uses qualify  |
    | reduce-window           | kgen-vectorize folds the padding itself                                                           |

    Micro-kernels skip the products with the padding, and the padded tensor is never in memory. With
    `by-element`, kernels look at each element's place (kgen-map-to-gpu): any contraction of floats
    qualifies whose B is as it came.

    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { ... yield 0.0 } : tensor<1x56x56x64xf32> to tensor<1x58x58x64xf32>
    %a = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<1x58x58x64xf32> into tensor<1x58x3712xf32>
    ```
    becomes
    ```mlir
    %c = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<1x56x56x64xf32> into tensor<1x56x3584xf32>
    %a = tpp.implicit_pad %c low [0, 1, 64] high [0, 1, 64] : tensor<1x56x3584xf32> -> tensor<1x58x3712xf32>
    ```
  }];
  let options = [Option<"byElement", "by-element", "bool", /*default=*/"false",
                        "Kernels find out for each element whether it is padding.">];
  let statistics = [
    Statistic<"numFolded", "folded", "Pads folded into contractions">,
    Statistic<"numRefused", "refused", "Pads that a contraction reads but that stay in memory">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::kgen::tpp::TppDialect"];
}

#endif
