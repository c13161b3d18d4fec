// One row of results that others are reduction_sizes to, across them: tasks have some pages of each, in whole lines, unless that would be few tasks.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling="level=distribution task-work=1200" --kgen-distribute-tasks --cse --canonicalize | FileCheck "%s"

module {
// CHECK-LABEL: func @pages
// CHECK: scf.forall (%{{.*}}) = (0) to (262528) step (37504) shared_outs
func.func @pages(%x: tensor<1x21x300000xf32>, %z: tensor<1x300000xf32>) -> tensor<1x300000xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, i) -> (n, c, i)>, affine_map<(n, c, i) -> (n, i)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<1x21x300000xf32>) outs(%z : tensor<1x300000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x300000xf32>
  return %r : tensor<1x300000xf32>
}
// CHECK-LABEL: func @short
// CHECK: scf.forall (%{{.*}}) = (0) to (896) step (128) shared_outs
func.func @short(%x: tensor<1x21x1000xf32>, %z: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, i) -> (n, c, i)>, affine_map<(n, c, i) -> (n, i)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<1x21x1000xf32>) outs(%z : tensor<1x1000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x1000xf32>
  return %r : tensor<1x1000xf32>
}
}
