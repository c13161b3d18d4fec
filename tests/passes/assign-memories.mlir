// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-assign-memories))" --split-input-file | FileCheck "%s"

// A pad that covers nothing is a copy, to an allocation of its own.
// CHECK-LABEL: func.func @whole
// CHECK:       %[[L2:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8x8xf32>
// CHECK-NEXT:  %[[COPY:.*]] = linalg.copy ins(%arg0 : tensor<8x8xf32>) outs(%[[L2]] : tensor<8x8xf32>)
// CHECK-NEXT:  return %[[COPY]]
func.func @whole(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x nofold low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } {kgen.memory = 1 : i64} : tensor<8x8xf32> to tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// Where there may be padding, the fill is in an scf.if; the copy goes into a slice.
// CHECK-LABEL: func.func @border
// CHECK-SAME:  (%[[X:.*]]: tensor<?x8xf32>, %[[HIGH:.*]]: index)
// CHECK:       %[[PAD:.*]] = arith.constant 2.0
// CHECK:       %[[L2:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8x8xf32>
// CHECK:       %[[PARTIAL:.*]] = arith.cmpi ne, %[[HIGH]], %{{.*}}
// CHECK:       %[[FILLED:.*]] = scf.if %[[PARTIAL]]
// CHECK:         linalg.fill ins(%[[PAD]] : f32) outs(%[[L2]]
// CHECK:       } else {
// CHECK:         scf.yield %[[L2]]
// CHECK:       %[[SLICE:.*]] = tensor.extract_slice %[[FILLED]][0, 0] [%{{.*}}, 8] [1, 1]
// CHECK:       %[[COPY:.*]] = linalg.copy ins(%[[X]] : tensor<?x8xf32>) outs(%[[SLICE]]
// CHECK:       tensor.insert_slice %[[COPY]] into %[[FILLED]]
func.func @border(%x: tensor<?x8xf32>, %high: index) -> tensor<8x8xf32> {
  %two = arith.constant 2.0 : f32
  %p = tensor.pad %x low[0, 0] high[%high, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %two : f32
  } {kgen.memory = 1 : i64} : tensor<?x8xf32> to tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// Two of equal shape do not share one allocation.
// CHECK-LABEL: func.func @destinations
// CHECK:       %[[FIRST:.*]] = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<8x8xf32>
// CHECK-NEXT:  linalg.fill ins(%{{.*}} : f32) outs(%[[FIRST]] :
// CHECK:       %[[SECOND:.*]] = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<8x8xf32>
// CHECK-NEXT:  linalg.fill ins(%{{.*}} : f32) outs(%[[SECOND]] :
func.func @destinations() -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill {kgen.memory = 2 : i64} ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.fill {kgen.memory = 2 : i64} ins(%one : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %f, %g : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The result of a grid; and what is computed in a grid has the grid's memory, or overwrites what nobody reads later.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @grid
// CHECK:       %[[L2:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8xf32>
// CHECK:       scf.forall (%{{.*}}) in (2) shared_outs(%{{.*}} = %[[L2]])
// CHECK:         %[[L1:.*]] = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[EXP:.*]] = linalg.exp ins(%{{.*}} : tensor<4xf32>) outs(%[[L1]] :
// CHECK:         linalg.generic {{.*}} ins(%[[EXP]] : tensor<4xf32>) outs(%[[EXP]] : tensor<4xf32>)
func.func @grid(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (2) shared_outs(%out = %e) -> (tensor<8xf32>) {
    %at = affine.apply affine_map<(d) -> (d * 4)>(%i)
    %s = tensor.extract_slice %x[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %t = tensor.empty() : tensor<4xf32>
    %exp = linalg.exp ins(%s : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%exp : tensor<4xf32>) outs(%t : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = arith.negf %a : f32
      linalg.yield %n : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %neg into %out[%at] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#gpu.thread<x>], kgen.memory = 1 : i64}
  return %r : tensor<8xf32>
}

// -----

// Loops of no schedule, and code without any, stay.
// CHECK-LABEL: func.func @untouched
// CHECK-COUNT-2: tensor.empty
// CHECK-NOT:   alloc_tensor
func.func @untouched(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%out = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %t = tensor.empty() : tensor<1xf32>
    %exp = linalg.exp ins(%s : tensor<1xf32>) outs(%t : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %exp into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
