// Products of each type of elements on two cores, against the same on tensors; and what else a body may compute.
// RUN: sh -c 'for name in i8 i16 i32 i64 i8_wraps f32 f64 bf16 f16 f16_sums bf16_sums unsigned elementwise softmax strided; do kgen simulate "%s" --machine array-2x2 --function "$name" --reference "$name"_reference --data || echo "$name: exit code"; done' | FileCheck "%s"
// CHECK-NOT: {{exit code|differ}}

// CHECK: {{^}}i8 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i32[4, 5] {{ *}}20      0  -
func.func @i8(%a: memref<4x6xi8>, %b: memref<6x5xi8>, %c: memref<4x5xi32>) {
  %zero = arith.constant 0 : i32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xi8> to memref<2x6xi8, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xi32> to memref<2x5xi32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xi8, 2>
    %bt = memref.alloc() : memref<5x6xi8, 2>
    %ct = memref.alloc() : memref<2x5xi32, 2>
    memref.copy %av, %at : memref<2x6xi8, strided<[6, 1], offset: ?>> to memref<2x6xi8, 2>
    linalg.transpose ins(%b : memref<6x5xi8>) outs(%bt : memref<5x6xi8, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : i32) outs(%ct : memref<2x5xi32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xi8, 2>, memref<5x6xi8, 2>) outs(%ct : memref<2x5xi32, 2>)
    memref.copy %ct, %cv : memref<2x5xi32, 2> to memref<2x5xi32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @i8_reference(%a: tensor<4x6xi8>, %b: tensor<6x5xi8>) -> tensor<4x5xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x5xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xi8>, tensor<6x5xi8>) outs(%f : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// CHECK: {{^}}i16 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i32[4, 5] {{ *}}20      0  -
func.func @i16(%a: memref<4x6xi16>, %b: memref<6x5xi16>, %c: memref<4x5xi32>) {
  %zero = arith.constant 0 : i32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xi16> to memref<2x6xi16, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xi32> to memref<2x5xi32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xi16, 2>
    %bt = memref.alloc() : memref<5x6xi16, 2>
    %ct = memref.alloc() : memref<2x5xi32, 2>
    memref.copy %av, %at : memref<2x6xi16, strided<[6, 1], offset: ?>> to memref<2x6xi16, 2>
    linalg.transpose ins(%b : memref<6x5xi16>) outs(%bt : memref<5x6xi16, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : i32) outs(%ct : memref<2x5xi32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xi16, 2>, memref<5x6xi16, 2>) outs(%ct : memref<2x5xi32, 2>)
    memref.copy %ct, %cv : memref<2x5xi32, 2> to memref<2x5xi32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @i16_reference(%a: tensor<4x6xi16>, %b: tensor<6x5xi16>) -> tensor<4x5xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x5xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xi16>, tensor<6x5xi16>) outs(%f : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// CHECK: {{^}}i32 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i32[4, 5] {{ *}}20      0  -
func.func @i32(%a: memref<4x6xi32>, %b: memref<6x5xi32>, %c: memref<4x5xi32>) {
  %zero = arith.constant 0 : i32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xi32> to memref<2x6xi32, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xi32> to memref<2x5xi32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xi32, 2>
    %bt = memref.alloc() : memref<5x6xi32, 2>
    %ct = memref.alloc() : memref<2x5xi32, 2>
    memref.copy %av, %at : memref<2x6xi32, strided<[6, 1], offset: ?>> to memref<2x6xi32, 2>
    linalg.transpose ins(%b : memref<6x5xi32>) outs(%bt : memref<5x6xi32, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : i32) outs(%ct : memref<2x5xi32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xi32, 2>, memref<5x6xi32, 2>) outs(%ct : memref<2x5xi32, 2>)
    memref.copy %ct, %cv : memref<2x5xi32, 2> to memref<2x5xi32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @i32_reference(%a: tensor<4x6xi32>, %b: tensor<6x5xi32>) -> tensor<4x5xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x5xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xi32>, tensor<6x5xi32>) outs(%f : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// CHECK: {{^}}i64 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i64[4, 5] {{ *}}20      0  -
func.func @i64(%a: memref<4x6xi64>, %b: memref<6x5xi64>, %c: memref<4x5xi64>) {
  %zero = arith.constant 0 : i64
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xi64> to memref<2x6xi64, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xi64> to memref<2x5xi64, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xi64, 2>
    %bt = memref.alloc() : memref<5x6xi64, 2>
    %ct = memref.alloc() : memref<2x5xi64, 2>
    memref.copy %av, %at : memref<2x6xi64, strided<[6, 1], offset: ?>> to memref<2x6xi64, 2>
    linalg.transpose ins(%b : memref<6x5xi64>) outs(%bt : memref<5x6xi64, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : i64) outs(%ct : memref<2x5xi64, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xi64, 2>, memref<5x6xi64, 2>) outs(%ct : memref<2x5xi64, 2>)
    memref.copy %ct, %cv : memref<2x5xi64, 2> to memref<2x5xi64, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @i64_reference(%a: tensor<4x6xi64>, %b: tensor<6x5xi64>) -> tensor<4x5xi64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4x5xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<4x5xi64>) -> tensor<4x5xi64>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xi64>, tensor<6x5xi64>) outs(%f : tensor<4x5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

// CHECK: {{^}}i8_wraps on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i8[4, 5] {{ *}}20      0  -
func.func @i8_wraps(%a: memref<4x6xi8>, %b: memref<6x5xi8>, %c: memref<4x5xi8>) {
  %zero = arith.constant 0 : i8
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xi8> to memref<2x6xi8, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xi8> to memref<2x5xi8, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xi8, 2>
    %bt = memref.alloc() : memref<5x6xi8, 2>
    %ct = memref.alloc() : memref<2x5xi8, 2>
    memref.copy %av, %at : memref<2x6xi8, strided<[6, 1], offset: ?>> to memref<2x6xi8, 2>
    linalg.transpose ins(%b : memref<6x5xi8>) outs(%bt : memref<5x6xi8, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : i8) outs(%ct : memref<2x5xi8, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xi8, 2>, memref<5x6xi8, 2>) outs(%ct : memref<2x5xi8, 2>)
    memref.copy %ct, %cv : memref<2x5xi8, 2> to memref<2x5xi8, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @i8_wraps_reference(%a: tensor<4x6xi8>, %b: tensor<6x5xi8>) -> tensor<4x5xi8> {
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<4x5xi8>
  %f = linalg.fill ins(%zero : i8) outs(%e : tensor<4x5xi8>) -> tensor<4x5xi8>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xi8>, tensor<6x5xi8>) outs(%f : tensor<4x5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}

// CHECK: {{^}}f32 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  f32[4, 5] {{ *}}20      0  -
func.func @f32(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xf32> to memref<2x6xf32, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xf32> to memref<2x5xf32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xf32, 2>
    %bt = memref.alloc() : memref<5x6xf32, 2>
    %ct = memref.alloc() : memref<2x5xf32, 2>
    memref.copy %av, %at : memref<2x6xf32, strided<[6, 1], offset: ?>> to memref<2x6xf32, 2>
    linalg.transpose ins(%b : memref<6x5xf32>) outs(%bt : memref<5x6xf32, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : f32) outs(%ct : memref<2x5xf32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xf32, 2>, memref<5x6xf32, 2>) outs(%ct : memref<2x5xf32, 2>)
    memref.copy %ct, %cv : memref<2x5xf32, 2> to memref<2x5xf32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @f32_reference(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK: {{^}}f64 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  f64[4, 5] {{ *}}20      0  -
func.func @f64(%a: memref<4x6xf64>, %b: memref<6x5xf64>, %c: memref<4x5xf64>) {
  %zero = arith.constant 0.0 : f64
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xf64> to memref<2x6xf64, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xf64> to memref<2x5xf64, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xf64, 2>
    %bt = memref.alloc() : memref<5x6xf64, 2>
    %ct = memref.alloc() : memref<2x5xf64, 2>
    memref.copy %av, %at : memref<2x6xf64, strided<[6, 1], offset: ?>> to memref<2x6xf64, 2>
    linalg.transpose ins(%b : memref<6x5xf64>) outs(%bt : memref<5x6xf64, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : f64) outs(%ct : memref<2x5xf64, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xf64, 2>, memref<5x6xf64, 2>) outs(%ct : memref<2x5xf64, 2>)
    memref.copy %ct, %cv : memref<2x5xf64, 2> to memref<2x5xf64, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @f64_reference(%a: tensor<4x6xf64>, %b: tensor<6x5xf64>) -> tensor<4x5xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x5xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<4x5xf64>) -> tensor<4x5xf64>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf64>, tensor<6x5xf64>) outs(%f : tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

// CHECK: {{^}}bf16 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  f32[4, 5] {{ *}}20      0  -
func.func @bf16(%a: memref<4x6xbf16>, %b: memref<6x5xbf16>, %c: memref<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xbf16> to memref<2x6xbf16, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xf32> to memref<2x5xf32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xbf16, 2>
    %bt = memref.alloc() : memref<5x6xbf16, 2>
    %ct = memref.alloc() : memref<2x5xf32, 2>
    memref.copy %av, %at : memref<2x6xbf16, strided<[6, 1], offset: ?>> to memref<2x6xbf16, 2>
    linalg.transpose ins(%b : memref<6x5xbf16>) outs(%bt : memref<5x6xbf16, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : f32) outs(%ct : memref<2x5xf32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xbf16, 2>, memref<5x6xbf16, 2>) outs(%ct : memref<2x5xf32, 2>)
    memref.copy %ct, %cv : memref<2x5xf32, 2> to memref<2x5xf32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @bf16_reference(%a: tensor<4x6xbf16>, %b: tensor<6x5xbf16>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xbf16>, tensor<6x5xbf16>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK: {{^}}f16 on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  f32[4, 5] {{ *}}20      0  -
func.func @f16(%a: memref<4x6xf16>, %b: memref<6x5xf16>, %c: memref<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xf16> to memref<2x6xf16, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xf32> to memref<2x5xf32, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xf16, 2>
    %bt = memref.alloc() : memref<5x6xf16, 2>
    %ct = memref.alloc() : memref<2x5xf32, 2>
    memref.copy %av, %at : memref<2x6xf16, strided<[6, 1], offset: ?>> to memref<2x6xf16, 2>
    linalg.transpose ins(%b : memref<6x5xf16>) outs(%bt : memref<5x6xf16, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : f32) outs(%ct : memref<2x5xf32, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xf16, 2>, memref<5x6xf16, 2>) outs(%ct : memref<2x5xf32, 2>)
    memref.copy %ct, %cv : memref<2x5xf32, 2> to memref<2x5xf32, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @f16_reference(%a: tensor<4x6xf16>, %b: tensor<6x5xf16>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf16>, tensor<6x5xf16>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK: {{^}}f16_sums on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  f16[4, 5] {{ *}}20      0  -
func.func @f16_sums(%a: memref<4x6xf16>, %b: memref<6x5xf16>, %c: memref<4x5xf16>) {
  %zero = arith.constant 0.0 : f16
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xf16> to memref<2x6xf16, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xf16> to memref<2x5xf16, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xf16, 2>
    %bt = memref.alloc() : memref<5x6xf16, 2>
    %ct = memref.alloc() : memref<2x5xf16, 2>
    memref.copy %av, %at : memref<2x6xf16, strided<[6, 1], offset: ?>> to memref<2x6xf16, 2>
    linalg.transpose ins(%b : memref<6x5xf16>) outs(%bt : memref<5x6xf16, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : f16) outs(%ct : memref<2x5xf16, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xf16, 2>, memref<5x6xf16, 2>) outs(%ct : memref<2x5xf16, 2>)
    memref.copy %ct, %cv : memref<2x5xf16, 2> to memref<2x5xf16, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @f16_sums_reference(%a: tensor<4x6xf16>, %b: tensor<6x5xf16>) -> tensor<4x5xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x5xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4x5xf16>) -> tensor<4x5xf16>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf16>, tensor<6x5xf16>) outs(%f : tensor<4x5xf16>) -> tensor<4x5xf16>
  return %r : tensor<4x5xf16>
}

// CHECK: {{^}}bf16_sums on array-2x2
// CHECK: {{^}}  120 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  bf16[4, 5] {{ *}}20      0  -
func.func @bf16_sums(%a: memref<4x6xbf16>, %b: memref<6x5xbf16>, %c: memref<4x5xbf16>) {
  %zero = arith.constant 0.0 : bf16
  scf.forall (%i) = (0) to (4) step (2) {
    %av = memref.subview %a[%i, 0] [2, 6] [1, 1] : memref<4x6xbf16> to memref<2x6xbf16, strided<[6, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [2, 5] [1, 1] : memref<4x5xbf16> to memref<2x5xbf16, strided<[5, 1], offset: ?>>
    %at = memref.alloc() : memref<2x6xbf16, 2>
    %bt = memref.alloc() : memref<5x6xbf16, 2>
    %ct = memref.alloc() : memref<2x5xbf16, 2>
    memref.copy %av, %at : memref<2x6xbf16, strided<[6, 1], offset: ?>> to memref<2x6xbf16, 2>
    linalg.transpose ins(%b : memref<6x5xbf16>) outs(%bt : memref<5x6xbf16, 2>) permutation = [1, 0]
    linalg.fill ins(%zero : bf16) outs(%ct : memref<2x5xbf16, 2>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %bt : memref<2x6xbf16, 2>, memref<5x6xbf16, 2>) outs(%ct : memref<2x5xbf16, 2>)
    memref.copy %ct, %cv : memref<2x5xbf16, 2> to memref<2x5xbf16, strided<[5, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @bf16_sums_reference(%a: tensor<4x6xbf16>, %b: tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x5xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x5xbf16>) -> tensor<4x5xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xbf16>, tensor<6x5xbf16>) outs(%f : tensor<4x5xbf16>) -> tensor<4x5xbf16>
  return %r : tensor<4x5xbf16>
}

// Bytes without and with a sign; the reference has scalar loops.
// CHECK: {{^}}unsigned on array-2x2
// CHECK: {{^}}  24 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i32[2, 3] {{ *}}6      0  -
func.func @unsigned(%a: memref<2x4xi8>, %b: memref<4x3xi8>, %c: memref<2x3xi32>) {
  %zero = arith.constant 0 : i32
  scf.forall (%i) in (1) {
    %at = memref.alloc() : memref<2x4xi8, 2>
    %bt = memref.alloc() : memref<4x3xi8, 2>
    %ct = memref.alloc() : memref<2x3xi32, 2>
    memref.copy %a, %at : memref<2x4xi8> to memref<2x4xi8, 2>
    memref.copy %b, %bt : memref<4x3xi8> to memref<4x3xi8, 2>
    linalg.fill ins(%zero : i32) outs(%ct : memref<2x3xi32, 2>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]} ins(%at, %bt : memref<2x4xi8, 2>, memref<4x3xi8, 2>) outs(%ct : memref<2x3xi32, 2>) {
    ^bb0(%x: i8, %y: i8, %z: i32):
      %xu = arith.extui %x : i8 to i32
      %ys = arith.extsi %y : i8 to i32
      %p = arith.muli %ys, %xu : i32
      %s = arith.addi %p, %z : i32
      linalg.yield %s : i32
    }
    memref.copy %ct, %c : memref<2x3xi32, 2> to memref<2x3xi32>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @unsigned_reference(%a: memref<2x4xi8>, %b: memref<4x3xi8>, %c: memref<2x3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %mask = arith.constant 255 : i32
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %n = %c0 to %c3 step %c1 {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
        %x = memref.load %a[%m, %k] : memref<2x4xi8>
        %y = memref.load %b[%k, %n] : memref<4x3xi8>
        %xs = arith.extsi %x : i8 to i32
        %xu = arith.andi %xs, %mask : i32
        %ys = arith.extsi %y : i8 to i32
        %p = arith.muli %xu, %ys : i32
        %t = arith.addi %s, %p : i32
        scf.yield %t : i32
      }
      memref.store %r, %c[%m, %n] : memref<2x3xi32>
    }
  }
  return
}

// Constants of a module, scalars from outside of the body, indices, comparisons.
// CHECK: {{^}}elementwise on array-2x2
// CHECK: {{^}}  0 products, 300 other elements
// CHECK: {{^}}  {{ *}}1  f32[2, 150] {{ *}}300      0  -
memref.global "private" constant @table : memref<150xf32> = dense<2.5>
func.func @elementwise(%x: memref<2x150xf32>, %y: memref<2x150xf32>) {
  %slope = arith.constant 0.25 : f32
  %t = memref.get_global @table : memref<150xf32>
  scf.forall (%i) in (2) {
    %xv = memref.subview %x[%i, 0] [1, 150] [1, 1] : memref<2x150xf32> to memref<150xf32, strided<[1], offset: ?>>
    %yv = memref.subview %y[%i, 0] [1, 150] [1, 1] : memref<2x150xf32> to memref<150xf32, strided<[1], offset: ?>>
    %xt = memref.alloc() : memref<150xf32, 2>
    %tt = memref.alloc() : memref<150xf32, 2>
    memref.copy %xv, %xt : memref<150xf32, strided<[1], offset: ?>> to memref<150xf32, 2>
    memref.copy %t, %tt : memref<150xf32> to memref<150xf32, 2>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%tt : memref<150xf32, 2>) outs(%xt : memref<150xf32, 2>) {
    ^bb0(%a: f32, %b: f32):
      %n = linalg.index 0 : index
      %ni = arith.index_cast %n : index to i32
      %nf = arith.sitofp %ni : i32 to f32
      %s = arith.mulf %b, %slope : f32
      %p = arith.cmpf olt, %b, %s : f32
      %l = arith.select %p, %b, %s : f32
      %r = arith.addf %l, %nf : f32
      %q = arith.mulf %r, %a : f32
      linalg.yield %q : f32
    }
    memref.copy %xt, %yv : memref<150xf32, 2> to memref<150xf32, strided<[1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @elementwise_reference(%x: memref<2x150xf32>, %y: memref<2x150xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c150 = arith.constant 150 : index
  %factor = arith.constant 2.5 : f32
  %quarter = arith.constant 4.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c150 step %c1 {
      %b = memref.load %x[%i, %j] : memref<2x150xf32>
      %s = arith.divf %b, %quarter : f32
      %l = arith.minimumf %b, %s : f32
      %n = arith.index_castui %j : index to i64
      %nf = arith.uitofp %n : i64 to f32
      %r = arith.addf %l, %nf : f32
      %q = arith.mulf %r, %factor : f32
      memref.store %q, %y[%i, %j] : memref<2x150xf32>
    }
  }
  return
}

// A function of several loops over a row; sums of exponentials are rounded in another order than the reference's.
// CHECK: {{^}}softmax on array-2x2
// CHECK: {{^}}  {{ *}}1  f32[3, 7] {{ *}}21      0
func.func @softmax(%x: memref<3x7xf32>, %y: memref<3x7xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (3) {
    %xv = memref.subview %x[%i, 0] [1, 7] [1, 1] : memref<3x7xf32> to memref<7xf32, strided<[1], offset: ?>>
    %yv = memref.subview %y[%i, 0] [1, 7] [1, 1] : memref<3x7xf32> to memref<7xf32, strided<[1], offset: ?>>
    %t = memref.alloc() : memref<7xf32, 2>
    %m = memref.alloc() : memref<f32, 2>
    %s = memref.alloc() : memref<f32, 2>
    memref.copy %xv, %t : memref<7xf32, strided<[1], offset: ?>> to memref<7xf32, 2>
    linalg.fill ins(%low : f32) outs(%m : memref<f32, 2>)
    linalg.fill ins(%zero : f32) outs(%s : memref<f32, 2>)
    linalg.reduce ins(%t : memref<7xf32, 2>) outs(%m : memref<f32, 2>) dimensions = [0]
      (%a: f32, %b: f32) {
        %r = arith.maximumf %a, %b : f32
        linalg.yield %r : f32
      }
    linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%m : memref<f32, 2>) outs(%t, %s : memref<7xf32, 2>, memref<f32, 2>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %b, %a : f32
      %e = math.exp %d : f32
      %r = arith.addf %c, %e : f32
      linalg.yield %e, %r : f32, f32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : memref<f32, 2>) outs(%t : memref<7xf32, 2>) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.divf %b, %a : f32
      linalg.yield %r : f32
    }
    memref.copy %t, %yv : memref<7xf32, 2> to memref<7xf32, strided<[1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @softmax_reference(%x: memref<3x7xf32>, %y: memref<3x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c3 step %c1 {
    %s = scf.for %j = %c0 to %c7 step %c1 iter_args(%a = %zero) -> (f32) {
      %last = arith.subi %c6, %j : index
      %b = memref.load %x[%i, %last] : memref<3x7xf32>
      %e = math.exp %b : f32
      %r = arith.addf %a, %e : f32
      scf.yield %r : f32
    }
    scf.for %j = %c0 to %c7 step %c1 {
      %b = memref.load %x[%i, %j] : memref<3x7xf32>
      %e = math.exp %b : f32
      %r = arith.divf %e, %s : f32
      memref.store %r, %y[%i, %j] : memref<3x7xf32>
    }
  }
  return
}

// A convolution with a stride and a step between its taps; views in another order of dimensions.
// CHECK: {{^}}strided on array-2x2
// CHECK: {{^}}  36 products, 0 other elements
// CHECK: {{^}}  {{ *}}2  i32[2, 2, 3] {{ *}}12      0  -
func.func @strided(%x: memref<1x5x7xi32>, %w: memref<3xi32>, %y: memref<2x2x3xi32>) {
  %zero = arith.constant 0 : i32
  scf.forall (%i) in (2) {
    %xv = memref.subview %x[0, %i, 0] [1, 2, 7] [1, 2, 1] : memref<1x5x7xi32> to memref<2x7xi32, strided<[14, 1], offset: ?>>
    %yv = memref.subview %y[0, %i, 0] [2, 1, 3] [1, 1, 1] : memref<2x2x3xi32> to memref<2x3xi32, strided<[6, 1], offset: ?>>
    %xt = memref.alloc() : memref<7x2xi32, 2>
    %wt = memref.alloc() : memref<3xi32, 2>
    %yt = memref.alloc() : memref<2x3xi32, 2>
    %back = memref.transpose %xt (i, j) -> (j, i) : memref<7x2xi32, 2> to memref<2x7xi32, strided<[1, 2]>, 2>
    memref.copy %xv, %back : memref<2x7xi32, strided<[14, 1], offset: ?>> to memref<2x7xi32, strided<[1, 2]>, 2>
    memref.copy %w, %wt : memref<3xi32> to memref<3xi32, 2>
    linalg.fill ins(%zero : i32) outs(%yt : memref<2x3xi32, 2>)
    linalg.generic {indexing_maps = [affine_map<(c, p, t) -> (p * 2 + t, c)>, affine_map<(c, p, t) -> (t)>, affine_map<(c, p, t) -> (c, p)>],
        iterator_types = ["parallel", "parallel", "reduction"]} ins(%xt, %wt : memref<7x2xi32, 2>, memref<3xi32, 2>) outs(%yt : memref<2x3xi32, 2>) {
    ^bb0(%a: i32, %b: i32, %s: i32):
      %p = arith.muli %a, %b : i32
      %r = arith.addi %s, %p : i32
      linalg.yield %r : i32
    }
    memref.copy %yt, %yv : memref<2x3xi32, 2> to memref<2x3xi32, strided<[6, 1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}
func.func @strided_reference(%x: memref<1x5x7xi32>, %w: memref<3xi32>, %y: memref<2x2x3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  scf.for %c = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %p = %c0 to %c3 step %c1 {
        %row = affine.apply affine_map<(c, i) -> (c * 2 + i)>(%c, %i)
        %r = scf.for %t = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (i32) {
          %at = affine.apply affine_map<(p, t) -> (p * 2 + t)>(%p, %t)
          %a = memref.load %x[%c0, %row, %at] : memref<1x5x7xi32>
          %b = memref.load %w[%t] : memref<3xi32>
          %q = arith.muli %a, %b : i32
          %u = arith.addi %s, %q : i32
          scf.yield %u : i32
        }
        memref.store %r, %y[%c, %i, %p] : memref<2x2x3xi32>
      }
    }
  }
  return
}
// REQUIRES: machines
