#ifndef KGEN_TRANSFORMS_LAYOUT_PASSES_TD
#define KGEN_TRANSFORMS_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldScalesPass : Pass<"kgen-fold-scales", "::mlir::func::FuncOp"> {
  let summary =
      "Make scales of channels after and before contractions and convolutions a part of constant "
      "weights.";
  let description = [{
    Precondition: linalg on tensors, whose sizes are static or have bounds (`kgen.size`), named or
    not; nothing has been fused or packed. Postcondition: a product or convolution of f32 or f64
    with constant weights is followed by no scale of channels, if everything below holds: its
    weights were multiplied by the scale, and what is added after it is one constant a channel. Nor
    is its other operand scaled by numbers that the weights can be multiplied by.

    After:

    - The sums start from zero, and one operation alone reads the result; so on for those between.
    - What follows is elementwise and computes `x factor + term` with numbers that are known for
      each channel (an index of the result that the weights have, too), in whichever scalar
      operations: a batch normalization with constant parameters, for example. Of operations that do
      more (an activation), that part is taken out. Transposes and reshapes may stand between.
    In front:

    - Elementwise operations compute `x factor` with one number for all, or one for each index that
      the weights have, too. Transposes, reshapes and pads with zeros may stand between: 0 stays 0.
      For each of them, one operation alone reads the result.
    - What is scaled is an argument or read elsewhere, too. Otherwise the scale is fused with what
      computes it, and may be the half of a Gelu.
    - Nothing is added: `(x - mean) factor` is more exact than the difference of two sums where x is
      close to the mean. That is reported.

    - Each scaled weight is a normal number, or was 0 before; terms are finite.

    Weights and terms are computed in f64 and rounded once. A graph of nodes has done so for scales
    after its nodes (`foldScales` in generator/README.md): the pass is for what comes in as MLIR,
    for what is spelled in single operations, and for what is in front.

    ```mlir
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : ...) outs(%zeros : ...) -> tensor<1x32x32x64xf32>
    %y = linalg.generic ... ins(%r, %mean, %variance, %gain, %shift) { maximum of (r - mean) / sqrt(variance + 1e-5) * gain + shift and 0 }
    ```
    becomes
    ```mlir
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %scaled : ...) outs(%zeros : ...) -> tensor<1x32x32x64xf32>
    %s = linalg.generic ... ins(%r, %terms : tensor<1x32x32x64xf32>, tensor<64xf32>) { add }
    %y = linalg.generic ... ins(%s) { maximum of s and 0 }
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Contractions whose weights were scaled">,
    Statistic<"numRefused", "refused", "Scales that would change results by more than rounding">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def PackMatmulPass : Pass<"kgen-pack-matmul", "::mlir::func::FuncOp"> {
  let summary = "Pack the operands and the result of matmuls into a blocked layout.";
  let description = [{
    Precondition: contractions are `linalg` on tensors (kgen-contractions-to-tpp has not run).
    Postcondition: a packed contraction is a `linalg.generic` over blocks between packs of its
    operands and an unpack of its result. kgen-propagate-packing moves these until neighbours
    cancel; kgen-contractions-to-tpp accepts the generic.

    The operands become `[M/mb][K/kb][mb][kb]`, `[N/nb][K/kb][kb][nb]` and `[M/mb][N/nb][mb][nb]`.
    The block sizes (mb, nb, kb) are at most `block-factors` or the target's,
    `block_layout_f32 = {m, n, k}` for contractions of f32:

    | size | chosen                                                                                               |
    |------|------------------------------------------------------------------------------------------------------|
    | mb   | the largest divisor of M between half of the block and the block; else the block                     |
    | nb   | the block, or N if that is smaller: columns fill whole vectors                                       |
    | kb   | the largest divisor of K between half of the block and the block that is a multiple of 4; else the block |

    Divisors are preferred because packs and unpacks of padded layers do not cancel. They do not
    cancel either if the blocks of n and of k differ. A contraction stays as it is if any holds: the
    target names no blocks for its type; it has fewer than 16 columns; it has fewer rows than half
    of a block (padding would be most of the work).

    ```mlir
    %a4 = linalg.pack %a outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %b4 = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [64, 64] into ...
    %r4 = linalg.generic ... ins(%a4, %b4 : tensor<2x4x32x64xf32>, tensor<8x4x64x64xf32>) outs(%c4 : ...) ...
    %r = linalg.unpack %r4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
  }];
  let options = [ListOption<"blockFactors", "block-factors", "int64_t",
                            "Block sizes of m, n and k, for every target.">];
  let statistics = [
    Statistic<"numPacked", "packed", "Contractions over blocks">,
    Statistic<"numRefused", "refused",
              "Contractions of a type with block sizes that were left as they are">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def PropagatePackingPass : Pass<"kgen-propagate-packing", "::mlir::func::FuncOp"> {
  let summary =
      "Move packs up and unpacks down, through elementwise operations, broadcasts and reshapes.";
  let description = [{
    Precondition: packed contractions are surrounded by `linalg.pack` and `linalg.unpack`
    (kgen-pack-matmul). Postcondition: an unpack and the pack that reverses it are neighbours, which
    canonicalization removes. The packs that remain are of function arguments, of constants
    (kgen-fold-constant-packs), or next to an operation that needs the plain layout.

    Padding that is never read becomes poison.

    ```mlir
    %u = linalg.unpack %x4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %y = linalg.generic ... ins(%u : tensor<64x256xf32>) ... { relu }
    %y4 = linalg.pack %y inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
    becomes a `relu` of `%x4`.

    With `simplify`, the packs that remain, without those of constants, no longer move: a pack whose
    elements keep their order becomes a `tensor.expand_shape`, such an unpack a
    `tensor.collapse_shape`, and each one that is left moves or pads elements, for kgen-lower-packs
    to make copies of. kgen-fold-constant-packs knows packs but no reshapes, so it runs before.

    ```mlir
    %p = linalg.pack %b inner_dims_pos = [0] inner_tiles = [64] into %e : tensor<256xf32> -> tensor<4x64xf32>
    ```
    becomes
    ```mlir
    %p = tensor.expand_shape %b [[0, 1]] output_shape [4, 64] : tensor<256xf32> into tensor<4x64xf32>
    ```
  }];
  let options = [Option<"simplify", "simplify", "bool", /*default=*/"false",
                        "Make reshapes of packs that move nothing, and move none">];
  let statistics = [
    Statistic<"numRemoved", "removed", "Packs and unpacks that are gone">,
    Statistic<"numKept", "kept",
              "Packs and unpacks that remain, until canonicalization removes pairs">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def S8S8CompensationPass : Pass<"kgen-s8s8-compensation", "::mlir::func::FuncOp"> {
  let summary =
      "Make byte operands of equal signedness one signed and one unsigned, with a compensation of "
      "the sums.";
  let description = [{
    Precondition: contractions are `tpp.gemm` and `tpp.brgemm` (kgen-contractions-to-tpp); constant
    B is not packed (kgen-assign-layouts runs later). Postcondition: a rewritten contraction has one
    signed and one unsigned operand. kgen-gemm-to-macro-kernel and the micro-kernels need no
    compensation of their own for it.

    The dot products of bytes on x86 (`vpdpbusd`) multiply unsigned by signed bytes. Applies to a
    contraction if all hold:
      both operands are i8 of the same signedness
      the target's vectors multiply bytes with such a dot product
      B is a constant that is not packed
      not if tile registers, which take any signs, multiply it: from as many rows on as one of them
        has, on targets that have them

    The highest bit of each byte of A is flipped: a signed byte becomes an unsigned one that is 128
    more, an unsigned byte a signed one that is 128 less. Each sum is then wrong by 128 times the
    sum of B's column. The pass computes these sums and the epilogue adds the compensation. The flip
    is elementwise and is fused with the operation that computes A. Sums stay exact modulo 2^32. If
    B is not constant, the micro-kernel flips B in registers.

    ```mlir
    %r = tpp.gemm ins(%a, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%c : tensor<4x16xi32>) attributes {...} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    } -> tensor<4x16xi32>
    ```
    becomes
    ```mlir
    %f = linalg.generic ... ins(%a) { ... arith.xori %x, %c-128_i8 ... }
    %r = tpp.gemm ins(%f, %w : ...) epilogue_ins(%compensation : tensor<16xi32>) outs(%c : ...) attributes {a_unsigned, ...} {
    ^bb0(%acc: i32, %by_column: i32):
      %s = arith.addi %acc, %by_column : i32
      tpp.yield %s : i32
    } -> tensor<4x16xi32>
    ```
  }];
  let statistics = [
    Statistic<"numCompensated", "compensated", "Contractions whose A was flipped">,
    Statistic<"numRefused", "refused",
              "Contractions of equal signedness whose B is not constant, or packed">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def AssignLayoutsPass : Pass<"kgen-assign-layouts", "::mlir::func::FuncOp"> {
  let summary =
      "Give each operand of contractions its layout: panels of B, type and leading dimension of A.";
  let description = [{
    Precondition: contractions are `tpp.gemm` and `tpp.brgemm` on tensors, and their epilogues are
    complete (kgen-fuse-epilogues). Postcondition: A and B of each contraction have the layout that
    micro-kernels read, as attributes of the contraction and operations in front of it; no later
    pass changes it. B is first, since the number of its panels decides about A.

    *Panels of B* (`pack-b`). B is packed (`panel` is set) or read in place.
    kgen-fold-constant-packs evaluates packs of constants, kgen-lower-packs makes copies of the
    others, and kgen-gemm-to-macro-kernel reads panels. A packed B is
    `[batch..., ceil(n / panel), k, panel]`, padded with zeros, which a micro-kernel reads
    contiguously. In the layout for dot products (VNNI, bf16) it is
    `[batch..., ceil(n / panel), ceil(k / 2), panel, 2]`. The first row that holds decides, unless
    `layout` of the op's `lowering_config`, or of a schedule of its node, says otherwise:
    `rhs = "packed"` or `rhs = "plain"`. What is not possible is an error.

    | B                                                                                              | packed               |
    |------------------------------------------------------------------------------------------------|----------------------|
    | has one column                                                                                 | never                |
    | is constant                                                                                    | at build time        |
    | is contiguous along k like A, at most 4 rows of A: dot products of vectors                     | never                |
    | is not contiguous along n                                                                      | at run time          |
    | fits into L1 as it is, and needs no VNNI layout                                                | never                |
    | is read by more than 64 rows of A (48 for bytes): enough for the copy to pay                   | at run time          |
    | otherwise                                                                                      | never                |

    A constant B of few columns is packed into panels of one column if A is contiguous along k and
    an estimate says that vectors along k, with their horizontal sums, take less time than vectors
    of columns that are mostly empty. Long rows and columns speak against it: tiles of three rows
    and four columns then do not stay in L1.

    Each contraction packs for itself: `kgen explain` gets a record `repeated` where another one has
    packed the same value.

    A pack is placed before the loops in which its B does not change. If B is a transposed copy, the
    gemm reads the source of the copy, or the pack replaces the copy. It does not if other
    operations read the copy and B would otherwise be read in place.

    *Type of A* (`upconvert-a`, for providers that multiply unequal types). An A of bf16 or f16 is
    up-converted once, instead of in the micro-kernel for each panel of B: A is f32 and B stays
    narrow. The values are the same: whatever is rounded before stays rounded.

    Applies to a contraction if all hold:
      the target multiplies the type by up-converting both operands (`productForm` is `widen`)
      B is packed or contiguous along n (otherwise dot products are used)
      with W cycles for `widen_bf16` or `convert_f16`, one load and one store per vector, and 64
        cycles for the loop:

        m * k * (panels * W - (W + 1) / lanes) > 64

    In the kernel each element of A is up-converted once for each panel of B, by an instruction of
    its own; outside, an instruction converts a whole vector. If an elementwise operation or a
    contraction computes A and nothing else reads A, that stores f32 itself. Otherwise a generic
    converts A, which joins the tasks of the contraction unless two of them need the same rows.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x512xbf16>, tensor<16x256x32x2xbf16>) ...
    ```
    becomes
    ```mlir
    %w = linalg.generic ... ins(%a : tensor<64x512xbf16>) { %x = arith.extf %in : bf16 to f32 ... } -> tensor<64x512xf32>
    %r = tpp.gemm ins(%w, %b : tensor<64x512xf32>, tensor<16x256x32x2xbf16>) ...
    ```

    *Plan of products* (`plan`). Each contraction gets `kgen.gemm_plan`, a `#kgen.gemm_plan` with
    the form of its products, its register tile and the depth of its packing. kgen-select-tiling,
    kgen-pad-leading-dimension and kgen-gemm-to-macro-kernel refine it by the sizes of tasks.
    An attention gets it if its products are of pairs of bf16: kgen-decompose-attention writes
    panels for them then. Contractions that are made later have none, and get the same answers.

    *Leading dimension of A* (`pad-a`). A padded A is a `tensor.insert_slice` into a tensor with
    longer rows, and `reduction_sizes` says how many elements of a row are multiplied; the rest is
    never read. Bufferization lets the operation that computes A write there directly if it can.
    kgen-pad-leading-dimension handles buffers of the function's own, which need no copy.

    Applies to a contraction of at least 16 rows whose A is contiguous along k and has no
    `reduction_sizes` yet, in two cases:

    | kernels       | reason                                                          | condition                                     |
    |---------------|-----------------------------------------------------------------|-----------------------------------------------|
    | tile registers | a row of a tile that crosses a cache line takes two loads       | rows of more than a line that are no multiple of a line; more than 2 panels of B |
    | vectors       | conflict misses: the rows of a register tile share a set of L1  | rows are a multiple of a page, or half of one, from each other and take more than half of the ways; A is the caller's memory; at least 16 panels of B, so that the copy pays |

    Rows are padded to a multiple of a cache line; those that already are one grow by a line.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x300xbf16>, tensor<8x150x32x2xbf16>) ... attributes {...}
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<64x320xbf16>
    %l = tensor.insert_slice %a into %e[0, 0] [64, 300] [1, 1] : tensor<64x300xbf16> into tensor<64x320xbf16>
    %r = tpp.gemm ins(%l, %b : tensor<64x320xbf16>, tensor<8x150x32x2xbf16>) ... attributes {..., reduction_sizes = array<i64: 300>}
    ```
  }];
  let options = [
    Option<"packB", "pack-b", "bool", /*default=*/"true", "Decide about the panels of B">,
    Option<"upconvertA", "upconvert-a", "bool", /*default=*/"true",
           "Decide about the type of A; the provider of micro-kernels multiplies unequal types">,
    Option<"padA", "pad-a", "bool", /*default=*/"true", "Decide about the leading dimension of A">,
    Option<"planProducts", "plan", "bool", /*default=*/"false",
           "Write what was decided about products on contractions">
  ];
  let statistics = [
    Statistic<"numPackedAtBuild", "packed-at-build", "Constant B that is packed">,
    Statistic<"numPackedAtRun", "packed-at-run", "B that is packed by a copy at run time">,
    Statistic<"numInPlace", "in-place", "B that is read in place">,
    Statistic<"numUpconverted", "up-converted", "Tensors that are up-converted once">,
    Statistic<"numNarrow", "narrow",
              "Contractions that up-convert A in the micro-kernel, since a loop would not pay">,
    Statistic<"numPadded", "padded", "Contractions that read a padded A">,
    Statistic<"numPlanned", "planned", "Contractions whose plan is written">,
    Statistic<"numUnpadded", "unpadded",
              "Contractions whose rows meet but that have too few panels of B to pay for a copy">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerNbitsPass : Pass<"kgen-lower-nbits", "::mlir::ModuleOp"> {
  let summary =
      "Lower matmuls with blockwise quantized weights: prepack those that are constant, make f32 "
      "of others.";
  let description = [{
    Precondition: matmuls with weights of 4 or 8 bits are `kgen.matmul_nbits`. Postcondition: no
    `kgen.matmul_nbits` is left.

    *Constant weights*, with `prepack`: the matmul is a `tpp.gemm` with `b_quant`. Weights, scales
    and zero points become one constant of bytes, a resource aligned to 64 bytes, which a
    micro-kernel reads contiguously: panels of 32 columns, block by block along k, as
    `#kgen.blockwise_quant` says. The layout is the same for every target, so that all variants
    share it. A resource that nothing uses any more is freed.

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

    *Other weights*: the matmul becomes a `linalg.generic` that writes its weights as f32,
    `(q - zero) * scale`, and a contraction of f32, which kgen-contractions-to-tpp sees as any
    other.

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

    *Rows of bytes*: with `row_scale_block`, the `tpp.gemm` reads a `kgen.quantize_rows` of A, which
    matmuls of the same A share. Without `prepack`, that becomes tasks of rows, each a loop over
    blocks in vectors. A matmul that is decomposed rounds each value of A as `kgen.quantize_rows`
    does.
  }];
  let options = [
    Option<"prepackConstants", "prepack", "bool", /*default=*/"false",
           "Prepack constant weights for micro-kernels">,
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that make a task of rows worth starting">,
  ];
  let statistics = [
    Statistic<"numPrepacked", "prepacked", "Matmuls with prepacked weights">,
    Statistic<"numRefused", "refused",
              "Matmuls whose weights, scales or zero points are not constant">,
    Statistic<"numDecomposed", "decomposed", "Matmuls decomposed into linalg">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FoldConstantPacksPass : Pass<"kgen-fold-constant-packs", "::mlir::ModuleOp"> {
  let summary = "Evaluate linalg.pack of constants.";
  let description = [{
    Precondition: packs are `linalg.pack` (kgen-assign-layouts, kgen-pack-matmul);
    kgen-propagate-packing, which makes reshapes of some, has not run. Postcondition: no pack of a
    constant with whole-byte elements is left; kgen-lower-packs gets the others.

    Permutes the bytes row by row, at about the speed of memory; upstream folds splats only. Works
    on dense constants and on resources, with constant padding. The packed constant is a resource
    aligned to 64 bytes. A resource that nothing uses any more is freed.
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Packs that were evaluated">,
    Statistic<"numRefused", "refused", "Packs of constants whose padding or elements have no bytes">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerPacksPass : Pass<"kgen-lower-packs", "::mlir::func::FuncOp"> {
  let summary = "Lower the remaining packs, unpacks and pads to copies.";
  let description = [{
    Precondition: packs of constants are evaluated (kgen-fold-constant-packs); their sizes are
    static, others are errors. Pads that can be implicit are folded
    (kgen-fold-pad-into-contractions, kgen-overlapped-tiling), unless `pads=none`. Postcondition: no
    `linalg.pack` and no `linalg.unpack` is left; with `pads=all`, no `tensor.pad` with a constant
    and static sizes, with `pads=outside-windows` only those that kgen-vectorize folds into
    reduce-windows. Copies are `linalg.generic`, which kgen-distribute-tasks tiles and
    kgen-vectorize vectorizes; producers write into the middle of what is padded
    (kgen-write-to-caller).

    | operation                             | becomes                                                                             |
    |---------------------------------------|-------------------------------------------------------------------------------------|
    | pack of one dimension into panels     | one copy of all full panels; a copy of the remaining columns into a padded panel    |
    | other pack                            | a padded copy, if something is padded; a reshape; a transpose                       |
    | unpack                                | a transpose; a reshape; a slice                                                     |
    | pad                                   | fills of the border; an insertion of the source into the middle                     |

    Loops of a copy into panels go over panels first, or over rows of the source if L2 does not hold
    the source.

    The border of a pad is filled slice by slice: along each dimension the slice before the middle
    and the one after it, of the range that the dimensions before have left. A pad that adds nothing
    is replaced by its source.

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
  let options = [
    Option<"pads", "pads", "::kgen::LoweredPads", /*default=*/"::kgen::LoweredPads::none",
           "Pads that are lowered",
           [{::llvm::cl::values(
             clEnumValN(::kgen::LoweredPads::none, "none", "none"),
             clEnumValN(::kgen::LoweredPads::outsideWindows, "outside-windows", "those that reduce-windows do not fold"),
             clEnumValN(::kgen::LoweredPads::all, "all", "all"))}]>
  ];
  let statistics = [
    Statistic<"numPanelPacks", "panel-packs", "Packs into panels lowered to one or two copies">,
    Statistic<"numDecomposed", "decomposed", "Packs and unpacks decomposed as upstream does it">,
    Statistic<"numPads", "pads", "Pads that became fills and an insertion">,
    Statistic<"numKeptPads", "kept-pads",
              "Pads that reduce-windows fold, or without a constant or static sizes">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
