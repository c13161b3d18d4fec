// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-raise-stage -o "%t.raised"
// RUN: FileCheck "%s" --check-prefix=RAISE < "%t.raised"
// RUN: kgen-opt "%t.raised" --kgen-fuse-stage -o "%t.fused"
// RUN: FileCheck "%s" --check-prefix=FUSE < "%t.fused"
// RUN: kgen-opt "%t.fused" --kgen-pack-stage -o "%t.1"
// RUN: FileCheck "%s" --check-prefix=PACK < "%t.1"
// RUN: kgen-opt "%t.1" --kgen-tiling-stage -o "%t.tiled"
// RUN: FileCheck "%s" --check-prefix=TILING < "%t.tiled"
// RUN: kgen-opt "%t.tiled" --kgen-vectorize-stage -o "%t.2"
// RUN: FileCheck "%s" --check-prefix=VECTORIZE < "%t.2"
// RUN: kgen-opt "%t.2" --kgen-bufferize-stage -o "%t.3"
// RUN: FileCheck "%s" --check-prefix=BUFFERIZE < "%t.3"
// RUN: kgen-opt "%t.3" --kgen-macro-kernel-stage -o "%t.calls"
// RUN: FileCheck "%s" --check-prefix=MACRO < "%t.calls"
// RUN: kgen-opt "%t.calls" --kgen-micro-kernel-stage -o "%t.4"
// RUN: FileCheck "%s" --check-prefix=KERNEL < "%t.4"
// RUN: kgen-opt "%t.4" --kgen-parallel-stage -o "%t.5"
// RUN: FileCheck "%s" --check-prefix=PARALLEL < "%t.5"
// RUN: kgen-opt "%t.5" --kgen-llvm-stage -o "%t.6"
// RUN: FileCheck "%s" --check-prefix=LLVM < "%t.6"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-optimize -o "%t.all"
// RUN: diff "%t.5" "%t.all"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-reference | FileCheck "%s" --check-prefix=REFERENCE

// relu(x * w + b), divided by its sums: a contraction with an epilogue, and reductions, which stay outside of it.

// RAISE-NOT:     linalg.matmul
// RAISE:         tpp.gemm
// RAISE-NOT:     epilogue_ins(
// RAISE:         arith.addf
// RAISE:         arith.maximumf

// FUSE:          tpp.gemm {{.*}} epilogue_ins(
// FUSE-NOT:        panel =
// FUSE:          ^bb0
// FUSE:            arith.addf
// FUSE:            arith.maximumf
// FUSE:            tpp.yield
// FUSE:          linalg.generic

// PACK:          tpp.gemm {{.*}} epilogue_ins(
// PACK-SAME:       panel =
// PACK-NEXT:     ^bb0
// PACK:            arith.addf
// PACK:            arith.maximumf
// PACK:            tpp.yield
// PACK:          linalg.generic

// TILING-NOT:    vector.
// TILING:        tpp.gemm {{.*}} outs(%{{.*}} : tensor<4x16xf32>)
// TILING:        linalg.generic

// VECTORIZE-NOT: linalg.
// VECTORIZE:     tpp.gemm {{.*}} outs(%{{.*}} : tensor<4x16xf32>)
// VECTORIZE:     vector.transfer_read
// VECTORIZE:     vector.shuffle
// VECTORIZE-NOT: linalg.

// BUFFERIZE:     kgen.weights = {kgen_weights_
// BUFFERIZE:     memref.global "public" constant @kgen_weights_
// BUFFERIZE:     kgen.workspace =
// BUFFERIZE-NOT: tensor
// BUFFERIZE-NOT: memref.alloc
// BUFFERIZE:     tpp.gemm {{.*}} outs(%{{.*}} : memref<4x16xf32>)
// BUFFERIZE-NOT: memref.alloc

// MACRO-NOT:     tpp.
// MACRO:         ukernel.gemm @uk_gemm_f32_
// MACRO:         ukernel.call @uk_gemm_f32_
// MACRO-NOT:     tpp.

// KERNEL-NOT:    tpp.gemm
// KERNEL-NOT:    ukernel.gemm
// KERNEL:        func.func private @uk_gemm_f32_{{.*}}kgen.provider = "vector"
// KERNEL:        ukernel.call @uk_gemm_f32_

// PARALLEL:      func.func @f({{.*}}, %{{.*}}: !llvm.ptr)

// LLVM-NOT:      ukernel.
// LLVM-NOT:      memref.get_global
// LLVM:          llvm.call @uk_gemm_f32_
// LLVM-NOT:      unrealized_conversion_cast

// REFERENCE-NOT: tpp.gemm
// REFERENCE:     linalg.matmul {{.*}} memref<4x16xf32>

#full = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
module {
  func.func @f(%x: tensor<4x8xf32> {bufferization.writable = false}) -> tensor<4x16xf32> {
    %w = arith.constant dense_resource<w> : tensor<8x16xf32>
    %b = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
    %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
    %a = linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
        ins(%m, %b : tensor<4x16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.maximumf %p, %zero : f32
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    %f = tensor.empty() : tensor<4xf32>
    %n = linalg.fill ins(%zero : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.reduce ins(%r : tensor<4x16xf32>) outs(%n : tensor<4xf32>) dimensions = [1] (%p: f32, %q: f32) {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    %d = linalg.generic {indexing_maps = [#full, affine_map<(i, j) -> (i)>, #full], iterator_types = ["parallel", "parallel"]}
        ins(%r, %sum : tensor<4x16xf32>, tensor<4xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.divf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    return %d : tensor<4x16xf32>
  }
}

{-#
  dialect_resources: { builtin: { w: "0x040000000000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C00000804000000000000080C000004040000080BF0000A0C000000040000000C00000A0400000803F000040C000008040" } }
#-}
