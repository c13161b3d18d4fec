// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts="pack-b=false pad-a=false" --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#id = affine_map<(i, j) -> (i, j)>

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func @argument
  // CHECK-SAME:    %[[A:.*]]: tensor<64x48xbf16>, %[[B:.*]]: tensor<48x32xbf16>
  // CHECK-SAME:    {what = "A is up-converted once, outside of the micro-kernel"}, kind = "applied"
  // CHECK:         %[[W:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<64x48xbf16>) outs(%{{.*}} : tensor<64x48xf32>)
  // CHECK:           arith.extf %{{.*}} : bf16 to f32
  // CHECK:         tpp.gemm ins(%[[W]], %[[B]] : tensor<64x48xf32>, tensor<48x32xbf16>)
  func.func @argument(%a: tensor<64x48xbf16>, %b: tensor<48x32xbf16>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x48xbf16>, tensor<48x32xbf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %g : tensor<64x32xf32>
  }

  // A contraction that computes A rounds as before, but stores the rounded values in f32.
  // CHECK-LABEL: func @layers
  // CHECK:         %[[H:.*]] = tpp.gemm {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
  // CHECK:           %[[R:.*]] = arith.truncf %{{.*}} : f32 to f16
  // CHECK-NEXT:      %[[S:.*]] = arith.extf %[[R]] : f16 to f32
  // CHECK-NEXT:      tpp.yield %[[S]] : f32
  // CHECK:         tpp.gemm ins(%[[H]], %{{.*}} : tensor<64x32xf32>, tensor<32x32xf16>)
  func.func @layers(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %c: tensor<32x32xf16>, %h: tensor<64x32xf16>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%h : tensor<64x32xf16>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      %r = arith.truncf %acc : f32 to f16
      tpp.yield %r : f16
    } -> tensor<64x32xf16>
    %y = tpp.gemm ins(%g, %c : tensor<64x32xf16>, tensor<32x32xf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %y : tensor<64x32xf32>
  }

  // So does an elementwise operation, through a reshape. Two contractions read one up-converted tensor.
  // CHECK-LABEL: func @shared
  // CHECK:         %[[H:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8x48xf32>)
  // CHECK:           %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK-NEXT:      %[[S:.*]] = arith.extf %[[R]] : bf16 to f32
  // CHECK-NEXT:      linalg.yield %[[S]] : f32
  // CHECK:         %[[W:.*]] = tensor.collapse_shape %[[H]] {{.*}} : tensor<8x8x48xf32> into tensor<64x48xf32>
  // CHECK:         tpp.gemm ins(%[[W]],
  // CHECK:         tpp.gemm ins(%[[W]],
  func.func @shared(%x: tensor<8x8x48xf32>, %b: tensor<48x32xbf16>, %c: tensor<48x32xbf16>, %e: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
    %empty = tensor.empty() : tensor<8x8x48xbf16>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : tensor<8x8x48xf32>) outs(%empty : tensor<8x8x48xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %s = arith.addf %i, %i : f32
      %t = arith.truncf %s : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<8x8x48xbf16>
    %a = tensor.collapse_shape %r [[0, 1], [2]] : tensor<8x8x48xbf16> into tensor<64x48xbf16>
    %g = tpp.gemm ins(%a, %b : tensor<64x48xbf16>, tensor<48x32xbf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    %h = tpp.gemm ins(%a, %c : tensor<64x48xbf16>, tensor<48x32xbf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %g, %h : tensor<64x32xf32>, tensor<64x32xf32>
  }

  // A tensor that another operation reads stays, too.
  // CHECK-LABEL: func @also_read
  // CHECK:         %[[G:.*]] = tpp.gemm {{.*}} outs(%{{.*}} : tensor<64x32xbf16>)
  // CHECK:         %[[W:.*]] = linalg.generic {{.*}} ins(%[[G]] : tensor<64x32xbf16>)
  // CHECK:         %[[Y:.*]] = tpp.gemm ins(%[[W]],
  // CHECK:         return %[[Y]], %[[G]]
  func.func @also_read(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %c: tensor<32x32xbf16>, %h: tensor<64x32xbf16>, %e: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xbf16>) {
    %g = tpp.gemm ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%h : tensor<64x32xbf16>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      %r = arith.truncf %acc : f32 to bf16
      tpp.yield %r : bf16
    } -> tensor<64x32xbf16>
    %y = tpp.gemm ins(%g, %c : tensor<64x32xbf16>, tensor<32x32xbf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %y, %g : tensor<64x32xf32>, tensor<64x32xbf16>
  }

  // Not up-converted: too little work to pay for a loop; B contiguous along k; f32.
  // CHECK-LABEL: func @kept
  // CHECK-SAME:    {why = "too few panels of B to pay for up-converting A outside"}, kind = "refused"
  // CHECK-NOT:     linalg.generic
  // CHECK:         tpp.gemm ins(%{{.*}} : tensor<2x8xbf16>, tensor<8x16xbf16>)
  // CHECK:         tpp.gemm ins(%{{.*}} : tensor<64x48xbf16>, tensor<32x48xbf16>)
  // CHECK:         tpp.gemm ins(%{{.*}} : tensor<64x48xf32>, tensor<48x32xf32>)
  func.func @kept(%a: tensor<2x8xbf16>, %b: tensor<8x16xbf16>, %c: tensor<2x16xf32>, %x: tensor<64x48xbf16>, %w: tensor<32x48xbf16>, %e: tensor<64x32xf32>,
                  %p: tensor<64x48xf32>, %q: tensor<48x32xf32>) -> (tensor<2x16xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
    %0 = tpp.gemm ins(%a, %b : tensor<2x8xbf16>, tensor<8x16xbf16>) outs(%c : tensor<2x16xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<2x16xf32>
    %1 = tpp.gemm ins(%x, %w : tensor<64x48xbf16>, tensor<32x48xbf16>) outs(%e : tensor<64x32xf32>) attributes {a_map = #a, b_map = #bt, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    %2 = tpp.gemm ins(%p, %q : tensor<64x48xf32>, tensor<48x32xf32>) outs(%e : tensor<64x32xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %0, %1, %2 : tensor<2x16xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// bf16 stays if the target multiplies bf16 pairs in one instruction.
module attributes {kgen.target = "zen5"} {
  // CHECK-LABEL: func @dot_product
  // CHECK-NOT:     linalg.generic
  // CHECK:         tpp.gemm ins(%{{.*}} : tensor<64x48xbf16>, tensor<48x32xbf16>)
  func.func @dot_product(%a: tensor<64x48xbf16>, %b: tensor<48x32xbf16>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x48xbf16>, tensor<48x32xbf16>) outs(%e : tensor<64x32xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x32xf32>
    return %g : tensor<64x32xf32>
  }
}
