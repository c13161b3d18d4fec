// RUN: kgen-opt "%s" --kgen-lower-packs=pads=all --split-input-file | FileCheck "%s"

// The slices of the border: rows above, rows below, and columns of the rows between.
// CHECK-LABEL: func @image
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x4x5x3xf32>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x7x6x3xf32>
// CHECK:         tensor.extract_slice %[[E]][0, 0, 0, 0] [1, 1, 6, 3] [1, 1, 1, 1]
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : tensor<1x1x6x3xf32>)
// CHECK:         tensor.insert_slice %{{.*}} into %[[E]][0, 0, 0, 0] [1, 1, 6, 3]
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 5, 0, 0] [1, 2, 6, 3]
// CHECK:         %[[B:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 5, 0] [1, 4, 1, 3]
// CHECK-NOT:     linalg.fill
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %[[B]][0, 1, 0, 0] [1, 4, 5, 3]
// CHECK:         return %[[P]]
func.func @image(%x: tensor<1x4x5x3xf32>) -> tensor<1x7x6x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x5x3xf32> to tensor<1x7x6x3xf32>
  return %p : tensor<1x7x6x3xf32>
}

// -----

// A pad that adds nothing (nofold) is replaced by its source.
// CHECK-LABEL: func @nothing
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x5xf32>
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    return %[[X]]
func.func @nothing(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x nofold low[0, 0] high[0, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<4x5xf32>
  return %p : tensor<4x5xf32>
}

// -----

// Sizes may be known at run time only.
// CHECK-LABEL: func @sizes
// CHECK-SAME:    %[[W:[a-z0-9]+]]: index
// CHECK:         %[[X:.*]] = bufferization.to_tensor
// CHECK:         %[[ALL:.*]] = affine.apply #{{.*}}()[%[[W]]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[ALL]]) : tensor<4x?xf32>
// CHECK:         %[[AFTER:.*]] = affine.apply #{{.*}}()[%[[W]]]
// CHECK:         tensor.insert_slice %{{.*}} into %[[E]][0, 0] [4, 1]
// CHECK:         %[[B:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[AFTER]]] [4, 2]
// CHECK:         tensor.insert_slice %[[X]] into %[[B]][0, 1] [4, %[[W]]]
func.func @sizes(%w: index {kgen.size = #kgen.size<"w", min = 1, max = 9, multiple = 1>},
    %m: memref<4x?xf32> {kgen.shape = affine_map<()[s0] -> (4, s0)>}) -> tensor<4x?xf32> {
  %x = bufferization.to_tensor %m restrict : memref<4x?xf32> to tensor<4x?xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<4x?xf32>
  return %p : tensor<4x?xf32>
}

// -----

// Not lowered: padding that is not constant, or by an amount that is not known.
// CHECK-LABEL: func @others
// CHECK:         tensor.pad
// CHECK:         tensor.pad
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<5xindex>, tensor<?xf32>) {
  %z = arith.constant dense<1> : tensor<4xindex>
  %p = tensor.pad %z low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %a : index
  } : tensor<4xindex> to tensor<5xindex>
  %zero = arith.constant 0.0 : f32
  %q = tensor.pad %y low[%n] high[0] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %p, %q : tensor<5xindex>, tensor<?xf32>
}
