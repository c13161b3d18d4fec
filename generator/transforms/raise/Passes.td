#ifndef KGEN_TRANSFORMS_RAISE_PASSES_TD
#define KGEN_TRANSFORMS_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BatchMatmulToMatmulPass : Pass<"kgen-batch-matmul-to-matmul", "::mlir::func::FuncOp"> {
  let summary = "Turn batches that need not be batches into matrix products.";
  let description = [{
    A batch dimension of one element is dropped. A B that is broadcast along the batch is read where it comes from, and a
    batch that shares its B becomes more rows, where A and C walk through batch and rows together.

    ```mlir
    %r = linalg.generic {indexing_maps = [(b, m, n, k) -> (b, m, k), (b, m, n, k) -> (k, n), (b, m, n, k) -> (b, m, n)], ...}
        ins(%a, %b : tensor<3x4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) { multiply and add }
    ```
    becomes
    ```mlir
    %a2 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
    %r2 = linalg.matmul ins(%a2, %b : tensor<12x8xf32>, tensor<8x5xf32>) outs(%c2 : tensor<12x5xf32>)
    %r = tensor.expand_shape %r2 [[0, 1], [2]] ... : tensor<12x5xf32> into tensor<3x4x5xf32>
    ```
    The optimized pipeline does the same to tile operations (kgen-gemm-to-macro-kernel), without reshapes.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BatchReduceToMatmulPass : Pass<"kgen-batch-reduce-to-matmul", "::mlir::func::FuncOp"> {
  let summary = "Turn batch reductions over one element into matrix products.";
  let description = [{
    Of a contraction over several reductions, those with one step are dropped: `linalg.batch_reduce_matmul` of
    `tensor<1x4x8xf32>` and `tensor<1x8x5xf32>` becomes `linalg.matmul` of the operands without their first dimension. The
    same holds for a `linalg.generic` that computes this.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def MatmulToBatchReducePass : Pass<"kgen-matmul-to-batch-reduce", "::mlir::func::FuncOp"> {
  let summary = "Cut the reduction of a contraction into blocks.";
  let description = [{
    A contraction over k = r * block becomes one over r and block, on operands that are seen through `tensor.expand_shape`.
    The block is `k-block` or, if that is 0, the target's (`k` in `block_layout_f32`); where it does not divide k, or k is not
    larger, the contraction stays.

    ```mlir
    %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
    ```
    becomes, for blocks of 32,
    ```mlir
    %a2 = tensor.expand_shape %a [[0], [1, 2]] ... : tensor<4x96xf32> into tensor<4x3x32xf32>
    %b2 = tensor.expand_shape %b [[0, 1], [2]] ... : tensor<96x5xf32> into tensor<3x32x5xf32>
    %r = linalg.generic {indexing_maps = [(m, n, r, k) -> (m, r, k), (m, n, r, k) -> (r, k, n), (m, n, r, k) -> (m, n)], ...}
        ins(%a2, %b2 : tensor<4x3x32xf32>, tensor<3x32x5xf32>) outs(%c : tensor<4x5xf32>) { multiply and add }
    ```
  }];
  let options = [Option<"kBlock", "k-block", "int64_t", "0", "Steps of a block; 0: as the target says.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RecognizeBatchReducePass : Pass<"kgen-recognize-batch-reduce", "::mlir::func::FuncOp"> {
  let summary = "Bring contractions over two reductions into one form.";
  let description = [{
    The loops get the order (batch..., m, n, r, k): the dimensions of the result first, then the blocks of the reduction,
    then the steps of a block, which are those that lie next to each other in A. What has no batch and operands `[r, m, k]`
    and `[r, k, n]` of one type gets its name, `linalg.batch_reduce_matmul`.

    With `outer-loops`, the batch (for blocked operands: the blocks of rows and columns) becomes a `scf.forall`, so that
    what is left inside has that form:

    ```mlir
    %r = scf.forall (%i, %j) in (4, 2) shared_outs(%c = ...) -> (tensor<4x2x16x32xf32>) {
      %t = linalg.batch_reduce_matmul ins(%ai, %bj : tensor<8x16x64xf32>, tensor<8x64x32xf32>)
          outs(%cij : tensor<16x32xf32>) -> tensor<16x32xf32>
      ...
    }
    ```
  }];
  let options = [Option<"outerLoops", "outer-loops", "bool", "false", "Turn the batch into loops.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def VnniPackPass : Pass<"kgen-vnni-pack", "::mlir::func::FuncOp"> {
  let summary = "Put the elements that one dot-product instruction reads next to each other.";
  let description = [{
    The reduction of contractions of bf16 is split by 2 if the target has avx512bf16 or amx-bf16, that of i8 by 4 if it has
    avx512vnni, avxvnni or amx-int8: B becomes `[k/2, n, 2]`, or the same within blocks, and A `[m, k/2, 2]`, which is the
    same memory. An odd k is padded with zeros. Nothing else is touched, nor what has been packed so already.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def CompareSelectToMaxPass : Pass<"kgen-compare-select-to-max", "::mlir::func::FuncOp"> {
  let summary = "Turn compare and select into maximum and minimum.";
  let description = [{
    Only where the result is the same for every input. One of the two values must be a constant c that is not a NaN; x is
    the other one. What the selection gives for a NaN decides: if it is x, the operation is `arith.maximumf` or
    `arith.minimumf`; if it is c, it is `arith.maxnumf` or `arith.minnumf`. Zeros compare equal, but -0 is less than +0 for
    `maximumf` and `minimumf`, and `maxnumf` and `minnumf` may take either. So if c is a zero, only selections whose choice
    between zeros is that of `maximumf` or `minimumf` are rewritten:

    | selection | becomes |
    |---|---|
    | `x ugt c ? x : c`, `x ult c ? c : x`, ... of any c but -0 | `maximumf x, c` |
    | `x uge c ? x : c`, `x ole c ? c : x`, ... of any c but +0 | `maximumf x, c` |
    | `x ogt c ? x : c`, `x oge c ? x : c`, ... of any c but zeros | `maxnumf x, c` |

    and likewise for minima. Without a constant, no operation gives the same for a NaN on either side.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ContractionsToTppPass : Pass<"kgen-contractions-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg contractions into tpp.gemm and tpp.brgemm.";
  let description = [{
    Takes every linalg operation on tensors that multiplies and adds, with one reduction dimension (`tpp.gemm`) or two
    (`tpp.brgemm`), in whatever order its operands are indexed: the last dimension of the result is n and the one before it m
    if only one of the operands has it, and what is missing has size one, so that products with vectors are contractions, too.
    Products of bf16 are added up in f32. A reduction of the type's VNNI factor that is innermost in both operands makes B one
    panel. A zero fill of the result disappears: the gemm then starts from zero instead of accumulating.

    ```mlir
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>) attributes {...} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x8xf32>
    ```
    Contractions that do more to their operands than extend, multiply and add them stay as they are.
  }];
  let options = [
    Option<"sequential", "sequential", "bool", /*default=*/"false",
           "Let every sum be one chain of multiply-adds over ascending k">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Report contractions on tensors that cannot become tile operations as errors">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def LinalgToTppPass : Pass<"kgen-linalg-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Raise linalg to named tile operations.";
  let description = [{
    A `linalg.generic` (or a named operation that generalizes to one) whose body is the scalar code of an elementwise tile
    operation becomes that operation; also zero fills, transposes and reductions by one combining operation. The code that is
    looked for is what the operation's own `buildScalar` makes, so what kgen-tpp-to-linalg wrote is recognized again. Relu is
    recognized in each way to write `0 > x ? 0 : x` with the same result for NaN and -0. Static shapes only; everything else stays.

    ```mlir
    %r = linalg.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %r = tpp.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::kgen::KgenDialect"];
}

def TilePass : Pass<"kgen-tile", "::mlir::func::FuncOp"> {
  let summary = "Cut operations on tensors into loops over tiles of given sizes.";
  let description = [{
    Every contraction, of linalg or tpp, becomes nested loops over `tensor.extract_slice` and `tensor.insert_slice`: one size
    for each loop of the operation, 0 leaves a loop whole. Reductions may be cut where the operation adds to its result.
    Nothing is placed in memory by this; buffers and layouts are decided later.

    With `sizes=2,3,4`
    ```mlir
    %r = linalg.matmul ins(%a, %b : tensor<16x1024xf32>, tensor<1024x33xf32>) outs(%c : tensor<16x33xf32>) -> tensor<16x33xf32>
    ```
    becomes three loops around
    ```mlir
    %t = linalg.matmul ins(%as, %bs : tensor<2x4xf32>, tensor<4x3xf32>) outs(%cs : tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let options = [
    ListOption<"sizes", "sizes", "int64_t", "Size of the tiles for each loop">,
    Option<"parallel", "parallel", "bool", /*default=*/"false", "One scf.forall over the tiles instead of nested loops">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def PromoteAccumulatorsPass : Pass<"kgen-promote-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Add up sums of f32 in f64 and round them once.";
  let description = [{
    For the plain loops that results are compared with. A sum in f32, one term after another, is the least accurate of all: a
    result in another order would be called wrong where it is the better one.

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %next = arith.addf %sum, %a : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    ```

    becomes

    ```mlir
    %w = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%wide_zero : tensor<f64>) {
    ^bb0(%a: f32, %sum: f64):
      %wide = arith.extf %a : f32 to f64
      %next = arith.addf %sum, %wide : f64
      linalg.yield %next : f64
    } -> tensor<f64>
    %s = linalg.generic ... ins(%w : tensor<f64>) // arith.truncf
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
