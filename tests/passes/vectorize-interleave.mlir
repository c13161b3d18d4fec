// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v4},func.func(kgen-vectorize))" | FileCheck "%s"
// Copies that interleave rows, like packs for dot products: vectors are interleaved in registers.

#outer = affine_map<(p, k, n, v) -> (k, v, p, n)>
#inner = affine_map<(p, k, n, v) -> (p, k, n, v)>
module {

// Fours of bytes: the first and the third row, the second and the fourth, then both.
// CHECK-LABEL: func.func @fours
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<3x4x2x36xi8>, %[[P:[a-z0-9]+]]: tensor<2x3x36x4xi8>
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[P]] {{\[}}[0], [1], [2, 3]] : tensor<2x3x36x4xi8> into tensor<2x3x144xi8>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK-COUNT-4:       vector.transfer_read %[[B]]{{.*}} vector<16xi8>
// CHECK:               %[[EVEN:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<16xi8> -> vector<32xi8>
// CHECK:               %[[ODD:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<16xi8> -> vector<32xi8>
// CHECK:               %[[ALL:.*]] = vector.interleave %[[EVEN]], %[[ODD]] : vector<32xi8> -> vector<64xi8>
// CHECK:               vector.transfer_write %[[ALL]]
// CHECK-COUNT-4:     vector.transfer_read %[[B]]{{.*}} vector<4xi8>
// CHECK:             vector.transfer_write %{{.*}} : vector<16xi8>
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1], [2, 3]]
func.func @fours(%b: tensor<3x4x2x36xi8>, %p: tensor<2x3x36x4xi8>) -> tensor<2x3x36x4xi8> {
  %r = linalg.generic {indexing_maps = [#outer, #inner], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<3x4x2x36xi8>) outs(%p : tensor<2x3x36x4xi8>) {
  ^bb0(%x: i8, %o: i8):
    linalg.yield %x : i8
  } -> tensor<2x3x36x4xi8>
  return %r : tensor<2x3x36x4xi8>
}

// Pairs of bf16.
// CHECK-LABEL: func.func @pairs
// CHECK-COUNT-2: vector.transfer_read %{{.*}} vector<16xbf16>
// CHECK:         vector.interleave %{{.*}}, %{{.*}} : vector<16xbf16> -> vector<32xbf16>
func.func @pairs(%b: tensor<3x2x2x16xbf16>, %p: tensor<2x3x16x2xbf16>) -> tensor<2x3x16x2xbf16> {
  %r = linalg.generic {indexing_maps = [#outer, #inner], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<3x2x2x16xbf16>) outs(%p : tensor<2x3x16x2xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    linalg.yield %x : bf16
  } -> tensor<2x3x16x2xbf16>
  return %r : tensor<2x3x16x2xbf16>
}

// Each element twice.
// CHECK-LABEL: func.func @twice
// CHECK:         %[[ROW:.*]] = vector.transfer_read %{{.*}} vector<8xf32>
// CHECK:         vector.interleave %[[ROW]], %{{.*}} : vector<8xf32> -> vector<16xf32>
func.func @twice(%b: tensor<3x8xf32>, %p: tensor<3x8x2xf32>) -> tensor<3x8x2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, n, v) -> (k, n)>, affine_map<(k, n, v) -> (k, n, v)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<3x8xf32>) outs(%p : tensor<3x8x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<3x8x2xf32>
  return %r : tensor<3x8x2xf32>
}

// Threes, and columns that are not contiguous in the input, are gathered one by one.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     vector.interleave
// CHECK:         return
func.func @others(%b: tensor<3x3x2x16xi8>, %p: tensor<2x3x16x3xi8>, %c: tensor<4x2x16xi8>, %q: tensor<16x2x4xi8>) -> (tensor<2x3x16x3xi8>, tensor<16x2x4xi8>) {
  %r = linalg.generic {indexing_maps = [#outer, #inner], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<3x3x2x16xi8>) outs(%p : tensor<2x3x16x3xi8>) {
  ^bb0(%x: i8, %o: i8):
    linalg.yield %x : i8
  } -> tensor<2x3x16x3xi8>
  %s = linalg.generic {indexing_maps = [affine_map<(n, m, v) -> (v, m, n)>, affine_map<(n, m, v) -> (n, m, v)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : tensor<4x2x16xi8>) outs(%q : tensor<16x2x4xi8>) {
  ^bb0(%x: i8, %o: i8):
    linalg.yield %x : i8
  } -> tensor<16x2x4xi8>
  return %r, %s : tensor<2x3x16x3xi8>, tensor<16x2x4xi8>
}
}
