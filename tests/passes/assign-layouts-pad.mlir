// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-assign-layouts="pack-b=false upconvert-a=false" --split-input-file --mlir-print-local-scope | FileCheck "%s"

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

  // Rows are a multiple of a cache line already.
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

  // Two panels of B do not pay for a copy.
  // CHECK-LABEL: func @few_panels
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @few_panels(%a: tensor<64x301xbf16>, %b: tensor<2x151x32x2xbf16>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<2x151x32x2xbf16>) outs(%e : tensor<64x64xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x64xf32>
    return %g : tensor<64x64xf32>
  }

  // A row of less than a cache line.
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

// Vector kernels broadcast single elements of A, whatever their alignment.
module attributes {kgen.target = "x86-64-v4-bf16"} {
  // CHECK-LABEL: func @without_amx
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @without_amx(%a: tensor<64x301xbf16>, %b: tensor<4x151x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
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

module attributes {kgen.decisions = [], kgen.target = "x86-64-v3"} {
  // Conflict misses: six rows, a page apart each, share one set of eight ways. Both contractions read one copy.
  // CHECK-LABEL: func @page_stride
  // CHECK-SAME:    %[[A:.*]]: tensor<64x1024xf32>
  // CHECK:         %[[E:.*]] = tensor.empty() : tensor<64x1040xf32>
  // CHECK:         %[[L:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [64, 1024] [1, 1]
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<16x1024x32xf32>)
  // CHECK-SAME:    reduction_sizes = array<i64: 1024>
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<16x1024x32xf32>)
  func.func @page_stride(%a: tensor<64x1024xf32>, %b: tensor<16x1024x32xf32>, %e: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
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

  // The same with B in place.
  // CHECK-LABEL: func @page_stride_b_in_place
  // CHECK-SAME:    {what = "rows of A are padded by a copy"}, kind = "applied"
  // CHECK:         %[[L:.*]] = tensor.insert_slice
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x1040xf32>, tensor<1024x512xf32>)
  // CHECK-SAME:    reduction_sizes = array<i64: 1024>
  func.func @page_stride_b_in_place(%a: tensor<64x1024xf32>, %b: tensor<1024x512xf32>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<1024x512xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    return %g : tensor<64x512xf32>
  }

  // Half a page apart: three rows share a set.
  // CHECK-LABEL: func @half_page_stride
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @half_page_stride(%a: tensor<64x512xf32>, %b: tensor<16x512x32xf32>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x512xf32>, tensor<16x512x32xf32>) outs(%e : tensor<64x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x512xf32>
    return %g : tensor<64x512xf32>
  }

  // Eight panels do not pay for a copy.
  // CHECK-LABEL: func @page_stride_few_panels
  // CHECK-SAME:    {why = "rows of A conflict in L1, but too few panels of B read them to pay for a copy"}, kind = "refused"
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm ins(%arg0,
  // CHECK-NOT:     insert_slice
  func.func @page_stride_few_panels(%a: tensor<64x1024xf32>, %b: tensor<8x1024x32xf32>, %e: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x1024xf32>, tensor<8x1024x32xf32>) outs(%e : tensor<64x256xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x256xf32>
    return %g : tensor<64x256xf32>
  }

  // Buffers of the function itself are padded in place by kgen-pad-leading-dimension.
  // CHECK-LABEL: func @own_buffer
  // CHECK-NOT:     insert_slice
  // CHECK:         tpp.gemm
  // CHECK-NOT:     insert_slice
  func.func @own_buffer(%x: tensor<64x1024xf32>, %w: tensor<64x1024xf32>, %b: tensor<8x1024x32xf32>, %e: tensor<64x256xf32>) -> tensor<64x256xf32> {
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
