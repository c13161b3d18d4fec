// RUN: kgen-opt "%s" --kgen-target --kgen-gemm-to-macro-kernel --split-input-file --verify-diagnostics

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @unknown_stride(%a: memref<4x8xf32, strided<[?, 1]>>, %b: memref<8x16xf32>, %c: memref<4x16xf32>) {
    // expected-error@+1 {{needs operands with static strides, found 'memref<4x8xf32, strided<[?, 1]>>'}}
    tpp.gemm ins(%a, %b : memref<4x8xf32, strided<[?, 1]>>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @columns_of_c(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32, strided<[1, 4]>>) {
    // expected-error@+1 {{needs contiguous rows of C}}
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32, strided<[1, 4]>>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Dot products add in another order.
module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @columns_of_b_in_order(%a: memref<4x8xf32>, %b: memref<16x8xf32>, %c: memref<4x16xf32>) {
    // expected-error@+1 {{needs contiguous rows of B, or B in panels}}
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<16x8xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (n, k)>, epilogue_maps = [], strict_order} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// No dot products: the rows of A are not contiguous.
module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @columns_of_both(%a: memref<8x4xf32>, %b: memref<16x8xf32>, %c: memref<4x16xf32>) {
    // expected-error@+1 {{needs contiguous rows of B, or B in panels}}
    tpp.gemm ins(%a, %b : memref<8x4xf32>, memref<16x8xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (k, m)>, b_map = affine_map<(m, n, k) -> (n, k)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @panels_apart(%a: memref<4x8xf32>, %b: memref<2x8x16xf32, strided<[256, 16, 1]>>, %c: memref<4x27xf32>) {
    // expected-error@+1 {{needs contiguous panels of B}}
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<2x8x16xf32, strided<[256, 16, 1]>>) outs(%c : memref<4x27xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// The kernel's verifier reports it: columns of an epilogue operand with gaps.
// expected-error@unknown {{an epilogue operand's columns are contiguous (1) or the same value (0)}}
module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @columns_of_epilogue_operand(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>, %x: memref<16xf32, strided<[2]>>) {
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32, strided<[2]>>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @tensors(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
    // expected-error@+1 {{needs buffers: tensors are bufferized before they are tiled}}
    %r = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }
}

// -----

// expected-error@+1 {{needs a target: the module has no 'kgen.target'}}
module {
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @somewhere(%x: memref<5x8xf32>, %at: index, %b: memref<3x1x8x16xf32>, %c: memref<1x1x16xf32>) {
    %a = tpp.implicit_pad %x low [1, 0] high [1, 0] : memref<5x8xf32> -> memref<7x8xf32, strided<[8, 1], offset: ?>>
    %part = memref.subview %a[%at, 0] [3, 8] [1, 1]
        : memref<7x8xf32, strided<[8, 1], offset: ?>> to memref<3x8xf32, strided<[8, 1], offset: ?>>
    // expected-error@+1 {{needs to know where its windows reach into implicit padding}}
    tpp.brgemm ins(%part, %b : memref<3x8xf32, strided<[8, 1], offset: ?>>, memref<3x1x8x16xf32>) outs(%c : memref<1x1x16xf32>)
        attributes {a_map = affine_map<(y, m, n, r, k) -> (y + r, m * 8 + k)>, b_map = affine_map<(y, m, n, r, k) -> (r, k, n)>, epilogue_maps = [],
        panel = 16, reduction_sizes = array<i64: 3, 8>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @columns(%a: memref<4x8xf32>, %b: memref<8x?xf32>, %c: memref<4x?xf32>) {
    // expected-error@+1 {{needs a number of columns and of products that is known at build time: only its rows may be counted at run time}}
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x?xf32>) outs(%c : memref<4x?xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  func.func @unbounded(%a: memref<?x8xf32>, %b: memref<8x16xf32>, %c: memref<?x16xf32>) {
    // expected-error@+1 {{needs to know the greatest size of dimension 0: the size is to be computed from arguments with 'kgen.size'}}
    tpp.gemm ins(%a, %b : memref<?x8xf32>, memref<8x16xf32>) outs(%c : memref<?x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}
