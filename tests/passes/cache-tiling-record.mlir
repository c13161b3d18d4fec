// What kgen explain is told: the tiles of a chain, and why a small one is left.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache --kgen-cache-tiling | FileCheck "%s"


#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {kgen.decisions = []} {
// CHECK: func.func @tiled
// CHECK-SAME: details = {what = "cache tiles of 4 x all"}, kind = "applied", nodes = ["softmax"], pass = "kgen-cache-tiling"
// CHECK: scf.for
func.func @tiled(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32> loc("softmax")
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x400xf32>, tensor<128xf32>) outs(%f : tensor<128x400xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32> loc("softmax")
  return %r : tensor<128x400xf32>
}

// CHECK: func.func @small
// CHECK-SAME: details = {why = "the cache holds all rows of a task"}, kind = "refused", nodes = ["small"]
// CHECK-NOT: scf.for
func.func @small(%x: tensor<4x400xf32>, %z: tensor<4xf32>, %f: tensor<4x400xf32>) -> tensor<4x400xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x400xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4xf32> loc("small")
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x400xf32>, tensor<4xf32>) outs(%f : tensor<4x400xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<4x400xf32> loc("small")
  return %r : tensor<4x400xf32>
}
}
