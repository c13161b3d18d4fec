// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-align-packed-rows --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

module {
  // CHECK-LABEL: func @odd_depth
  // CHECK-SAME:    %[[A:.*]]: tensor<64x301xbf16>
  // CHECK:         %[[E:.*]] = tensor.empty() : tensor<64x320xbf16>
  // CHECK:         %[[L:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [64, 301] [1, 1]
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x320xbf16>, tensor<4x151x32x2xbf16>)
  // CHECK-SAME:    reduction_sizes = array<i64: 301>
  func.func @odd_depth(%a: tensor<64x301xbf16>, %b: tensor<4x151x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<4x151x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }

  // Rows that begin on lines already.
  // CHECK-LABEL: func @even_depth
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @even_depth(%a: tensor<64x320xbf16>, %b: tensor<4x160x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x320xbf16>, tensor<4x160x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }

  // Too few panels to pay for a copy.
  // CHECK-LABEL: func @few_columns
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @few_columns(%a: tensor<64x301xbf16>, %b: tensor<2x151x32x2xbf16>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<2x151x32x2xbf16>) outs(%e : tensor<64x64xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x64xf32>
    return %g : tensor<64x64xf32>
  }

  // All of k is less than a line: nothing is read as whole rows of a tile.
  // CHECK-LABEL: func @short_rows
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @short_rows(%a: tensor<64x31xbf16>, %b: tensor<4x16x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x31xbf16>, tensor<4x16x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// Other kernels read A element by element, wherever it begins.
module attributes {kgen.target = "x86-64-v4-bf16"} {
  // CHECK-LABEL: func @without_tiles
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @without_tiles(%a: tensor<64x301xbf16>, %b: tensor<4x151x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<4x151x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#same = affine_map<(m, k) -> (m, k)>

module attributes {kgen.target = "x86-64-v3"} {
  // Six rows, a page apart each, would share one set of eight ways; both contractions read the one copy.
  // CHECK-LABEL: func @pages_apart
  // CHECK-SAME:    %[[A:.*]]: tensor<64x1024xf32>
  // CHECK:         %[[E:.*]] = tensor.empty() : tensor<64x1040xf32>
  // CHECK:         %[[L:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [64, 1024] [1, 1]
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<16x1024x32xf32>)
  // CHECK-SAME:    reduction_sizes = array<i64: 1024>
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<16x1024x32xf32>)
  func.func @pages_apart(%a: tensor<64x1024xf32>, %b: tensor<16x1024x32xf32>, %e: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<16x1024x32xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    %h = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<16x1024x32xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    return %g, %h : tensor<64x512xf32>, tensor<64x512xf32>
  }

  // The same with a B in place.
  // CHECK-LABEL: func @pages_apart_in_place
  // CHECK:         %[[L:.*]] = tensor.insert_slice
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<1024x512xf32>)
  // CHECK-SAME:    reduction_sizes = array<i64: 1024>
  func.func @pages_apart_in_place(%a: tensor<64x1024xf32>, %b: tensor<1024x512xf32>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<1024x512xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    return %g : tensor<64x512xf32>
  }

  // Half a page apart: three rows share a set.
  // CHECK-LABEL: func @half_a_page_apart
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @half_a_page_apart(%a: tensor<64x512xf32>, %b: tensor<16x512x32xf32>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x512xf32>, tensor<16x512x32xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    return %g : tensor<64x512xf32>
  }

  // Eight panels do not pay for a copy.
  // CHECK-LABEL: func @pages_apart_few_columns
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @pages_apart_few_columns(%a: tensor<64x1024xf32>, %b: tensor<8x1024x32xf32>, %e: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<8x1024x32xf32>) outs(%e : tensor<64x256xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x256xf32>
    return %g : tensor<64x256xf32>
  }

  // Memory of the function's own gets longer rows later, without a copy.
  // CHECK-LABEL: func @written_for_this
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm
  // CHECK-NOT:     insert_slice
  func.func @written_for_this(%x: tensor<64x1024xf32>, %w: tensor<64x1024xf32>, %b: tensor<8x1024x32xf32>, %e: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<64x1024xf32>) outs(%w : tensor<64x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
    } -> tensor<64x1024xf32>
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<8x1024x32xf32>) outs(%e : tensor<64x256xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x256xf32>
    return %g : tensor<64x256xf32>
  }
}
