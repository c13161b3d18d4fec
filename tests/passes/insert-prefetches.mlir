// Prefetches: of vectors of large tensors in long loops; of several loops, the last one has them.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-insert-prefetches | FileCheck "%s"

module {
// A vector of two lines: both are prefetched.
// CHECK-LABEL: func @lines
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[SOON:.*]] = arith.addi %[[I]], %c512
// CHECK: memref.prefetch %arg0[%[[SOON]]], read
// CHECK: %[[NEXT:.*]] = arith.addi %[[SOON]], %c16
// CHECK: memref.prefetch %arg0[%[[NEXT]]], read
// CHECK-NOT: memref.prefetch
func.func @lines(%x: memref<1000000xf32>, %y: memref<1000000xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %end = arith.constant 999968 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c32 {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<1000000xf32>, vector<32xf32>
    vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<32xf32>, memref<1000000xf32>
  }
  return
}

// Rows side by side are left to the hardware prefetcher.
// CHECK-LABEL: func @rows_side_by_side
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @rows_side_by_side(%x: memref<1000x4096xf32>, %y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c250 = arith.constant 250 : index
  %c500 = arith.constant 500 : index
  %c750 = arith.constant 750 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4096 step %c8 {
    %v0 = vector.transfer_read %x[%c0, %i], %zero {in_bounds = [true]} : memref<1000x4096xf32>, vector<8xf32>
    %v1 = vector.transfer_read %x[%c250, %i], %zero {in_bounds = [true]} : memref<1000x4096xf32>, vector<8xf32>
    %v2 = vector.transfer_read %x[%c500, %i], %zero {in_bounds = [true]} : memref<1000x4096xf32>, vector<8xf32>
    %v3 = vector.transfer_read %x[%c750, %i], %zero {in_bounds = [true]} : memref<1000x4096xf32>, vector<8xf32>
    %s1 = arith.addf %v0, %v1 : vector<8xf32>
    %s2 = arith.addf %v2, %v3 : vector<8xf32>
    %s = arith.addf %s1, %s2 : vector<8xf32>
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<8xf32>, memref<4096xf32>
  }
  return
}

// Windows over two rows that advance by two: all that the next iteration reads is prefetched, in the order of addresses.
// CHECK-LABEL: func @windows
// CHECK: scf.for %[[I:.*]] = %c8
// CHECK: vector.transfer_read
// CHECK: vector.transfer_read
// CHECK: vector.transfer_read
// CHECK: %[[FROM:.*]] = arith.subi %[[I]], %c8
// CHECK: %[[FASTER:.*]] = arith.muli %[[FROM]], %c4
// CHECK: %[[BEGIN:.*]] = arith.addi %{{.*}}, %[[FASTER]]
// CHECK: %[[SOON:.*]] = arith.addi %[[BEGIN]], %c1760
// CHECK: memref.prefetch %arg0[%{{.*}}, %[[SOON]]], read, locality<2>
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @windows(%x: memref<4096x256xf32>, %y: memref<2048x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c120 = arith.constant 120 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  scf.for %row = %c0 to %c2048 step %c1 {
    %even = arith.muli %row, %c2 : index
    %odd = arith.addi %even, %c1 : index
    scf.for %i = %c8 to %c120 step %c8 {
      %first = arith.muli %i, %c2 : index
      %second = arith.addi %first, %c8 : index
      %a = vector.transfer_read %x[%even, %first], %zero {in_bounds = [true]} : memref<4096x256xf32>, vector<8xf32>
      %b = vector.transfer_read %x[%even, %second], %zero {in_bounds = [true]} : memref<4096x256xf32>, vector<8xf32>
      %c = vector.transfer_read %x[%odd, %first], %zero {in_bounds = [true]} : memref<4096x256xf32>, vector<8xf32>
      %d = vector.transfer_read %x[%odd, %second], %zero {in_bounds = [true]} : memref<4096x256xf32>, vector<8xf32>
      %ac = arith.maximumf %a, %c : vector<8xf32>
      %bd = arith.maximumf %b, %d : vector<8xf32>
      %low = vector.shuffle %ac, %bd [0, 2, 4, 6, 8, 10, 12, 14] : vector<8xf32>, vector<8xf32>
      %high = vector.shuffle %ac, %bd [1, 3, 5, 7, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
      %m = arith.maximumf %low, %high : vector<8xf32>
      vector.transfer_write %m, %y[%row, %i] {in_bounds = [true]} : vector<8xf32>, memref<2048x128xf32>
    }
  }
  return
}

// CHECK-LABEL: func @stream
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[SOON:.*]] = arith.addi %[[I]], %c512
// CHECK: memref.prefetch %arg0[%[[SOON]]], read, locality<3>, data : memref<1000000xf32>
// CHECK: vector.transfer_read %arg0[%[[I]]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @stream(%x: memref<1000000xf32>, %small: memref<1000xf32>, %y: memref<1000000xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %end = arith.constant 1000000 : index
  %short = arith.constant 504 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c8 {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<1000000xf32>, vector<8xf32>
    vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<8xf32>, memref<1000000xf32>
  }
  scf.for %i = %c0 to %short step %c8 {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<1000000xf32>, vector<8xf32>
    %w = vector.transfer_read %small[%i], %zero {in_bounds = [true]} : memref<1000xf32>, vector<8xf32>
    %s = arith.addf %v, %w : vector<8xf32>
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<8xf32>, memref<1000000xf32>
  }
  return
}

