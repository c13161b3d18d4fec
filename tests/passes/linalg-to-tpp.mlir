// RUN: kgen-opt "%s" --kgen-linalg-to-tpp --split-input-file | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-linalg-to-tpp --kgen-tpp-to-linalg --kgen-linalg-to-tpp --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %t: tensor<8x4xf32>, %v: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[Z:.*]] = tpp.zero outs(%{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[A:.*]] = tpp.add ins(%[[Z]], %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>)
  %a = linalg.add ins(%z, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[E:.*]] = tpp.exp ins(%[[A]]
  %e = linalg.exp ins(%a : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tpp.transpose ins(%[[E]] {{.*}} {permutation = array<i64: 1, 0>}
  %p = linalg.transpose ins(%e : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  // CHECK: tpp.reduce add ins(%[[E]] {{.*}} {dimensions = array<i64: 1>}
  %r = linalg.reduce {arith.addf} ins(%e : tensor<4x8xf32>) outs(%v : tensor<4xf32>) dimensions = [1]
  return %e, %p, %r : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// The same relu in other words, and one that is different for NaN.
// CHECK-LABEL: func.func @relu
// CHECK:         %[[A:.*]] = tpp.relu
// CHECK:         %[[B:.*]] = tpp.relu ins(%[[A]]
// CHECK:         linalg.generic {{.*}} ins(%[[B]]
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %zero, %i : f32
    %s = arith.select %c, %zero, %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf uge, %i, %zero : f32
    %s = arith.select %c, %i, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %i, %zero : f32
    %s = arith.select %c, %i, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Inputs in another order, a broadcast, a constant as parameter; then two operations at once, which stay.
// CHECK-LABEL: func.func @generics
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK:         %[[S:.*]] = tpp.sub ins(%[[B]], %[[X]] : tensor<8xf32>, tensor<4x8xf32>) {{.*}}maps
// CHECK:         %[[L:.*]] = tpp.leaky_relu ins(%[[S]] {{.*}}alpha = 1.250000e-01 : f64
// CHECK:         linalg.generic {{.*}} ins(%[[L]]
func.func @generics(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 0.125 : f32
  %a = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.subf %j, %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %l = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %alpha : f32
    %c = arith.cmpf olt, %i, %zero : f32
    %s = arith.select %c, %m, %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%l : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %e = math.exp %i : f32
    %s = arith.negf %e : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

// The destination's old contents are read; sizes are not known; on memrefs.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: linalg.generic
// CHECK:         tpp.tanh ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32>)
func.func @kept(%x: tensor<4xf32>, %y: tensor<?xf32>, %z: memref<4x8xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  linalg.tanh ins(%z : memref<4x8xf32>) outs(%z : memref<4x8xf32>)
  return %a, %b : tensor<4xf32>, tensor<?xf32>
}
