// RUN: kgen-opt "%s" --kgen-apply-schedules --split-input-file | FileCheck "%s"
// The node's operations alone are the function that the script gets; a parameter is a number.

module @tiled {
  module @kgen_schedules {
    module @mine attributes {transform.with_named_sequence} {
      transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}, %rows: !transform.param<i64> {transform.readonly}) {
        %product = transform.structured.match ops{["linalg.matmul"]} in %f : (!transform.any_op) -> !transform.any_op
        %tile, %loop = transform.structured.tile_using_for %product tile_sizes [%rows] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
        %memory = transform.param.constant 2 : i64 -> !transform.param<i64>
        transform.annotate %tile "kgen.memory" = %memory : !transform.any_op, !transform.param<i64>
        transform.yield
      }
    }
  }
  // CHECK-LABEL: module @tiled
  // CHECK-NOT:   transform
  // CHECK-NOT:   kgen.schedule
  // CHECK:       func.func @f
  // CHECK:       %[[ZERO:.*]] = arith.constant 0.0
  // CHECK:       linalg.matmul ins(%arg0, %arg1 :
  // CHECK-NOT:   linalg.matmul
  // CHECK:       %[[FILL:.*]] = linalg.fill
  // CHECK:       %[[LOOP:.*]] = scf.for {{.*}} step %{{.*}} iter_args(%{{.*}} = %[[FILL]])
  // CHECK:         linalg.matmul {kgen.memory = 2 : i64} ins(%{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<32x16xf32>)
  // CHECK:       return %{{.*}}, %[[LOOP]]
  func.func @f(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
      attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine, parameters = [4 : i64]}]} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x16xf32>
    %other = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %fill = linalg.fill {kgen.schedule = 0 : i64} ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %r = linalg.matmul {kgen.schedule = 0 : i64} ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%fill : tensor<8x16xf32>) -> tensor<8x16xf32>
    return %other, %r : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// One script for two nodes: each with its parameters.
module @twice {
  module @kgen_schedules {
    module @mine attributes {transform.with_named_sequence} {
      transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}, %rows: !transform.param<i64> {transform.readonly}) {
        %sum = transform.structured.match ops{["linalg.add"]} in %f : (!transform.any_op) -> !transform.any_op
        %tile, %loop = transform.structured.tile_using_for %sum tile_sizes [%rows] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
        transform.yield
      }
    }
  }
  // CHECK-LABEL: module @twice
  // CHECK:       linalg.add ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>
  // CHECK:       linalg.add ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>
  func.func @g(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32>
      attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine, parameters = [2]}, {sequence = @mine::@__kgen_schedule_mine, parameters = [4]}]} {
    %e = tensor.empty() : tensor<8x4xf32>
    %s = linalg.add {kgen.schedule = 0 : i64} ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
    %t = linalg.add {kgen.schedule = 1 : i64} ins(%s, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
    return %t : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: func.func @no_schedules
// CHECK-NEXT:  return
func.func @no_schedules(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
