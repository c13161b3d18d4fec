// RUN: kgen check "%s" | FileCheck "%s" --check-prefix=CHECKED
// CHECKED: bert-layer.mlir: ok (1 graph,
// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// A layer of BERT as torch-mlir writes it: weights transposed and broadcast over the batch, dimensions of 1 read at 0, numbers as f64, the largest
// score with its place, norms in eleven operations, GELU by erf. against_numpy.py checks its numbers, in every variant.
// CHECK: linalg_batch_matmul {{.*}} contraction (kgen-contractions-to-tpp)
// CHECK-COUNT-2: kgen-raise-idioms {{.*}} layer normalization over 256 elements
// CHECK: kgen-fuse-attention {{.*}} one attention of two gemms
// RUN: kgen generate "%s" --target x86-64-v3 -q -o "%t.generated"
// RUN: kgen bench "%s" --target x86-64-v2 --time 0.01 --hot --threads 1 | FileCheck "%s" --check-prefix=BENCH
// BENCH: forward
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, 0)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map10 = affine_map<(d0, d1, d2) -> (0, d1, 0)>
func.func @forward(%arg0: tensor<1x64x256xf32> {kgen.name = "x"},
    %arg1: tensor<1x1x1x64xf32> {kgen.name = "mask"},
    %arg2: tensor<256x256xf32> {kgen.name = "query_weight"},
    %arg3: tensor<256xf32> {kgen.name = "query_bias"},
    %arg4: tensor<256x256xf32> {kgen.name = "key_weight"},
    %arg5: tensor<256xf32> {kgen.name = "key_bias"},
    %arg6: tensor<256x256xf32> {kgen.name = "value_weight"},
    %arg7: tensor<256xf32> {kgen.name = "value_bias"},
    %arg8: tensor<256x256xf32> {kgen.name = "dense_weight"},
    %arg9: tensor<256xf32> {kgen.name = "dense_bias"},
    %arg10: tensor<256xf32> {kgen.name = "attention_gain"},
    %arg11: tensor<256xf32> {kgen.name = "attention_shift"},
    %arg12: tensor<1024x256xf32> {kgen.name = "up_weight"},
    %arg13: tensor<1024xf32> {kgen.name = "up_bias"},
    %arg14: tensor<256x1024xf32> {kgen.name = "down_weight"},
    %arg15: tensor<256xf32> {kgen.name = "down_bias"},
    %arg16: tensor<256xf32> {kgen.name = "output_gain"},
    %arg17: tensor<256xf32> {kgen.name = "output_shift"}) -> (tensor<1x64x256xf32> {kgen.name = "y"}) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant 8.000000e+00 : f64
  %cst_2 = arith.constant 2.560000e+02 : f32
  %cst_3 = arith.constant 9.9999999999999998E-13 : f64
  %cst_4 = arith.constant 2.000000e+00 : f32
  %cst_5 = arith.constant 1.000000e+00 : f32
  %cst_6 = arith.constant 5.000000e-01 : f32
  %c0_i64 = arith.constant 0 : i64
  %0 = tensor.empty() : tensor<256x256xf32>
  %1 = linalg.transpose ins(%arg2 : tensor<256x256xf32>) outs(%0 : tensor<256x256xf32>) permutation = [1, 0]
  %2 = tensor.empty() : tensor<1x256x256xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<256x256xf32>) outs(%2 : tensor<1x256x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x256x256xf32>
  %4 = tensor.empty() : tensor<1x64x256xf32>
  %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %6 = linalg.batch_matmul ins(%arg0, %3 : tensor<1x64x256xf32>, tensor<1x256x256xf32>) outs(%5 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %7 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %arg3 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %8 = linalg.transpose ins(%arg4 : tensor<256x256xf32>) outs(%0 : tensor<256x256xf32>) permutation = [1, 0]
  %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<256x256xf32>) outs(%2 : tensor<1x256x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x256x256xf32>
  %10 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %11 = linalg.batch_matmul ins(%arg0, %9 : tensor<1x64x256xf32>, tensor<1x256x256xf32>) outs(%10 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %12 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %arg5 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %13 = linalg.transpose ins(%arg6 : tensor<256x256xf32>) outs(%0 : tensor<256x256xf32>) permutation = [1, 0]
  %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<256x256xf32>) outs(%2 : tensor<1x256x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x256x256xf32>
  %15 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %16 = linalg.batch_matmul ins(%arg0, %14 : tensor<1x64x256xf32>, tensor<1x256x256xf32>) outs(%15 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %17 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %arg7 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %18 = tensor.expand_shape %12 [[0], [1], [2, 3]] output_shape [1, 64, 4, 64] : tensor<1x64x256xf32> into tensor<1x64x4x64xf32>
  %19 = tensor.empty() : tensor<1x4x64x64xf32>
  %20 = linalg.transpose ins(%18 : tensor<1x64x4x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) permutation = [0, 2, 1, 3]
  %21 = tensor.expand_shape %17 [[0], [1], [2, 3]] output_shape [1, 64, 4, 64] : tensor<1x64x256xf32> into tensor<1x64x4x64xf32>
  %22 = linalg.transpose ins(%21 : tensor<1x64x4x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) permutation = [0, 2, 1, 3]
  %23 = tensor.expand_shape %7 [[0], [1], [2, 3]] output_shape [1, 64, 4, 64] : tensor<1x64x256xf32> into tensor<1x64x4x64xf32>
  %24 = linalg.transpose ins(%23 : tensor<1x64x4x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) permutation = [0, 2, 1, 3]
  %25 = linalg.transpose ins(%20 : tensor<1x4x64x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) permutation = [0, 1, 3, 2]
  %26 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<1x4x64x64xf32> into tensor<4x64x64xf32>
  %27 = tensor.collapse_shape %25 [[0, 1], [2], [3]] : tensor<1x4x64x64xf32> into tensor<4x64x64xf32>
  %28 = tensor.empty() : tensor<4x64x64xf32>
  %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %30 = linalg.batch_matmul ins(%26, %27 : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%29 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %31 = tensor.expand_shape %30 [[0, 1], [2], [3]] output_shape [1, 4, 64, 64] : tensor<4x64x64xf32> into tensor<1x4x64x64xf32>
  %32 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<1x4x64x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.truncf %cst_1 : f64 to f32
    %b1 = arith.divf %in, %b0 : f32
    linalg.yield %b1 : f32
  } -> tensor<1x4x64x64xf32>
  %33 = linalg.generic {indexing_maps = [#map4, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %arg1 : tensor<1x4x64x64xf32>, tensor<1x1x1x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x4x64x64xf32>
  %34 = tensor.empty() : tensor<1x4x64x1xi64>
  %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<1x4x64x1xi64>) -> tensor<1x4x64x1xi64>
  %36 = tensor.empty() : tensor<1x4x64x1xf32>
  %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<1x4x64x1xf32>) -> tensor<1x4x64x1xf32>
  %38:2 = linalg.generic {indexing_maps = [#map5, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<1x4x64x64xf32>) outs(%37, %35 : tensor<1x4x64x1xf32>, tensor<1x4x64x1xi64>) {
  ^bb0(%in: f32, %out: f32, %out_1: i64):
    %b0 = linalg.index 3 : index
    %b1 = arith.index_cast %b0 : index to i64
    %b2 = arith.maximumf %in, %out : f32
    %b3 = arith.cmpf ogt, %in, %out : f32
    %b4 = arith.select %b3, %b1, %out_1 : i64
    linalg.yield %b2, %b4 : f32, i64
  } -> (tensor<1x4x64x1xf32>, tensor<1x4x64x1xi64>)
  %39 = linalg.generic {indexing_maps = [#map4, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %38#0 : tensor<1x4x64x64xf32>, tensor<1x4x64x1xf32>) outs(%19 : tensor<1x4x64x64xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.subf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x4x64x64xf32>
  %40 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<1x4x64x64xf32>) outs(%19 : tensor<1x4x64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = math.exp %in : f32
    linalg.yield %b0 : f32
  } -> tensor<1x4x64x64xf32>
  %41 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<1x4x64x1xf32>) -> tensor<1x4x64x1xf32>
  %42 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<1x4x64x64xf32>) outs(%41 : tensor<1x4x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.addf %in, %out : f32
    linalg.yield %b0 : f32
  } -> tensor<1x4x64x1xf32>
  %43 = linalg.generic {indexing_maps = [#map4, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %42 : tensor<1x4x64x64xf32>, tensor<1x4x64x1xf32>) outs(%19 : tensor<1x4x64x64xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.divf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x4x64x64xf32>
  %44 = tensor.collapse_shape %43 [[0, 1], [2], [3]] : tensor<1x4x64x64xf32> into tensor<4x64x64xf32>
  %45 = tensor.collapse_shape %22 [[0, 1], [2], [3]] : tensor<1x4x64x64xf32> into tensor<4x64x64xf32>
  %46 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %47 = linalg.batch_matmul ins(%44, %45 : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%46 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %48 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [1, 4, 64, 64] : tensor<4x64x64xf32> into tensor<1x4x64x64xf32>
  %49 = tensor.empty() : tensor<1x64x4x64xf32>
  %50 = linalg.transpose ins(%48 : tensor<1x4x64x64xf32>) outs(%49 : tensor<1x64x4x64xf32>) permutation = [0, 2, 1, 3]
  %51 = tensor.collapse_shape %50 [[0], [1], [2, 3]] : tensor<1x64x4x64xf32> into tensor<1x64x256xf32>
  %52 = linalg.transpose ins(%arg8 : tensor<256x256xf32>) outs(%0 : tensor<256x256xf32>) permutation = [1, 0]
  %53 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<256x256xf32>) outs(%2 : tensor<1x256x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x256x256xf32>
  %54 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %55 = linalg.batch_matmul ins(%51, %53 : tensor<1x64x256xf32>, tensor<1x256x256xf32>) outs(%54 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %56 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %arg9 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %57 = linalg.generic {indexing_maps = [#map2, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56, %arg0 : tensor<1x64x256xf32>, tensor<1x64x256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %58 = tensor.empty() : tensor<1x64x1xf32>
  %59 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<1x64x1xf32>) -> tensor<1x64x1xf32>
  %60 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%57 : tensor<1x64x256xf32>) outs(%59 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.addf %in, %out : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %61 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.divf %in, %cst_2 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %62 = linalg.generic {indexing_maps = [#map2, #map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %61 : tensor<1x64x256xf32>, tensor<1x64x1xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.subf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %63 = linalg.generic {indexing_maps = [#map2, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<1x64x256xf32>, tensor<1x64x256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %64 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<1x64x1xf32>) -> tensor<1x64x1xf32>
  %65 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<1x64x256xf32>) outs(%64 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.addf %in, %out : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %66 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.divf %in, %cst_2 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %67 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.truncf %cst_3 : f64 to f32
    %b1 = arith.addf %in, %b0 : f32
    linalg.yield %b1 : f32
  } -> tensor<1x64x1xf32>
  %68 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = math.rsqrt %in : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %69 = linalg.generic {indexing_maps = [#map2, #map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %68 : tensor<1x64x256xf32>, tensor<1x64x1xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %70 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %arg10 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %71 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %arg11 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %72 = tensor.empty() : tensor<256x1024xf32>
  %73 = linalg.transpose ins(%arg12 : tensor<1024x256xf32>) outs(%72 : tensor<256x1024xf32>) permutation = [1, 0]
  %74 = tensor.empty() : tensor<1x256x1024xf32>
  %75 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<256x1024xf32>) outs(%74 : tensor<1x256x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x256x1024xf32>
  %76 = tensor.empty() : tensor<1x64x1024xf32>
  %77 = linalg.fill ins(%cst_0 : f32) outs(%76 : tensor<1x64x1024xf32>) -> tensor<1x64x1024xf32>
  %78 = linalg.batch_matmul ins(%71, %75 : tensor<1x64x256xf32>, tensor<1x256x1024xf32>) outs(%77 : tensor<1x64x1024xf32>) -> tensor<1x64x1024xf32>
  %79 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %arg13 : tensor<1x64x1024xf32>, tensor<1024xf32>) outs(%76 : tensor<1x64x1024xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1024xf32>
  %80 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<1x64x1024xf32>) outs(%76 : tensor<1x64x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = math.sqrt %cst_4 : f32
    %b1 = arith.divf %in, %b0 : f32
    %b2 = math.erf %b1 : f32
    %b3 = arith.addf %b2, %cst_5 : f32
    %b4 = arith.mulf %b3, %cst_6 : f32
    %b5 = arith.mulf %in, %b4 : f32
    linalg.yield %b5 : f32
  } -> tensor<1x64x1024xf32>
  %81 = tensor.empty() : tensor<1024x256xf32>
  %82 = linalg.transpose ins(%arg14 : tensor<256x1024xf32>) outs(%81 : tensor<1024x256xf32>) permutation = [1, 0]
  %83 = tensor.empty() : tensor<1x1024x256xf32>
  %84 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<1024x256xf32>) outs(%83 : tensor<1x1024x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x1024x256xf32>
  %85 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %86 = linalg.batch_matmul ins(%80, %84 : tensor<1x64x1024xf32>, tensor<1x1024x256xf32>) outs(%85 : tensor<1x64x256xf32>) -> tensor<1x64x256xf32>
  %87 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %arg15 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %88 = linalg.generic {indexing_maps = [#map2, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %71 : tensor<1x64x256xf32>, tensor<1x64x256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %89 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<1x64x1xf32>) -> tensor<1x64x1xf32>
  %90 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<1x64x256xf32>) outs(%89 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.addf %in, %out : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %91 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.divf %in, %cst_2 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %92 = linalg.generic {indexing_maps = [#map2, #map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %91 : tensor<1x64x256xf32>, tensor<1x64x1xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.subf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %93 = linalg.generic {indexing_maps = [#map2, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %92 : tensor<1x64x256xf32>, tensor<1x64x256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %94 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<1x64x1xf32>) -> tensor<1x64x1xf32>
  %95 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%93 : tensor<1x64x256xf32>) outs(%94 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.addf %in, %out : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %96 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.divf %in, %cst_2 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %97 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = arith.truncf %cst_3 : f64 to f32
    %b1 = arith.addf %in, %b0 : f32
    linalg.yield %b1 : f32
  } -> tensor<1x64x1xf32>
  %98 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97 : tensor<1x64x1xf32>) outs(%58 : tensor<1x64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b0 = math.rsqrt %in : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x1xf32>
  %99 = linalg.generic {indexing_maps = [#map2, #map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %98 : tensor<1x64x256xf32>, tensor<1x64x1xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %100 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %arg16 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.mulf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  %101 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %arg17 : tensor<1x64x256xf32>, tensor<256xf32>) outs(%4 : tensor<1x64x256xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %b0 = arith.addf %in, %in_1 : f32
    linalg.yield %b0 : f32
  } -> tensor<1x64x256xf32>
  return %101 : tensor<1x64x256xf32>
}
