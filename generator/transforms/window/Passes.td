#ifndef KGEN_TRANSFORMS_WINDOW_PASSES_TD
#define KGEN_TRANSFORMS_WINDOW_PASSES_TD

include "mlir/Pass/PassBase.td"

def WinogradPass : Pass<"kgen-winograd", "::mlir::ModuleOp"> {
  let summary = "Compute convolutions of 3 x 3 windows by Winograd's minimal filtering, where that is allowed and pays.";
  let description = [{
    In functions with `kgen.winograd = m`, m = 2 or 4: a `tpp.brgemm` of f32 that reads an image through 3 x 3 windows which are one
    apart, with constant filters, becomes loops over tiles of 2 x 2 or, if m is 4, also 4 x 4 results (S. Winograd, "Arithmetic
    complexity of computations", 1980; A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015). A tile of t x t results
    takes P = (t + 2)^2 products for each channel and filter instead of 9 t^2: 2.25 times fewer for t = 2, 4 times fewer for t = 4.

    Filters are transformed here, in double. Rows of tiles are worked on a block at a time, so that what is between the steps stays
    in the second cache and in memory for one block: the windows of the block's tiles are transformed, vectors of channels at a
    time, into `[P, tiles, channels]`; one `tpp.gemm` with a batch of P multiplies them with the filters; its results
    `[P, tiles, filters]` are transformed back and go through the epilogue of the original operation. Zeros around the image, and
    what tiles at its end read beyond it, are not in memory: elements are loaded from inside of it and masked.

    Upstream has `linalg.winograd_*`: they transform whole images at a time, each channel of a tile by itself, as products of
    6 x 6 matrices, and keep the filters' transformation in the code.

    A tile size, or the direct product, is chosen by what is estimated to take the fewest cycles (WinogradPlan.cpp has the
    formulas): multiply-adds, operations of the transforms, and lines of caches that move. Tiles must save a tenth.

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
           "Rows of tiles in a block, with the largest tiles wherever they are possible; 0: what pays">,
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::mlir::ub::UBDialect"];
}

def FoldPadIntoContractionsPass : Pass<"kgen-fold-pad-into-contractions", "::mlir::func::FuncOp"> {
  let summary = "Leave out the zeros that windows of contractions read of pads.";
  let description = [{
    A pad with zeros that only contractions of floats of one type read as A, through reshapes and as parts of it, becomes a
    `tpp.implicit_pad` of what it pads: their micro-kernels then leave out the products with zeros, and nothing is copied. Depthwise
    windows (kgen-vectorize) do so by themselves; panels of one column make dot products, which cannot.

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
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::kgen::tpp::TppDialect"];
}

def LowerPadsPass : Pass<"kgen-lower-pads", "::mlir::func::FuncOp"> {
  let summary = "Turn pads with a constant into fills of the border and an insertion.";
  let description = [{
    Only the border is filled, box by box; what is padded is inserted into the middle, where its producer can often compute
    it in place (kgen-write-to-caller). A pad of nothing is what it pads. With `keep-windows`, pads that loops over windows
    leave out (kgen-vectorize) stay.

    ```mlir
    %p = tensor.pad %x low[0, 1] high[0, 0] { ... yield 0.0 } : tensor<4x7xf32> to tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %s = tensor.extract_slice %e[0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
    %z = linalg.fill ins(%zero : f32) outs(%s : tensor<4x1xf32>) -> tensor<4x1xf32>
    %b = tensor.insert_slice %z into %e[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
    %p = tensor.insert_slice %x into %b[0, 1] [4, 7] [1, 1] : tensor<4x7xf32> into tensor<4x8xf32>
    ```
  }];
  let options = [Option<"keepWindows", "keep-windows", "bool", "false", "Leave pads to windows that do without them.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
