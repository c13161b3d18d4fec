// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --mlir-print-local-scope

func.func @unknown_c(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<?x8xf32>) {
  // expected-error@+1 {{'tpp.gemm' op dimension 0 of A is 4, expected ?}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<?x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x8xf32>
  return
}

// -----

func.func @vector_c(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{C must have at least two dimensions}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @unknown_columns(%a: tensor<4x6xf32>, %b: tensor<1x6x8xf32>, %c: tensor<4x?xf32>) {
  // expected-error@+1 {{packed B needs a static number of columns and of rows}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<1x6x8xf32>) outs(%c : tensor<4x?xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 8} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x?xf32>
  return
}

// -----

func.func @unknown_window(%a: tensor<9x6xf32>, %b: tensor<18x8xf32>, %c: tensor<?x8xf32>) {
  // expected-error@+1 {{dimension 0 of A has a static size, which windows read whose number is not known}}
  %r = tpp.brgemm ins(%a, %b : tensor<9x6xf32>, tensor<18x8xf32>) outs(%c : tensor<?x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (m + r, k)>, b_map = affine_map<(m, n, r, k) -> (k, n)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 6>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x8xf32>
  return
}

// -----

func.func @no_result(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{has one result if C is a tensor and none if it is a memref}}
  tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

func.func @a_without_k(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, n)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// A convolution is no gemm.
func.func @a_of_sums(%a: tensor<9xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.gemm ins(%a, %b : tensor<9xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m + k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @a_of_other_rank(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @a_of_other_dimensions(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @a_of_other_size(%a: tensor<5x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{dimension 0 of A is 5, expected 4}}
  %r = tpp.gemm ins(%a, %b : tensor<5x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @mixed_types(%a: tensor<4x6xf32>, %b: tensor<6x8xf64>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{A and B must be of types that are added up in the same one, found 'f32' and 'f64'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf64>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @unsigned_float(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{only operands of i8 are signed or unsigned}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], b_unsigned} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @half_sums_of_f32(%a: tensor<4x6xf32>, %b: tensor<6x8xf16>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{only products of f16, in any order, may be added up in f16}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf16>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], f16_accumulate} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @b_of_other_size(%a: tensor<4x6xf32>, %b: tensor<7x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{dimension 0 of B is 7, expected 6}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<7x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @b_of_sums(%a: tensor<4x6xf32>, %b: tensor<13xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{B's map must be a projected permutation of 3 dimensions, found affine_map<(d0, d1, d2) -> (d1 + d2)>}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<13xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k + n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @b_of_other_rank(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{B has rank 2, but its map has 1 results}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @no_panel(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B needs a positive panel width and VNNI factor}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 0 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @panel_of_rank_two(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B must end in 1x6x16, found 'tensor<6x8xf32>'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @panel_of_other_size(%a: tensor<4x6xf32>, %b: tensor<2x6x16xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B must end in 1x6x16, found 'tensor<2x6x16xf32>'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<2x6x16xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @panel_map(%a: tensor<4x6xf32>, %b: tensor<1x6x16xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B's map must be (batch..., k, n), found affine_map<(d0, d1, d2) -> (d1, d2)>}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<1x6x16xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (n, k)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @panel_batch(%a: tensor<3x4x6xf32>, %b: tensor<2x1x6x16xf32>, %c: tensor<3x4x8xf32>) {
  // expected-error@+1 {{batch dimension 0 of packed B is 2, expected 3}}
  %r = tpp.gemm ins(%a, %b : tensor<3x4x6xf32>, tensor<2x1x6x16xf32>) outs(%c : tensor<3x4x8xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<3x4x8xf32>
  return
}

// -----

func.func @extra_without_map(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<8xf32>) {
  // expected-error@+1 {{needs one map per epilogue operand}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x0 : tensor<8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32, %p: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @extra_of_other_size(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<9xf32>) {
  // expected-error@+1 {{dimension 0 of an epilogue operand is 9, expected 8}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x0 : tensor<9xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
  ^bb0(%acc: f32, %p: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// Extras come after the sum over k.
func.func @extra_by_k(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<6xf32>) {
  // expected-error@+1 {{an epilogue operand's map must be a projected permutation of 2 dimensions, found affine_map<(d0, d1, d2) -> (d2)>}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x0 : tensor<6xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n, k) -> (k)>]} {
  ^bb0(%acc: f32, %p: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @too_few_scalars(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<8xf32>) {
  // expected-error@+1 {{epilogue takes 2 scalars, found 1}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x0 : tensor<8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @accumulator_type(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{the accumulator must be 'f32', found 'f64'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f64):
    tpp.yield %acc : f64
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @extra_type(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<8xf64>) {
  // expected-error@+1 {{an epilogue argument must have the type of its operand's elements}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x0 : tensor<8xf64>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
  ^bb0(%acc: f32, %p: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @yielded_type(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{the epilogue must yield one element of C}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    %d = arith.extf %acc : f32 to f64
    tpp.yield %d : f64
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @not_elementwise(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{'vector.broadcast' in an epilogue is not elementwise}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    %v = vector.broadcast %acc : f32 to vector<4xf32>
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// Blocks of k leave partial sums in C while A is still read.
func.func @aliased(%c: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error@+1 {{C must not be one of the operands that are read}}
  tpp.gemm ins(%c, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// Nothing from outside gets into an epilogue but through an epilogue operand.
func.func @captured(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %v: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    // expected-error@+1 {{'arith.addf' op using value defined outside the region}}
    %s = arith.addf %acc, %v : f32
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// bf16 is added up in f32.
func.func @narrow_accumulator(%a: tensor<4x6xbf16>, %b: tensor<6x8xbf16>, %c: tensor<4x8xbf16>) {
  // expected-error@+1 {{the accumulator must be 'f32', found 'bf16'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%c : tensor<4x8xbf16>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: bf16):
    tpp.yield %acc : bf16
  } -> tensor<4x8xbf16>
  return
}

// -----

// C was rounded: what is in it is no sum any more.
func.func @rounded_accumulator(%a: tensor<4x6xbf16>, %b: tensor<6x8xbf16>, %c: tensor<4x8xbf16>) {
  // expected-error@+1 {{only C of the accumulator's type can be added to, found 'bf16'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%c : tensor<4x8xbf16>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate} {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    tpp.yield %t : bf16
  } -> tensor<4x8xbf16>
  return
}

// -----

func.func @vnni_in_place(%a: tensor<4x6xbf16>, %b: tensor<6x8xbf16>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{only B in panels has a VNNI factor}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], vnni = 2 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @no_vnni(%a: tensor<4x6xbf16>, %b: tensor<1x6x16xbf16>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B needs a positive panel width and VNNI factor}}
  %r = tpp.gemm ins(%a, %b : tensor<4x6xbf16>, tensor<1x6x16xbf16>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64, vnni = 0 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// Seven values of k are four pairs.
func.func @vnni_of_other_size(%a: tensor<4x7xbf16>, %b: tensor<1x3x16x2xbf16>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{packed B must end in 1x4x16x2, found 'tensor<1x3x16x2xbf16>'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x7xbf16>, tensor<1x3x16x2xbf16>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64, vnni = 2 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @brgemm_without_r(%a: tensor<4x6xf32>, %b: tensor<3x6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{'tpp.brgemm' op A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.brgemm ins(%a, %b : tensor<4x6xf32>, tensor<3x6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @brgemm_map_of_gemm(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{'tpp.brgemm' op A must be indexed by all reduction dimensions and have one dimension per result of its map}}
  %r = tpp.brgemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @brgemm_of_other_size(%a: tensor<3x4x6xf32>, %b: tensor<2x6x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{dimension 0 of B is 2, expected 3}}
  %r = tpp.brgemm ins(%a, %b : tensor<3x4x6xf32>, tensor<2x6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// Extras come after the sums over r and k.
func.func @brgemm_extra_by_r(%a: tensor<3x4x6xf32>, %b: tensor<3x6x8xf32>, %c: tensor<4x8xf32>, %x0: tensor<3xf32>) {
  // expected-error@+1 {{an epilogue operand's map must be a projected permutation of 2 dimensions, found affine_map<(d0, d1, d2) -> (d2)>}}
  %r = tpp.brgemm ins(%a, %b : tensor<3x4x6xf32>, tensor<3x6x8xf32>) epilogue_ins(%x0 : tensor<3xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = [affine_map<(m, n, r) -> (r)>]} {
  ^bb0(%acc: f32, %p: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @brgemm_panels(%a: tensor<3x4x6xf32>, %b: tensor<2x1x6x16xf32>, %c: tensor<4x8xf32>) {
  // expected-error@+1 {{batch dimension 0 of packed B is 2, expected 3}}
  %r = tpp.brgemm ins(%a, %b : tensor<3x4x6xf32>, tensor<2x1x6x16xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @yield_elsewhere(%x: f32) {
  // expected-error@+1 {{'tpp.yield' op expects parent op to be one of 'tpp.gemm, tpp.brgemm, tpp.group'}}
  tpp.yield %x : f32
}

// -----

func.func @blocks_without_panels(%a: tensor<4x40xf32>, %b: tensor<2x2x768xi8>, %c: tensor<4x33xf32>) {
  // expected-error@+1 {{blockwise-quantized weights need panels of 32 columns without a VNNI factor, one reduction dimension, and sums in any order}}
  %r = tpp.gemm ins(%a, %b : tensor<4x40xf32>, tensor<2x2x768xi8>) outs(%c : tensor<4x33xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [],
      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x33xf32>
  return
}

// -----

func.func @blocks_in_other_panels(%a: tensor<4x40xf32>, %b: tensor<3x2x384xi8>, %c: tensor<4x33xf32>) {
  // expected-error@+1 {{blockwise-quantized weights need panels of 32 columns without a VNNI factor, one reduction dimension, and sums in any order}}
  %r = tpp.gemm ins(%a, %b : tensor<4x40xf32>, tensor<3x2x384xi8>) outs(%c : tensor<4x33xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64,
      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x33xf32>
  return
}

// -----

func.func @sequential_blocks(%a: tensor<4x40xf32>, %b: tensor<2x2x768xi8>, %c: tensor<4x33xf32>) {
  // expected-error@+1 {{blockwise-quantized weights need panels of 32 columns without a VNNI factor, one reduction dimension, and sums in any order}}
  %r = tpp.gemm ins(%a, %b : tensor<4x40xf32>, tensor<2x2x768xi8>) outs(%c : tensor<4x33xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32 : i64, strict_order,
      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x33xf32>
  return
}

// -----

func.func @blocks_of_floats(%a: tensor<4x40xf32>, %b: tensor<2x2x768xf32>, %c: tensor<4x33xf32>) {
  // expected-error@+1 {{blockwise-quantized weights are bytes, found 'f32'}}
  %r = tpp.gemm ins(%a, %b : tensor<4x40xf32>, tensor<2x2x768xf32>) outs(%c : tensor<4x33xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32 : i64,
      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x33xf32>
  return
}

// -----

func.func @too_few_blocks(%a: tensor<4x40xf32>, %b: tensor<2x1x768xi8>, %c: tensor<4x33xf32>) {
  // expected-error@+1 {{packed B must end in 2x2x768, found}}
  %r = tpp.gemm ins(%a, %b : tensor<4x40xf32>, tensor<2x1x768xi8>) outs(%c : tensor<4x33xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32 : i64,
      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x33xf32>
  return
}
