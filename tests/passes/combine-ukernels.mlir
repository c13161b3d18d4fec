// RUN: kgen-opt "%s" --kgen-combine-ukernels --kgen-deduplicate-ukernels --split-input-file | FileCheck "%s"

// A row on the right; C is a function's argument, in place.
// CHECK:       ukernel.gemm @uk_gemm_f32_4x8x6_1e attributes {{.*}}epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[ACC]], %[[X]]
// CHECK-NEXT:    ukernel.yield %[[S]]
// CHECK-LABEL: func.func @row
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<4x8xf32>, %[[R:[a-z0-9]+]]: memref<4x8xf32, strided<[0, 1]>>
// CHECK-NEXT:    ukernel.call @uk_gemm_f32_4x8x6_1e(%{{.*}}, %{{.*}}, %[[C]], %[[R]])
// CHECK-NEXT:    return
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @row(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// A column on the left, after an epilogue that is there already; the sums are added to C.
// CHECK:       ukernel.gemm @uk_gemm_f32_4x8x6_acc_2e attributes {{.*}}accumulate{{.*}}epilogue_cols = array<i64: 1, 0>, epilogue_rows = array<i64: 8, 1>
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:    %[[S:.*]] = arith.mulf %[[ACC]], %[[X]]
// CHECK-NEXT:    %[[T:.*]] = arith.subf %[[Y]], %[[S]]
// CHECK-NEXT:    ukernel.yield %[[T]]
// CHECK-LABEL: func.func @column
// CHECK-NEXT:    ukernel.call @uk_gemm_f32_4x8x6_acc_2e
// CHECK-NEXT:    return
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 8>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32, %x: f32):
  %s = arith.mulf %acc, %x : f32
  ukernel.yield %s : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 0, 1>, in_rows = array<i64: 1, 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.subf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @column(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %x: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[1, 0]>> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c, %x) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%r, %c, %c) : memref<4x8xf32, strided<[1, 0]>>, memref<4x8xf32>, memref<4x8xf32>
  return
}

// -----

// The product twice, a scalar, and a full tile; an unrelated operation in between; the result goes elsewhere, and C is dead.
// CHECK-LABEL: func.func @elsewhere
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<4x8xf32> {llvm.noalias}, %[[OUT:[a-z0-9]+]]: memref<4x8xf32> {llvm.noalias}
// CHECK:         memref.store
// CHECK-NEXT:    ukernel.call @uk_gemm_f32_4x8x6_3e(%{{.*}}, %{{.*}}, %[[OUT]], %{{.*}}, %[[W]])
// CHECK-NEXT:    return
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 0, 1, 1>, in_rows = array<i64: 8, 0, 8, 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
  %s = arith.addf %x, %y : f32
  %t = arith.mulf %s, %z : f32
  %u = arith.addf %t, %w : f32
  ukernel.yield %u : f32
}
func.func @elsewhere(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %s: memref<4x8xf32, strided<[0, 0]>> {llvm.noalias}, %w: memref<4x8xf32> {llvm.noalias}, %out: memref<4x8xf32> {llvm.noalias}, %other: memref<f32> {llvm.noalias}, %v: f32) {
  %c = memref.alloca() : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  memref.store %v, %other[] : memref<f32>
  ukernel.call @bias(%c, %s, %c, %w, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 0]>>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
  return
}

// -----

// A copy of C in between reads the gemm's result.
// CHECK-LABEL: func.func @copied
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @copied(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %d: memref<4x8xf32> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  memref.copy %c, %d : memref<4x8xf32> to memref<4x8xf32>
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// What is multiplied changes in between.
// CHECK-LABEL: func.func @overwritten
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @overwritten(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %v: f32, %i: index) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  memref.store %v, %a[%i, %i] : memref<4x6xf32>
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// A view of C is read through another value.
// CHECK-LABEL: func.func @aliasing_view
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @aliasing_view(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %i: index, %d: memref<8xf32> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  %view = memref.subview %c[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  memref.copy %view, %d : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// Arguments that may be the same memory: the bias may lie in C.
// CHECK-LABEL: func.func @may_alias
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 0, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @may_alias(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>, %r: memref<4x8xf32, strided<[0, 1], offset: ?>>) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%r, %r, %c) : memref<4x8xf32, strided<[0, 1], offset: ?>>, memref<4x8xf32, strided<[0, 1], offset: ?>>, memref<4x8xf32>
  return
}

// -----

// Another operation reads C later.
// CHECK-LABEL: func.func @several_readers
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @several_readers(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %out: memref<4x8xf32> {llvm.noalias}, %again: memref<4x8xf32> {llvm.noalias}) {
  %c = memref.alloca() : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%c, %r, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  memref.copy %c, %again : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// The caller reads C, too: it is an argument.
// CHECK-LABEL: func.func @argument_elsewhere
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @argument_elsewhere(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %out: memref<4x8xf32> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%c, %r, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// The sums are added to what is in C, not to what is in the output.
// CHECK-LABEL: func.func @added_elsewhere
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @added_elsewhere(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %out: memref<4x8xf32> {llvm.noalias}) {
  %c = memref.alloca() : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%c, %r, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// The output is what is multiplied.
// CHECK-LABEL: func.func @output_is_input
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @output_is_input(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}) {
  %c = memref.alloca() : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  %out = memref.reinterpret_cast %b to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<6x8xf32> to memref<4x8xf32>
  ukernel.call @bias(%c, %r, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// The map runs more often than the gemm.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         ukernel.call @gemm
// CHECK:         ukernel.call @bias
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @in_a_loop(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}, %lo: index, %hi: index) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  scf.for %i = %lo to %hi step %hi {
    ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  }
  return
}

// -----

// A symbol with several users is left to the others.
// CHECK-LABEL: func.func @shared
// CHECK:         ukernel.call @uk_gemm_f32_4x8x6_1e
// CHECK-NEXT:    ukernel.call @gemm
// CHECK-NEXT:    return
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @shared(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %d: memref<4x8xf32> {llvm.noalias}, %r: memref<4x8xf32, strided<[0, 1]>> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %d) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// A kernel that stores up-converted B stays where it is: others may read that before the map.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    ukernel.call @gemm
// CHECK-NEXT:    ukernel.call @relu
ukernel.gemm @gemm attributes {a_col = 1, a_row = 6, b_prefetch = 0, b_row = 8, c_row = 8, element = f32, b_type = bf16, b_upconverted_row = 8,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6, m = 4, n = 8} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @relu attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  %s = arith.negf %x : f32
  ukernel.yield %s : f32
}
func.func @kept(%a: memref<4x6xf32>, %b: memref<6x8xbf16>, %c: memref<4x8xf32>, %w: memref<6x8xf32>) {
  ukernel.call @gemm(%a, %b, %c, %w) : memref<4x6xf32>, memref<6x8xbf16>, memref<4x8xf32>, memref<6x8xf32>
  ukernel.call @relu(%c, %c) : memref<4x8xf32>, memref<4x8xf32>
  return
}
