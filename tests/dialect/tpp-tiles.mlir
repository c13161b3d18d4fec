// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --mlir-print-op-generic | kgen-opt | FileCheck "%s"

#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
#scalar = affine_map<(i, j) -> ()>
#full = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @unary
func.func @unary(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NEXT: tpp.zero outs(%{{.*}} : memref<4x8xf32>)
  tpp.zero outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.identity ins(%[[X:.*]] : memref<4x8xf32>) outs(%[[Y:.*]] : memref<4x8xf32>)
  tpp.identity ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.relu ins(%[[X]] : memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32>)
  tpp.relu ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.leaky_relu ins(%[[X]] : memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32>) {alpha = 1.000000e-01 : f64}
  tpp.leaky_relu ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {alpha = 0.1 : f64}
  // CHECK-NEXT: tpp.gelu ins(%[[X]] : memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32>) {tanh}
  tpp.gelu ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {tanh}
  // CHECK-NEXT: tpp.sigmoid
  tpp.sigmoid ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.tanh
  tpp.tanh ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.exp
  tpp.exp ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.log
  tpp.log ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.sqrt
  tpp.sqrt ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.reciprocal
  tpp.reciprocal ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.neg
  tpp.neg ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  // CHECK-NEXT: tpp.abs ins(%[[X]] : memref<4x8xf32>) outs(%[[X]] : memref<4x8xf32>)
  tpp.abs ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<4x8xf32>, %row: tensor<8xf32>, %column: tensor<4xf32>, %scalar: tensor<f32>, %i: tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  // CHECK: %[[A:.*]] = tpp.add ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>) outs(%[[E:.*]] : tensor<4x8xf32>) {maps = [#{{.*}}, #{{.*}}]} -> tensor<4x8xf32>
  %a = tpp.add ins(%x, %row : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {maps = [#full, #row]} -> tensor<4x8xf32>
  // CHECK-NEXT: tpp.sub ins(%{{.*}}, %[[A]] : tensor<4xf32>, tensor<4x8xf32>)
  %b = tpp.sub ins(%column, %a : tensor<4xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {maps = [#column, #full]} -> tensor<4x8xf32>
  // CHECK-NEXT: tpp.mul
  %c = tpp.mul ins(%b, %scalar : tensor<4x8xf32>, tensor<f32>) outs(%e : tensor<4x8xf32>) {maps = [#full, #scalar]} -> tensor<4x8xf32>
  // CHECK-NEXT: tpp.div
  %d = tpp.div ins(%c, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: tpp.max
  %m = tpp.max ins(%d, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: tpp.min {{.*}} -> tensor<4x8xi32>
  %n = tpp.min ins(%i, %i : tensor<4x8xi32>, tensor<4x8xi32>) outs(%i : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %m, %n : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<5x8xbf16>, %y: tensor<5xf32>, %t: tensor<8x5xbf16>, %v: tensor<3x8x2xbf16>) -> (tensor<5xf32>, tensor<8x5xbf16>, tensor<3x8x2xbf16>) {
  // CHECK-NEXT: tpp.reduce add ins(%{{.*}} : tensor<5x8xbf16>) outs(%{{.*}} : tensor<5xf32>) {dimensions = array<i64: 1>} -> tensor<5xf32>
  %r = tpp.reduce add ins(%x : tensor<5x8xbf16>) outs(%y : tensor<5xf32>) {dimensions = array<i64: 1>} -> tensor<5xf32>
  // CHECK-NEXT: tpp.transpose ins(%{{.*}} : tensor<5x8xbf16>) outs(%{{.*}} : tensor<8x5xbf16>) {permutation = array<i64: 1, 0>} -> tensor<8x5xbf16>
  %p = tpp.transpose ins(%x : tensor<5x8xbf16>) outs(%t : tensor<8x5xbf16>) {permutation = array<i64: 1, 0>} -> tensor<8x5xbf16>
  // CHECK-NEXT: tpp.vnni_pack ins(%{{.*}} : tensor<5x8xbf16>) outs(%{{.*}} : tensor<3x8x2xbf16>) {factor = 2 : i64} -> tensor<3x8x2xbf16>
  %q = tpp.vnni_pack ins(%x : tensor<5x8xbf16>) outs(%v : tensor<3x8x2xbf16>) {factor = 2 : i64} -> tensor<3x8x2xbf16>
  return %r, %p, %q : tensor<5xf32>, tensor<8x5xbf16>, tensor<3x8x2xbf16>
}

// CHECK-LABEL: func.func @group
func.func @group(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: tpp.group ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) {
  %r = tpp.group ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %t = tensor.empty() : tensor<4x8xf32>
    %s = tpp.exp ins(%a : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    %u = tpp.relu ins(%s : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: tpp.yield %{{.*}} : tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
