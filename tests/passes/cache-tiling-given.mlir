// The pass tiles as the operation that ends a chain says, whatever the cache holds, and decides nothing.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-cache-tiling | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The sums join; both are unrolled as their end is.
// CHECK-LABEL: func @rows
// CHECK: scf.for {{.*}} step %c16
// CHECK: outs(%{{.*}} : tensor<16xf32>) attrs = {lowering_config = #kgen.lowering_config<unroll = 0>}
// CHECK: outs(%{{.*}} : tensor<16x400xf32>) attrs = {lowering_config = #kgen.lowering_config<cache = [16, 0], unroll = 0>}
func.func @rows(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
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

// A last tile that is smaller is peeled.
// CHECK-LABEL: func @uneven
// CHECK: scf.for {{.*}} = %c0 to %c100 step %c50
// CHECK: tensor<50x400xf32>
// CHECK: tensor<28x400xf32>
func.func @uneven(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32> loc("softmax")
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x400xf32>, tensor<128xf32>) outs(%f : tensor<128x400xf32>) attrs = {lowering_config = #kgen.lowering_config<cache = [50, 0]>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32> loc("softmax")
  return %r : tensor<128x400xf32>
}

// CHECK-LABEL: func @undecided
// CHECK-NOT: scf.for
// CHECK: return
func.func @undecided(%x: tensor<128x400xf32>, %z: tensor<128xf32>, %f: tensor<128x400xf32>) -> tensor<128x400xf32> {
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
