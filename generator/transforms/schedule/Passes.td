#ifndef KGEN_TRANSFORMS_SCHEDULE_PASSES_TD
#define KGEN_TRANSFORMS_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplySchedulesPass : Pass<"kgen-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "Apply transform scripts to the nodes that have a schedule.";
  let description = [{
    Precondition: operations of a scheduled node have `kgen.schedule`, the index of an entry of
    their function's `kgen.schedules`; the nested module `@kgen_schedules` has the scripts, a module
    each, with the named sequences. Postcondition: neither attribute nor module is left; where a
    script annotated an operation with `kgen.memory`, kgen-assign-memories finds it. Without
    schedules the module stays as it is.

    A script gets one function with the node's operations alone, and its parameters:

    ```mlir
    kgen.schedules = [ {sequence = @file::@__kgen_schedule_mine, parameters = [32 : i64]} ] // of the function
    %r = linalg.matmul {kgen.schedule = 0 : i64} ins(...) outs(...)
    ```
    applies `@__kgen_schedule_mine(%f, %queries)` to a function that contains this product. What the
    script leaves takes the place of the node. An error in the script, and one that upstream's
    checks of handles find, fails with the place in the script. So does one that makes more than
    16,384 operations of its node, or takes more than 2,097,152 steps: one for each transform
    operation that runs, each operation of the node that it may look at, and each element of its
    operands.

    Copies with `kgen.memory`, a `tensor.pad` or a `linalg.pack` each, that a better schedule would
    not make are recorded as "wasteful", for `kgen explain` and `kgen simulate`:

    - a copy inside of a sequential loop whose source does not depend on it: it belongs before the
      loop;
    - parts of a padded copy that an inner loop reads on, some of which hold nothing but padding: at
      most as much is padded as the innermost part has.
  }];
  let statistics = [Statistic<"numApplied", "applied", "Nodes that a script was applied to">,
                    Statistic<"numWasteful", "wasteful", "Copies that need not be made">];
  let dependentDialects = ["::mlir::transform::TransformDialect", "::mlir::func::FuncDialect"];
}

