// RUN: kgen-opt "%s" --kgen-tpp-to-linalg --split-input-file | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-tpp-to-linalg="buffers=false" --split-input-file | FileCheck "%s" --check-prefix=TENSORS

// CHECK-LABEL: func.func @broadcast
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) {
// CHECK-NEXT:    ^bb0(%[[B:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.subf %[[B]], %[[X]] : f32
// CHECK-NEXT:      linalg.yield %[[S]] : f32
func.func @broadcast(%b: tensor<8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tpp.sub ins(%b, %x : tensor<8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>]} -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// bf16 is computed in f32; on memrefs, too, if that is wanted.
// CHECK-LABEL: func.func @in_f32
// CHECK:         linalg.generic
// CHECK:           arith.extf
// CHECK-NEXT:      arith.constant 0.0
// CHECK-NEXT:      arith.cmpf ogt
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      arith.truncf
// TENSORS-LABEL: func.func @in_f32
// TENSORS-NEXT:    tpp.relu
func.func @in_f32(%x: memref<4x8xbf16>) {
  tpp.relu ins(%x : memref<4x8xbf16>) outs(%x : memref<4x8xbf16>)
  return
}

// -----

// CHECK-LABEL: func.func @movement
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK:           arith.maximumf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%{{.*}} : tensor<2x2x8xf32>) outs(%{{.*}} : tensor<2x8x2xf32>)
func.func @movement(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %t: tensor<8x4xf32>, %v: tensor<2x8x2xf32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<2x8x2xf32>) {
  %r = tpp.reduce max ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {dimensions = array<i64: 1>} -> tensor<4xf32>
  %p = tpp.transpose ins(%x : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %q = tpp.vnni_pack ins(%x : tensor<4x8xf32>) outs(%v : tensor<2x8x2xf32>) {factor = 2 : i64} -> tensor<2x8x2xf32>
  return %r, %p, %q : tensor<4xf32>, tensor<8x4xf32>, tensor<2x8x2xf32>
}

// -----

// A last row that is not there is zero.
// CHECK-LABEL: func.func @padded
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK:           arith.cmpi ult
// CHECK:           memref.load
// CHECK:           arith.select
func.func @padded(%x: memref<5x8xbf16>, %v: memref<3x8x2xbf16>) {
  tpp.vnni_pack ins(%x : memref<5x8xbf16>) outs(%v : memref<3x8x2xbf16>) {factor = 2 : i64}
  return
}

// -----

// Kernels are made for numbers of columns, and of products.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[ZERO:.*]] = linalg.fill
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%[[ZERO]] : tensor<5x?xf32>)
// CHECK:           arith.extf
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[SUMS]]
// CHECK:           arith.truncf
// CHECK-NOT:     tpp.gemm
func.func @columns(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 67, multiple = 1>}, %a: tensor<5x8xbf16>, %b: tensor<8x?xbf16>) -> tensor<5x?xbf16> {
  %e = tensor.empty(%n) : tensor<5x?xbf16>
  %c = tpp.gemm ins(%a, %b : tensor<5x8xbf16>, tensor<8x?xbf16>) outs(%e : tensor<5x?xbf16>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    tpp.yield %r : bf16
  } -> tensor<5x?xbf16>
  return %c : tensor<5x?xbf16>
}

// -----

// A sum that is added to, of products of unsigned and signed bytes.
// CHECK-LABEL: func.func @depth
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<5x8xi32>)
// CHECK:           arith.extui
// CHECK:           arith.extsi
// CHECK:           arith.muli
// CHECK:           arith.addi
func.func @depth(%a: tensor<5x?xi8>, %b: tensor<?x8xi8>, %c: tensor<5x8xi32>) -> tensor<5x8xi32> {
  %r = tpp.gemm ins(%a, %b : tensor<5x?xi8>, tensor<?x8xi8>) outs(%c : tensor<5x8xi32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate, a_unsigned} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<5x8xi32>
  return %r : tensor<5x8xi32>
}

// -----

