// RUN: kgen-opt "%s" --kgen-lower-bench --split-input-file --mlir-print-local-scope | FileCheck "%s"

// Where the operation stands, what it reads, and where that is. Equal texts are one.
// CHECK-DAG:     memref.global "private" constant @[[PLACE:.*]] : memref<{{[0-9]+}}xi8>
// CHECK-DAG:     memref.global "private" constant @[[TYPE:.*]] : memref<10xi8> = dense<[102, 51, 50, 91, 52, 44, 32, 56, 93, 0]>
// CHECK-DAG:     func.func private @kgen_bench_expect_close(index, index, index, index, f64, f64)
// CHECK-DAG:     func.func private @kgen_bench_expect_finite(index, index, index)
// CHECK-LABEL: func.func @close_and_finite
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>
// CHECK:         %[[T:.*]] = memref.get_global @[[TYPE]]
// CHECK:         %[[TYPE_AT:.*]] = memref.extract_aligned_pointer_as_index %[[T]]
// CHECK:         %[[A_AT:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[B_AT:.*]] = memref.extract_aligned_pointer_as_index %[[B]]
// CHECK:         %[[ABSOLUTE:.*]] = arith.constant 2.500000e-01 : f64
// CHECK:         %[[RELATIVE:.*]] = arith.constant 1.000000e-05 : f64
// CHECK:         call @kgen_bench_expect_close(%{{.*}}, %[[TYPE_AT]], %[[A_AT]], %[[B_AT]], %[[ABSOLUTE]], %[[RELATIVE]])
// CHECK:         memref.get_global @[[TYPE]]
// CHECK:         call @kgen_bench_expect_finite(
// CHECK-NOT:     bench.
func.func @close_and_finite(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  bench.expect_close %a, %b {absolute = 0.25} : memref<4x8xf32>
  bench.expect_finite %b : memref<4x8xf32>
  return
}

// -----

// "no"
// CHECK:       memref.global "private" constant @[[MESSAGE:.*]] : memref<3xi8> = dense<[110, 111, 0]>
// CHECK-LABEL: func.func @truth
// CHECK:         %[[HOLDS:.*]] = arith.index_castui %{{.*}} : i1 to index
// CHECK:         memref.get_global @[[MESSAGE]]
// CHECK:         call @kgen_bench_expect_true(%{{.*}}, %{{.*}}, %[[HOLDS]])
func.func @truth(%ok: i1) {
  bench.expect_true %ok, "no"
  return
}

// -----

// What is not contiguous is copied; a scalar is stored; bits are "bool[4]".
// CHECK:       dense<[98, 111, 111, 108, 91, 52, 93, 0]>
// CHECK-LABEL: func.func @printed
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<4xi1>
// CHECK:         memref.copy %{{.*}}, %[[COPY]]
// CHECK:         memref.extract_aligned_pointer_as_index %[[COPY]]
// CHECK:         call @kgen_bench_print
// CHECK:         %[[N:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:         %[[PLACE:.*]] = memref.alloc() : memref<i64>
// CHECK:         memref.store %[[N]], %[[PLACE]][]
// CHECK:         call @kgen_bench_print
func.func @printed(%m: memref<4xi1, strided<[2]>>, %n: index) {
  bench.print %m : memref<4xi1, strided<[2]>>
  bench.print %n : index
  return
}

// -----

// The region runs until the host has seen enough. The host knows all memory that it reads and writes, and none is constant.
// CHECK:       memref.global "private" @weights : memref<4xf32> = dense<{{.*}}>
// CHECK-LABEL: func.func @measured
// CHECK-SAME:    %[[OUT:.*]]: memref<4xf32>
// CHECK:         %[[W:.*]] = memref.get_global @weights
// CHECK:         %[[W_AT:.*]] = memref.extract_aligned_pointer_as_index %[[W]]
// CHECK:         call @kgen_bench_touch(%[[W_AT]])
// CHECK:         %[[OUT_AT:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK:         call @kgen_bench_touch(%[[OUT_AT]])
// CHECK:         %[[ITERATIONS:.*]] = arith.constant 7 : index
// CHECK:         %[[M:.*]] = call @kgen_bench_start(%{{.*}}, %[[ITERATIONS]], %{{.*}})
// CHECK:         scf.while : () -> () {
// CHECK-NEXT:      memref.copy %[[W]], %[[OUT]]
// CHECK-NEXT:      %[[MORE:.*]] = func.call @kgen_bench_again(%[[M]])
// CHECK:           %[[GO:.*]] = arith.cmpi ne, %[[MORE]], %{{.*}} : index
// CHECK-NEXT:      scf.condition(%[[GO]])
// CHECK:           scf.yield
memref.global "private" constant @weights : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @measured(%out: memref<4xf32>, %x: f32) {
  %w = memref.get_global @weights : memref<4xf32>
  bench.measure iterations 7 flops 4 ins(%w, %x : memref<4xf32>, f32) outs(%out : memref<4xf32>) {
  ^bb0(%a: memref<4xf32>, %s: f32, %b: memref<4xf32>):
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    bench.yield
  }
  return
}
