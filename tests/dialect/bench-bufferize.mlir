// RUN: kgen-opt "%s" --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --cse --canonicalize --split-input-file | FileCheck "%s"

// Checks read buffers where they are.
// CHECK-LABEL: func.func @checks
// CHECK-SAME:    %[[T:.*]]: memref<8xf32>
// CHECK-NEXT:    bench.expect_close %[[T]], %[[T]] : memref<8xf32>
// CHECK-NEXT:    bench.expect_finite %[[T]] : memref<8xf32>
// CHECK-NEXT:    bench.print %[[T]] : memref<8xf32>
// CHECK-NEXT:    return
func.func @checks(%t: tensor<8xf32>) {
  bench.expect_close %t, %t : tensor<8xf32>
  bench.expect_finite %t : tensor<8xf32>
  bench.print %t : tensor<8xf32>
  return
}

// -----

// A check sees the value from before a later write.
// CHECK-LABEL: func.func @written_later
// CHECK-SAME:    %[[T:.*]]: memref<8xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[COPY:.*]] : memref<8xf32>)
// CHECK:         bench.print %[[T]]
// CHECK:         return %[[COPY]]
func.func @written_later(%t: tensor<8xf32> {bufferization.writable = true}, %x: f32) -> tensor<8xf32> {
  %r = linalg.fill ins(%x : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  bench.print %t : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// What a region writes to its destination needs no copy ...
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    %[[X:.*]]: f32, %[[T:.*]]: memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         bench.measure iterations 3 ins(%[[X]] : f32) outs(%[[T]] : memref<8xf32>) {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: f32, %[[OUT:.*]]: memref<8xf32>):
// CHECK-NEXT:      linalg.fill ins(%[[Y]] : f32) outs(%[[OUT]] : memref<8xf32>)
// CHECK-NEXT:      bench.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]]
func.func @in_place(%x: f32, %t: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  %r = bench.measure iterations 3 ins(%x : f32) outs(%t : tensor<8xf32>) {
  ^bb0(%y: f32, %out: tensor<8xf32>):
    %z = linalg.fill ins(%y : f32) outs(%out : tensor<8xf32>) -> tensor<8xf32>
    bench.yield %z : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// ... what is elsewhere is copied there; and what it only reads is still the same in the next iteration.
// CHECK-LABEL: func.func @copied
// CHECK:         bench.measure ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>) {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>):
// CHECK:           %[[COPY:.*]] = memref.alloc()
// CHECK-NOT:       outs(%[[IN]]
// CHECK:           linalg.fill ins(%{{.*}} : f32) outs(%[[COPY]] : memref<8xf32>)
// CHECK-NEXT:      memref.copy %[[COPY]], %[[OUT]]
// CHECK-NEXT:      bench.yield
func.func @copied(%a: tensor<8xf32> {bufferization.writable = true}, %t: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  %r = bench.measure ins(%a : tensor<8xf32>) outs(%t : tensor<8xf32>) {
  ^bb0(%in: tensor<8xf32>, %out: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%in : tensor<8xf32>) -> tensor<8xf32>
    bench.yield %z : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
