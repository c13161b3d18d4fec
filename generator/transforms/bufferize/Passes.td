#ifndef KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD
#define KGEN_TRANSFORMS_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReuseOperandBuffersPass : Pass<"kgen-reuse-operand-buffers", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations write over an input that nobody needs any more.";
  let description = [{
    The input must have the result's type, be read only at the element that is being computed, be computed in the same
    block, and have no other reader, also not through a reshape. Constants, arguments and the caller's tensors are never
    written over. A result that goes to the caller starts in the caller's memory, if need be with the input that it writes
    over. A result that becomes the next state of a loop (`bufferization.materialize_in_destination %r in %state`) is
    computed in the memory of the last one, if everything that reads that one comes before.

    Where the last operation of a tile (its destination is a slice) reads new elements of the tile's type, like the powers of a
    softmax, these are computed in the tile's place: that memory comes into the caches meanwhile, and not after it. Not so in
    results that no cache keeps, which go past the caches (kgen-non-temporal-results), nor where rows of a tile of columns lie a multiple of a
    page apart, so that they would share few sets of the first cache.

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
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def UniquifyEmptiesPass : Pass<"kgen-uniquify-empties", "::mlir::func::FuncOp"> {
  let summary = "Give each use of a tensor.empty one of its own, and each result its own fill.";
  let description = [{
    Common subexpression elimination makes one of all that have the same shape. Bufferization would then give their users
    one buffer, which lives from the first to the last of them, and copies where they overlap.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes two fills with a `tensor.empty` each. These are numbered (`kgen.unique_id`), so that equal values that start from two
    of them stay two: the border of an image is filled for each image.

    The same holds for a tensor that is filled with one number, where several operations write their results over it: sums
    that start from zero. Those that only read it share it.
  }];
}

#endif
