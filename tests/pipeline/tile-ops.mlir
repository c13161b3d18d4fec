// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-optimize -o "%t.1"
// RUN: FileCheck "%s" --check-prefix=KERNEL < "%t.1"
// RUN: kgen-opt "%t.1" --kgen-llvm-stage | FileCheck "%s" --check-prefix=LLVM

// Tile operations as input: a layer is one kernel with an epilogue, and other operations on tensors become loops over vectors.
// Operations on memory become elementwise kernels, or epilogues of the kernels before them.

// KERNEL-NOT:    tpp.
// KERNEL:        func.func @tensors
// KERNEL:          ukernel.call @uk_gemm_f32_{{.*}}e(
// KERNEL-NOT:      ukernel.call @uk_map
// KERNEL:          vector.
// KERNEL:        func.func @memrefs
// KERNEL:          ukernel.call @uk_gemm_f32_4x8x6_4e{{(_1)?}}(
// KERNEL-NEXT:     ukernel.call @uk_map_f32_4x8_{{.*}}e{{.*}}(
// KERNEL-NEXT:     linalg.generic

// LLVM-NOT:      tpp.
// LLVM-NOT:      linalg.
// LLVM:          llvm.call @uk_gemm_f32_4x8x6_4e{{(_1)?}}(
// LLVM:          llvm.call @uk_map_f32_4x8_
// LLVM-NOT:      unrealized_conversion_cast

#ab = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]

module {
  func.func @tensors(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %bias: memref<8xf32> {llvm.noalias}, %out: memref<8x4xf32> {llvm.noalias}) {
    %ta = bufferization.to_tensor %a restrict : memref<4x6xf32> to tensor<4x6xf32>
    %tb = bufferization.to_tensor %b restrict : memref<6x8xf32> to tensor<6x8xf32>
    %tbias = bufferization.to_tensor %bias restrict : memref<8xf32> to tensor<8xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %g = tpp.gemm ins(%ta, %tb : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x8xf32>
    %s = tpp.add ins(%g, %tbias : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {maps = #ab} -> tensor<4x8xf32>
    %r = tpp.relu ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %f = tensor.empty() : tensor<8x4xf32>
    %t = tpp.transpose ins(%r : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
    bufferization.materialize_in_destination %t in restrict writable %out : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
    return
  }

  func.func @memrefs(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %bias: memref<8xf32> {llvm.noalias},
                     %c: memref<4x8xf32> {llvm.noalias}, %d: memref<4x8xf32> {llvm.noalias}, %sum: memref<4xf32> {llvm.noalias}) {
    tpp.zero outs(%c : memref<4x8xf32>)
    tpp.gemm ins(%a, %b : memref<4x6xf32>, memref<6x8xf32>) outs(%c : memref<4x8xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, accumulate, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.add ins(%c, %bias : memref<4x8xf32>, memref<8xf32>) outs(%c : memref<4x8xf32>) {maps = #ab}
    tpp.relu ins(%c : memref<4x8xf32>) outs(%c : memref<4x8xf32>)
    tpp.sigmoid ins(%c : memref<4x8xf32>) outs(%d : memref<4x8xf32>)
    tpp.reduce add ins(%d : memref<4x8xf32>) outs(%sum : memref<4xf32>) {dimensions = array<i64: 1>}
    return
  }
}
