// Kernels of the same code become one, whatever their names; others stay.
// RUN: kgen-opt "%s" --kgen-map-to-gpu --canonicalize --cse --kgen-merge-kernels | FileCheck "%s"

// CHECK:       gpu.launch_func @kernels::@twice_step blocks
// CHECK:       gpu.launch_func @kernels::@twice_step blocks
// CHECK:       gpu.launch_func @kernels::@twice_step_2 blocks
// CHECK-COUNT-2: gpu.func
// CHECK-NOT:   gpu.func
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @twice(%x: memref<32xf32>, %y: memref<32xf32>, %z: memref<32xf32>, %w: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%in: f32, %o: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : memref<32xf32>) outs(%z : memref<32xf32>) {
  ^bb0(%in: f32, %o: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%z : memref<32xf32>) outs(%w : memref<32xf32>) {
  ^bb0(%in: f32, %o: f32):
    %n = arith.addf %in, %in : f32
    linalg.yield %n : f32
  }
  return
}
}
