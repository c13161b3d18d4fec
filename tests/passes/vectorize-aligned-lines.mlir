// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-vectorize,canonicalize,cse))" | FileCheck "%s"
// Rows that begin within cache lines, of a result larger than the last-level cache: vectors are full lines.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>
// A made-up target: an L2 of 256 KiB.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>} {

// Two rows of 96 bytes are three lines: one of the first row, one with 16 elements of each, one of the second row.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<131072x48xbf16>, %[[M:[a-z0-9]+]]: tensor<131072xf32>, %[[S:[a-z0-9]+]]: tensor<48xf32>
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]]
// CHECK:         scf.for %[[I:.*]] = %c0 to %c131072 step %c2
// CHECK:           %[[START:.*]] = arith.muli %[[I]], %c48
// CHECK:           vector.transfer_read %[[FLAT]][%[[START]]], {{.*}} vector<32xbf16>
// CHECK:           tensor.extract %[[M]][%[[I]]]
// CHECK:           %[[FIRST:.*]] = vector.transfer_read %[[S]][%c0], {{.*}} vector<32xf32>
// CHECK:           vector.transfer_write {{.*}}[%[[START]]]
// CHECK:           %[[MIDDLE:.*]] = arith.addi %[[START]], %c32
// CHECK:           vector.transfer_read %[[FLAT]][%[[MIDDLE]]], {{.*}} vector<32xbf16>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [16, {{.*}} 31, 32, {{.*}} 47] : vector<32xf32>, vector<32xf32>
// CHECK:           %[[LAST:.*]] = vector.transfer_read %[[S]][%c16], {{.*}} vector<32xf32>
// CHECK:           %[[BOTH:.*]] = vector.shuffle %[[LAST]], %[[FIRST]] [16, {{.*}} 31, 32, {{.*}} 47] : vector<32xf32>, vector<32xf32>
// CHECK:           arith.mulf %{{.*}}, %[[BOTH]]
// CHECK:           vector.transfer_write {{.*}}[%[[MIDDLE]]]
// CHECK:           %[[SECOND:.*]] = arith.addi %[[START]], %c64
// CHECK:           vector.transfer_write {{.*}}[%[[SECOND]]]
// CHECK-NOT:       vector.transfer_write
// CHECK:         tensor.expand_shape
func.func @narrow(%x: tensor<131072x48xbf16>, %m: tensor<131072xf32>, %s: tensor<48xf32>, %e: tensor<131072x48xbf16>) -> tensor<131072x48xbf16> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %s : tensor<131072x48xbf16>, tensor<131072xf32>, tensor<48xf32>) outs(%e : tensor<131072x48xbf16>) {
  ^bb0(%v: bf16, %u: f32, %t: f32, %o: bf16):
    %f = arith.extf %v : bf16 to f32
    %w = arith.subf %f, %u : f32
    %y = arith.mulf %w, %t : f32
    %n = arith.truncf %y : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<131072x48xbf16>
  return %0 : tensor<131072x48xbf16>
}

// Several lines of a row are a loop.
// CHECK-LABEL: func.func @odd
// CHECK:         scf.for {{.*}} step %c16
// CHECK:           scf.for {{.*}} = %c0 to %c32 step %c16
// CHECK:           scf.for {{.*}} = %c0 to %c32 step %c16
func.func @odd(%x: tensor<65536x49xf32>, %s: tensor<49xf32>, %e: tensor<65536x49xf32>) -> tensor<65536x49xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<65536x49xf32>, tensor<49xf32>) outs(%e : tensor<65536x49xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<65536x49xf32>
  return %0 : tensor<65536x49xf32>
}

// Rows aligned for partial-line stores, small results, and transposes have another form.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         arith.mulf
// CHECK-NOT:     tensor.collapse_shape
// CHECK-LABEL: func.func @small
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @aligned(%x: tensor<65536x40xf32>, %s: tensor<40xf32>, %e: tensor<65536x40xf32>) -> tensor<65536x40xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<65536x40xf32>, tensor<40xf32>) outs(%e : tensor<65536x40xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<65536x40xf32>
  return %0 : tensor<65536x40xf32>
}

func.func @small(%x: tensor<64x49xf32>, %s: tensor<49xf32>, %e: tensor<64x49xf32>) -> tensor<64x49xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x49xf32>, tensor<49xf32>) outs(%e : tensor<64x49xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<64x49xf32>
  return %0 : tensor<64x49xf32>
}
}
