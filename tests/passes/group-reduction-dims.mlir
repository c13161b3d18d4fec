// Adjacent dimensions that every operation of a chain with a reduction iterates in the same way become one.
// RUN: kgen-opt "%s" --kgen-group-reduction-dims | FileCheck "%s"

#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#pixels = affine_map<(n, c, h, w) -> (n, h, w)>
#channels = affine_map<(n, c, h, w) -> (n, c)>

// CHECK-LABEL: func @channel_norm
// CHECK-SAME:    %[[X:.*]]: tensor<8x256x14x14xf32>
// CHECK-DAG:     %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]]
// CHECK-DAG:     %[[Z:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<8x14x14xf32> into tensor<8x196xf32>
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<8x256x196xf32>) outs(%[[Z]] : tensor<8x196xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<8x256x196xf32>, tensor<8x196xf32>)
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
func.func @channel_norm(%x: tensor<8x256x14x14xf32>, %zero: tensor<8x14x14xf32>) -> tensor<8x256x14x14xf32> {
  %s = linalg.generic {indexing_maps = [#full, #pixels], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x : tensor<8x256x14x14xf32>) outs(%zero : tensor<8x14x14xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x14x14xf32>
  %e = tensor.empty() : tensor<8x256x14x14xf32>
  %y = linalg.generic {indexing_maps = [#full, #pixels, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<8x256x14x14xf32>, tensor<8x14x14xf32>) outs(%e : tensor<8x256x14x14xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %r = arith.divf %v, %u : f32
    linalg.yield %r : f32
  } -> tensor<8x256x14x14xf32>
  return %y : tensor<8x256x14x14xf32>
}

// One element for each channel: images and channels stay separate.
// CHECK-LABEL: func @channels
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<8x256x196xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8x256x196xf32>, tensor<8x256xf32>, tensor<256xf32>)
func.func @channels(%x: tensor<8x256x14x14xf32>, %zero: tensor<8x256xf32>, %scale: tensor<256xf32>) -> tensor<8x256x14x14xf32> {
  %s = linalg.generic {indexing_maps = [#full, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<8x256x14x14xf32>) outs(%zero : tensor<8x256xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x256xf32>
  %e = tensor.empty() : tensor<8x256x14x14xf32>
  %y = linalg.generic {indexing_maps = [#full, #channels, affine_map<(n, c, h, w) -> (c)>, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s, %scale : tensor<8x256x14x14xf32>, tensor<8x256xf32>, tensor<256xf32>) outs(%e : tensor<8x256x14x14xf32>) {
  ^bb0(%v: f32, %u: f32, %f: f32, %o: f32):
    %r = arith.divf %v, %u : f32
    %t = arith.mulf %r, %f : f32
    linalg.yield %t : f32
  } -> tensor<8x256x14x14xf32>
  return %y : tensor<8x256x14x14xf32>
}

// Another operation slices the image: it keeps its dimensions.
// CHECK-LABEL: func @sliced
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} : tensor<8x256x14x14xf32>)
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @sliced(%x: tensor<8x256x14x14xf32>, %zero: tensor<8x14x14xf32>) -> (tensor<8x14x14xf32>, tensor<8x256x7x14xf32>) {
  %s = linalg.generic {indexing_maps = [#full, #pixels], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x : tensor<8x256x14x14xf32>) outs(%zero : tensor<8x14x14xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x14x14xf32>
  %part = tensor.extract_slice %x[0, 0, 0, 0] [8, 256, 7, 14] [1, 1, 1, 1] : tensor<8x256x14x14xf32> to tensor<8x256x7x14xf32>
  return %s, %part : tensor<8x14x14xf32>, tensor<8x256x7x14xf32>
}

// Without a reduction, kgen-vectorize collapses dimensions.
// CHECK-LABEL: func @elementwise
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @elementwise(%x: tensor<8x14xf32>) -> tensor<8x14xf32> {
  %e = tensor.empty() : tensor<8x14xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x14xf32>) outs(%e : tensor<8x14xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.negf %v : f32
    linalg.yield %r : f32
  } -> tensor<8x14xf32>
  return %y : tensor<8x14xf32>
}
