// Results larger than the last-level cache: non-temporal stores where they are aligned, in tasks and outside of them.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-non-temporal-stores | FileCheck "%s"

module {
// CHECK-LABEL: func @task
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (16384) step (512) {
// CHECK:           memref.extract_aligned_pointer_as_index
// CHECK:           arith.andi %{{.*}}, %c63
// CHECK:           %[[IS:.*]] = arith.cmpi eq
// CHECK:           scf.if %[[IS]] {
// CHECK-NOT:         memref.prefetch
// CHECK:             vector.store %arg1, %{{.*}}[%{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK-NOT:         vector.transfer_write
// CHECK:             kgen.store_fence
// CHECK:           } else {
// CHECK:             memref.prefetch
// CHECK-NOT:         vector.store
// CHECK:             vector.transfer_write
func.func @task(%y: memref<16384x1024xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 524288 : index
  scf.forall (%i) = (0) to (16384) step (512) {
    %part = memref.subview %y[%i, 0] [512, 1024] [1, 1] : memref<16384x1024xf32> to memref<512x1024xf32, strided<[1024, 1], offset: ?>>
    %row = memref.collapse_shape %part [[0, 1]] : memref<512x1024xf32, strided<[1024, 1], offset: ?>> into memref<524288xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %end step %c16 {
      memref.prefetch %row[%j], write, locality<3>, data : memref<524288xf32, strided<[1], offset: ?>>
      vector.transfer_write %v, %row[%j] {in_bounds = [true]} : vector<16xf32>, memref<524288xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// Rows that begin inside of lines: aligned slices, also for the remainder at their end.
// CHECK-LABEL: func @rows
// CHECK:         arith.andi %{{.*}}, %c31
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK-COUNT-2:       vector.store %{{.*}} {alignment = 32 : i64, nontemporal = true} : memref<16384x1000xf32>, vector<8xf32>
// CHECK:             vector.store %arg2, %{{.*}} {alignment = 32 : i64, nontemporal = true} : memref<16384x1000xf32>, vector<8xf32>
// CHECK:           kgen.store_fence
func.func @rows(%y: memref<16384x1000xf32>, %v: vector<16xf32>, %w: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %last = arith.constant 992 : index
  %rows = arith.constant 16384 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %last step %c16 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<16384x1000xf32>
    }
    vector.transfer_write %w, %y[%i, %last] {in_bounds = [true]} : vector<8xf32>, memref<16384x1000xf32>
  }
  return
}

// Elements of 16 bits, stored as slices: LLVM would truncate them with ordinary stores.
// CHECK-LABEL: func @narrow_rows
// CHECK-NOT:     vector.store
// CHECK:         vector.transfer_write
// CHECK-NOT:     vector.store
func.func @narrow_rows(%y: memref<32768x1000xbf16>, %v: vector<32xbf16>, %w: vector<8xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %last = arith.constant 992 : index
  %rows = arith.constant 32768 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %last step %c32 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<32xbf16>, memref<32768x1000xbf16>
    }
    vector.transfer_write %w, %y[%i, %last] {in_bounds = [true]} : vector<8xbf16>, memref<32768x1000xbf16>
  }
  return
}

// CHECK-LABEL: func @narrow_lines
// CHECK:         vector.store %arg1, %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<32768x1024xbf16>, vector<32xbf16>
func.func @narrow_lines(%y: memref<32768x1024xbf16>, %v: vector<32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %end = arith.constant 1024 : index
  %rows = arith.constant 32768 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %end step %c32 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<32xbf16>, memref<32768x1024xbf16>
    }
  }
  return
}

// The end of a result that is neither a line nor an aligned slice keeps its ordinary store.
// CHECK-LABEL: func @end
// CHECK:         scf.if
// CHECK:           vector.store %arg1, %{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:           vector.transfer_write %arg2, %{{.*}} : vector<5xf32>
// CHECK:           kgen.store_fence
// CHECK:         else
func.func @end(%y: memref<16777221xf32>, %v: vector<16xf32>, %w: vector<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 16777216 : index
  scf.for %step = %c0 to %c1 step %c1 {
    scf.for %i = %c0 to %end step %c16 {
      vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<16xf32>, memref<16777221xf32>
    }
    vector.transfer_write %w, %y[%end] {in_bounds = [true]} : vector<5xf32>, memref<16777221xf32>
  }
  return
}

// Refused: a result that may stay in a cache, ...
// CHECK-LABEL: func @small
// CHECK-NOT:     vector.store
// CHECK:         vector.transfer_write
// CHECK-NOT:     vector.store
func.func @small(%y: memref<1024x1024xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 1024 : index
  scf.for %i = %c0 to %end step %c1 {
    scf.for %j = %c0 to %end step %c16 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x1024xf32>
    }
  }
  return
}

// ... one that is read, ...
// CHECK-LABEL: func @read
// CHECK-NOT:     vector.store
// CHECK:         vector.transfer_write
// CHECK-NOT:     vector.store
func.func @read(%y: memref<16384x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 1024 : index
  %rows = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %end step %c16 {
      %v = vector.transfer_read %y[%i, %j], %zero {in_bounds = [true]} : memref<16384x1024xf32>, vector<16xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<16384x1024xf32>
    }
  }
  return
}

// ... or one of which only parts of lines are written.
// CHECK-LABEL: func @columns
// CHECK-NOT:     vector.store
// CHECK:         vector.transfer_write
// CHECK-NOT:     vector.store
func.func @columns(%y: memref<16384x1024xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 16384 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c16 step %c8 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16384x1024xf32>
    }
  }
  return
}
}
