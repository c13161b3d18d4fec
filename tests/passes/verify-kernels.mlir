// RUN: kgen-opt "%s" --kgen-tile-stage --kgen-verify-kernels | FileCheck "%s"

#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144, blocks = {}>

// Packed, batched and padded operands of real tiles are in order; nothing changes.
module attributes {kgen.target = #target} {
  // CHECK-LABEL: func.func @gemms
  // CHECK:         ukernel.call @uk_gemm
  // CHECK:         ukernel.call @uk_brgemm
  // CHECK:         ukernel.call @uk_gemm_bf16
  // CHECK:         ukernel.call @uk_map
  func.func @gemms(%a: memref<13x7xf32>, %b: memref<7x19xf32>, %c: memref<13x19xf32>, %r: memref<3x13x7xf32>, %s: memref<3x7x19xf32>,
                   %x: memref<13x7xbf16>, %p: memref<1x4x32x2xbf16>) {
    tpp.gemm ins(%a, %b : memref<13x7xf32>, memref<7x19xf32>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, extra_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.brgemm ins(%r, %s : memref<3x13x7xf32>, memref<3x7x19xf32>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, accumulate, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, extra_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.gemm ins(%x, %p : memref<13x7xbf16>, memref<1x4x32x2xbf16>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.relu ins(%c : memref<13x19xf32>) outs(%c : memref<13x19xf32>)
    return
  }
}