// A number of rows, whose distance is not known: rows of a copy are contiguous. A batch may have any distance.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[COPY:.*]] = linalg.transpose ins(%{{.*}} : tensor<8x?xf32>) outs(%{{.*}} : tensor<?x8xf32>) permutation = [1, 0]
// CHECK:         tpp.gemm ins(%[[COPY]], 
// CHECK-NOT:     linalg.transpose
// CHECK:         tpp.gemm
func.func @rows(%m: index {kgen.size = #kgen.size<"m", min = 1, max = 67, multiple = 1>}, %a: tensor<8x?xf32>, %b: tensor<8x16xf32>, %x: tensor<2x?x8xf32>, %y: tensor<2x8x16xf32>) -> (tensor<?x16xf32>, tensor<2x?x16xf32>) {
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %c = tpp.gemm ins(%a, %b : tensor<8x?xf32>, tensor<8x16xf32>) outs(%e : tensor<?x16xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (k, m)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x16xf32>
  %f = tensor.empty(%m) : tensor<2x?x16xf32>
  %d = tpp.gemm ins(%x, %y : tensor<2x?x8xf32>, tensor<2x8x16xf32>) outs(%f : tensor<2x?x16xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<2x?x16xf32>
  return %c, %d : tensor<?x16xf32>, tensor<2x?x16xf32>
}

// -----

// A kernel for each of three products, whose distance in A is known at run time only: C, which has sums between them, is f32, and the
// epilogue another operation.
// TENSORS-LABEL: func.func @products
// TENSORS-SAME:    %[[A:.*]]: tensor<1x7x?xf32>, %[[B:.*]]: tensor<3x1x48x8xf16>, %[[C:.*]]: tensor<1x5x?x8xf16>, %[[S:.*]]: tensor<8xf16>
// TENSORS:         %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<1x5x?x8xf32>
// TENSORS:         %[[P:.*]] = tpp.brgemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<1x5x?x8xf32>)
// TENSORS-NEXT:    ^bb0(%[[SUM:.*]]: f32):
// TENSORS-NEXT:      tpp.yield %[[SUM]] : f32
// TENSORS:         linalg.generic {{.*}} ins(%[[P]], %[[S]] : tensor<1x5x?x8xf32>, tensor<8xf16>)
// TENSORS-NEXT:    ^bb0(%[[X:.*]]: f32, %[[SHIFT:.*]]: f16, %{{.*}}: f16):
// TENSORS-NEXT:      %[[WIDE:.*]] = arith.extf %[[SHIFT]]
// TENSORS-NEXT:      %[[SHIFTED:.*]] = arith.addf %[[X]], %[[WIDE]]
// TENSORS-NEXT:      %[[Y:.*]] = arith.truncf %[[SHIFTED]]
// TENSORS-NEXT:      linalg.yield %[[Y]] : f16
func.func @products(%a: tensor<1x7x?xf32>, %b: tensor<3x1x48x8xf16>, %c: tensor<1x5x?x8xf16>, %s: tensor<8xf16>) -> tensor<1x5x?x8xf16> {
  %r = tpp.brgemm ins(%a, %b : tensor<1x7x?xf32>, tensor<3x1x48x8xf16>) epilogue_ins(%s : tensor<8xf16>) outs(%c : tensor<1x5x?x8xf16>)
      attributes {a_map = affine_map<(n, h, w, f, r, k) -> (n, h + r, w * 16 + k)>, b_map = affine_map<(n, h, w, f, r, k) -> (r, k, f)>,
                  epilogue_maps = [affine_map<(n, h, w, f) -> (f)>], panel = 8 : i64, reduction_sizes = array<i64: 3, 48>} {
  ^bb0(%sum: f32, %shift: f16):
    %wide = arith.extf %shift : f16 to f32
    %shifted = arith.addf %sum, %wide : f32
    %y = arith.truncf %shifted : f32 to f16
    tpp.yield %y : f16
  } -> tensor<1x5x?x8xf16>
  return %r : tensor<1x5x?x8xf16>
}

// -----

// Slices without a dimension of one element: as collapsed ones, their rows would have a distance that is known at run time only.
// TENSORS-LABEL: func.func @slices
// TENSORS-SAME:    %[[M:.*]]: index {{.*}}, %[[X:.*]]: tensor<1x?x12xf32>
// TENSORS-DAG:     %[[A:.*]] = tensor.extract_slice %[[X]][0, 0, 4] [1, %[[M]], 8] [1, 1, 1] : tensor<1x?x12xf32> to tensor<?x8xf32>
// TENSORS-DAG:     %[[D:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, %[[M]], 16] [1, 1, 1] : tensor<1x?x20xf32> to tensor<?x16xf32>
// TENSORS:         tpp.gemm ins(%[[A]], %{{.*}} : tensor<?x8xf32>, tensor<8x16xf32>) epilogue_ins(%[[D]] : tensor<?x16xf32>)
func.func @slices(%m: index {kgen.size = #kgen.size<"m", min = 1, max = 67, multiple = 1>}, %x: tensor<1x?x12xf32>, %b: tensor<8x16xf32>,
                  %y: tensor<1x?x20xf32>) -> tensor<?x16xf32> {
  %s = tensor.extract_slice %x[0, 0, 4] [1, %m, 8] [1, 1, 1] : tensor<1x?x12xf32> to tensor<1x?x8xf32>
  %a = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x?x8xf32> into tensor<?x8xf32>
  %t = tensor.extract_slice %y[0, 0, 0] [1, %m, 16] [1, 1, 1] : tensor<1x?x20xf32> to tensor<1x?x16xf32>
  %d = tensor.collapse_shape %t [[0, 1], [2]] : tensor<1x?x16xf32> into tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %c = tpp.gemm ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) epilogue_ins(%d : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (m, n)>]} {
  ^bb0(%acc: f32, %add: f32):
    %0 = arith.addf %acc, %add : f32
    tpp.yield %0 : f32
  } -> tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}
