// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-fuse-epilogues))" | FileCheck "%s"

#id = affine_map<(i) -> (i)>
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>

// A sum that was rounded for the next operation of the same body is used as it is; the result is still rounded.
// CHECK-LABEL: func.func @fused
// CHECK:         ^bb0(%[[X:.*]]: bf16, %{{.*}}: bf16):
// CHECK:           %[[W:.*]] = arith.extf %[[X]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[W]], %[[W]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK-NEXT:      %[[N:.*]] = arith.truncf %[[P]]
// CHECK-NEXT:      linalg.yield %[[N]]
func.func @fused(%x: tensor<8xbf16>, %e: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xbf16>) outs(%e : tensor<8xbf16>) {
  ^bb0(%x0: bf16, %o: bf16):
    %w = arith.extf %x0 : bf16 to f32
    %s = arith.addf %w, %w : f32
    %n = arith.truncf %s : f32 to bf16
    %v = arith.extf %n : bf16 to f32
    %p = arith.mulf %v, %v : f32
    %r = arith.truncf %p : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// The rounded sum is a result as well, so the rounding stays; the product uses the unrounded sum.
// CHECK-LABEL: func.func @also_a_result
// CHECK:           %[[S:.*]] = arith.addf
// CHECK-NEXT:      %[[N:.*]] = arith.truncf %[[S]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK-NEXT:      linalg.yield %[[N]], %[[P]]
func.func @also_a_result(%x: tensor<8xf32>, %e: tensor<8xbf16>, %f: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e, %f : tensor<8xbf16>, tensor<8xf32>) {
  ^bb0(%x0: f32, %o: bf16, %p0: f32):
    %s = arith.addf %x0, %x0 : f32
    %n = arith.truncf %s : f32 to bf16
    %v = arith.extf %n : bf16 to f32
    %p = arith.mulf %v, %v : f32
    linalg.yield %n, %p : bf16, f32
  } -> (tensor<8xbf16>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xbf16>, tensor<8xf32>
}

// A tile operation's epilogue is a body, too.
// CHECK-LABEL: func.func @epilogue
// CHECK:         ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[ACC]]
// CHECK-NEXT:      tpp.yield %[[S]]
func.func @epilogue(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #row, b_map = #column, epilogue_maps = []} {
  ^bb0(%acc: f32):
    %n = arith.truncf %acc : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %s = arith.addf %w, %w : f32
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Roundings stay outside of linalg and tpp, and where the extension has another type than the rounded value.
// CHECK-LABEL: func.func @kept
// CHECK:         arith.truncf
// CHECK:         arith.extf
// CHECK:           arith.truncf %{{.*}} : f64 to bf16
// CHECK:           arith.extf %{{.*}} : bf16 to f32
func.func @kept(%x: f32, %y: tensor<8xf64>, %e: tensor<8xf32>) -> (f32, tensor<8xf32>) {
  %n = arith.truncf %x : f32 to bf16
  %w = arith.extf %n : bf16 to f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf64>) outs(%e : tensor<8xf32>) {
  ^bb0(%y0: f64, %o: f32):
    %m = arith.truncf %y0 : f64 to bf16
    %v = arith.extf %m : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %w, %0 : f32, tensor<8xf32>
}

// Casts of the graph stay, and so do roundings to f32, in which operators compute.
// CHECK-LABEL: func.func @casts
// CHECK:           %[[N:.*]] = arith.truncf %{{.*}} to_nearest_even : f32 to bf16
// CHECK-NEXT:      arith.extf %[[N]]
// CHECK:           %[[F:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:      arith.extf %[[F]]
func.func @casts(%x: tensor<8xf32>, %y: tensor<8xf64>, %e: tensor<8xf64>) -> tensor<8xf64> {
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%x0: f32, %y0: f64, %o: f64):
    %n = arith.truncf %x0 to_nearest_even : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %f = arith.truncf %y0 : f64 to f32
    %g = arith.extf %f : f32 to f64
    %v = arith.extf %w : f32 to f64
    %s = arith.addf %v, %g : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %0 : tensor<8xf64>
}
