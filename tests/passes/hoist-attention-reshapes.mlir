// RUN: kgen-opt "%s" --kgen-hoist-attention-reshapes --canonicalize --mlir-print-local-scope | FileCheck "%s"

// Heads of keys and values that two heads of queries share were repeated; the softmax is only hinted at. The products get a dimension for the
// heads of a group, and read the heads of K and V without it through a broadcast.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME:    (%[[Q:.*]]: tensor<4x16x8xf32>, %[[K:.*]]: tensor<2x8x16xf32>, %[[V:.*]]: tensor<2x16x8xf32>)
// CHECK:         %[[QE:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 2, 16, 8]
// CHECK:         linalg.generic {{.*}} ins(%[[QE]], %{{.*}} : tensor<2x2x16x8xf32>, tensor<2x2x8x16xf32>) outs(%{{.*}} : tensor<2x2x16x16xf32>)
// CHECK:         math.exp
// CHECK:         linalg.generic {{.*}} : tensor<2x2x16x16xf32>, tensor<2x2x16x8xf32>) outs(%{{.*}} : tensor<2x2x16x8xf32>)
// CHECK:         %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]]
// CHECK-NEXT:    return %[[R]]
func.func @repeated(%q: tensor<4x16x8xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<2x2x8x16xf32>
  %ev = tensor.empty() : tensor<2x2x16x8xf32>
  %es = tensor.empty() : tensor<4x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %er = tensor.empty() : tensor<4x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x8x16xf32>) outs(%ek : tensor<2x2x8x16xf32>) dimensions = [1]
  %vb = linalg.broadcast ins(%v : tensor<2x16x8xf32>) outs(%ev : tensor<2x2x16x8xf32>) dimensions = [1]
  %kc = tensor.collapse_shape %kb [[0, 1], [2], [3]] : tensor<2x2x8x16xf32> into tensor<4x8x16xf32>
  %vc = tensor.collapse_shape %vb [[0, 1], [2], [3]] : tensor<2x2x16x8xf32> into tensor<4x16x8xf32>
  %s = linalg.batch_matmul ins(%q, %kc : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%sz : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x16x16xf32>
  %r = linalg.batch_matmul ins(%p, %vc : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%rz : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}

// Two products without an exponential between them are no attention.
// CHECK-LABEL: func.func @no_attention
// CHECK:         linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<4x16x8xf32>, tensor<4x8x16xf32>)
// CHECK:         linalg.batch_matmul
func.func @no_attention(%q: tensor<4x16x8xf32>, %k: tensor<2x8x16xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<2x2x8x16xf32>
  %es = tensor.empty() : tensor<4x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %er = tensor.empty() : tensor<4x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x8x16xf32>) outs(%ek : tensor<2x2x8x16xf32>) dimensions = [1]
  %kc = tensor.collapse_shape %kb [[0, 1], [2], [3]] : tensor<2x2x8x16xf32> into tensor<4x8x16xf32>
  %s = linalg.batch_matmul ins(%q, %kc : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%sz : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %r = linalg.batch_matmul ins(%s, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%rz : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}

// Queries that were collapsed from an image stay rows of one dimension.
// CHECK-LABEL: func.func @image
// CHECK:         %[[Q:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]]
// CHECK:         linalg.generic {{.*}} ins(%[[Q]], %{{.*}} : tensor<2x16x8xf32>, tensor<2x8x16xf32>)
func.func @image(%q: tensor<2x4x4x8xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x16x8xf32>) -> tensor<2x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %er = tensor.empty() : tensor<2x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %qc = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x4x4x8xf32> into tensor<2x16x8xf32>
  %s = linalg.batch_matmul ins(%qc, %k : tensor<2x16x8xf32>, tensor<2x8x16xf32>) outs(%sz : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x16x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x16x16xf32>, tensor<2x16x8xf32>) outs(%rz : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %x = tensor.expand_shape %r [[0], [1, 2], [3]] output_shape [2, 4, 4, 8] : tensor<2x16x8xf32> into tensor<2x4x4x8xf32>
  return %x : tensor<2x4x4x8xf32>
}

// A part of a transposed tensor that holds Q, K and V becomes a transposed part of it.
// CHECK-LABEL: func.func @packed
// CHECK-SAME:    (%[[X:.*]]: tensor<16x3x2x8xf32>
// CHECK-DAG:     %[[Q:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [16, 1, 2, 8] [1, 1, 1, 1] : tensor<16x3x2x8xf32> to tensor<16x2x8xf32>
// CHECK-DAG:     linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, {{.*}} ins(%[[Q]] : tensor<16x2x8xf32>)
// CHECK:         return
func.func @packed(%x: tensor<16x3x2x8xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x16x8xf32>) -> tensor<2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<3x2x16x8xf32>
  %t = linalg.transpose ins(%x : tensor<16x3x2x8xf32>) outs(%et : tensor<3x2x16x8xf32>) permutation = [1, 2, 0, 3]
  %q = tensor.extract_slice %t[0, 0, 0, 0] [1, 2, 16, 8] [1, 1, 1, 1] : tensor<3x2x16x8xf32> to tensor<1x2x16x8xf32>
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x2x16x8xf32> into tensor<2x16x8xf32>
  %es = tensor.empty() : tensor<2x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %er = tensor.empty() : tensor<2x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %s = linalg.batch_matmul ins(%qc, %k : tensor<2x16x8xf32>, tensor<2x8x16xf32>) outs(%sz : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x16x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x16x16xf32>, tensor<2x16x8xf32>) outs(%rz : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  return %r : tensor<2x16x8xf32>
}

// Operations on the scores have a loop of one that only their result has, and reshapes in between, as torch-mlir writes them: the loop goes, and all
// operations get the dimensions of the keys.
// CHECK-LABEL: func.func @unit_loops
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} : tensor<1x4x16x8xf32>, tensor<1x4x8x16xf32>) outs(%{{.*}} : tensor<1x4x16x16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<1x4x16x16xf32>) outs(%{{.*}} : tensor<1x4x16x16xf32>)
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<1x4x16x16xf32>) outs(%{{.*}} : tensor<1x4x16x16xf32>)
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}} : tensor<1x4x16x16xf32>, tensor<1x4x16x8xf32>) outs(%{{.*}} : tensor<1x4x16x8xf32>)
// CHECK:         return
func.func @unit_loops(%q: tensor<4x16x8xf32>, %k: tensor<1x16x4x8xf32>, %v: tensor<1x16x4x8xf32>) -> tensor<1x4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %ek = tensor.empty() : tensor<1x4x8x16xf32>
  %ev = tensor.empty() : tensor<1x4x16x8xf32>
  %kt = linalg.transpose ins(%k : tensor<1x16x4x8xf32>) outs(%ek : tensor<1x4x8x16xf32>) permutation = [0, 2, 3, 1]
  %vt = linalg.transpose ins(%v : tensor<1x16x4x8xf32>) outs(%ev : tensor<1x4x16x8xf32>) permutation = [0, 2, 1, 3]
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<1x4x8x16xf32> into tensor<4x8x16xf32>
  %vc = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<1x4x16x8xf32> into tensor<4x16x8xf32>
  %es = tensor.empty() : tensor<4x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul ins(%q, %kc : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%sz : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %e = tensor.empty() : tensor<1x4x16x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(o, b, m, n) -> (b, m, n)>, affine_map<(o, b, m, n) -> (o, b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<4x16x16xf32>) outs(%e : tensor<1x4x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %eight : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %dc = tensor.collapse_shape %d [[0, 1], [2], [3]] : tensor<1x4x16x16xf32> into tensor<4x16x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(o, b, m, n) -> (b, m, n)>, affine_map<(o, b, m, n) -> (o, b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dc : tensor<4x16x16xf32>) outs(%e : tensor<1x4x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x16x16xf32> into tensor<4x16x16xf32>
  %er = tensor.empty() : tensor<4x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %r = linalg.batch_matmul ins(%pc, %vc : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%rz : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %x = tensor.expand_shape %r [[0, 1], [2], [3]] output_shape [1, 4, 16, 8] : tensor<4x16x8xf32> into tensor<1x4x16x8xf32>
  return %x : tensor<1x4x16x8xf32>
}

// A softmax by name: a reshape of the scores and one of the weights move to the operands and to the result. It has the same attributes.
// CHECK-LABEL: func.func @named
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16x16xf32>)
// CHECK:         kgen.softmax %{{.*}} along [3] {kgen.result_precision = 8 : i32, rounded_quotient} : tensor<2x2x16x16xf32> -> tensor<2x2x16x16xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16x8xf32>)
func.func @named(%q: tensor<4x16x8xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<2x2x8x16xf32>
  %ev = tensor.empty() : tensor<2x2x16x8xf32>
  %es = tensor.empty() : tensor<4x16x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %er = tensor.empty() : tensor<4x16x8xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x8x16xf32>) outs(%ek : tensor<2x2x8x16xf32>) dimensions = [1]
  %vb = linalg.broadcast ins(%v : tensor<2x16x8xf32>) outs(%ev : tensor<2x2x16x8xf32>) dimensions = [1]
  %kc = tensor.collapse_shape %kb [[0, 1], [2], [3]] : tensor<2x2x8x16xf32> into tensor<4x8x16xf32>
  %vc = tensor.collapse_shape %vb [[0, 1], [2], [3]] : tensor<2x2x16x8xf32> into tensor<4x16x8xf32>
  %s = linalg.batch_matmul ins(%q, %kc : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%sz : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = kgen.softmax %s along [2] {rounded_quotient, kgen.result_precision = 8 : i32} : tensor<4x16x16xf32> -> tensor<4x16x16xf32>
  %r = linalg.batch_matmul ins(%p, %vc : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%rz : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}
