// RUN: kgen-opt "%s" --kgen-winograd --canonicalize --cse --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-winograd="tile-rows=2 task-work=100" --canonicalize --cse --mlir-print-local-scope | FileCheck "%s" --check-prefix=FORCED

#image = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 64 + k)>
#apart = affine_map<(n, y, x, o, r, k) -> (n, 2 * y + r, x * 64 + k)>
#few = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 2 + k)>
#filters = affine_map<(n, y, x, o, r, k) -> (r, k, o)>
#channel = affine_map<(n, y, x, o) -> (o)>
#all = affine_map<(n, y, x, o) -> (n, y, x, o)>

// A made-up target: an L2 of 1024 KiB and register tiles of 6 x 16.
module attributes {kgen.decisions = [], kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 1048576, gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64}}>} {
// Padding is masked, not stored. Blocks of rows of tiles share their memory. The epilogue follows the output transform. Without tasks,
// tiles write to the whole result.
// CHECK-LABEL: func.func @profitable
// CHECK-DAG:     %[[FILTERS:.*]] = arith.constant dense_resource<winograd{{.*}}> : tensor<36x64x64xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         %[[IMAGE:.*]] = tensor.collapse_shape %arg0 {{.*}} : tensor<1x56x56x64xf32> into tensor<1x56x3584xf32>
// CHECK:         scf.for
// CHECK:           %[[V:.*]] = scf.forall (%{{.*}}) in ({{.*}}) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<36x[[TILES:.*]]x64xf32>)
// CHECK:             arith.cmpi ult, %{{.*}}, %c56
// CHECK:             vector.transfer_read %[[IMAGE]]
// CHECK:             arith.andi
// CHECK-COUNT-36:    vector.transfer_write
// CHECK:           %[[M:.*]] = tpp.gemm ins(%[[V]], %[[FILTERS]] : tensor<36x[[TILES]]x64xf32>, tensor<36x64x64xf32>)
// CHECK-SAME:        a_map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, b_map = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK:           scf.forall
// CHECK:             vector.transfer_read %[[M]]
// CHECK-NOT:         scf.if
// CHECK:             vector.transfer_read %arg1
// CHECK:             arith.addf
// CHECK:             vector.transfer_read %arg2
// CHECK:             arith.maximumf
// CHECK:             vector.transfer_write
func.func @profitable(%x: tensor<1x56x56x64xf32>, %bias: tensor<64xf32>, %r: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {kgen.winograd = 4 : i64} {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<3x192x64xf32>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x56x56x64xf32> to tensor<1x58x58x64xf32>
  %image = tensor.collapse_shape %padded [[0], [1], [2, 3]] : tensor<1x58x58x64xf32> into tensor<1x58x3712xf32>
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<1x58x3712xf32>, tensor<3x192x64xf32>)
      epilogue_ins(%bias, %r : tensor<64xf32>, tensor<1x56x56x64xf32>) outs(%e : tensor<1x56x56x64xf32>)
      attributes {a_map = #image, b_map = #filters, epilogue_maps = [#channel, #all], reduction_sizes = array<i64: 3, 192>} {
  ^bb0(%sum: f32, %b: f32, %add: f32):
    %s = arith.addf %sum, %b : f32
    %t = arith.maximumf %s, %add : f32
    tpp.yield %t : f32
  } -> tensor<1x56x56x64xf32>
  return %y : tensor<1x56x56x64xf32>
}

// The number of images is known at run time: blocks are rows of tiles of one image. There are two rows of tiles in a block if that is
// forced, of 14 rows of tiles in an image.
// CHECK-LABEL: func.func @images
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK-NOT:     tpp.brgemm
// CHECK:         affine.apply affine_map<()[s0] -> (s0 * 14)>()[%[[N]]]
// CHECK:         scf.for
// CHECK:           tpp.gemm
// FORCED-LABEL: func.func @images
// FORCED:         %[[ROWS:.*]] = affine.apply affine_map<()[s0] -> (s0 * 14)>
// FORCED:         scf.for %{{.*}} = %c0 to %[[ROWS]] step %c2
func.func @images(%n: index {kgen.size = #kgen.size<"n", min = 0, max = 8, multiple = 1>},
    %m: memref<?x56x56x64xf32> {kgen.shape = affine_map<()[s0] -> (s0, 56, 56, 64)>}, %bias: tensor<64xf32>) -> tensor<?x56x56x64xf32> attributes {kgen.winograd = 4 : i64} {
  %x = bufferization.to_tensor %m restrict : memref<?x56x56x64xf32> to tensor<?x56x56x64xf32>
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<3x192x64xf32>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x56x56x64xf32> to tensor<?x58x58x64xf32>
  %image = tensor.collapse_shape %padded [[0], [1], [2, 3]] : tensor<?x58x58x64xf32> into tensor<?x58x3712xf32>
  %e = tensor.empty(%n) : tensor<?x56x56x64xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<?x58x3712xf32>, tensor<3x192x64xf32>)
      epilogue_ins(%bias : tensor<64xf32>) outs(%e : tensor<?x56x56x64xf32>)
      attributes {a_map = #image, b_map = #filters, epilogue_maps = [#channel], reduction_sizes = array<i64: 3, 192>} {
  ^bb0(%sum: f32, %b: f32):
    %s = arith.addf %sum, %b : f32
    tpp.yield %s : f32
  } -> tensor<?x56x56x64xf32>
  return %y : tensor<?x56x56x64xf32>
}

// Few channels: direct, unless tile-rows forces tiles of the largest allowed size, which need not fill the image. The remaining rows are
// a block of their own; the slice of the last row of tiles has a dynamic height. Results after the image's end are written to its last
// index, and the result that belongs there is written last.
// CHECK-LABEL: func.func @not_profitable
// CHECK:         tpp.brgemm
// FORCED-LABEL: func.func @not_profitable
// FORCED:         scf.forall (%[[ROW:.*]]) in (2)
// FORCED:         tpp.gemm {{.*}} tensor<16x6x2xf32>, tensor<16x2x3xf32>
// FORCED:         tpp.gemm {{.*}} tensor<16x3x2xf32>, tensor<16x2x3xf32>
// FORCED:         affine.min affine_map<(d0) -> (4, d0 * 2 + 1)>
// FORCED-NOT:     scf.if
func.func @not_profitable(%image: tensor<1x7x14xf32>) -> tensor<1x5x5x3xf32> attributes {kgen.winograd = 2 : i64} {
  %w = arith.constant dense<1.0> : tensor<3x6x3xf32>
  %e = tensor.empty() : tensor<1x5x5x3xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<1x7x14xf32>, tensor<3x6x3xf32>) outs(%e : tensor<1x5x5x3xf32>)
      attributes {a_map = #few, b_map = #filters, epilogue_maps = [], reduction_sizes = array<i64: 3, 6>} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  } -> tensor<1x5x5x3xf32>
  return %y : tensor<1x5x5x3xf32>
}

// Tasks, with a height that tiles do not divide.
// FORCED-LABEL: func.func @tasks
// FORCED:         scf.forall (%[[ROW:.*]]) in (2)
// FORCED:         tpp.gemm
// FORCED:         scf.forall (%[[ROW:.*]]) in (2)
// FORCED:           %[[TALL:.*]] = affine.min affine_map<(d0) -> (d0 * -4 + 5, 4)>(%[[ROW]])
// FORCED:           tensor.extract_slice %{{.*}} [1, %[[TALL]], 5, 3]
func.func @tasks(%image: tensor<1x7x14xf32>) -> tensor<1x5x5x3xf32> attributes {kgen.winograd = 4 : i64} {
  %w = arith.constant dense<1.0> : tensor<3x6x3xf32>
  %e = tensor.empty() : tensor<1x5x5x3xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<1x7x14xf32>, tensor<3x6x3xf32>) outs(%e : tensor<1x5x5x3xf32>)
      attributes {a_map = #few, b_map = #filters, epilogue_maps = [], reduction_sizes = array<i64: 3, 6>} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  } -> tensor<1x5x5x3xf32>
  return %y : tensor<1x5x5x3xf32>
}

// Not rewritten: without the attribute, with filters that are not constant, with windows of stride 2.
// CHECK-LABEL: func.func @kept
// CHECK-SAME:    {why = "not f32 with constant filters and windows of stride 1"}, kind = "refused"
// CHECK-COUNT-2: tpp.brgemm
// FORCED-LABEL: func.func @kept
// FORCED-COUNT-2: tpp.brgemm
// CHECK-LABEL: func.func @not_allowed
// CHECK:         tpp.brgemm
// FORCED-LABEL: func.func @not_allowed
// FORCED:         tpp.brgemm
func.func @kept(%image: tensor<1x58x3712xf32>, %w: tensor<3x192x64xf32>) -> (tensor<1x56x56x64xf32>, tensor<1x28x56x64xf32>) attributes {kgen.winograd = 4 : i64} {
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<1x58x3712xf32>, tensor<3x192x64xf32>) outs(%e : tensor<1x56x56x64xf32>)
      attributes {a_map = #image, b_map = #filters, epilogue_maps = [], reduction_sizes = array<i64: 3, 192>} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  } -> tensor<1x56x56x64xf32>
  %constant = arith.constant dense<1.0> : tensor<3x192x64xf32>
  %f = tensor.empty() : tensor<1x28x56x64xf32>
  %z = tpp.brgemm ins(%image, %constant : tensor<1x58x3712xf32>, tensor<3x192x64xf32>) outs(%f : tensor<1x28x56x64xf32>)
      attributes {a_map = #apart, b_map = #filters, epilogue_maps = [], reduction_sizes = array<i64: 3, 192>} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  } -> tensor<1x28x56x64xf32>
  return %y, %z : tensor<1x56x56x64xf32>, tensor<1x28x56x64xf32>
}

func.func @not_allowed(%image: tensor<1x58x3712xf32>) -> tensor<1x56x56x64xf32> {
  %w = arith.constant dense<1.0> : tensor<3x192x64xf32>
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %y = tpp.brgemm ins(%image, %w : tensor<1x58x3712xf32>, tensor<3x192x64xf32>) outs(%e : tensor<1x56x56x64xf32>)
      attributes {a_map = #image, b_map = #filters, epilogue_maps = [], reduction_sizes = array<i64: 3, 192>} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  } -> tensor<1x56x56x64xf32>
  return %y : tensor<1x56x56x64xf32>
}
}
