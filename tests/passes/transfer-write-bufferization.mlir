// RUN: kgen-opt "%s" --kgen-bufferize | FileCheck "%s"

// Four elements of [1, 5] are not all of them: where each task writes into a copy of its own, the fifth is copied, too.
// CHECK-LABEL: func.func @leaves_one
// CHECK:         %[[ZEROS:.*]] = memref.alloc() {{.*}} : memref<1x5xi32>
// CHECK:         scf.forall
// CHECK:           %[[OWN:.*]] = memref.alloc() {{.*}} : memref<1x5xi32>
// CHECK-NEXT:      memref.copy %[[ZEROS]], %[[OWN]]
// CHECK-NEXT:      vector.transfer_write %{{.*}}, %[[OWN]]
func.func @leaves_one(%x: memref<3x5xi32>, %out: memref<3x5xi32>, %four: vector<4xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<1x5xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%init : tensor<1x5xi32>) -> tensor<1x5xi32>
  %to = bufferization.to_tensor %out restrict writable : memref<3x5xi32> to tensor<3x5xi32>
  %all = scf.forall (%i) in (3) shared_outs(%part = %to) -> (tensor<3x5xi32>) {
    %begun = vector.transfer_write %four, %zeros[%c0, %c0] {in_bounds = [true]} : vector<4xi32>, tensor<1x5xi32>
    %last = vector.transfer_read %begun[%c0, %c4], %zero {in_bounds = [true]} : tensor<1x5xi32>, vector<1xi32>
    %more = arith.addi %last, %last : vector<1xi32>
    %done = vector.transfer_write %more, %begun[%c0, %c4] {in_bounds = [true]} : vector<1xi32>, tensor<1x5xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %part[%i, 0] [1, 5] [1, 1] : tensor<1x5xi32> into tensor<3x5xi32>
    }
  }
  bufferization.materialize_in_destination %all in writable %out : (tensor<3x5xi32>, memref<3x5xi32>) -> ()
  return
}

// Five elements are all: nothing is copied from the zeros.
// CHECK-LABEL: func.func @leaves_none
// CHECK:         scf.forall
// CHECK-NEXT:      %[[OWN:.*]] = memref.alloc() {{.*}} : memref<1x5xi32>
// CHECK-NEXT:      vector.transfer_write %{{.*}}, %[[OWN]]
func.func @leaves_none(%out: memref<3x5xi32>, %five: vector<5xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<1x5xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%init : tensor<1x5xi32>) -> tensor<1x5xi32>
  %to = bufferization.to_tensor %out restrict writable : memref<3x5xi32> to tensor<3x5xi32>
  %all = scf.forall (%i) in (3) shared_outs(%part = %to) -> (tensor<3x5xi32>) {
    %done = vector.transfer_write %five, %zeros[%c0, %c0] {in_bounds = [true]} : vector<5xi32>, tensor<1x5xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %part[%i, 0] [1, 5] [1, 1] : tensor<1x5xi32> into tensor<3x5xi32>
    }
  }
  bufferization.materialize_in_destination %all in writable %out : (tensor<3x5xi32>, memref<3x5xi32>) -> ()
  return
}

// Consecutive writes are like one: one copy keeps the tensor that they began with for a later read, and has all that the first of
// them wrote.
// CHECK-LABEL: func.func @reads_after
// CHECK-SAME:    (%[[OLD:[^:]*]]: memref<8xf32>
// CHECK:         %[[OWN:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NEXT:    memref.copy %[[OLD]], %[[OWN]]
// CHECK-NEXT:    vector.transfer_write %{{.*}}, %[[OWN]]
// CHECK-NOT:     memref.alloc
// CHECK:         vector.transfer_write %{{.*}}, %[[OWN]]
// CHECK-NEXT:    vector.transfer_read %[[OLD]]
// CHECK-NOT:     memref.alloc
// CHECK:         vector.transfer_write %{{.*}}, %[[OWN]]
func.func @reads_after(%in: memref<8xf32>, %out: memref<8xf32>, %four: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %now = bufferization.to_tensor %in restrict writable : memref<8xf32> to tensor<8xf32>
  %first = vector.transfer_write %four, %now[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  %double = arith.addf %four, %four : vector<4xf32>
  %second = vector.transfer_write %double, %first[%c4] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  %old = vector.transfer_read %now[%c4], %zero {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %more = arith.addf %old, %four : vector<4xf32>
  %third = vector.transfer_write %more, %second[%c1] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  bufferization.materialize_in_destination %third in writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
