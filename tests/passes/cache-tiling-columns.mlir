// Columns of rows from memory with a vertical reduction: tiles of a quarter of the L2 if the row pitch is whole pages,
// and so meet in few of its sets (the least pieces here), or else half of it.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache --kgen-cache-tiling | FileCheck "%s"

module {
// CHECK-LABEL: func @page_pitch
// CHECK: scf.for %{{.*}} = %c0 to %c131072 step %c64
func.func @page_pitch(%x: tensor<100x131072xf32>, %low: tensor<131072xf32>, %zero: tensor<131072xf32>) -> tensor<100x131072xf32> {
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<100x131072xf32>) outs(%low : tensor<131072xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.maximumf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<131072xf32>
  %e = tensor.empty() : tensor<100x131072xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<100x131072xf32>, tensor<131072xf32>) outs(%e : tensor<100x131072xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %d = arith.subf %v, %u : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<100x131072xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<100x131072xf32>) outs(%zero : tensor<131072xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<131072xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<100x131072xf32>, tensor<131072xf32>) outs(%e : tensor<100x131072xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.divf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<100x131072xf32>
  return %q : tensor<100x131072xf32>
}
// CHECK-LABEL: func @odd_pitch
// CHECK: scf.for %{{.*}} = %c0 to %c131136 step %c192
func.func @odd_pitch(%x: tensor<100x131136xf32>, %low: tensor<131136xf32>, %zero: tensor<131136xf32>) -> tensor<100x131136xf32> {
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<100x131136xf32>) outs(%low : tensor<131136xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.maximumf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<131136xf32>
  %e = tensor.empty() : tensor<100x131136xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<100x131136xf32>, tensor<131136xf32>) outs(%e : tensor<100x131136xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %d = arith.subf %v, %u : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<100x131136xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<100x131136xf32>) outs(%zero : tensor<131136xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<131136xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<100x131136xf32>, tensor<131136xf32>) outs(%e : tensor<100x131136xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.divf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<100x131136xf32>
  return %q : tensor<100x131136xf32>
}
}
