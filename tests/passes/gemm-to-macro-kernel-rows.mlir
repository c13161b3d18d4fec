// Rows of images: a block takes those of several batch indices with one B.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-gemm-to-macro-kernel --canonicalize --cse --split-input-file | FileCheck "%s"

// A block of rows has all that fit, and panels are outside of them: five rows of 16 pixels, each as two tiles of eight.
// CHECK-LABEL: func.func @outer
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c64 step %c32
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c5 step
// CHECK:             scf.for %{{.*}} = %{{.*}} to %c16 step %c8
// CHECK:               ukernel.call @uk_brgemm_f32_8x32x3x96(
// CHECK-NOT:     ukernel.call
module {
  func.func @outer(%a: memref<1x7x576xf32>, %b: memref<3x2x96x32xf32>, %c: memref<1x5x16x64xf32>) {
    tpp.brgemm ins(%a, %b : memref<1x7x576xf32>, memref<3x2x96x32xf32>) outs(%c : memref<1x5x16x64xf32>)
        attributes {a_map = affine_map<(n, y, m, o, r, k) -> (n, y + r, m * 32 + k)>, b_map = affine_map<(n, y, m, o, r, k) -> (r, k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 3, 96>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Rows of seven pixels: two of them are one tile of 14 rows, which come in runs of seven; the fifth is one by itself.
// CHECK-DAG:     ukernel.gemm @uk_brgemm_f32_14x32x3x96 attributes {a_batch = 288 : i64, a_col = 1 : i64, a_jump = 288 : i64, a_row = 32 : i64, a_run = 7 : i64
// CHECK-DAG:     ukernel.gemm @uk_brgemm_f32_7x32x3x96 attributes {a_batch = 288 : i64, a_col = 1 : i64, a_row = 32 : i64
// CHECK-LABEL: func.func @runs
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c4 step %c2
// CHECK:           ukernel.call @uk_brgemm_f32_14x32x3x96(
// CHECK:         ukernel.call @uk_brgemm_f32_7x32x3x96(
// CHECK-NOT:     ukernel.call
module {
  func.func @runs(%a: memref<1x7x288xf32>, %b: memref<3x1x96x32xf32>, %c: memref<1x5x7x32xf32>) {
    tpp.brgemm ins(%a, %b : memref<1x7x288xf32>, memref<3x1x96x32xf32>) outs(%c : memref<1x5x7x32xf32>)
        attributes {a_map = affine_map<(n, y, m, o, r, k) -> (n, y + r, m * 32 + k)>, b_map = affine_map<(n, y, m, o, r, k) -> (r, k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 3, 96>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// 14 pixels are one tile, not two of seven: as tall as the registers hold.
// CHECK-LABEL: func.func @tall
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c5 step
// CHECK:           ukernel.call @uk_brgemm_f32_14x32x3x96(
// CHECK-NOT:     ukernel.call
module {
  func.func @tall(%a: memref<1x7x512xf32>, %b: memref<3x1x96x32xf32>, %c: memref<1x5x14x32xf32>) {
    tpp.brgemm ins(%a, %b : memref<1x7x512xf32>, memref<3x1x96x32xf32>) outs(%c : memref<1x5x14x32xf32>)
        attributes {a_map = affine_map<(n, y, m, o, r, k) -> (n, y + r, m * 32 + k)>, b_map = affine_map<(n, y, m, o, r, k) -> (r, k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 3, 96>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Products that are too deep together become blocks, as k does: C keeps the sums between them.
// CHECK-LABEL: func.func @products
// CHECK:         ukernel.call @uk_brgemm_f32_14x32x2x96(
// CHECK:         ukernel.call @uk_gemm_f32_14x32x96_acc(
// CHECK-NOT:     ukernel.call
// A made-up target: register tiles of 12 x 32 and cache blocks of 144 x 96.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma,+avx512f", tune = "skylake-avx512",
    vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 1048576,
    gemm_tiles = {gemm_f32 = {mr = 12 : i64, nr = 32 : i64, mc = 144 : i64, kc = 96 : i64}}>} {
  func.func @products(%a: memref<1x3x512xf32>, %b: memref<3x1x96x32xf32>, %c: memref<1x1x14x32xf32>) {
    tpp.brgemm ins(%a, %b : memref<1x3x512xf32>, memref<3x1x96x32xf32>) outs(%c : memref<1x1x14x32xf32>)
        attributes {a_map = affine_map<(n, y, m, o, r, k) -> (n, y + r, m * 32 + k)>, b_map = affine_map<(n, y, m, o, r, k) -> (r, k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 3, 96>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Rows that are a page apart share a set of the first-level cache, which has eight ways: seven of them are for rows of a tile.
// CHECK-LABEL: func.func @pages
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c28 step %c7
// CHECK:           ukernel.call @uk_gemm_f32_7x16x1024(
module {
  func.func @pages(%a: memref<28x1024xf32>, %b: memref<1x1024x16xf32>, %c: memref<28x16xf32>) {
    tpp.gemm ins(%a, %b : memref<28x1024xf32>, memref<1x1024x16xf32>) outs(%c : memref<28x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Two sets if they are half a page apart.
// CHECK-LABEL: func.func @half_pages
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c28 step %c14
// CHECK:           ukernel.call @uk_gemm_f32_14x16x512(
module {
  func.func @half_pages(%a: memref<28x512xf32>, %b: memref<1x512x16xf32>, %c: memref<28x16xf32>) {
    tpp.gemm ins(%a, %b : memref<28x512xf32>, memref<1x512x16xf32>) outs(%c : memref<28x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Any set otherwise.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         ukernel.call @uk_gemm_f32_28x16x520(
module {
  func.func @elsewhere(%a: memref<28x520xf32>, %b: memref<1x520x16xf32>, %c: memref<28x16xf32>) {
    tpp.gemm ins(%a, %b : memref<28x520xf32>, memref<1x520x16xf32>) outs(%c : memref<28x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// So do rows of several runs, as windows with strides have them: each run is a tile by itself.
// CHECK-LABEL: func.func @runs_of_pages
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c4 step %c1
// CHECK:           ukernel.call @uk_gemm_f32_7x32x1536(
// CHECK-NOT:     ukernel.call
module {
  func.func @runs_of_pages(%a: memref<1x8x7680xf32>, %b: memref<1x1536x32xf32>, %c: memref<1x4x7x32xf32>) {
    tpp.gemm ins(%a, %b : memref<1x8x7680xf32>, memref<1x1536x32xf32>) outs(%c : memref<1x4x7x32xf32>)
        attributes {a_map = affine_map<(n, y, m, o, k) -> (n, y * 2, m * 1024 + k)>, b_map = affine_map<(n, y, m, o, k) -> (k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 1536>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}
