// RUN: kgen-opt "%s" --kgen-tpp-to-linalg --split-input-file | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-tpp-to-linalg="buffers=false" --split-input-file | FileCheck "%s" --check-prefix=TENSORS

// CHECK-LABEL: func.func @broadcast
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) {
// CHECK-NEXT:    ^bb0(%[[B:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.subf %[[B]], %[[X]] : f32
// CHECK-NEXT:      linalg.yield %[[S]] : f32
func.func @broadcast(%b: tensor<8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tpp.sub ins(%b, %x : tensor<8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>]} -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// bf16 is computed in f32; on memrefs, too, if that is wanted.
// CHECK-LABEL: func.func @in_f32
// CHECK:         linalg.generic
// CHECK:           arith.extf
// CHECK-NEXT:      arith.constant 0.0
// CHECK-NEXT:      arith.cmpf ogt
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      arith.truncf
// TENSORS-LABEL: func.func @in_f32
// TENSORS-NEXT:    tpp.relu
func.func @in_f32(%x: memref<4x8xbf16>) {
  tpp.relu ins(%x : memref<4x8xbf16>) outs(%x : memref<4x8xbf16>)
  return
}

// -----

// CHECK-LABEL: func.func @movement
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK:           arith.maximumf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%{{.*}} : tensor<2x2x8xf32>) outs(%{{.*}} : tensor<2x8x2xf32>)
func.func @movement(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %t: tensor<8x4xf32>, %v: tensor<2x8x2xf32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<2x8x2xf32>) {
  %r = tpp.reduce max ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {dimensions = array<i64: 1>} -> tensor<4xf32>
  %p = tpp.transpose ins(%x : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %q = tpp.vnni_pack ins(%x : tensor<4x8xf32>) outs(%v : tensor<2x8x2xf32>) {factor = 2 : i64} -> tensor<2x8x2xf32>
  return %r, %p, %q : tensor<4xf32>, tensor<8x4xf32>, tensor<2x8x2xf32>
}

// -----

// A last row that is not there is zero.
// CHECK-LABEL: func.func @padded
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK:           arith.cmpi ult
// CHECK:           memref.load
// CHECK:           arith.select
func.func @padded(%x: memref<5x8xbf16>, %v: memref<3x8x2xbf16>) {
  tpp.vnni_pack ins(%x : memref<5x8xbf16>) outs(%v : memref<3x8x2xbf16>) {factor = 2 : i64}
  return
}
