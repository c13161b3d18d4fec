// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-assign-memories))" --split-input-file --verify-diagnostics

func.func @partial_pack(%a: tensor<30x32xi32>, %out: tensor<1x8x4x4x8xi32>) -> tensor<1x8x4x4x8xi32> {
  %zero = arith.constant 0 : i32
  %r = scf.forall (%i) in (1) shared_outs(%o = %out) -> (tensor<1x8x4x4x8xi32>) {
    %l1 = tensor.empty() : tensor<8x4x4x8xi32>
    // expected-error@+1 {{a pack between memories needs tiles that divide its source; pad it first}}
    %p = linalg.pack %a padding_value(%zero : i32) inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %l1 : tensor<30x32xi32> -> tensor<8x4x4x8xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0, 0, 0, 0] [1, 8, 4, 4, 8] [1, 1, 1, 1, 1] : tensor<8x4x4x8xi32> into tensor<1x8x4x4x8xi32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %r : tensor<1x8x4x4x8xi32>
}

// -----

func.func @partial_unpack(%p: tensor<8x4x4x8xi32>, %out: tensor<30x32xi32>) -> tensor<30x32xi32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %out) -> (tensor<30x32xi32>) {
    %e = tensor.empty() : tensor<30x32xi32>
    // expected-error@+1 {{an unpack between memories needs tiles that divide its result}}
    %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<8x4x4x8xi32> -> tensor<30x32xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i, 0] [30, 32] [1, 1] : tensor<30x32xi32> into tensor<30x32xi32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<30x32xi32>
}
