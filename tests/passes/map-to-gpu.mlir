// Operations become kernels: products, rows, points and copies; views are part of addresses.
// RUN: kgen-opt "%s" --split-input-file --kgen-map-to-gpu --canonicalize --cse | FileCheck "%s"

// A product with an epilogue, whose sizes no tile divides: what is beyond is read as zero and not written.
// CHECK-LABEL: func.func @product
// CHECK:         gpu.launch_func @kernels::@product_m
// CHECK-NOT:     tpp.gemm
// CHECK:       gpu.func @product_m(%[[A:.*]]: memref<15617xf32>, %[[B:.*]]: memref<21091xf32>, %[[C:.*]]: memref<12707xf32>, %[[BIAS:.*]]: memref<131xf32>) kernel
// CHECK-DAG:     memref.alloc() : memref<{{.*}}xf32, #gpu.address_space<workgroup>>
// CHECK:         memref.load %[[A]]
// CHECK:         arith.select
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[A]]
// CHECK:           scf.for
// CHECK:             math.fma
// CHECK:           gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.load %[[BIAS]]
// CHECK:           arith.maximumf
// CHECK:           memref.store %{{.*}}, %[[C]]
module attributes {kgen.gpu = {bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @product(%a: memref<97x161xf32>, %b: memref<161x131xf32>, %bias: memref<131xf32>, %c: memref<97x131xf32>) {
  tpp.gemm ins(%a, %b : memref<97x161xf32>, memref<161x131xf32>) epilogue_ins(%bias : memref<131xf32>) outs(%c : memref<97x131xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
  ^bb0(%acc: f32, %x: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %acc, %x : f32
    %r = arith.maximumf %s, %zero : f32
    tpp.yield %r : f32
  } loc("m")
  return
}
}

// -----

// A sum and what follows it on the same rows are one kernel; what nothing else reads is in no memory, and the start is no launch.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.launch_func @kernels::@rows_step {{.*}} args(%{{.*}} : memref<61000xf32>, %{{.*}} : memref<61000xf32>)
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func @rows_step
// CHECK:         memref.load
// CHECK:         gpu.barrier
// CHECK:         arith.divf
// CHECK:         memref.store
module attributes {kgen.gpu = {bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @rows(%x: memref<61x1000xf32>, %y: memref<61x1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<61xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%sum : memref<61xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<61x1000xf32>) outs(%sum : memref<61xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %o, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<61x1000xf32>, memref<61xf32>) outs(%y : memref<61x1000xf32>) {
  ^bb0(%in: f32, %s: f32, %o: f32):
    %d = arith.divf %in, %s : f32
    linalg.yield %d : f32
  }
  return
}
}

// -----

// A sum that is read later stays in memory, and rows that are read in another order are not part of the chain.
// CHECK-LABEL: func.func @apart
// CHECK:         gpu.launch_func @kernels::@apart_step
// CHECK:         gpu.launch_func @kernels::@apart_step_1
module attributes {kgen.gpu = {bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @apart(%x: memref<32x64xf32>, %sum: memref<32xf32>, %y: memref<64x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<32x64xf32>) outs(%sum : memref<32xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %o, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<32x64xf32>, memref<32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%in: f32, %s: f32, %o: f32):
    %d = arith.divf %in, %s : f32
    linalg.yield %d : f32
  }
  return
}
}

// -----

// A copy of a slice is a kernel on whole buffers; its offset and strides are numbers in addresses.
// CHECK-LABEL: func.func @copy
// CHECK:         gpu.launch_func @kernels::@copy_step {{.*}} args(%{{.*}} : memref<480xf32>, %{{.*}} : memref<24xf32>)
// CHECK:       gpu.func @copy_step
// CHECK-DAG:     arith.constant 44 : index
module attributes {kgen.gpu = {bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @copy(%x: memref<24x20xf32>, %y: memref<6x4xf32>) {
  %v = memref.subview %x[2, 4] [6, 4] [3, 2] : memref<24x20xf32> to memref<6x4xf32, strided<[60, 2], offset: 44>>
  memref.copy %v, %y : memref<6x4xf32, strided<[60, 2], offset: 44>> to memref<6x4xf32>
  return
}
}
