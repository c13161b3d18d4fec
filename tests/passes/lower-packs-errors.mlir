// RUN: kgen-opt "%s" --kgen-lower-packs --split-input-file --verify-diagnostics

func.func @tile_of_unknown_size(%b: tensor<6x32xf32>, %e: tensor<?x6x?xf32>, %w: index) -> tensor<?x6x?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{only packs and unpacks of static size can be lowered}}
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [%w] into %e
      : tensor<6x32xf32> -> tensor<?x6x?xf32>
  return %p : tensor<?x6x?xf32>
}

// -----

func.func @unpack_to_unknown_size(%b: tensor<2x2x4x16xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-error@+1 {{only packs and unpacks of static size can be lowered}}
  %p = linalg.unpack %b inner_dims_pos = [0, 1] inner_tiles = [4, 16] into %e : tensor<2x2x4x16xf32> -> tensor<?x32xf32>
  return %p : tensor<?x32xf32>
}
