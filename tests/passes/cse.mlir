// RUN: kgen-opt "%s" --kgen-cse | FileCheck "%s"
// RUN: kgen-opt "%s" --cse -o %t.upstream
// RUN: kgen-opt "%s" --kgen-cse -o %t.own
// RUN: diff %t.upstream %t.own

// Bodies that are equal become one, also where they read equal constants that are two values. The
// number that bodies are told apart by does not stay.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @bodies
// CHECK-NOT: kgen.body_hash
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return %[[TWICE:.*]], %{{.*}}, %[[TWICE]], %{{.*}} : tensor<8xf32>
func.func @bodies(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %two : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %r = arith.mulf %in, %half : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %again = arith.constant 2.0 : f32
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %again : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %two : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
