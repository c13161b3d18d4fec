#ifndef KGEN_TRANSFORMS_LAYOUT_PASSES_TD
#define KGEN_TRANSFORMS_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackMatmulPass : Pass<"kgen-pack-matmul", "::mlir::func::FuncOp"> {
  let summary = "Pack matrix products into blocks.";
  let description = [{
    The operands become `[M/mb][K/kb][mb][kb]`, `[N/nb][K/kb][kb][nb]` and `[M/mb][N/nb][mb][nb]`. The blocks (m, n, k) are
    `block-factors` or the target's, `block_layout_f32 = {m, n, k}` for contractions of f32; without either, nothing is packed. Of
    m and k, the largest divisor between half a block and a block is taken (of k, one that is a multiple of four), because
    packs and unpacks of padded layers do not cancel; nor do they where the blocks of n and of k differ. Contractions of less than 16 columns or half a block of rows stay: most of the work would be on padding.

    ```mlir
    %a4 = linalg.pack %a outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %b4 = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [64, 64] into ...
    %r4 = linalg.generic ... ins(%a4, %b4 : tensor<2x4x32x64xf32>, tensor<8x4x64x64xf32>) outs(%c4 : ...) ...
    %r = linalg.unpack %r4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
  }];
  let options = [ListOption<"blockFactors", "block-factors", "int64_t", "Blocks of m, n and k, for every target.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def PropagatePackingPass : Pass<"kgen-propagate-packing", "::mlir::func::FuncOp"> {
  let summary = "Move packs up and unpacks down, through elementwise operations, broadcasts and reshapes.";
  let description = [{
    Between two packed contractions an unpack then meets the pack that reverses it, and canonicalization removes both. What
    pads a tensor pads with poison where the padding is never read.

    ```mlir
    %u = linalg.unpack %x4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %y = linalg.generic ... ins(%u : tensor<64x256xf32>) ... { relu }
    %y4 = linalg.pack %y inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
    becomes a `relu` of `%x4`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def SimplifyPacksPass : Pass<"kgen-simplify-packs", "::mlir::func::FuncOp"> {
  let summary = "Turn packs that move nothing into reshapes, and remove pairs.";
  let description = [{
    A pack whose elements keep their order is a `tensor.expand_shape`, an unpack of that kind a `tensor.collapse_shape`.
    Runs after kgen-fold-constant-packs, which knows packs, but no reshapes.

    ```mlir
    %p = linalg.pack %b inner_dims_pos = [0] inner_tiles = [64] into %e : tensor<256xf32> -> tensor<4x64xf32>
    ```
    becomes
    ```mlir
    %p = tensor.expand_shape %b [[0, 1]] output_shape [4, 64] : tensor<256xf32> into tensor<4x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def S8S8CompensationPass : Pass<"kgen-s8s8-compensation", "::mlir::func::FuncOp"> {
  let summary = "Give the operands of products of bytes different signs.";
  let description = [{
    The dot products of bytes on x86 (`vpdpbusd`) multiply bytes without sign by bytes with sign. Where both operands of a
    contraction are of one kind, B is constant, and the target has that instruction, the highest bit of A's bytes is flipped:
    a signed byte becomes an unsigned one that is 128 more, and the other way round. The sum is then wrong by 128 times the sum of B's
    column, which is computed here and added in the epilogue. The flip of A is elementwise and becomes part of
    what makes A. Sums stay exact modulo 2^32. With tiles (AMX), which take any signs, products of 16 rows or more stay
    as they are. Where B is not constant, the micro-kernel flips B in registers.

    ```mlir
    %r = tpp.gemm ins(%a, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%c : tensor<4x16xi32>) attributes {...} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    } -> tensor<4x16xi32>
    ```
    becomes
    ```mlir
    %f = linalg.generic ... ins(%a) { ... arith.xori %x, %c-128_i8 ... }
    %r = tpp.gemm ins(%f, %w : ...) epilogue_ins(%corrections : tensor<16xi32>) outs(%c : ...) attributes {a_unsigned, ...} {
    ^bb0(%acc: i32, %correction: i32):
      %s = arith.addi %acc, %correction : i32
      tpp.yield %s : i32
    } -> tensor<4x16xi32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def PackGemmBPass : Pass<"kgen-pack-gemm-b", "::mlir::func::FuncOp"> {
  let summary = "Pack the B operand of tpp.gemm into panels.";
  let description = [{
    B becomes `[batch..., ceil(n / panel), k, panel]` by a `linalg.pack` with zero padding, so that a micro-kernel reads
    it as one stream; for bf16 `[batch..., ceil(n / panel), ceil(k / 2), panel, 2]`. Constants are always packed
    (kgen-fold-constant-packs does it at build time). Those of few columns become panels of one column where A is contiguous along
    k, too, and vectors along k take less time than vectors of columns, with what it takes to add them up: three columns
    leave most lanes of a vector empty. Long rows and columns are another matter: tiles of three rows and four columns do not
    find them in the first cache. An operand that is given at run time is packed if its columns are not
    contiguous, or if it is read often enough (more than 64 rows) for the copy to pay, unless it fits into the first
    cache as it is. With few rows, columns that are
    contiguous along k are left in place for dot products. What does not change in a loop is packed in front of it.

    A B that is a transposed copy is read where the copy has it from: it stays in place there, as the keys of one query do, or
    what packs it takes the place of the copy. Not so if others read the copy, too, and it would not be packed itself.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def AlignPackedRowsPass : Pass<"kgen-align-packed-rows", "::mlir::func::FuncOp"> {
  let summary = "Give A longer rows where several panels of B are multiplied with rows that begin inside of cache lines, or in one set of the first cache.";
  let description = [{
    For kernels on tile registers, a row of a tile that lies on two cache lines takes longer to load than it takes to multiply it. Other
    kernels read all rows of a register tile side by side; rows that are a multiple of a page apart share one set of the first cache,
    whether B is packed or in place, and where they take more than half of its ways, they and B drive each other out. Rows of A that are contiguous along k become parts
    of a tensor with longer rows, up to the end of a line or by a line; `reduction_sizes` says how much of them is multiplied, and the rest is
    never read. For kernels on tile registers, what computes A often writes it there at once. For others it is a copy of what the
    caller laid out, which pays for enough panels of B only; rows of the function's own memory grow in place (kgen-pad-leading-dimension).

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x300xbf16>, tensor<8x150x32x2xbf16>) ... attributes {...}
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<64x320xbf16>
    %l = tensor.insert_slice %a into %e[0, 0] [64, 300] [1, 1] : tensor<64x300xbf16> into tensor<64x320xbf16>
    %r = tpp.gemm ins(%l, %b : tensor<64x320xbf16>, tensor<8x150x32x2xbf16>) ... attributes {..., reduced = array<i64: 300>}
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def UpconvertOperandsPass : Pass<"kgen-upconvert-operands", "::mlir::func::FuncOp"> {
  let summary = "Widen A of bf16 and f16 once, outside of the kernels that would do it for each panel of B.";
  let description = [{
    Where the target multiplies such types by widening both operands (`productForm` says `widen`), A becomes a tensor of f32,
    and the contraction one of f32 and a narrow B. The values are the same: nothing that is rounded stays unrounded. An
    elementwise operation or a contraction that computes A, and that nobody else reads, stores f32 itself; otherwise a
    generic widens A, which becomes part of the same tasks if no two of them need the same rows.

    In the kernel, an element of A is widened once for each panel of B that it is multiplied with, in an instruction of its
    own. Outside, a vector of them takes that instruction, a load and a store. So A is widened outside if, with W the cycles
    of `widen_bf16` or `convert_f16`,

        m * k * (panels * W - (W + 1) / lanes) > 64

    where 64 cycles stand for the loop. Contractions whose B is contiguous along k stay as they are: they become dot
    products of vectors.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x512xbf16>, tensor<16x256x32x2xbf16>) ...
    ```
    becomes
    ```mlir
    %w = linalg.generic ... ins(%a : tensor<64x512xbf16>) { %x = arith.extf %in : bf16 to f32 ... } -> tensor<64x512xf32>
    %r = tpp.gemm ins(%w, %b : tensor<64x512xf32>, tensor<16x256x32x2xbf16>) ...
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrepackNbitsPass : Pass<"kgen-prepack-nbits", "::mlir::ModuleOp"> {
  let summary = "Pack constant weights of few bits, and make their products tile operations.";
  let description = [{
    The weights, scales and zero points of a `kgen.matmul_nbits` that are all constant become one constant of bytes, a resource
    aligned to 64 bytes, which a micro-kernel reads as one stream: panels of 32 columns, block by block along k, as
    `#kgen.blockwise_quant` says. Its layout is the same for every target, so that all variants share it. A resource that nobody uses any
    more is freed. Other products stay, for kgen-decompose-nbits.

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
    becomes
    ```mlir
    %packed = arith.constant dense_resource<packed> : tensor<1x3x640xi8>
    %c = tpp.gemm ins(%a, %packed : tensor<1x96xf32>, tensor<1x3x640xi8>) outs(%empty : tensor<1x5xf32>)
        attributes {b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>, panel = 32 : i64, ...} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<1x5xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def DecomposeNbitsPass : Pass<"kgen-decompose-nbits", "::mlir::func::FuncOp"> {
  let summary = "Turn products with weights of few bits into linalg.";
  let description = [{
    A `kgen.matmul_nbits` becomes a `linalg.generic` that writes its weights as f32, `(q - zero) * scale`, and a contraction of them.
    The optimized pipeline does this only to weights that are not constant (kgen-prepack-nbits).

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
    becomes
    ```mlir
    %w = linalg.generic {indexing_maps = [(n, k) -> (n, k floordiv 32, (k mod 32) floordiv 2), (n, k) -> (n, k floordiv 32),
        (n, k) -> (n, k)], ...} ins(%weights, %scales : tensor<5x3x16xi8>, tensor<5x3xf32>) outs(%e : tensor<5x96xf32>) { ... }
    %c = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)], ...}
        ins(%a, %w : tensor<1x96xf32>, tensor<5x96xf32>) outs(%zeros : tensor<1x5xf32>) { multiply and add }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def FoldConstantPacksPass : Pass<"kgen-fold-constant-packs", "::mlir::ModuleOp"> {
  let summary = "Evaluate linalg.pack of constants.";
  let description = [{
    Permutes the bytes directly, row by row, at about the speed of memory; upstream folds splats only. Works on dense
    constants and resources of whole-byte elements, with padding. The new constant is a resource aligned to 64 bytes; a
    resource that nobody uses any more is freed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerPacksPass : Pass<"kgen-lower-packs", "::mlir::func::FuncOp"> {
  let summary = "Turn the packs and unpacks that are left into copies.";
  let description = [{
    A pack of one dimension into panels becomes one copy of all whole panels and, if the last one is not full, a copy of the
    columns that are left into a padded panel; its loops go over panels first or, if the second cache does not hold the source,
    over rows of it. Packs of another form become a padded copy (where something is padded), a
    reshape and a transposition; unpacks a transposition, a reshape and a slice. Packs of constants were evaluated before;
    sizes that are not known are errors.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
