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

// Not lowered: padding that is not constant, or of dynamic size.
// CHECK-LABEL: func @others
// CHECK:         tensor.pad
// CHECK:         tensor.pad
func.func @others(%x: tensor<4xf32>, %y: tensor<?xf32>, %v: f32) -> (tensor<5xindex>, tensor<?xf32>) {
  %z = arith.constant dense<1> : tensor<4xindex>
  %p = tensor.pad %z low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %a : index
  } : tensor<4xindex> to tensor<5xindex>
  %zero = arith.constant 0.0 : f32
  %q = tensor.pad %y low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p, %q : tensor<5xindex>, tensor<?xf32>
}
