// RUN: kgen-opt "%s" --kgen-fuse-epilogues --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
#scalar = affine_map<(m, n) -> ()>

// A chain of operations with a bias by column, by row and by scalar, a residual and a captured constant.
// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[COL:[a-z0-9]+]]: tensor<8xf32>, %[[ROW:[a-z0-9]+]]: tensor<4xf32>, %[[ONE:[a-z0-9]+]]: tensor<f32>, %[[FULL:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK:         %[[R:.*]] = tpp.gemm
// CHECK-SAME:      epilogue_ins(%[[COL]], %[[ROW]], %[[ONE]], %[[FULL]] : tensor<8xf32>, tensor<4xf32>, tensor<f32>, tensor<4x8xf32>)
// CHECK-SAME:      epilogue_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X0:.*]]: f32, %[[X1:.*]]: f32, %[[X2:.*]]: f32, %[[X3:.*]]: f32):
// CHECK-NEXT:      %[[S0:.*]] = arith.subf %[[X0]], %[[ACC]]
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:       %[[S1:.*]] = arith.addf %[[S0]], %[[X1]]
// CHECK:           %[[S2:.*]] = arith.mulf %[[S1]], %[[X2]]
// CHECK-NEXT:      %[[S3:.*]] = arith.addf %[[S2]], %[[X3]]
// CHECK-NEXT:      %[[S4:.*]] = arith.maximumf %[[S3]], %[[ZERO]]
// CHECK-NEXT:      tpp.yield %[[S4]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]
func.func @chain(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %e: tensor<4x8xf32>, %col: tensor<8xf32>, %row: tensor<4xf32>,
                 %one: tensor<f32>, %full: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#col, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%col, %g : tensor<8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #row, #scalar, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%0, %row, %one, %full : tensor<4x8xf32>, tensor<4xf32>, tensor<f32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %z : f32
    %u = arith.addf %t, %w : f32
    %v = arith.maximumf %u, %zero : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// A consumer may use the result twice. An operand that is defined between contraction and consumer is in front of the fused operation.
// CHECK-LABEL: func @square_and_late_operand
// CHECK:         %[[LATE:.*]] = tensor.generate
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[LATE]] : tensor<4x8xf32>)
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[ACC]], %[[ACC]]
// CHECK-NEXT:      arith.addf %[[S]], %[[X]]
// CHECK-NOT:     linalg.generic
func.func @square_and_late_operand(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %e: tensor<4x8xf32>, %v: f32) -> tensor<4x8xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %late = tensor.generate {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %late, %g : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %s = arith.mulf %x, %z : f32
    %t = arith.addf %s, %y : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// The sum of two contractions becomes the epilogue of the first operand's; the other one is an epilogue operand. Accumulation stays.
// CHECK-LABEL: func @two_gemms
// CHECK:         %[[G1:.*]] = tpp.gemm
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[G1]] : tensor<4x8xf32>) {{.*}}accumulate
// CHECK-NOT:     linalg.generic
func.func @two_gemms(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %e: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %g0 = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %g1 = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g0, %g1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// A conversion is part of the epilogue; the result of another type has a new destination.
// CHECK-LABEL: func @other_result_type
// CHECK:         %[[F:.*]] = tensor.empty() : tensor<4x4xf64>
// CHECK:         tpp.gemm {{.*}} outs(%[[F]] : tensor<4x4xf64>)
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[D:.*]] = arith.extf %[[ACC]] : f32 to f64
// CHECK-NEXT:      tpp.yield %[[D]] : f64
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @other_result_type(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>, %f: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%f : tensor<4x4xf64>) {
  ^bb0(%x0: f32, %o: f64):
    %s = arith.extf %x0 : f32 to f64
    linalg.yield %s : f64
  } -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}

// -----

#a = affine_map<(m, n, r, k) -> (r, m, k)>
#b = affine_map<(m, n, r, k) -> (r, k, n)>
#full = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>

// bf16 is accumulated in f32; the bias is added in f32 as well, and the result is rounded last.
// CHECK-LABEL: func @brgemm_bf16
// CHECK:         %[[F:.*]] = tensor.empty() : tensor<4x8xbf16>
// CHECK:         tpp.brgemm {{.*}} epilogue_ins(%{{.*}} : tensor<8xbf16>) outs(%[[F]] : tensor<4x8xbf16>)
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: bf16):
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[W]] : f32
// CHECK-NEXT:      %[[R:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK-NEXT:      tpp.yield %[[R]] : bf16
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @brgemm_bf16(%a: tensor<3x4x6xbf16>, %b: tensor<3x6x8xbf16>, %e: tensor<4x8xf32>, %x: tensor<8xbf16>, %f: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %g = tpp.brgemm ins(%a, %b : tensor<3x4x6xbf16>, tensor<3x6x8xbf16>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %x : tensor<4x8xf32>, tensor<8xbf16>) outs(%f : tensor<4x8xbf16>) {
  ^bb0(%x0: f32, %x1: bf16, %o: bf16):
    %w = arith.extf %x1 : bf16 to f32
    %s = arith.addf %x0, %w : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}
