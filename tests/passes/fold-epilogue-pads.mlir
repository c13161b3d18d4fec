// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-fold-epilogue-pads))" --split-input-file | FileCheck "%s"
#id = affine_map<(m, n) -> (m, n)>

// The epilogue of a border tile reads the padded product, and writes a tensor that nobody padded. The bias stays padded.
// CHECK-LABEL: func.func @border
// CHECK:       %[[BIAS:.*]] = tensor.pad %arg1
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<64x64xf32>
// CHECK:       %[[R:.*]] = linalg.generic {{.*}} ins(%arg0, %[[BIAS]] : tensor<64x64xf32>, tensor<64x64xf32>) outs(%[[EMPTY]] :
// CHECK:       tensor.extract_slice %[[R]][0, 0] [%{{.*}}, %{{.*}}] [1, 1]
func.func @border(%product: tensor<64x64xf32>, %bias: tensor<?x?xf32>, %dest: tensor<?x?xf32>, %m: index, %n: index, %h: index, %w: index)
    -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %product[0, 0] [%m, %n] [1, 1] : tensor<64x64xf32> to tensor<?x?xf32>
  %p = tensor.pad %s low[0, 0] high[%h, %w] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<64x64xf32>
  %b = tensor.pad %bias low[0, 0] high[%h, %w] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<64x64xf32>
  %d = tensor.pad %dest low[0, 0] high[%h, %w] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %c = tensor.extract_slice %r[0, 0] [%m, %n] [1, 1] : tensor<64x64xf32> to tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// What is not cut off again has its padding.
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: func.func @kept
// CHECK:       %[[PAD:.*]] = tensor.pad
// CHECK:       linalg.generic {{.*}} ins(%[[PAD]] :
func.func @kept(%product: tensor<64x64xf32>, %dest: tensor<64x64xf32>, %m: index, %h: index) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %product[0, 0] [%m, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  %p = tensor.pad %s low[0, 0] high[%h, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x64xf32> to tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<64x64xf32>) outs(%dest : tensor<64x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// A slice that is not at the origin, and an operand at another position, are not the product's tile.
#id = affine_map<(m, n) -> (m, n)>
#transposed = affine_map<(m, n) -> (n, m)>
// CHECK-LABEL: func.func @others
// CHECK:       %[[P:.*]] = tensor.pad
// CHECK:       %[[Q:.*]] = tensor.pad
// CHECK:       linalg.generic {{.*}} ins(%[[P]], %[[Q]] :
func.func @others(%product: tensor<64x64xf32>, %dest: tensor<64x64xf32>, %m: index, %h: index) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %product[1, 0] [%m, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  %p = tensor.pad %s low[0, 0] high[%h, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x64xf32> to tensor<64x64xf32>
  %t = tensor.extract_slice %product[0, 0] [%m, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  %q = tensor.pad %t low[0, 0] high[%h, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x64xf32> to tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<64x64xf32>, tensor<64x64xf32>) outs(%dest : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %u = arith.addf %x, %y : f32
    linalg.yield %u : f32
  } -> tensor<64x64xf32>
  %c = tensor.extract_slice %r[0, 0] [%m, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}
