// Another function than main, what it calls, its arguments and results; the seed decides about the arguments.
// RUN: kgen-run "%s" --target x86-64-v2 --entry negated --print > "%t.1"
// RUN: kgen-run "%s" --target x86-64-v2 --entry negated --print --seed 1 | diff "%t.1" -
// RUN: kgen-run "%s" --target x86-64-v2 --entry negated --print --seed 2 | not diff "%t.1" -
// RUN: FileCheck "%s" < "%t.1"
// RUN: kgen-run "%s" --target x86-64-v2 --entry nothing | count 0

// CHECK:      argument 0: f32[2] [[[A:[0-9.]+]], [[B:[0-9.]+]]]
// CHECK-NEXT: argument 1: i32[2] [41, 42]
// CHECK-NEXT: result 0: f32[2] [-[[A]], -[[B]]]
// CHECK-NEXT: result 1: f32[2] [[[A]], [[B]]]
func.func @negated(%a: tensor<2xf32> {bufferization.writable = true}, %m: memref<2xi32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 41 : i32
  %y = arith.constant 42 : i32
  memref.store %x, %m[%c0] : memref<2xi32>
  memref.store %y, %m[%c1] : memref<2xi32>
  %r = call @helper(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %r, %a : tensor<2xf32>, tensor<2xf32>
}

func.func private @helper(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.negf ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @nothing() {
  return
}