// Rows of a view of a large tensor, read twice: the second loop prefetches the next row.
// CHECK-LABEL: func @rows
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c64
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c4096{{.*}} : index
// CHECK: memref.prefetch %{{.*}}[%[[ROW]], %[[NEXT]]]
func.func @rows(%x: memref<128x4096xf32>, %y: memref<64x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<8xf32>
  %part = memref.subview %x[64, 0] [64, 4096] [1, 1] : memref<128x4096xf32> to memref<64x4096xf32, strided<[4096, 1], offset: 262144>>
  scf.for %row = %c0 to %c64 step %c1 {
    %sum = scf.for %j = %c0 to %c4096 step %c8 iter_args(%acc = %none) -> (vector<8xf32>) {
      %v = vector.transfer_read %part[%row, %j], %zero {in_bounds = [true]} : memref<64x4096xf32, strided<[4096, 1], offset: 262144>>, vector<8xf32>
      %s = arith.addf %acc, %v : vector<8xf32>
      scf.yield %s : vector<8xf32>
    }
    scf.for %j = %c0 to %c4096 step %c8 {
      %v = vector.transfer_read %part[%row, %j], %zero {in_bounds = [true]} : memref<64x4096xf32, strided<[4096, 1], offset: 262144>>, vector<8xf32>
      %s = arith.subf %v, %sum : vector<8xf32>
      vector.transfer_write %s, %y[%row, %j] {in_bounds = [true]} : vector<8xf32>, memref<64x4096xf32>
    }
  }
  return
}

