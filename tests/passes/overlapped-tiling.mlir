// RUN: kgen-opt "%s" --kgen-overlapped-tiling --canonicalize --cse --split-input-file --mlir-print-local-scope | FileCheck "%s"

// Three quarters of the L2 hold 18 rows of 512 bytes: 4 tiles of 16 rows, which need 17 or 18.
// A made-up target: an L1 of 4 KiB, an L2 of 12 KiB and register tiles of 6 x 16 and cache blocks of 48 x 1024.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 4096, l2 = 12288, gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
// CHECK-LABEL: func.func @residual
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x64x8x8xf32>
// CHECK:         %[[TOP:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 17, 8, 8]
// CHECK:         tpp.gemm ins(%[[TOP]], {{.*}}outs({{.*}} : tensor<1x17x8x16xf32>)
// CHECK:         tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 0, 1, 0]
// CHECK:         linalg.generic {{.*}}outs({{.*}} : tensor<1x16x8x16xf32>)
// CHECK:         tpp.gemm {{.*}}outs({{.*}} : tensor<1x16x8x8xf32>)
// CHECK:         tensor.insert_slice {{.*}} into %{{.*}}[0, 0, 0, 0] [1, 16, 8, 8]
// CHECK:         scf.for %[[Y:.*]] = %c16 to %c48 step %c16
// CHECK:           %[[FROM:.*]] = affine.apply affine_map<(d0) -> (d0 - 1)>(%[[Y]])
// CHECK:           %[[ROWS:.*]] = tensor.extract_slice %[[X]][0, %[[FROM]], 0, 0] [1, 18, 8, 8]
// CHECK:           tpp.gemm ins(%[[ROWS]], {{.*}}outs({{.*}} : tensor<1x18x8x16xf32>)
// CHECK:           tensor.pad {{.*}} low[0, 0, 1, 0] high[0, 0, 1, 0]
// CHECK:           tensor.insert_slice {{.*}}[0, %[[Y]], 0, 0] [1, 16, 8, 8]
// CHECK:         tensor.extract_slice %[[X]][0, 47, 0, 0] [1, 17, 8, 8]
// CHECK:         tensor.pad {{.*}} low[0, 0, 1, 0] high[0, 1, 1, 0]
// CHECK:         tensor.insert_slice {{.*}}[0, 48, 0, 0] [1, 16, 8, 8]
func.func @residual(%x: tensor<1x64x8x8xf32>, %b: tensor<1x8x16xf32>, %taps: tensor<3x3x16xf32>, %p: tensor<1x16x16xf32>)
    -> tensor<1x64x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x8x16xf32>
  %w = tpp.gemm ins(%x, %b : tensor<1x64x8x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<1x64x8x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x64x8x16xf32>
  %pad = tensor.pad %w low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x64x8x16xf32> to tensor<1x66x10x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x8x16xf32>) -> tensor<1x64x8x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%pad, %taps : tensor<1x66x10x16xf32>, tensor<3x3x16xf32>) outs(%fill : tensor<1x64x8x16xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %product = arith.mulf %in, %tap : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<1x64x8x16xf32>
  %z = tensor.empty() : tensor<1x64x8x8xf32>
  %r = tpp.gemm ins(%d, %p : tensor<1x64x8x16xf32>, tensor<1x16x16xf32>) outs(%z : tensor<1x64x8x8xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x64x8x8xf32>
  return %r : tensor<1x64x8x8xf32>
}

// The number of images is known at run time.
// CHECK-LABEL: func.func @images
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[N]] step %c1
// CHECK:           tensor.extract_slice %{{.*}}[%[[I]], 0, 0, 0] [1, 17, 8, 8]
// CHECK:           tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 0, 1, 0]
// CHECK:           scf.for %[[Y:.*]] = %c16 to %c48 step %c16
// CHECK:             tensor.insert_slice {{.*}}[%[[I]], %[[Y]], 0, 0] [1, 16, 8, 8]
// CHECK-NOT:     tensor.dim
func.func @images(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 8, multiple = 1>},
    %m: memref<?x64x8x8xf32> {kgen.shape = affine_map<()[s0] -> (s0, 64, 8, 8)>}, %b: tensor<1x8x16xf32>, %taps: tensor<3x3x16xf32>, %p: tensor<1x16x16xf32>)
    -> tensor<?x64x8x8xf32> {
  %x = bufferization.to_tensor %m restrict : memref<?x64x8x8xf32> to tensor<?x64x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x64x8x16xf32>
  %w = tpp.gemm ins(%x, %b : tensor<?x64x8x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<?x64x8x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x64x8x16xf32>
  %pad = tensor.pad %w low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<?x64x8x16xf32> to tensor<?x66x10x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64x8x16xf32>) -> tensor<?x64x8x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%pad, %taps : tensor<?x66x10x16xf32>, tensor<3x3x16xf32>) outs(%fill : tensor<?x64x8x16xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %product = arith.mulf %in, %tap : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<?x64x8x16xf32>
  %z = tensor.empty(%n) : tensor<?x64x8x8xf32>
  %r = tpp.gemm ins(%d, %p : tensor<?x64x8x16xf32>, tensor<1x16x16xf32>) outs(%z : tensor<?x64x8x8xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x64x8x8xf32>
  return %r : tensor<?x64x8x8xf32>
}

// Too few rows: a large share of them would be computed twice.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:     scf.for
// CHECK:         tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
func.func @few_rows(%x: tensor<1x8x64x8xf32>, %b: tensor<1x8x16xf32>, %taps: tensor<3x3x16xf32>, %p: tensor<1x16x16xf32>)
    -> tensor<1x8x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x64x16xf32>
  %w = tpp.gemm ins(%x, %b : tensor<1x8x64x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<1x8x64x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x8x64x16xf32>
  %pad = tensor.pad %w low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x8x64x16xf32> to tensor<1x10x66x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x64x16xf32>) -> tensor<1x8x64x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>,
                                        affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%pad, %taps : tensor<1x10x66x16xf32>, tensor<3x3x16xf32>) outs(%fill : tensor<1x8x64x16xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %product = arith.mulf %in, %tap : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<1x8x64x16xf32>
  %z = tensor.empty() : tensor<1x8x64x8xf32>
  %r = tpp.gemm ins(%d, %p : tensor<1x8x64x16xf32>, tensor<1x16x16xf32>) outs(%z : tensor<1x8x64x8xf32>)
      attributes {a_map = affine_map<(n, y, x, o, k) -> (n, y, x, k)>, b_map = affine_map<(n, y, x, o, k) -> (k, o)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x8x64x8xf32>
  return %r : tensor<1x8x64x8xf32>
}
}
