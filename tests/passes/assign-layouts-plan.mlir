// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts=plan | FileCheck "%s" --check-prefixes=CHECK,V3
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-assign-layouts=plan | FileCheck "%s" --check-prefixes=CHECK,AMX
// RUN: kgen-opt "%s" --kgen-target=armv8.6-i8mm-bf16 --kgen-assign-layouts=plan | FileCheck "%s" --check-prefixes=CHECK,ARM
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts | FileCheck "%s" --check-prefix=NONE
// The plan of products: the same for all numbers of rows, columns and products.
// NONE-NOT: gemm_plan

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// CHECK-LABEL: func.func @f32
// V3:          kgen.gemm_plan = #kgen.gemm_plan<form = "multiply_add", table = "gemm_f32", rows = 6, columns = 16, row_grain = 1, depth = 1>
// NONE-LABEL:  func.func @f32
func.func @f32(%a: tensor<256x512xf32>, %b: tensor<512x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<256x512xf32>, tensor<512x64xf32>) outs(%c : tensor<256x64xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// CHECK-LABEL: func.func @one_row
// V3:          kgen.gemm_plan = #kgen.gemm_plan<form = "multiply_add", table = "gemm_f32", rows = 6, columns = 16, row_grain = 1, depth = 1>
func.func @one_row(%a: tensor<1x8xf32>, %b: tensor<8x3xf32>, %c: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<1x8xf32>, tensor<8x3xf32>) outs(%c : tensor<1x3xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// Of A that is up-converted once, and B as it is. Tile registers have a plan without them.
// CHECK-LABEL: func.func @bf16
// V3:          kgen.gemm_plan = #kgen.gemm_plan<form = "upconvert", table = "gemm_f32", rows = {{[0-9]+}}, columns = 16, row_grain = 1, depth = 2>
// AMX:         kgen.gemm_plan = #kgen.gemm_plan<form = "tile", table = "amx_bf16", rows = 32, columns = 32, row_grain = 16, depth = 2, in_vectors = #kgen.gemm_plan<form = "upconvert", table = "gemm_f32", {{[^>]*}}, row_grain = 1, depth = 2>>
// ARM:         kgen.gemm_plan = #kgen.gemm_plan<form = "matrix", table = "matrix_bf16", {{[^>]*}}, row_grain = 2, depth = 4>
func.func @bf16(%a: tensor<256x512xbf16>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %b = arith.constant dense<1.0> : tensor<512x64xbf16>
  %r = tpp.gemm ins(%a, %b : tensor<256x512xbf16>, tensor<512x64xbf16>) outs(%c : tensor<256x64xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// The products of an attention are of pairs of bf16 where an instruction adds these up, and not where they are up-converted.
// CHECK-LABEL: func.func @attention
// V3:          kgen.attention
// V3-NOT:      kgen.gemm_plan
// AMX:         kgen.attention {{.*}} kgen.gemm_plan = #kgen.gemm_plan<form = "tile", table = "amx_bf16", {{[^>]*}}, depth = 2, in_vectors = {{.*}}probability_type = bf16
// CHECK:       return
func.func @attention(%q: tensor<2x32x16xbf16>, %k: tensor<2x48x16xbf16>, %v: tensor<2x48x16xbf16>) -> tensor<2x32x16xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x16xbf16>, tensor<2x48x16xbf16>, tensor<2x48x16xbf16>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, probability_type = bf16} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<2x32x16xf32>
  return %r : tensor<2x32x16xf32>
}