// Columns of 64 rows that are read twice: the last columns are followed by the first ones of the next 64 rows. They are prefetched
// into the second-level cache, since they are more than half of the first-level one.
// CHECK-LABEL: func @columns_of_blocks
// CHECK: scf.for %[[B:.*]] = %c0 to %c4 step %c1
// CHECK: scf.for %[[J:.*]] = %c0 to %c4096 step %c1024
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c1024
// CHECK: %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %c4096
// CHECK: %[[OUTER:.*]] = arith.addi %[[B]], %c1
// CHECK: %[[COLUMNS:.*]] = arith.select %[[LAST]], %c0, %[[NEXT]]
// CHECK: %[[ROWS:.*]] = arith.select %[[LAST]], %[[OUTER]], %[[B]]
// CHECK: %[[PART:.*]] = memref.subview %arg0[%[[ROWS]], 0, %[[COLUMNS]]]
// CHECK: memref.prefetch %[[PART]]{{.*}}, read, locality<2>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @columns_of_blocks(%x: memref<4x64x4096xf32>, %m: memref<1024xf32>, %y: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4096 step %c1024 {
      %part = memref.subview %x[%b, 0, %j] [1, 64, 1024] [1, 1, 1]
          : memref<4x64x4096xf32> to memref<1x64x1024xf32, strided<[262144, 4096, 1], offset: ?>>
      scf.for %i = %c0 to %c64 step %c1 {
        scf.for %k = %c0 to %c1024 step %c8 {
          %o = vector.transfer_read %m[%k], %zero {in_bounds = [true]} : memref<1024xf32>, vector<8xf32>
          %v = vector.transfer_read %part[%c0, %i, %k], %zero {in_bounds = [true]}
              : memref<1x64x1024xf32, strided<[262144, 4096, 1], offset: ?>>, vector<8xf32>
          %s = arith.maximumf %o, %v : vector<8xf32>
          vector.transfer_write %s, %m[%k] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
        }
      }
      scf.for %i = %c0 to %c64 step %c1 {
        scf.for %k = %c0 to %c1024 step %c8 {
          %o = vector.transfer_read %y[%k], %zero {in_bounds = [true]} : memref<1024xf32>, vector<8xf32>
          %v = vector.transfer_read %part[%c0, %i, %k], %zero {in_bounds = [true]}
              : memref<1x64x1024xf32, strided<[262144, 4096, 1], offset: ?>>, vector<8xf32>
          %p = kgen.exp_or_zero <-8.0e+01> %v : vector<8xf32>
          %s = arith.addf %o, %p : vector<8xf32>
          vector.transfer_write %s, %y[%k] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
        }
      }
    }
  }
  return
}

