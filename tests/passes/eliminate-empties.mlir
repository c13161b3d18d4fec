// RUN: kgen-opt "%s" --kgen-eliminate-empties | FileCheck "%s"

// Both parts are computed where they are inserted. While the analysis runs, each of the readers of
// %x and of the constant has a tensor of its own: afterwards there is one again.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @parts
// CHECK: %[[C:.*]] = arith.constant dense
// CHECK: %[[X:.*]] = bufferization.to_tensor
// CHECK-NOT: tensor.empty
// CHECK-NOT: bufferization.to_tensor
// CHECK: %[[LOW:.*]] = tensor.extract_slice %[[DEST:.*]][0] [4] [1]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[C]] : {{.*}}) outs(%[[LOW]]
// CHECK: %[[HIGH:.*]] = tensor.extract_slice %{{.*}}[4] [4] [1]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[C]] : {{.*}}) outs(%[[HIGH]]
func.func @parts(%memory: memref<4xf32>, %dest: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %x = bufferization.to_tensor %memory restrict : memref<4xf32> to tensor<4xf32>
  %e0 = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e0 : tensor<4xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %r = arith.mulf %in, %k : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %low = tensor.insert_slice %a into %dest[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %r = arith.addf %in, %k : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %high = tensor.insert_slice %b into %low[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %high : tensor<8xf32>
}
