// Padding becomes a choice between an element and a constant, which is part of what reads it.
// RUN: kgen-opt "%s" --split-input-file --kgen-read-pads --canonicalize | FileCheck "%s"

// CHECK-LABEL: func @pad
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.generic
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           %[[IN:.*]] = arith.cmpi ult
// CHECK:           tensor.extract
// CHECK:           arith.select
func.func @pad(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %v = arith.constant -1.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x5xf32> to tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}

// -----

// Sizes that are known at run time only, and a padding that is computed, stay.
// CHECK-LABEL: func @kept
// CHECK-COUNT-2: tensor.pad
func.func @kept(%x: tensor<?xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<?xf32>, tensor<6xf32>) {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  %q = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    %r = tensor.extract %y[%i] : tensor<4xf32>
    tensor.yield %r : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p, %q : tensor<?xf32>, tensor<6xf32>
}
