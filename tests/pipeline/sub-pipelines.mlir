// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-fold-into-eltwise --mlir-print-local-scope | FileCheck "%s" --check-prefix=FOLD
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-write-to-caller --mlir-print-local-scope | FileCheck "%s" --check-prefix=WRITE
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-bufferize | FileCheck "%s" --check-prefix=BUFFERS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-raise-stage --kgen-fuse-stage --kgen-pack-stage --kgen-tiling-stage --kgen-vectorize-stage --kgen-bufferize-stage --kgen-licm | FileCheck "%s" --check-prefix=ALL
// Sub-pipelines by their names.

module {

// A named and an unnamed operation become one.
// FOLD-LABEL: func @results
// FOLD:         linalg.generic
// FOLD:           math.exp
// FOLD-NEXT:      arith.maximumf
// FOLD-NOT:     linalg.generic
// FOLD:         return

// The result is computed in the caller's memory.
// WRITE-LABEL: func @results
// WRITE:         %[[OUT:.*]] = bufferization.to_tensor %arg1 restrict writable
// WRITE:         linalg.generic {{.*}} outs(%[[OUT]] :

// BUFFERS-LABEL: func @results
// BUFFERS:         %[[TEMPORARY:.*]] = memref.alloc
// BUFFERS-NOT:     memref.alloc
// BUFFERS-NOT:     memref.copy
// BUFFERS:         linalg.generic {{.*}} ins(%[[TEMPORARY]] : memref<4x8xf32>) outs(%arg1 : memref<4x8xf32>)
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return

// No temporary and no copy is left, and the constant is outside of the loop.
// ALL-LABEL: func @results
// ALL-SAME:    kgen.workspace = 0
// ALL-NOT:     memref.copy
// ALL:         scf.for
// ALL-NOT:       constant
// ALL:         }
// ALL-NOT:     memref.copy
// ALL:         return
func.func @results(%in: memref<4x8xf32> {bufferization.writable = false}, %out: memref<4x8xf32>) {
  %a = bufferization.to_tensor %in restrict : memref<4x8xf32> to tensor<4x8xf32>
  %zero = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %x = linalg.exp ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.maximumf %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  bufferization.materialize_in_destination %w in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// The sum of two contractions is accumulated in the caller's memory.
// ALL-LABEL: func @sum
// ALL-SAME:    kgen.workspace = 0
// ALL-NOT:     memref.copy
// ALL:         tpp.gemm {{.*}} outs(%[[OUT:.*]] : memref<4x8xf32>)
// ALL-NOT:     memref.copy
// ALL:         tpp.gemm {{.*}} outs(%[[OUT]] : memref<4x8xf32>) {{.*}}accumulate
// ALL-NOT:     memref.copy
// ALL-NOT:     scf.for
// ALL:         return
func.func @sum(%ma: memref<4x8xf32> {bufferization.writable = false}, %mb: memref<8x8xf32> {bufferization.writable = false}, %mc: memref<8x8xf32> {bufferization.writable = false}, %out: memref<4x8xf32>) {
  %a = bufferization.to_tensor %ma restrict : memref<4x8xf32> to tensor<4x8xf32>
  %b = bufferization.to_tensor %mb restrict : memref<8x8xf32> to tensor<8x8xf32>
  %c = bufferization.to_tensor %mc restrict : memref<8x8xf32> to tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %w = linalg.matmul ins(%a, %c : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}
}