// Blocks of rows that are read three times: the loop with the most arithmetic prefetches the next block, and the block that the last
// loop writes.
// CHECK-LABEL: func @blocks
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c4096 step %c2
// CHECK: %[[X:.*]] = memref.subview %arg0[%[[BLOCK]], 0]
// CHECK: %[[Y:.*]] = memref.subview %arg1[%[[BLOCK]], 0]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c2
// CHECK: %[[NEXTX:.*]] = memref.subview %arg0[%[[NEXT]], 0]
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[I:.*]] = %c0 to %c2
// CHECK: scf.for %[[J:.*]] = %c0 to %c64
// CHECK-DAG: memref.prefetch %[[NEXTX]][%[[I]], %[[J]]], read
// CHECK-DAG: memref.prefetch %[[Y]][%[[I]], %[[J]]], write
// CHECK: kgen.exp_or_zero
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @blocks(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %sums: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<8xf32>
  scf.for %block = %c0 to %c4096 step %c2 {
    %part = memref.subview %x[%block, 0] [2, 64] [1, 1] : memref<4096x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    scf.for %i = %c0 to %c2 step %c1 {
      %sum = scf.for %j = %c0 to %c64 step %c8 iter_args(%acc = %none) -> (vector<8xf32>) {
        %v = vector.transfer_read %part[%i, %j], %zero {in_bounds = [true]} : memref<2x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
        %s = arith.maximumf %acc, %v : vector<8xf32>
        scf.yield %s : vector<8xf32>
      }
      %one = vector.extract %sum[0] : f32 from vector<8xf32>
      memref.store %one, %sums[%i] : memref<2xf32>
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %sum = scf.for %j = %c0 to %c64 step %c8 iter_args(%acc = %none) -> (vector<8xf32>) {
        %v = vector.transfer_read %part[%i, %j], %zero {in_bounds = [true]} : memref<2x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
        %p = kgen.exp_or_zero <-8.0e+01> %v : vector<8xf32>
        %s = arith.addf %acc, %p : vector<8xf32>
        scf.yield %s : vector<8xf32>
      }
      %one = vector.extract %sum[0] : f32 from vector<8xf32>
      memref.store %one, %sums[%i] : memref<2xf32>
    }
    %out = memref.subview %y[%block, 0] [2, 64] [1, 1] : memref<4096x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    scf.for %i = %c0 to %c2 step %c1 {
      %s = memref.load %sums[%i] : memref<2xf32>
      %b = vector.broadcast %s : f32 to vector<8xf32>
      scf.for %j = %c0 to %c64 step %c8 {
        %v = vector.transfer_read %part[%i, %j], %zero {in_bounds = [true]} : memref<2x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
        %d = arith.subf %v, %b : vector<8xf32>
        vector.transfer_write %d, %out[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<2x64xf32, strided<[64, 1], offset: ?>>
      }
    }
  }
  return
}

// A slice whose rows are read side by side first, then one by one: the loop with functions prefetches the next slice.
// CHECK-LABEL: func @side_by_side_before
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0, 0]
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0, 0]
// CHECK-NOT: memref.prefetch
// CHECK: memref.prefetch %[[NEXT]]
// CHECK: kgen.exp_or_zero
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @side_by_side_before(%x: memref<4096x4x64xf32>, %y: memref<4x64xf32>, %most: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %part = %c0 to %c4096 step %c1 {
    %p = memref.subview %x[%part, 0, 0] [1, 4, 64] [1, 1, 1] : memref<4096x4x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
    scf.for %j = %c0 to %c64 step %c8 {
      %v0 = vector.transfer_read %p[%c0, %j], %zero {in_bounds = [true]} : memref<4x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      %v1 = vector.transfer_read %p[%c1, %j], %zero {in_bounds = [true]} : memref<4x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      %v2 = vector.transfer_read %p[%c2, %j], %zero {in_bounds = [true]} : memref<4x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      %v3 = vector.transfer_read %p[%c3, %j], %zero {in_bounds = [true]} : memref<4x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      %m0 = arith.maximumf %v0, %v1 : vector<8xf32>
      %m1 = arith.maximumf %v2, %v3 : vector<8xf32>
      %m = arith.maximumf %m0, %m1 : vector<8xf32>
      vector.transfer_write %m, %most[%j] {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c64 step %c8 {
        %v = vector.transfer_read %p[%i, %j], %zero {in_bounds = [true]} : memref<4x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
        %m = vector.transfer_read %most[%j], %zero {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
        %d = arith.subf %v, %m : vector<8xf32>
        %e = kgen.exp_or_zero <-8.0e+01> %d : vector<8xf32>
        vector.transfer_write %e, %y[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<4x64xf32>
      }
    }
  }
  return
}

// The same for slices that the first-level cache does not hold: the next one is prefetched into the second-level cache.
// CHECK-LABEL: func @side_by_side_before_in_large_parts
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0, 0]
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0, 0]
// CHECK-NOT: memref.prefetch
// CHECK: memref.prefetch %[[NEXT]][%{{.*}}], read, locality<2>
// CHECK: kgen.exp_or_zero
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @side_by_side_before_in_large_parts(%x: memref<256x8x1024xf32>, %y: memref<8x1024xf32>, %most: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  scf.for %part = %c0 to %c256 step %c1 {
    %p = memref.subview %x[%part, 0, 0] [1, 8, 1024] [1, 1, 1] : memref<256x8x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: ?>>
    scf.for %i = %c0 to %c2 step %c1 {
      %i2 = arith.addi %i, %c2 : index
      %i4 = arith.addi %i, %c4 : index
      %i6 = arith.addi %i, %c6 : index
      scf.for %j = %c0 to %c1024 step %c8 {
        %o = vector.transfer_read %most[%j], %zero {in_bounds = [true]} : memref<1024xf32>, vector<8xf32>
        %v0 = vector.transfer_read %p[%i, %j], %zero {in_bounds = [true]} : memref<8x1024xf32, strided<[1024, 1], offset: ?>>, vector<8xf32>
        %v1 = vector.transfer_read %p[%i2, %j], %zero {in_bounds = [true]} : memref<8x1024xf32, strided<[1024, 1], offset: ?>>, vector<8xf32>
        %v2 = vector.transfer_read %p[%i4, %j], %zero {in_bounds = [true]} : memref<8x1024xf32, strided<[1024, 1], offset: ?>>, vector<8xf32>
        %v3 = vector.transfer_read %p[%i6, %j], %zero {in_bounds = [true]} : memref<8x1024xf32, strided<[1024, 1], offset: ?>>, vector<8xf32>
        %m0 = arith.maximumf %v0, %v1 : vector<8xf32>
        %m1 = arith.maximumf %v2, %v3 : vector<8xf32>
        %m2 = arith.maximumf %m0, %m1 : vector<8xf32>
        %m = arith.maximumf %m2, %o : vector<8xf32>
        vector.transfer_write %m, %most[%j] {in_bounds = [true]} : vector<8xf32>, memref<1024xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c1024 step %c8 {
        %v = vector.transfer_read %p[%i, %j], %zero {in_bounds = [true]} : memref<8x1024xf32, strided<[1024, 1], offset: ?>>, vector<8xf32>
        %m = vector.transfer_read %most[%j], %zero {in_bounds = [true]} : memref<1024xf32>, vector<8xf32>
        %d = arith.subf %v, %m : vector<8xf32>
        %e = kgen.exp_or_zero <-8.0e+01> %d : vector<8xf32>
        vector.transfer_write %e, %y[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<8x1024xf32>
      }
    }
  }
  return
}

// A slice that is read row by row first, then as one row: the next one is prefetched as one row.
// CHECK-LABEL: func @flat
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0]
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%{{.*}}, 0]
// CHECK-NOT: memref.prefetch
// CHECK: %[[ROW:.*]] = memref.collapse_shape %[[NEXT]]
// CHECK: memref.prefetch %[[ROW]][%{{.*}}], read, locality<3>
// CHECK: kgen.exp_or_zero
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @flat(%x: memref<65536x17xf32>, %y: memref<272xf32>, %most: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c272 = arith.constant 272 : index
  %c65536 = arith.constant 65536 : index
  %zero = arith.constant 0.0 : f32
  scf.for %block = %c0 to %c65536 step %c16 {
    %p = memref.subview %x[%block, 0] [16, 17] [1, 1] : memref<65536x17xf32> to memref<16x17xf32, strided<[17, 1], offset: ?>>
    scf.for %i = %c0 to %c16 step %c1 {
      %v0 = vector.transfer_read %p[%i, %c0], %zero {in_bounds = [true]} : memref<16x17xf32, strided<[17, 1], offset: ?>>, vector<8xf32>
      %v1 = vector.transfer_read %p[%i, %c8], %zero {in_bounds = [true]} : memref<16x17xf32, strided<[17, 1], offset: ?>>, vector<8xf32>
      %m = arith.maximumf %v0, %v1 : vector<8xf32>
      %s = vector.reduction <maximumf>, %m : vector<8xf32> into f32
      memref.store %s, %most[%i] : memref<16xf32>
    }
    %row = memref.collapse_shape %p [[0, 1]] : memref<16x17xf32, strided<[17, 1], offset: ?>> into memref<272xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c272 step %c8 {
      %v = vector.transfer_read %row[%j], %zero {in_bounds = [true]} : memref<272xf32, strided<[1], offset: ?>>, vector<8xf32>
      %e = kgen.exp_or_zero <-8.0e+01> %v : vector<8xf32>
      vector.transfer_write %e, %y[%j] {in_bounds = [true]} : vector<8xf32>, memref<272xf32>
    }
  }
  return
}

// Short contiguous rows: prefetched where a loop computes a function.
// CHECK-LABEL: func @short_rows
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: memref.prefetch %arg0[%[[I]], %{{.*}}], read
// CHECK: vector.transfer_read %arg0[%[[I]], %c0]
// CHECK: memref.prefetch %arg0[%[[I]], %{{.*}}], read
// CHECK: vector.transfer_read %arg0[%[[I]], %c8]
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @short_rows(%x: memref<65536x16xf32>, %sums: memref<65536xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %rows = arith.constant 65536 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    %u = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<65536x16xf32>, vector<8xf32>
    %v = vector.transfer_read %x[%i, %c8], %zero {in_bounds = [true]} : memref<65536x16xf32>, vector<8xf32>
    %p = kgen.exp_or_zero <-8.0e+01> %u : vector<8xf32>
    %q = arith.addf %p, %v : vector<8xf32>
    %one = vector.extract %q[0] : f32 from vector<8xf32>
    memref.store %one, %sums[%i] : memref<65536xf32>
  }
  scf.for %i = %c0 to %rows step %c1 {
    %u = vector.transfer_read %sums[%i], %zero {in_bounds = [true]} : memref<65536xf32>, vector<1xf32>
    vector.transfer_write %u, %sums[%i] {in_bounds = [true]} : vector<1xf32>, memref<65536xf32>
  }
  return
}

