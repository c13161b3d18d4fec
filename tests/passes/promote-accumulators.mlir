// Sums of f32 are added up in f64. Other reductions and other types stay.
// RUN: kgen-opt "%s" --kgen-promote-accumulators | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @squares
// CHECK: %[[INIT:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<4xf32>) outs(%{{.*}} : tensor<4xf64>)
// CHECK: arith.extf
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x9xf32>) outs(%[[INIT]] : tensor<4xf64>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f64):
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK: %[[W:.*]] = arith.extf %[[P]] : f32 to f64
// CHECK: arith.addf %[[S]], %[[W]] : f64
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<4xf64>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.truncf
func.func @squares(%x: tensor<4x9xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x9xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.mulf %p, %p : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func @largest
// CHECK-NOT: f64
// CHECK:     arith.maximumf
// CHECK-NOT: f64
// CHECK-LABEL: func @integers
// CHECK-NOT: f64
// CHECK:     arith.addi
// CHECK-NOT: f64
func.func @largest(%x: tensor<4x9xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x9xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @integers(%x: tensor<4x9xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x9xi32>) outs(%init : tensor<4xi32>) {
  ^bb0(%p: i32, %o: i32):
    %t = arith.addi %p, %o : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %s : tensor<4xi32>
}