def AssignMemoriesPass : Pass<"kgen-assign-memories", "::mlir::func::FuncOp"> {
  let summary = "Give each result that a schedule keeps in a local memory an allocation there.";
  let description = [{
    Precondition: tensors; operations with `kgen.memory = 1` (L2, of a block) or `2` (L1, of a
    core), each a `tensor.pad`, an `scf.forall` or an operation with a destination
    (kgen-apply-schedules). Postcondition: none has the attribute; their destinations are
    `bufferization.alloc_tensor` with that memory space; nothing computed inside of a grid of blocks
    or cores starts from a `tensor.empty`; packs and unpacks in these grids are transposes. With
    `unify`, for CPUs, no allocation has a memory space, so that bufferization and
    kgen-plan-workspace place all of them in the workspace.

    A pad becomes a copy. The padding is filled only where there is some: in an `scf.if` around the
    fill. An elementwise operation overwrites an input that nobody reads later.

    ```mlir
    %p = tensor.pad %x low[0, 0] high[0, %h] {...} {kgen.memory = 1 : i64}
    ```
    becomes a `linalg.copy` into a slice of `bufferization.alloc_tensor() {memory_space = 1 : i64}`.

    Packs and unpacks inside of loops of a schedule (an `scf.forall` with a mapping) have static
    tiles that divide their dimensions. They become a `linalg.transpose` from or to an expanded
    view, a transfer of n dimensions of a DMA engine: sizes and strides are in its types. Other
    packs are left to kgen-lower-packs, which copies them into panels.

    ```mlir
    %p = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %l1 : tensor<32x32xi32> -> tensor<8x4x4x8xi32>
    ```
    becomes
    ```mlir
    %e = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : ...
    %p = linalg.transpose ins(%e : tensor<8x4x4x8xi32>) outs(%l1 : tensor<8x4x4x8xi32>) permutation = [0, 2, 1, 3]
    ```
  }];
  let options = [Option<"unify", "unify", "bool", /*default=*/"false",
                        "Place everything in the one memory of a CPU">];
  let statistics = [Statistic<"numAssigned", "assigned", "Destinations in a local memory">,
                    Statistic<"numInPlace", "in-place",
                              "Elementwise operations that overwrite an input">,
                    Statistic<"numPacks", "packs", "Packs and unpacks that became transposes">,
                    Statistic<"numUnified", "unified",
                              "Allocations whose memory space was dropped">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def HoistPacksPass : Pass<"kgen-hoist-packs", "::mlir::func::FuncOp"> {
  let summary = "Carry packed values in loops that pack and unpack in each iteration.";
  let description = [{
    Precondition: tensors; an `scf.for` carries a value whose only reader is a `linalg.pack`, and
    yields the `linalg.unpack` of the same layout. Postcondition: the pack is before the loop and
    the unpack after it; for nested loops the pass runs once more for each, after canonicalization.
    For scripts that pack after they have tiled the reduction; those that pack first need no pass.
  }];
  let statistics =
      [Statistic<"numHoisted", "hoisted", "Pairs of a pack and an unpack that left a loop">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldEpiloguePadsPass : Pass<"kgen-fold-epilogue-pads", "::mlir::func::FuncOp"> {
  let summary =
      "Let elementwise operations on padded tiles read the padded result of the product before "
      "them.";
  let description = [{
    Precondition: tensors; an elementwise `linalg.generic` on a border tile is padded, and its
    result is cut off to the tile's size again. Postcondition: an operand that was cut off from a
    tensor of the padded shape and padded again is that tensor; a destination that is padded and not
    read is a `tensor.empty`. What differs is cut off.

    ```mlir
    %s = tensor.extract_slice %product[0, 0] [%m, %n] [1, 1] : tensor<64x64xf32> to tensor<?x?xf32>
    %p = tensor.pad %s low[0, 0] high[%h, %w] {...} : tensor<?x?xf32> to tensor<64x64xf32>
    %r = linalg.generic ... ins(%p : tensor<64x64xf32>) ...
    ```
    reads `%product`.
  }];
  let statistics = [Statistic<"numFolded", "folded", "Operands that need no padding">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def UnfoldUnpacksPass : Pass<"kgen-unfold-unpacks", "::mlir::func::FuncOp"> {
  let summary = "Let unpacks write whole tiles, of which a slice is the result.";
  let description = [{
    Precondition: tensors. Postcondition: the destination of each unpack of static shape has whole
    tiles. Upstream's canonicalization folds a slice that cuts off less than a tile into the unpack
    before it; a loop over cores whose results are in L2 needs all of the tile there. For scripts,
    before such a loop.

    ```mlir
    %u = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<2x4x4x8xi32> -> tensor<7x29xi32>
    ```
    becomes
    ```mlir
    %w = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %f : tensor<2x4x4x8xi32> -> tensor<8x32xi32>
    %u = tensor.extract_slice %w[0, 0] [7, 29] [1, 1] : tensor<8x32xi32> to tensor<7x29xi32>
    ```
  }];
  let statistics = [Statistic<"numUnfolded", "unfolded", "Unpacks with a new destination">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def PushUnpacksPass : Pass<"kgen-push-unpacks", "::mlir::func::FuncOp"> {
  let summary = "Move unpacks after the elementwise operations that read them.";
  let description = [{
    Precondition: tensors; a `linalg.generic` reads a `linalg.unpack`. Postcondition: it works on
    packed tiles; its other operands are packed, and its result is unpacked. Upstream's patterns of
    layout propagation, as a pass that scripts can apply
    (`transform.apply_registered_pass "kgen-push-unpacks"`).
  }];
  let statistics = [Statistic<"numPushed", "pushed", "Unpacks that moved after an operation">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def MultibufferCopiesPass : Pass<"kgen-multibuffer-copies", "::mlir::func::FuncOp"> {
  let summary = "Run the copies of a loop's next iteration during the work of the current one.";
  let description = [{
    Precondition: memrefs; loops with `kgen.buffers = 2` or more fill buffers that are allocated
    before them (upstream's buffer-loop-hoisting). Postcondition: no loop has the attribute; each
    such buffer has that many slots, which the iterations use in turn (upstream's
    memref.multibuffer), and the copies run one iteration ahead (upstream's software pipelining). A
    buffer that carries a value from one iteration to the next keeps one slot.
  }];
  let statistics = [Statistic<"numBuffers", "buffers", "Buffers with several slots">,
                    Statistic<"numPipelined", "pipelined", "Loops whose copies run ahead">,
                    Statistic<"numRefused", "refused", "Loops that have no such copies">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect"];
}

def MathToUpstreamPass : Pass<"kgen-math-to-upstream", "::mlir::func::FuncOp"> {
  let summary = "Replace kgen's mathematical functions by upstream's operations.";
  let description = [{
    Precondition: `kgen.exp_or_zero`, `kgen.exp2_or_zero`, `kgen.sigmoid`, `kgen.sigmoid_product`,
    `kgen.softplus`, `kgen.gelu` and `kgen.gelu_tanh` are on scalars, in bodies of `linalg` (the
    ingress). Postcondition: none of them is left; `math` and `arith` compute the same, within the
    rounding of their functions. For code that leaves kgen: back ends of machines know upstream's
    operations only.
  }];
  let statistics = [Statistic<"numReplaced", "replaced", "Functions replaced">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
