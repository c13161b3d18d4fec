// RUN: kgen-opt "%s" --kgen-lower-packs=pads=outside-windows --split-input-file | FileCheck "%s"

// Zeros are neutral in sums: reduce-windows skip the padding, and the pad stays.
// CHECK-LABEL: func.func @sums
// CHECK-SAME:    {why = "windows skip the padding"}, kind = "refused"
// CHECK:         tensor.pad
// CHECK-NOT:     tensor.insert_slice
module attributes {kgen.decisions = []} {
func.func @sums(%x: tensor<1x2x4x8xf32>, %e: tensor<1x2x4x8xf32>, %shape: tensor<3x3xf32>) -> tensor<1x2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x8xf32> to tensor<1x4x6x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %shape : tensor<1x4x6x8xf32>, tensor<3x3xf32>) outs(%e : tensor<1x2x4x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<1x2x4x8xf32>
  return %s : tensor<1x2x4x8xf32>
}
}

// -----

// Zeros are not neutral in maxima: the border is written.
// CHECK-LABEL: func.func @maxima
// CHECK-SAME:    {what = "the border is in memory"}, kind = "applied"
// CHECK-NOT:     tensor.pad
// CHECK:         tensor.insert_slice
module attributes {kgen.decisions = []} {
func.func @maxima(%x: tensor<1x2x4x8xf32>, %e: tensor<1x2x4x8xf32>, %shape: tensor<3x3xf32>) -> tensor<1x2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x8xf32> to tensor<1x4x6x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %shape : tensor<1x4x6x8xf32>, tensor<3x3xf32>) outs(%e : tensor<1x2x4x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %t = arith.maximumf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<1x2x4x8xf32>
  return %s : tensor<1x2x4x8xf32>
}
}

// -----

// Another operation reads the padded tensor.
// CHECK-LABEL: func.func @shared
// CHECK-NOT:     tensor.pad
// CHECK:         tensor.insert_slice
func.func @shared(%x: tensor<1x2x4x8xf32>, %e: tensor<1x2x4x8xf32>, %shape: tensor<3x3xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x4x6x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x8xf32> to tensor<1x4x6x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %shape : tensor<1x4x6x8xf32>, tensor<3x3xf32>) outs(%e : tensor<1x2x4x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<1x2x4x8xf32>
  return %s, %p : tensor<1x2x4x8xf32>, tensor<1x4x6x8xf32>
}
