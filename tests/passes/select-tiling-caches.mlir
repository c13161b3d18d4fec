// What is decided on cache tiles is written on the operation that ends the chain.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @chain
// CHECK-NOT: lowering_config
// CHECK: outs(%{{.*}} : tensor<128x400xf32>) attrs = {kgen.stores = "cached", lowering_config = #kgen.lowering_config<cache = [4, 0]>}
func.func @chain(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
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

// CHECK-LABEL: func @given
// CHECK-NOT: lowering_config
// CHECK: outs(%{{.*}} : tensor<128x400xf32>) attrs = {kgen.stores = "cached", lowering_config = #kgen.lowering_config<cache = [16, 0], unroll = 0>}
func.func @given(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32> loc("softmax")
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x400xf32>, tensor<128xf32>) outs(%f : tensor<128x400xf32>) attrs = {lowering_config = #kgen.lowering_config<cache = [16, 0], unroll = 0>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32> loc("softmax")
  return %r : tensor<128x400xf32>
}

// CHECK-LABEL: func @scheduled
// CHECK: outs(%{{.*}} : tensor<128x400xf32>) attrs = {kgen.stores = "cached", lowering_config = #kgen.lowering_config<cache = [2, 0]>}
func.func @scheduled(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> attributes {kgen.node_decisions = [{node = "softmax", schedule = "s", caches = {m = 2 : i64}}]} {
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
