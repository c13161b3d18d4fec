#ifndef KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD
#define KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizeTensorsPass : Pass<"kgen-bufferize-tensors", "::mlir::ModuleOp"> {
  let summary = "One-shot bufferization, also of loops whose next state is computed elsewhere.";
  let description = [{
    Precondition: no `tensor.empty` (kgen-write-to-caller, empty-tensor-to-alloc-tensor).
    Postcondition: no tensors; arguments and results of functions have plain layouts.

    This is upstream's analysis and rewrite. Upstream refuses a loop that yields another buffer than
    that of its argument: two states that change places, a tensor from outside, a next state whose
    computation still reads the previous one. These are copied
    (`bufferization.materialize_in_destination`) before the terminator, where nothing reads the
    previous states any more; what is a state of the same loop itself is saved before. Only then is
    the module analyzed a second time.

    ```mlir
    %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
      scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %c9 step %c1 {
      memref.copy %b, %p : memref<4xf32> to memref<4xf32>
      memref.copy %a, %q : memref<4xf32> to memref<4xf32>
      memref.copy %p, %a : memref<4xf32> to memref<4xf32>
      memref.copy %q, %b : memref<4xf32> to memref<4xf32>
    }
    ```

    Besides, two things become copies that the analysis does not see. The elimination of empty
    tensors lets results be computed in the caller's memory; if another value is still read there
    when a result is copied to it, that value gets a buffer of its own. And operands of
    contractions, whose rows have a distance that only a call knows, are copied: kernels know the
    distance.

    ```mlir
    tpp.gemm ins(%a, %w : memref<4x8xf32, strided<[?, 1]>>, memref<8x8xf32>) outs(%c : memref<4x8xf32>)
    ```
    becomes
    ```mlir
    %own = memref.alloc() : memref<4x8xf32>
    memref.copy %a, %own : memref<4x8xf32, strided<[?, 1]>> to memref<4x8xf32>
    tpp.gemm ins(%own, %w : memref<4x8xf32>, memref<8x8xf32>) outs(%c : memref<4x8xf32>)
    ```
  }];
  let statistics = [Statistic<"numCopied", "copied",
                              "States of loops that are copied at the end of each iteration">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def EliminateEmptiesPass : Pass<"kgen-eliminate-empties", "::mlir::ModuleOp"> {
  let summary = "Compute results in the memory into which they are inserted.";
  let description = [{
    Upstream's `eliminate-empty-tensors`. Its analysis looks at all readers of a tensor for each of
    them; here, as in kgen-bufferize-tensors, each operation that only reads a constant or an
    argument has a tensor of its own while the analysis runs.
  }];
}

def ReuseOperandBuffersPass : Pass<"kgen-reuse-operand-buffers", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations overwrite an operand at its last use.";
  let description = [{
    Precondition: `linalg.generic` on tensors (generalized), before results become views of loops
    (kgen-vectorize). Postcondition: an operation that may overwrite an operand has it as its only
    init, so that kgen-bufferize gives both one buffer. Runs a second time after kgen-cache-tiling,
    for the operations in tiles.

    The operand must have the result's type, be read only at the element that is being computed, be
    computed in the same block, and have no other reader, also not through a reshape. Constants,
    arguments and the caller's tensors are never overwritten. A result for the caller starts in the
    caller's memory, and so does the operand that it overwrites, if any. A result that becomes the
    next state of a loop (`bufferization.materialize_in_destination %r in %state`) is computed in
    the memory of the previous state, if all readers of that come before. Where the loop is gone, or
    the state is that of another one, the destination stands for nothing any more and is dropped: it
    might be memory that must not be written. So is one in which the result may be computed already.
    An operation that overwrites a tensor and reads it in the same places, too, reads it as its init
    only.

    Where the last operation of a tile (its init is a slice) reads new elements of the tile's type,
    like the exponentials of a softmax, these are computed in the tile's own memory, which thus
    comes into the caches while they are computed. Not so where non-temporal stores write the result
    (`kgen.stores` of the operation: it is larger than the last-level cache), nor where the rows of
    a tile of columns are a multiple of a page from each other, which would cause conflict misses in
    the first-level cache.

    ```mlir
    %y = linalg.generic ... ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%empty : tensor<4x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    ```
    becomes
    ```mlir
    %y = linalg.generic ... ins(%b : tensor<8xf32>) outs(%x : tensor<4x8xf32>) {
    ^bb0(%q: f32, %p: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    ```
  }];
  let statistics = [Statistic<"numReused", "reused", "Operations that overwrite an operand">,
                    Statistic<"numStates", "states",
                              "Next states of loops that overwrite the previous one">,
                    Statistic<"numDropped", "dropped",
                              "Destinations without a loop, or of what may be there already">,
                    Statistic<"numTiles", "tiles",
                              "Operands computed in the memory of the tile that they lead to">,
                    Statistic<"numRefused", "refused",
                              "Elementwise operations none of whose operands can be overwritten">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def UniquifyEmptiesPass : Pass<"kgen-uniquify-empties", "::mlir::func::FuncOp"> {
  let summary = "Give each use a tensor.empty of its own, and each destination a fill of its own.";
  let description = [{
    Precondition: operations on tensors, of which CSE has merged equal ones. Postcondition: each
    `tensor.empty` has one use and a unique `kgen.unique_id`; upstream's empty tensor elimination
    and one-shot bufferization rely on the first, CSE between them on the second.

    CSE merges all `tensor.empty` of one shape. Bufferization would then give their users one
    buffer, which lives from the first to the last of them, and copies where they overlap.
    Destinations of states in which their source may be computed already
    (`bufferization.materialize_in_destination` of tensors) are dropped here, too: upstream's
    analysis takes them for conflicts. A state of the function (an argument with `kgen.state`) that
    gets the value of another one takes it before that one is overwritten.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes two fills with a `tensor.empty` each. These are numbered (`kgen.unique_id`), so that CSE
    does not merge equal values that start from two of them: the padding of an image is filled for
    each image.

    The same holds for a tensor that is filled with one number, where several operations overwrite
    it: sums that start from zero. Those that only read it share it.
  }];
  let statistics = [Statistic<"numEmpties", "empties", "New tensor.empty, one for each use">,
                    Statistic<"numFills", "fills", "New fills, one for each destination">];
}

#endif
