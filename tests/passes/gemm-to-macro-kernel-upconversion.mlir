// Panels of bf16 are up-converted once for several tiles of rows.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-gemm-to-macro-kernel --canonicalize --cse --split-input-file | FileCheck "%s"

// All of k is a block: the first tile of each of two panels stores what it up-converts, and the others read both side by side.
// CHECK-LABEL: func.func @whole
// CHECK:         %[[MEMORY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<81920xi8>
// CHECK:         %[[WIDE:.*]] = memref.view %[[MEMORY]][%c0][] : memref<81920xi8> to memref<64x64xf32>
// CHECK:         %[[LEFT:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [64, 32], strides: [64, 1]
// CHECK-NEXT:    %[[KEPT:.*]] = memref.cast %[[LEFT]]
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x64_wide_1e(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[KEPT]])
// CHECK:         %[[RIGHT:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [32], sizes: [64, 32], strides: [64, 1]
// CHECK-NEXT:    %[[KEPT2:.*]] = memref.cast %[[RIGHT]]
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x64_wide_1e(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[KEPT2]])
// CHECK-NEXT:    scf.for %{{.*}} = %c0 to %c36 step %c6
// CHECK:           %[[BOTH:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [64, 64], strides: [64, 1]
// CHECK-NEXT:      %[[B:.*]] = memref.cast %[[BOTH]]
// CHECK-NEXT:      ukernel.call @uk_gemm_f32_bf16_6x64x64_1e(%{{[^,]*}}, %[[B]], %{{[^,]*}})
// CHECK-NOT:     ukernel.call
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
module {
  func.func @whole(%a: memref<48x64xf32>, %b: memref<2x32x32x2xbf16>, %c: memref<48x64xbf16>) {
    tpp.gemm ins(%a, %b : memref<48x64xf32>, memref<2x32x32x2xbf16>) outs(%c : memref<48x64xbf16>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      %t = arith.truncf %acc : f32 to bf16
      tpp.yield %t : bf16
    }
    return
  }
}

// -----

// Three blocks of k: partial sums have a buffer, since C is bf16, and the kernels of the last block start from them.
// CHECK-LABEL: func.func @blocks
// CHECK:         %[[WIDE:.*]] = memref.view %{{.*}}[%c0][] : memref<81920xi8> to memref<202x32xf32>
// CHECK:         %[[SUMS:.*]] = memref.view %{{.*}}[%c25856][] : memref<81920xi8> to memref<240x32xf32>
// CHECK:         %[[FIRST:.*]] = memref.reinterpret_cast %[[SUMS]] to offset: [0], sizes: [12, 32], strides: [32, 1]
// CHECK-NEXT:    %[[TILE:.*]] = memref.cast %[[FIRST]]
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x32x202_wide(%{{[^,]*}}, %{{[^,]*}}, %[[TILE]], %{{[^,]*}})
// CHECK:         ukernel.call @uk_gemm_f32_12x32x202(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x32x202_acc_wide(%{{[^,]*}}, %{{[^,]*}}, %[[TILE]], %{{[^,]*}})
// CHECK:         ukernel.call @uk_gemm_f32_12x32x202_acc(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x201_wide_sums_1e(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[TILE]])
// CHECK:         scf.for
// CHECK:           %[[NEXT:.*]] = memref.reinterpret_cast %[[SUMS]] to offset: [%{{.*}}], sizes: [12, 32], strides: [32, 1]
// CHECK:      ukernel.call @uk_gemm_f32_bf16_12x32x201_sums_1e(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[NEXT]])
// CHECK-NOT:     ukernel.call
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
module {
  func.func @blocks(%a: memref<96x605xf32>, %b: memref<1x303x32x2xbf16>, %c: memref<96x32xbf16>) {
    tpp.gemm ins(%a, %b : memref<96x605xf32>, memref<1x303x32x2xbf16>) outs(%c : memref<96x32xbf16>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      %t = arith.truncf %acc : f32 to bf16
      tpp.yield %t : bf16
    }
    return
  }
}

// -----

// The remaining columns have tiles of their own, as tall as they are narrow. Tiles prefetch both panels that follow: the first ones
// one each, the others one after the other, and nothing after B.
// CHECK-LABEL: func.func @columns
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x32x128_pf_wide(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x32x128_pf_wide(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c48 step %c6
// CHECK:           %[[PANEL:.*]] = arith.divui %[[ROW]], %c24
// CHECK-NEXT:      %[[PLACE:.*]] = arith.remui %[[ROW]], %c24
// CHECK-NEXT:      %[[AFTER:.*]] = arith.muli %[[PANEL]], %c8192
// CHECK:           ukernel.call @uk_gemm_f32_6x64x128_pf(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x128_pf_wide_sums_1e(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x128_pf_wide_sums_1e(
// CHECK:           ukernel.call @uk_gemm_f32_bf16_6x64x128_pf_sums_1e(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x32x128_pf_wide
// CHECK:         ukernel.call @uk_gemm_f32xbf16_12x8x128_pf_wide
// CHECK:           ukernel.call @uk_gemm_f32_8x40x128_pf(
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x128_wide_sums_1e
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x8x128_wide_sums_1e
// CHECK:           ukernel.call @uk_gemm_f32_bf16_8x40x128_sums_1e(
// CHECK-NOT:     ukernel.call
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
// A made-up target: an L2 of 64 KiB and register tiles of 12 x 32 and cache blocks of 144 x 1024.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma,+avx512f", tune = "skylake-avx512",
    vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 65536, reciprocal_throughput = {fma_f32 = 0.5, widen_bf16 = 0.75, convert_f16 = 1.0},
    gemm_tiles = {gemm_f32 = {mr = 12 : i64, nr = 32 : i64, mc = 144 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
  func.func @columns(%a: memref<60x256xf32>, %b: memref<4x128x32x2xbf16>, %c: memref<60x104xbf16>) {
    tpp.gemm ins(%a, %b : memref<60x256xf32>, memref<4x128x32x2xbf16>) outs(%c : memref<60x104xbf16>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      %t = arith.truncf %acc : f32 to bf16
      tpp.yield %t : bf16
    }
    return
  }
}

// -----

// C of f32 keeps the sums itself.
// CHECK-LABEL: func.func @in_c
// CHECK:         ukernel.call @uk_gemm_f32xf16_12x32x150_wide(
// CHECK:         ukernel.call @uk_gemm_f32_12x32x150(
// CHECK:         ukernel.call @uk_gemm_f32xf16_12x32x150_acc_wide(
// CHECK:         ukernel.call @uk_gemm_f32_12x32x150_acc(
// CHECK-NOT:     ukernel.call
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
module {
  func.func @in_c(%a: memref<96x300xf32>, %b: memref<1x300x32xf16>, %c: memref<96x32xf32>) {
    tpp.gemm ins(%a, %b : memref<96x300xf32>, memref<1x300x32xf16>) outs(%c : memref<96x32xf32>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Three tiles do not pay for the stores.
// CHECK-LABEL: func.func @few
// CHECK-NOT:     memref.alloca
// CHECK:         ukernel.call @uk_gemm_f32xbf16_bf16_12x32x64_1e(
// CHECK-NOT:     ukernel.call
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
module {
  func.func @few(%a: memref<36x64xf32>, %b: memref<1x32x32x2xbf16>, %c: memref<36x32xbf16>) {
    tpp.gemm ins(%a, %b : memref<36x64xf32>, memref<1x32x32x2xbf16>) outs(%c : memref<36x32xbf16>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      %t = arith.truncf %acc : f32 to bf16
      tpp.yield %t : bf16
    }
    return
  }
}
