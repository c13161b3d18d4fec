// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts="upconvert-a=false pad-a=false" --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>

module {
  // A constant is always packed: 40 columns are two panels of 32, k rows each.
  // CHECK-LABEL: func @constant
  // CHECK-DAG:     %[[B:.*]] = arith.constant dense<1.0
  // CHECK:         %[[P:.*]] = linalg.pack %[[B]] padding_value({{.*}}) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into {{.*}} : tensor<6x40xf32> -> tensor<2x6x32xf32>
  // CHECK:         tpp.gemm ins(%{{.*}}, %[[P]] : tensor<4x6xf32>, tensor<2x6x32xf32>)
  // CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
  // CHECK-SAME:      panel = 32
  func.func @constant(%a: tensor<4x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %b = arith.constant dense<1.0> : tensor<6x40xf32>
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // A transposed constant gets the same layout.
  // CHECK-LABEL: func @transposed_constant
  // CHECK:         linalg.pack {{.*}} outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into {{.*}} : tensor<40x6xf32> -> tensor<2x6x32xf32>
  // CHECK:         b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
  func.func @transposed_constant(%a: tensor<4x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %b = arith.constant dense<1.0> : tensor<40x6xf32>
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<40x6xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #bt, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // Few rows of A read a contiguous run-time operand in place.
  // CHECK-LABEL: func @few_rows
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm
  // CHECK-NOT:     panel
  // CHECK:         return
  func.func @few_rows(%a: tensor<4x6xf32>, %b: tensor<6x40xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // 204 rows of 160 bytes fit into L1 (32 KiB): a copy would be no faster.
  // CHECK-LABEL: func @fits_l1
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm
  // CHECK-NOT:     panel
  // CHECK:         return
  func.func @fits_l1(%a: tensor<65x204xf32>, %b: tensor<204x40xf32>, %e: tensor<65x40xf32>) -> tensor<65x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<65x204xf32>, tensor<204x40xf32>) outs(%e : tensor<65x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<65x40xf32>
    return %g : tensor<65x40xf32>
  }

  // More than 64 rows of A pay for the copy.
  // CHECK-LABEL: func @many_rows
  // CHECK:         linalg.pack
  // CHECK:         panel = 32
  func.func @many_rows(%a: tensor<65x205xf32>, %b: tensor<205x40xf32>, %e: tensor<65x40xf32>) -> tensor<65x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<65x205xf32>, tensor<205x40xf32>) outs(%e : tensor<65x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<65x40xf32>
    return %g : tensor<65x40xf32>
  }

  // B that is not contiguous along n is packed for few rows, too.
  // CHECK-LABEL: func @strided_columns
  // CHECK:         linalg.pack
  // CHECK:         panel = 32
  func.func @strided_columns(%a: tensor<5x6xf32>, %b: tensor<40x6xf32>, %e: tensor<5x40xf32>) -> tensor<5x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<5x6xf32>, tensor<40x6xf32>) outs(%e : tensor<5x40xf32>)
        attributes {a_map = #a, b_map = #bt, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<5x40xf32>
    return %g : tensor<5x40xf32>
  }

  // Few rows of A, and B contiguous along k: dot products in place.
  // CHECK-LABEL: func @dot_products
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm
  // CHECK-NOT:     panel
  // CHECK:         return
  func.func @dot_products(%a: tensor<4x6xf32>, %b: tensor<40x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<40x6xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #bt, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // A constant of few columns is packed into panels of one column: vectors along k have no empty lanes.
  // CHECK-LABEL: func @constant_columns
  // CHECK:         linalg.pack {{.*}} inner_tiles = [1] into {{.*}} : tensor<80x3xf32> -> tensor<3x80x1xf32>
  // CHECK:         panel = 1
  func.func @constant_columns(%a: tensor<50x80xf32>, %e: tensor<50x3xf32>) -> tensor<50x3xf32> {
    %b = arith.constant dense<1.0> : tensor<80x3xf32>
    %g = tpp.gemm ins(%a, %b : tensor<50x80xf32>, tensor<80x3xf32>) outs(%e : tensor<50x3xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<50x3xf32>
    return %g : tensor<50x3xf32>
  }

  // ... unless horizontal sums take longer,
  // CHECK-LABEL: func @short_columns
  // CHECK:         linalg.pack {{.*}} inner_tiles = [4]
  // CHECK:         panel = 4
  func.func @short_columns(%a: tensor<50x12xf32>, %e: tensor<50x3xf32>) -> tensor<50x3xf32> {
    %b = arith.constant dense<1.0> : tensor<12x3xf32>
    %g = tpp.gemm ins(%a, %b : tensor<50x12xf32>, tensor<12x3xf32>) outs(%e : tensor<50x3xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<50x3xf32>
    return %g : tensor<50x3xf32>
  }

  // or a register tile of long rows and columns does not stay in L1, and vectors of columns are full enough,
  // CHECK-LABEL: func @long_columns
  // CHECK:         linalg.pack {{.*}} inner_tiles = [32]
  // CHECK:         panel = 32
  func.func @long_columns(%a: tensor<50x4608xf32>, %e: tensor<50x20xf32>) -> tensor<50x20xf32> {
    %b = arith.constant dense<1.0> : tensor<4608x20xf32>
    %g = tpp.gemm ins(%a, %b : tensor<50x4608xf32>, tensor<4608x20xf32>) outs(%e : tensor<50x20xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<50x20xf32>
    return %g : tensor<50x20xf32>
  }

  // or A is not contiguous along k.
  // CHECK-LABEL: func @transposed_a
  // CHECK:         linalg.pack {{.*}} inner_tiles = [4]
  // CHECK:         panel = 4
  func.func @transposed_a(%a: tensor<80x50xf32>, %e: tensor<50x3xf32>) -> tensor<50x3xf32> {
    %b = arith.constant dense<1.0> : tensor<80x3xf32>
    %g = tpp.gemm ins(%a, %b : tensor<80x50xf32>, tensor<80x3xf32>) outs(%e : tensor<50x3xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (k, m)>, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<50x3xf32>
    return %g : tensor<50x3xf32>
  }

  // A strict order of sums excludes dot products.
  // CHECK-LABEL: func @strict_order
  // CHECK:         linalg.pack
  // CHECK:         panel = 32
  func.func @strict_order(%a: tensor<4x6xf32>, %b: tensor<40x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<40x6xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #bt, epilogue_maps = [], strict_order} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // bf16 is packed in pairs along k (VNNI); if k is odd, the last pair is padded with zeros.
  // CHECK-LABEL: func @vnni
  // CHECK:         %[[P:.*]] = linalg.pack %{{.*}} padding_value({{.*}} : bf16) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 2] into {{.*}} : tensor<7x40xbf16> -> tensor<2x4x32x2xbf16>
  // CHECK:         tpp.gemm ins(%{{.*}}, %[[P]] : tensor<4x7xbf16>, tensor<2x4x32x2xbf16>)
  // CHECK-SAME:      panel = 32 : i64, vnni = 2 : i64
  func.func @vnni(%a: tensor<4x7xbf16>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %b = arith.constant dense<1.0> : tensor<7x40xbf16>
    %g = tpp.gemm ins(%a, %b : tensor<4x7xbf16>, tensor<7x40xbf16>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // Few rows of A read bf16 in place, too, unless it is contiguous along k: there are no dot products of bf16.
  // CHECK-LABEL: func @few_rows_bf16
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm
  // CHECK-NOT:     panel
  // CHECK:         tpp.gemm
  // CHECK-SAME:      panel = 32 : i64, vnni = 2 : i64
  func.func @few_rows_bf16(%a: tensor<4x7xbf16>, %b: tensor<7x40xbf16>, %t: tensor<40x7xbf16>, %e: tensor<4x40xf32>) -> (tensor<4x40xf32>, tensor<4x40xf32>) {
    %g = tpp.gemm ins(%a, %b : tensor<4x7xbf16>, tensor<7x40xbf16>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    %h = tpp.gemm ins(%a, %t : tensor<4x7xbf16>, tensor<40x7xbf16>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #bt, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g, %h : tensor<4x40xf32>, tensor<4x40xf32>
  }

  // A batch-reduce gemm: the panels of one batch element after those of another.
  // CHECK-LABEL: func @batch_reduce
  // CHECK:         linalg.pack {{.*}} outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [32] into {{.*}} : tensor<3x6x40xf32> -> tensor<3x2x6x32xf32>
  // CHECK:         tpp.brgemm
  // CHECK-SAME:      b_map = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
  // CHECK-SAME:      panel = 32
  func.func @batch_reduce(%a: tensor<3x4x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %b = arith.constant dense<1.0> : tensor<3x6x40xf32>
    %g = tpp.brgemm ins(%a, %b : tensor<3x4x6xf32>, tensor<3x6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // Packed and empty operands stay.
  // CHECK-LABEL: func @kept
  // CHECK-NOT:     linalg.pack
  // CHECK:         return
  func.func @kept(%a: tensor<4x6xf32>, %b: tensor<2x6x32xf32>, %e: tensor<4x40xf32>, %none: tensor<4x0xf32>) -> (tensor<4x40xf32>, tensor<4x40xf32>) {
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<2x6x32xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    %nothing = arith.constant dense<> : tensor<0x40xf32>
    %h = tpp.gemm ins(%none, %nothing : tensor<4x0xf32>, tensor<0x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g, %h : tensor<4x40xf32>, tensor<4x40xf32>
  }

  // Keys of few queries are read in place, [sequence, heads, width], not from their transposed copy.
  // CHECK-LABEL: func @keys
  // CHECK-SAME:    (%[[Q:.*]]: tensor<3x2x8xf32>, %[[K:.*]]: tensor<1x70x3x8xf32>,
  // CHECK-NOT:     linalg.generic
  // CHECK:         %[[C:.*]] = tensor.collapse_shape %[[K]] {{\[\[}}0, 1], [2], [3]] : tensor<1x70x3x8xf32> into tensor<70x3x8xf32>
  // CHECK:         tpp.gemm ins(%[[Q]], %[[C]] :
  // CHECK-SAME:      b_map = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
  func.func @keys(%q: tensor<3x2x8xf32>, %k: tensor<1x70x3x8xf32>, %e: tensor<3x2x70xf32>) -> tensor<3x2x70xf32> {
    %t = tensor.empty() : tensor<1x3x8x70xf32>
    %copy = linalg.generic {indexing_maps = [affine_map<(b, h, d, s) -> (b, s, h, d)>, affine_map<(b, h, d, s) -> (b, h, d, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<1x70x3x8xf32>) outs(%t : tensor<1x3x8x70xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<1x3x8x70xf32>
    %c = tensor.collapse_shape %copy [[0, 1], [2], [3]] : tensor<1x3x8x70xf32> into tensor<3x8x70xf32>
    %g = tpp.gemm ins(%q, %c : tensor<3x2x8xf32>, tensor<3x8x70xf32>) outs(%e : tensor<3x2x70xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<3x2x70xf32>
    return %g : tensor<3x2x70xf32>
  }

  // The pack for five rows replaces the copy.
  // CHECK-LABEL: func @packed_instead
  // CHECK-SAME:    %{{.*}}: tensor<5x8xf32>, %[[B:.*]]: tensor<2000x8xf32>
  // CHECK:         linalg.pack %[[B]] {{.*}} outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32]
  // CHECK:         tpp.gemm {{.*}} panel = 32
  func.func @packed_instead(%a: tensor<5x8xf32>, %b: tensor<2000x8xf32>, %e: tensor<5x2000xf32>) -> tensor<5x2000xf32> {
    %t = tensor.empty() : tensor<8x2000xf32>
    %copy = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2000x8xf32>) outs(%t : tensor<8x2000xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<8x2000xf32>
    %g = tpp.gemm ins(%a, %copy : tensor<5x8xf32>, tensor<8x2000xf32>) outs(%e : tensor<5x2000xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<5x2000xf32>
    return %g : tensor<5x2000xf32>
  }

  // A copy that other operations read, too, is read in place. So is a batch whose dimensions are not neighbours in the source.
  // CHECK-LABEL: func @copied
  // CHECK:         %[[T:.*]] = linalg.generic
  // CHECK:         tpp.gemm ins(%{{.*}}, %[[T]] :
  // CHECK:         %[[U:.*]] = linalg.generic
  // CHECK:         %[[C:.*]] = tensor.collapse_shape %[[U]]
  // CHECK:         tpp.gemm ins(%{{.*}}, %[[C]] :
  func.func @copied(%a: tensor<5x8xf32>, %b: tensor<2000x8xf32>, %e: tensor<5x2000xf32>, %q: tensor<6x1x8xf32>, %k: tensor<2x70x3x8xf32>, %f: tensor<6x1x70xf32>) -> (tensor<8x2000xf32>, tensor<5x2000xf32>, tensor<6x1x70xf32>) {
    %t = tensor.empty() : tensor<8x2000xf32>
    %copy = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2000x8xf32>) outs(%t : tensor<8x2000xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<8x2000xf32>
    %g = tpp.gemm ins(%a, %copy : tensor<5x8xf32>, tensor<8x2000xf32>) outs(%e : tensor<5x2000xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<5x2000xf32>
    %u = tensor.empty() : tensor<2x3x8x70xf32>
    %keys = linalg.generic {indexing_maps = [affine_map<(b, h, d, s) -> (b, s, h, d)>, affine_map<(b, h, d, s) -> (b, h, d, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<2x70x3x8xf32>) outs(%u : tensor<2x3x8x70xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<2x3x8x70xf32>
    %c = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x3x8x70xf32> into tensor<6x8x70xf32>
    %h = tpp.gemm ins(%q, %c : tensor<6x1x8xf32>, tensor<6x8x70xf32>) outs(%f : tensor<6x1x70xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<6x1x70xf32>
    return %copy, %g, %h : tensor<8x2000xf32>, tensor<5x2000xf32>, tensor<6x1x70xf32>
  }
}

// -----

// A second pack of the same value is recorded: it is work done twice.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func @repeated
  // CHECK-SAME:    first = ["y"], operand = ["b"], same = 1 : i64, what = "packed"}, kind = "repeated", nodes = ["z"]
  // CHECK-COUNT-2: linalg.pack
  func.func @repeated(%a: tensor<128x256xf32>, %m: memref<256x512xf32>, %e: tensor<128x512xf32>) -> (tensor<128x512xf32>, tensor<128x512xf32>) {
    %b = bufferization.to_tensor %m restrict : memref<256x512xf32> to tensor<256x512xf32> loc("b")
    %g = tpp.gemm ins(%a, %b : tensor<128x256xf32>, tensor<256x512xf32>) outs(%e : tensor<128x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<128x512xf32> loc("y")
    %h = tpp.gemm ins(%a, %b : tensor<128x256xf32>, tensor<256x512xf32>) outs(%e : tensor<128x512xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<128x512xf32> loc("z")
    return %g, %h : tensor<128x512xf32>, tensor<128x512xf32>
  }
}
