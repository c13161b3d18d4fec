// Windows over images whose sizes are known at run time: tiles of pixels, then single ones.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --linalg-generalize-named-ops --kgen-vectorize --canonicalize --cse --mlir-print-local-scope | FileCheck "%s"

// A filter for each channel. Six pixels at once, of three by three taps; after the last tile of a row, one.
// CHECK-LABEL: func.func @any_width
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index {{{[^}]*}}}, %[[W:[a-z0-9]+]]: index
// CHECK:         scf.for %{{.*}} = %c0 to %[[N]] step %c1
// CHECK:           %[[WHOLE:.*]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 6) * 6)>()[%[[W]]]
// CHECK:           scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c6
// CHECK-COUNT-54:    vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.fma
// CHECK:           scf.for %{{.*}} = %[[WHOLE]] to %[[W]] step %c1
// CHECK-COUNT-9:     vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.fma
// CHECK:         return
func.func @any_width(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 8, multiple = 1>},
    %w: index {kgen.size = #kgen.size<"w", min = 1, max = 60, multiple = 1>},
    %m: memref<?x7x?x16xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 7, s1 + 2, 16)>}, %taps: tensor<3x3x16xf32>) -> tensor<?x5x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = bufferization.to_tensor %m restrict : memref<?x7x?x16xf32> to tensor<?x7x?x16xf32>
  %e = tensor.empty(%n, %w) : tensor<?x5x?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x?x16xf32>) -> tensor<?x5x?x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %taps : tensor<?x7x?x16xf32>, tensor<3x3x16xf32>) outs(%f : tensor<?x5x?x16xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %t = arith.mulf %v, %u : f32
    %a = arith.addf %o, %t : f32
    linalg.yield %a : f32
  } -> tensor<?x5x?x16xf32>
  return %s : tensor<?x5x?x16xf32>
}

// Multiples of four have no pixels after the last tile.
// CHECK-LABEL: func.func @multiple
// CHECK-SAME:    %[[W:[a-z0-9]+]]: index
// CHECK:         scf.for %{{.*}} = %c0 to %[[W]] step %c4
// CHECK-COUNT-36:  vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:       vector.fma
// CHECK:         return
func.func @multiple(%w: index {kgen.size = #kgen.size<"w", min = 4, max = 60, multiple = 4>},
    %m: memref<1x7x?x16xf32> {kgen.shape = affine_map<()[s0] -> (1, 7, s0 + 2, 16)>}, %taps: tensor<3x3x16xf32>) -> tensor<1x5x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = bufferization.to_tensor %m restrict : memref<1x7x?x16xf32> to tensor<1x7x?x16xf32>
  %e = tensor.empty(%w) : tensor<1x5x?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x?x16xf32>) -> tensor<1x5x?x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %taps : tensor<1x7x?x16xf32>, tensor<3x3x16xf32>) outs(%f : tensor<1x5x?x16xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %t = arith.mulf %v, %u : f32
    %a = arith.addf %o, %t : f32
    linalg.yield %a : f32
  } -> tensor<1x5x?x16xf32>
  return %s : tensor<1x5x?x16xf32>
}
