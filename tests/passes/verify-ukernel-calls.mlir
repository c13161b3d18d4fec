// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-macro-kernel-stage --split-input-file | FileCheck "%s"

// Packed, batched and padded operands of real tiles are in order; nothing changes.
module {
  // CHECK-LABEL: func.func @gemms
  // CHECK:         ukernel.call @uk_gemm
  // CHECK:         ukernel.call @uk_brgemm
  // CHECK:         ukernel.call @uk_gemm_bf16
  // CHECK:         ukernel.call @uk_map
  func.func @gemms(%a: memref<13x7xf32>, %b: memref<7x19xf32>, %c: memref<13x19xf32>, %r: memref<3x13x7xf32>, %s: memref<3x7x19xf32>,
                   %x: memref<13x7xbf16>, %p: memref<1x4x32x2xbf16>) {
    tpp.gemm ins(%a, %b : memref<13x7xf32>, memref<7x19xf32>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.brgemm ins(%r, %s : memref<3x13x7xf32>, memref<3x7x19xf32>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, accumulate, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.gemm ins(%x, %p : memref<13x7xbf16>, memref<1x4x32x2xbf16>) outs(%c : memref<13x19xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.relu ins(%c : memref<13x19xf32>) outs(%c : memref<13x19xf32>)
    return
  }
}

// -----

// Prefetched memory may be past the end of its buffer.
module {
  ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 8 : i64, b_row = 8 : i64, c_row = 8 : i64,
                                 element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  // CHECK-LABEL: func.func @past_end
  // CHECK:         ukernel.call @gemm
  func.func @past_end(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>) {
    %next = memref.reinterpret_cast %b to offset: [48], sizes: [1, 1], strides: [1, 1] : memref<6x8xf32> to memref<1x1xf32, strided<[1, 1], offset: 48>>
    ukernel.call @gemm(%a, %b, %c, %next) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>, memref<1x1xf32, strided<[1, 1], offset: 48>>
    return
  }
}
