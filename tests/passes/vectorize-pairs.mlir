// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize))" --split-input-file | FileCheck "%s"
// Elements that read the other one of their pair: it comes from the same register.

#first = affine_map<(r, p, e) -> (r, p, 0)>
#second = affine_map<(r, p, e) -> (r, p, 1)>
#pair = affine_map<(r, p, e) -> (p)>
#element = affine_map<(r, p, e) -> (e)>
#all = affine_map<(r, p, e) -> (r, p, e)>
// Nine pairs are two vectors and two more elements.
// CHECK-LABEL: func.func @rotation
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x9x2xf32>, %[[SIN:[a-z0-9]+]]: tensor<9xf32>
// CHECK:         tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : tensor<3x9x2xf32> into tensor<3x18xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[PAIRS:.*]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:             vector.shuffle %[[PAIRS]], %[[PAIRS]] [1, 1, 3, 3, 5, 5, 7, 7] : vector<8xf32>, vector<8xf32>
// CHECK:             arith.constant dense<[1, 0, 1, 0, 1, 0, 1, 0]> : vector<8xi8>
// CHECK:             %[[EACH:.*]] = vector.transfer_read %[[SIN]]{{.*}} vector<4xf32>
// CHECK:             vector.shuffle %[[EACH]], %[[EACH]] [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
// CHECK:             vector.transfer_write {{.*}} vector<8xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [1, 1] : vector<2xf32>, vector<2xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]]
func.func @rotation(%x: tensor<3x9x2xf32>, %sin: tensor<9xf32>, %r: tensor<3x9x2xf32>) -> tensor<3x9x2xf32> {
  %isFirst = arith.constant dense<[1, 0]> : tensor<2xi8>
  %zero = arith.constant 0 : i8
  %y = linalg.generic {indexing_maps = [#second, #first, #element, #pair, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %x, %isFirst, %sin, %x : tensor<3x9x2xf32>, tensor<3x9x2xf32>, tensor<2xi8>, tensor<9xf32>, tensor<3x9x2xf32>) outs(%r : tensor<3x9x2xf32>) {
  ^bb0(%b: f32, %a: f32, %is: i8, %s: f32, %own: f32, %o: f32):
    %0 = arith.cmpi ne, %is, %zero : i8
    %1 = arith.select %0, %b, %a : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.addf %own, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x9x2xf32>
  return %y : tensor<3x9x2xf32>
}
