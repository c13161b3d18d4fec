// What has no form for graphics cards is an error at its place, all at once.
// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-map-to-gpu

// expected-error@+1 {{expected kgen.gpu, the figures of a graphics card, on the module}}
module {
func.func @none() {
  return
}
}

// -----

module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @all(%x: memref<?xf32>, %y: memref<?xf32>, %a: memref<8x8xf32>, %s: memref<8x8xf32>) {
  // expected-error@+1 {{has sizes that are known at run time only: it has no form for graphics cards}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  }
  // expected-error@+1 {{copies what has sizes that are known at run time only: it has no form for graphics cards}}
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{computes one element after another (scf.for): it has no form for graphics cards}}
  scf.for %k = %c0 to %c8 step %c1 {
    tpp.gemm ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%s : memref<8x8xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
  }
  %many = arith.constant 4194305 : index
  // expected-error@+1 {{computes 8388610 steps one after another, at most 4194304 are possible: it has no form for graphics cards}}
  scf.for %k = %c0 to %many step %c1 {
    %v = memref.load %a[%c0, %c0] : memref<8x8xf32>
    memref.store %v, %s[%c0, %c0] : memref<8x8xf32>
  }
  return
}
}

// -----

module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @integers(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi32>) {
  // expected-error@+1 {{is of integers, which products on graphics cards are not made of yet: it has no form for graphics cards}}
  tpp.gemm ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  }
  return
}
}
