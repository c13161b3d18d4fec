// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @dynamic(%x: memref<?x8xf32>) {
  // expected-error@+1 {{the destination must have a static shape of integers or floats}}
  tpp.relu ins(%x : memref<?x8xf32>) outs(%x : memref<?x8xf32>)
  return
}

// -----

func.func @no_result(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has a result of the destination's type if that is a tensor, and none if it is a memref}}
  tpp.relu ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
  return
}

// -----

func.func @mixed(%x: tensor<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  tpp.relu ins(%x : tensor<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

// -----

func.func @arity(%x: memref<4x8xf32>) {
  // expected-error@+1 {{takes 2 inputs, found 1}}
  tpp.add ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>)
  return
}

// -----

func.func @map_count(%x: memref<4x8xf32>) {
  // expected-error@+1 {{needs one map per input, found 1}}
  tpp.add ins(%x, %x : memref<4x8xf32>, memref<4x8xf32>) outs(%x : memref<4x8xf32>) {maps = [affine_map<(i, j) -> (i, j)>]}
  return
}

// -----

func.func @map_form(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{the map of input 0 must be a projected permutation of 2 dimensions}}
  tpp.relu ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {maps = [affine_map<(i, j) -> (i, j + 1)>]}
  return
}

// -----

func.func @map_rank(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{the map of input 0 must be a projected permutation of 2 dimensions}}
  tpp.relu ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {maps = [affine_map<(i) -> (i)>]}
  return
}

// -----

func.func @shape(%x: memref<4xf32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{input 0 is 'memref<4xf32>', which is not what its map makes of the destination}}
  tpp.relu ins(%x : memref<4xf32>) outs(%y : memref<4x8xf32>) {maps = [affine_map<(i, j) -> (j)>]}
  return
}

// -----

func.func @in_place(%x: memref<4x4xf32>) {
  // expected-error@+1 {{input 0 is the destination, but not read at the element that is written}}
  tpp.relu ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>) {maps = [affine_map<(i, j) -> (j, i)>]}
  return
}

// -----

func.func @cannot_make(%x: memref<4x8xi32>, %y: memref<4x8xf32>) {
  // expected-error@+1 {{cannot make 'f32' of 'i32'}}
  tpp.neg ins(%x : memref<4x8xi32>) outs(%y : memref<4x8xf32>)
  return
}

// -----

func.func @float_to_integer(%x: memref<4x8xf32>, %y: memref<4x8xi32>) {
  // expected-error@+1 {{cannot make 'i32' of 'f32'}}
  tpp.identity ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xi32>)
  return
}

// -----

func.func @integers(%x: memref<4x8xi32>) {
  // expected-error@+1 {{is not defined for 'i32'}}
  tpp.exp ins(%x : memref<4x8xi32>) outs(%x : memref<4x8xi32>)
  return
}

// -----

func.func @reduce_static(%x: memref<?x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{needs static shapes of integers or floats}}
  tpp.reduce add ins(%x : memref<?x8xf32>) outs(%y : memref<8xf32>) {dimensions = array<i64: 0>}
  return
}

// -----

func.func @reduce_mixed(%x: tensor<4x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  tpp.reduce add ins(%x : tensor<4x8xf32>) outs(%y : memref<8xf32>) {dimensions = array<i64: 0>}
  return
}

// -----

func.func @reduce_result(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{has a result of the destination's type if that is a tensor, and none if it is a memref}}
  tpp.reduce add ins(%x : tensor<4x8xf32>) outs(%y : tensor<8xf32>) {dimensions = array<i64: 0>}
  return
}

// -----

func.func @transpose_in_place(%x: memref<4x4xf32>) {
  // expected-error@+1 {{cannot work in place}}
  tpp.transpose ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>) {permutation = array<i64: 1, 0>}
  return
}

// -----

func.func @reduce_dimensions(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{dimensions must be some of the input's, in ascending order}}
  tpp.reduce add ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {dimensions = array<i64: 2>}
  return
}

// -----

func.func @reduce_twice(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{dimensions must be some of the input's, in ascending order}}
  tpp.reduce add ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {dimensions = array<i64: 0, 0>}
  return
}

// -----

func.func @reduce_type(%x: memref<4x8xf32>, %y: memref<8xbf16>) {
  // expected-error@+1 {{cannot combine 'f32' in 'bf16'}}
  tpp.reduce add ins(%x : memref<4x8xf32>) outs(%y : memref<8xbf16>) {dimensions = array<i64: 0>}
  return
}

// -----

func.func @reduce_shape(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{the destination must have the shape [4], found 'memref<8xf32>'}}
  tpp.reduce add ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {dimensions = array<i64: 1>}
  return
}

// -----

func.func @permutation(%x: memref<4x8xf32>, %y: memref<8x4xf32>) {
  // expected-error@+1 {{permutation must have each dimension of the input once}}
  tpp.transpose ins(%x : memref<4x8xf32>) outs(%y : memref<8x4xf32>) {permutation = array<i64: 1, 1>}
  return
}

// -----

func.func @transpose_type(%x: memref<4x8xf32>, %y: memref<8x4xf64>) {
  // expected-error@+1 {{does not convert elements}}
  tpp.transpose ins(%x : memref<4x8xf32>) outs(%y : memref<8x4xf64>) {permutation = array<i64: 1, 0>}
  return
}

// -----

func.func @vnni_factor(%x: memref<4x8xbf16>, %y: memref<2x8x2xbf16>) {
  // expected-error@+1 {{needs a positive factor}}
  tpp.vnni_pack ins(%x : memref<4x8xbf16>) outs(%y : memref<2x8x2xbf16>) {factor = 0 : i64}
  return
}

// -----

func.func @vnni_rank(%x: memref<8xbf16>, %y: memref<2x8x2xbf16>) {
  // expected-error@+1 {{packs matrices, found 'memref<8xbf16>'}}
  tpp.vnni_pack ins(%x : memref<8xbf16>) outs(%y : memref<2x8x2xbf16>) {factor = 2 : i64}
  return
}

// -----

func.func @vnni_shape(%x: memref<5x8xbf16>, %y: memref<2x8x2xbf16>) {
  // expected-error@+1 {{the destination must have the shape [3, 8, 2]}}
  tpp.vnni_pack ins(%x : memref<5x8xbf16>) outs(%y : memref<2x8x2xbf16>) {factor = 2 : i64}
  return
}

// -----

func.func @group_arguments(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error@+1 {{its block takes the inputs and the destination}}
  %r = tpp.group ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %u = tpp.relu ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @group_type(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error@+1 {{must yield a value of the destination's type}}
  %r = tpp.group ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %u = tpp.relu ins(%a : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x9xf32>
  return
}

// -----

func.func @group_destination(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error@+1 {{the yielded operation must write the group's destination}}
  %r = tpp.group ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %u = tpp.relu ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @group_foreign(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error@+1 {{'arith.addf' in a group is no contraction and not elementwise}}
  %r = tpp.group ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %s = arith.addf %a, %a : tensor<4x8xf32>
    %u = tpp.relu ins(%s : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @group_contractions(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) {
  // expected-error@+1 {{holds at most one contraction}}
  %r = tpp.group ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>, %out: tensor<4x4xf32>):
    %t = tensor.empty() : tensor<4x4xf32>
    %g = tpp.gemm ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%t : tensor<4x4xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x4xf32>
    %h = tpp.gemm ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%out : tensor<4x4xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x4xf32>
    tpp.yield %h : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return
}
