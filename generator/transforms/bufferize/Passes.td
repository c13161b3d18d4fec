#ifndef KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD
#define KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReuseOperandBuffersPass : Pass<"kgen-reuse-operand-buffers", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations overwrite an operand at its last use.";
  let description = [{
    Precondition: `linalg.generic` on tensors (generalized), before results become views of loops (kgen-vectorize). Postcondition: an
    operation that may overwrite an operand has it as its only init, so that kgen-bufferize gives both one buffer. Runs a second time
    behind kgen-cache-tiling, for the operations in tiles.

    The operand must have the result's type, be read only at the element that is being computed, be computed in the same
    block, and have no other reader, also not through a reshape. Constants, arguments and the caller's tensors are never
    overwritten. A result for the caller starts in the caller's memory, and so does the operand that it overwrites, if any.
    A result that becomes the next state of a loop (`bufferization.materialize_in_destination %r in %state`) is computed in the memory of
    the previous state, if all readers of that come before.

    Where the last operation of a tile (its init is a slice) reads new elements of the tile's type, like the exponentials of a
    softmax, these are computed in the tile's own memory, which thus comes into the caches while they are computed. Not so in results
    larger than the last-level cache, which kgen-non-temporal-stores stores non-temporally, nor where the rows of a tile of columns are a
    multiple of a page apart, which would cause conflict misses in the first-level cache.

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
                    Statistic<"numStates", "states", "Next states of loops that overwrite the previous one">,
                    Statistic<"numTiles", "tiles", "Operands computed in the memory of the tile that they lead to">,
                    Statistic<"numRefused", "refused", "Elementwise operations none of whose operands can be overwritten">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def UniquifyEmptiesPass : Pass<"kgen-uniquify-empties", "::mlir::func::FuncOp"> {
  let summary = "Give each use a tensor.empty of its own, and each destination a fill of its own.";
  let description = [{
    Precondition: operations on tensors, of which CSE has merged equal ones. Postcondition: each `tensor.empty` has one use and a unique
    `kgen.unique_id`; upstream's empty tensor elimination and one-shot bufferization rely on the first, CSE between them on the second.

    CSE merges all `tensor.empty` of one shape. Bufferization would then give their users
    one buffer, which lives from the first to the last of them, and copies where they overlap.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes two fills with a `tensor.empty` each. These are numbered (`kgen.unique_id`), so that CSE does not merge equal values that start
    from two of them: the padding of an image is filled for each image.

    The same holds for a tensor that is filled with one number, where several operations overwrite it: sums
    that start from zero. Those that only read it share it.
  }];
  let statistics = [Statistic<"numEmpties", "empties", "New tensor.empty, one for each use">,
                    Statistic<"numFills", "fills", "New fills, one for each destination">];
}

#endif