// Around a contraction: the next block of rows that is read in vectors is prefetched, and the current one that is written.
// CHECK-LABEL: func @around_products
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c4096 step %c32
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c32
// CHECK: %[[NEXTX:.*]] = memref.subview %arg0[%[[NEXT]], 0]
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c32
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c64{{.*}} step %c16
// CHECK: memref.prefetch %[[NEXTX]][%[[I]], %[[J]]], read, locality<2>
// CHECK: %[[Y:.*]] = memref.subview %arg1[%[[BLOCK]], 0]
// CHECK: memref.prefetch %[[Y]][%{{.*}}, %{{.*}}], write, locality<2>
// CHECK: tpp.gemm
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @around_products(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %w: memref<32x32xf32>, %t: memref<32x64xf32>, %u: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %block = %c0 to %c4096 step %c32 {
    %part = memref.subview %x[%block, 0] [32, 64] [1, 1] : memref<4096x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %out = memref.subview %y[%block, 0] [32, 64] [1, 1] : memref<4096x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    scf.for %i = %c0 to %c32 step %c1 {
      %v = vector.transfer_read %part[%i, %c0], %zero {in_bounds = [true]} : memref<32x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<32x64xf32>
    }
    tpp.gemm ins(%w, %t : memref<32x32xf32>, memref<32x64xf32>) outs(%u : memref<32x64xf32>) attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    scf.for %i = %c0 to %c32 step %c1 {
      %v = vector.transfer_read %u[%i, %c0], %zero {in_bounds = [true]} : memref<32x64xf32>, vector<8xf32>
      vector.transfer_write %v, %out[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<32x64xf32, strided<[64, 1], offset: ?>>
    }
  }
  return
}

// Beside functions of vectors: two of the 128 lines in each of 64 iterations.
// CHECK-LABEL: func @around_functions
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c4096 step %c32
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c32
// CHECK: %[[NEXTX:.*]] = memref.subview %arg0[%[[NEXT]], 0]
// CHECK: %[[Y:.*]] = memref.subview %arg1[%[[BLOCK]], 0]
// CHECK-NOT: memref.prefetch
// CHECK: tpp.gemm
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c32
// CHECK: scf.for %[[I:.*]] = %c0 to %c32 step %c1
// CHECK-COUNT-2: memref.prefetch %[[Y]][%{{.*}}, %{{.*}}], write, locality<2>
// CHECK-COUNT-2: memref.prefetch %[[NEXTX]][%{{.*}}, %{{.*}}], read, locality<2>
// CHECK: math.exp
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @around_functions(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %w: memref<32x32xf32>, %t: memref<32x64xf32>, %u: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %block = %c0 to %c4096 step %c32 {
    %part = memref.subview %x[%block, 0] [32, 64] [1, 1] : memref<4096x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %out = memref.subview %y[%block, 0] [32, 64] [1, 1] : memref<4096x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    scf.for %i = %c0 to %c32 step %c1 {
      %v = vector.transfer_read %part[%i, %c0], %zero {in_bounds = [true]} : memref<32x64xf32, strided<[64, 1], offset: ?>>, vector<8xf32>
      vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<32x64xf32>
    }
    tpp.gemm ins(%w, %t : memref<32x32xf32>, memref<32x64xf32>) outs(%u : memref<32x64xf32>) attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    scf.for %j = %c0 to %c64 step %c32 {
      scf.for %i = %c0 to %c32 step %c1 {
        %v = vector.transfer_read %u[%i, %j], %zero {in_bounds = [true]} : memref<32x64xf32>, vector<16xf32>
        %e = math.exp %v : vector<16xf32>
        vector.transfer_write %e, %u[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<32x64xf32>
      }
    }
    scf.for %i = %c0 to %c32 step %c1 {
      %v = vector.transfer_read %u[%i, %c0], %zero {in_bounds = [true]} : memref<32x64xf32>, vector<8xf32>
      vector.transfer_write %v, %out[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<32x64xf32, strided<[64, 1], offset: ?>>
    }
  }
  return
}
}
