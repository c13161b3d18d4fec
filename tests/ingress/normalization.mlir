// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// A layer normalization in six operations.
// CHECK-NOT: Slower than it could be
// CHECK: centered {{.*}} fused loops
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @layer_norm(%x: tensor<128x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<128x768xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<128x1xf32>
  %e = tensor.empty() : tensor<128x768xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128x1xf32>) -> tensor<128x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<128x768xf32>) outs(%f1 : tensor<128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<128x1xf32>
  %mean = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<128x1xf32>) outs(%e1 : tensor<128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %n : f32
    linalg.yield %0 : f32
  } -> tensor<128x1xf32>
  %centered = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<128x768xf32>, tensor<128x1xf32>) outs(%e : tensor<128x768xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<128x768xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128x1xf32>) -> tensor<128x1xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%centered : tensor<128x768xf32>) outs(%f2 : tensor<128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    %0 = arith.addf %s, %out : f32
    linalg.yield %0 : f32
  } -> tensor<128x1xf32>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%squares : tensor<128x1xf32>) outs(%e1 : tensor<128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<128x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%centered, %scale, %g, %b : tensor<128x768xf32>, tensor<128x1xf32>, tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<128x768xf32>) {
  ^bb0(%in: f32, %s: f32, %gain: f32, %bias: f32, %out: f32):
    %0 = arith.mulf %in, %s : f32
    %1 = arith.mulf %0, %gain : f32
    %2 = arith.addf %1, %bias : f32
    linalg.yield %2 : f32
  } -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}
