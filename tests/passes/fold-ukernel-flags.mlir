// RUN: kgen-opt "%s" --kgen-fold-ukernel-flags --kgen-deduplicate-ukernels --split-input-file | FileCheck "%s"

// C is an argument of the function.
// CHECK-LABEL: func.func @argument
// CHECK-NOT:     linalg.fill
// CHECK:         ukernel.call @uk_gemm_f32_4x8x6(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @argument(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// The fill is a tile operation, and C is read through a view.
// CHECK-LABEL: func.func @tile_zero
// CHECK-NOT:     tpp.zero
// CHECK:         ukernel.call @uk_gemm_f32_4x8x6(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @tile_zero(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %w: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %c = memref.subview %w[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  %d = memref.reinterpret_cast %w to offset: [32], sizes: [4, 8], strides: [8, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  tpp.zero outs(%c : memref<4x8xf32, strided<[8, 1], offset: 32>>)
  ukernel.call @gemm(%a, %b, %d) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32, strided<[8, 1], offset: 32>>
  return
}

// -----

// The fill is a kernel with other users; an unrelated tile is written in between.
// CHECK-LABEL: func.func @kernel_zero
// CHECK:         ukernel.call @zero(%[[D:.*]])
// CHECK-NOT:     ukernel.call @zero
// CHECK:         ukernel.call @uk_gemm_f32_4x8x6(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @zero attributes {in_cols = array<i64>, in_rows = array<i64>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
  %z = arith.constant 0.0 : f32
  ukernel.yield %z : f32
}
func.func @kernel_zero(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %d: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  ukernel.call @zero(%c) : memref<4x8xf32>
  ukernel.call @zero(%d) : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// Ones are no zeros.
// CHECK-LABEL: func.func @other_value
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @other_value(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<4x8xf32>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// -0 + -0 is -0.
// CHECK-LABEL: func.func @negative_zero
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @negative_zero(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  linalg.fill ins(%minus : f32) outs(%c : memref<4x8xf32>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// A copy in between reads the zeros.
// CHECK-LABEL: func.func @copied
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @copied(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %d: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  memref.copy %c, %d : memref<4x8xf32> to memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// Something else is stored in between, through a view.
// CHECK-LABEL: func.func @written
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @written(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %v: f32, %i: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  %view = memref.subview %c[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  memref.store %v, %view[%i] : memref<8xf32, strided<[1], offset: ?>>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// Another argument that may be C is written in between.
// CHECK-LABEL: func.func @may_alias
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @may_alias(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  memref.store %zero, %d[%i, %i] : memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// A may be the filled tile.
// CHECK-LABEL: func.func @inputs_may_alias
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @inputs_may_alias(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// Only some rows are zero.
// CHECK-LABEL: func.func @partial
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @partial(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %c[0, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%part : memref<2x8xf32, strided<[8, 1]>>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}

// -----

// More than C is zero.
// CHECK-LABEL: func.func @larger
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @larger(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %w: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %c = memref.subview %w[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  linalg.fill ins(%zero : f32) outs(%w : memref<8x8xf32>)
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32, strided<[8, 1], offset: 32>>
  return
}

// -----

// Only the first iteration adds to zeros.
// CHECK-LABEL: func.func @loop
// CHECK:         linalg.fill
// CHECK:         ukernel.call @gemm(
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @loop(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}, %lo: index, %hi: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
  scf.for %i = %lo to %hi step %hi {
    ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  }
  return
}
