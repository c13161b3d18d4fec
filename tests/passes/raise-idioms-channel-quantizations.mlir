// Bytes of sums of a depthwise convolution: by one multiply-add for each channel that has one. The second channel has none, as which
// sums are next to a half is decided by what the steps round.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-raise-idioms=idioms=channel-quantizations --canonicalize --cse | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v2 --kgen-raise-idioms=idioms=channel-quantizations --canonicalize --cse | FileCheck "%s" --check-prefixes=SAME
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-raise-idioms=idioms=channel-quantizations --canonicalize --cse | FileCheck "%s" --check-prefixes=ROWS,BLOCKS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-raise-idioms=idioms=quantizations,channel-quantizations --canonicalize --cse | FileCheck "%s" --check-prefixes=AFTER

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y + r, x + s)>
#filter = affine_map<(n, c, y, x, r, s) -> (c, r, s)>
#sums = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>
#all = affine_map<(n, c, y, x) -> (n, c, y, x)>
#channels = affine_map<(n, c, y, x) -> (c)>

// CHECK-LABEL: func.func @channels
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[FACTORS:.*]] = arith.constant dense<[0.187{{.*}}, 0.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[TERMS:.*]] = arith.constant dense<[17.{{.*}}, 0.000000e+00]> : tensor<2xf32>
// CHECK: linalg.generic {{.*}} ins({{.*}}, %[[FACTORS]], %[[TERMS]] : tensor<1x2x28x28xi32>
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[BIAS:.*]]: i32, %{{.*}}, %[[FACTOR:.*]]: f32, %[[TERM:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT: %[[ADDED:.*]] = arith.addi %[[SUM]], %[[BIAS]]
// CHECK-NEXT: %[[X:.*]] = arith.sitofp %[[ADDED]]
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[STEPS:.*]] = arith.divf
// CHECK-NEXT: %[[HAS:.*]] = arith.cmpf une, %[[FACTOR]], %[[NONE]]
// CHECK-NEXT: %[[SINGLE:.*]] = math.fma %[[X]], %[[FACTOR]], %[[TERM]]
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[HAS]], %[[SINGLE]], %[[STEPS]]
// CHECK-NEXT: math.roundeven %[[CHOSEN]]
// Two multiply-adds are what all channels have; one is enough for the first.
// AFTER: %[[X:.*]] = arith.sitofp
// AFTER-NEXT: %[[MOVED:.*]] = arith.mulf %[[X]],
// AFTER-NEXT: %[[STEPS:.*]] = math.fma %[[MOVED]],
// AFTER-NEXT: arith.cmpf une
// AFTER-NEXT: %[[SINGLE:.*]] = math.fma %[[X]],
// AFTER-NEXT: arith.select %{{.*}}, %[[SINGLE]], %[[STEPS]]
// Without fused multiply-adds, nothing is chosen, nor along rows where bytes have dot products of their own.
// SAME-NOT: arith.select
// ROWS-LABEL: func.func @channels
// ROWS-NOT: arith.select
// ROWS: return
func.func @channels(%x: tensor<1x2x28x28xi8>, %w: tensor<2x3x3xi8>) -> tensor<1x2x28x28xi8> {
  %zero = arith.constant 0 : i32
  %byte = arith.constant 0 : i8
  %corrections = arith.constant dense<[100, -5616]> : tensor<2xi32>
  %scales = arith.constant dense<[0.0137, 7.37307637e-05]> : tensor<2xf32>
  %biases = arith.constant dense<[1.25, 0.0951126888]> : tensor<2xf32>
  %by = arith.constant 0.0731 : f32
  %point = arith.constant 121 : i32
  %most = arith.constant 255 : i32
  %p = tensor.pad %x nofold low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %byte : i8
  } : tensor<1x2x28x28xi8> to tensor<1x2x30x30xi8>
  %e = tensor.empty() : tensor<1x2x28x28xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x28x28xi32>) -> tensor<1x2x28x28xi32>
  %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<1x2x30x30xi8>, tensor<2x3x3xi8>) outs(%f : tensor<1x2x28x28xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1x2x28x28xi32>
  %d = tensor.empty() : tensor<1x2x28x28xi8>
  %q = linalg.generic {indexing_maps = [#all, #channels, #channels, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %corrections, %scales, %biases : tensor<1x2x28x28xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) outs(%d : tensor<1x2x28x28xi8>) {
  ^bb0(%sum: i32, %correction: i32, %scale: f32, %bias: f32, %o: i8):
    %0 = arith.addi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.divf %3, %by : f32
    %5 = math.roundeven %4 : f32
    %6 = arith.fptosi %5 : f32 to i32
    %7 = arith.addi %6, %point : i32
    %8 = arith.maxsi %7, %zero : i32
    %9 = arith.minsi %8, %most : i32
    %10 = arith.trunci %9 : i32 to i8
    linalg.yield %10 : i8
  } -> tensor<1x2x28x28xi8>
  return %q : tensor<1x2x28x28xi8>
}

// Images with channels along vectors: eight of them are computed at once where there are no blocks, and a half of these vectors has a
// multiply-add. In blocks of 64 channels, two multiply-adds are what all channels have, which are fewer than there are.
// CHECK-LABEL: func.func @vectors_of_channels
// CHECK-DAG: %[[FACTORS:.*]] = arith.constant dense<[0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.187{{.*}}, 0.000000e+00]> : tensor<16xf32>
// CHECK: %[[X:.*]] = arith.sitofp
// CHECK: %[[STEPS:.*]] = arith.divf
// CHECK-NEXT: %[[HAS_ONE:.*]] = arith.cmpf une
// CHECK-NEXT: %[[SINGLE:.*]] = math.fma %[[X]],
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[HAS_ONE]], %[[SINGLE]], %[[STEPS]]
// CHECK-NEXT: math.roundeven %[[CHOSEN]]
// BLOCKS-LABEL: func.func @vectors_of_channels
// BLOCKS: %[[HAS:.*]] = arith.cmpf une
// BLOCKS-NEXT: %[[FIRST:.*]] = math.fma
// BLOCKS-NEXT: %[[SECOND:.*]] = math.fma %[[FIRST]],
// BLOCKS-NEXT: %[[CHOSEN:.*]] = arith.select %[[HAS]], %[[SECOND]], %{{.*}}
// BLOCKS-NEXT: math.roundeven %[[CHOSEN]]
#image_by_channels = affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>
#filter_by_channels = affine_map<(n, y, x, c, r, s) -> (r, s, c)>
#sums_by_channels = affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>
#last = affine_map<(n, y, x, c) -> (c)>
func.func @vectors_of_channels(%x: tensor<1x9x9x16xi8>, %w: tensor<3x3x16xi8>) -> tensor<1x7x7x16xi8> {
  %zero = arith.constant 0 : i32
  %corrections = arith.constant dense<[100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, -5616]> : tensor<16xi32>
  %scales = arith.constant dense<[0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 0.0137, 7.37307637e-05]> : tensor<16xf32>
  %biases = arith.constant dense<[1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 0.0951126888]> : tensor<16xf32>
  %by = arith.constant 0.0731 : f32
  %point = arith.constant 121 : i32
  %most = arith.constant 255 : i32
  %e = tensor.empty() : tensor<1x7x7x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x7x7x16xi32>) -> tensor<1x7x7x16xi32>
  %s = linalg.generic {indexing_maps = [#image_by_channels, #filter_by_channels, #sums_by_channels], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x9x16xi8>, tensor<3x3x16xi8>) outs(%f : tensor<1x7x7x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1x7x7x16xi32>
  %d = tensor.empty() : tensor<1x7x7x16xi8>
  %q = linalg.generic {indexing_maps = [#all, #last, #last, #last, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %corrections, %scales, %biases : tensor<1x7x7x16xi32>, tensor<16xi32>, tensor<16xf32>, tensor<16xf32>) outs(%d : tensor<1x7x7x16xi8>) {
  ^bb0(%sum: i32, %correction: i32, %scale: f32, %bias: f32, %o: i8):
    %0 = arith.addi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.divf %3, %by : f32
    %5 = math.roundeven %4 : f32
    %6 = arith.fptosi %5 : f32 to i32
    %7 = arith.addi %6, %point : i32
    %8 = arith.maxsi %7, %zero : i32
    %9 = arith.minsi %8, %most : i32
    %10 = arith.trunci %9 : i32 to i8
    linalg.yield %10 : i8
  } -> tensor<1x7x7x16xi8>
  return %q : tensor<1x7x7x16xi8>
}
