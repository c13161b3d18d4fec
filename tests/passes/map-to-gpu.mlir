// Operations become kernels: products, rows, points, transpositions and copies; views are part of addresses.
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
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
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
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
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

// A row of more elements than registers hold: a loop for each sum, and one for the results. The differences are in no memory.
// CHECK-LABEL: func.func @long
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.launch_func @kernels::@long_step {{.*}} args(%{{.*}} : memref<80000xf32>, %{{.*}} : memref<80000xf32>)
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func @long_step(%[[X:.*]]: memref<80000xf32>, %[[Y:.*]]: memref<80000xf32>)
// CHECK:         scf.for %{{.*}} = %c0 to %c16384 step %c4096 iter_args
// CHECK:           memref.load %[[X]]
// CHECK:           arith.addf
// CHECK:         gpu.barrier
// CHECK:         scf.for %{{.*}} = %c0 to %c16384 step %c4096
// CHECK:           memref.load %[[X]]
// CHECK:           arith.subf
// CHECK:           math.exp
// CHECK:           memref.store %{{.*}}, %[[Y]]
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @long(%x: memref<4x20000xf32>, %y: memref<4x20000xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<4xf32>
  %less = memref.alloc() : memref<4x20000xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%sum : memref<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x20000xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %o, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<4x20000xf32>, memref<4xf32>) outs(%less : memref<4x20000xf32>) {
  ^bb0(%in: f32, %s: f32, %o: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%less : memref<4x20000xf32>) outs(%y : memref<4x20000xf32>) {
  ^bb0(%in: f32, %o: f32):
    %d = math.exp %in : f32
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
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
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

// What is read along columns goes through shared memory, tile by tile: neighbours of the source are read by neighbours, then those of
// the result written. The other operand is read where it is used. No tile divides the sizes.
// CHECK-LABEL: func.func @turned
// CHECK:         gpu.launch_func @kernels::@turned_step {{.*}} args(%{{.*}} : memref<4012000xf32>, %{{.*}} : memref<4012000xf32>, %{{.*}} : memref<4012000xf32>)
// CHECK:       gpu.func @turned_step(%[[X:.*]]: memref<4012000xf32>, %[[R:.*]]: memref<4012000xf32>, %[[Y:.*]]: memref<4012000xf32>) kernel
// CHECK:         %[[TILE:.*]] = memref.alloc() : memref<{{.*}}xf32, #gpu.address_space<workgroup>>
// CHECK:         memref.load %[[X]]
// CHECK:         memref.store %{{.*}}, %[[TILE]]
// CHECK-NOT:     memref.load
// CHECK:         gpu.barrier
// CHECK-NOT:     memref.load %[[X]]
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-DAG:         memref.load %[[TILE]]
// CHECK-DAG:         memref.load %[[R]]
// CHECK:             arith.addf
// CHECK:             memref.store %{{.*}}, %[[Y]]
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @turned(%x: memref<2006x2000xf32>, %r: memref<2000x2006xf32>, %y: memref<2000x2006xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : memref<2006x2000xf32>, memref<2000x2006xf32>) outs(%y : memref<2000x2006xf32>) {
  ^bb0(%in: f32, %other: f32, %o: f32):
    %s = arith.addf %in, %other : f32
    linalg.yield %s : f32
  }
  return
}
}

// -----

// Rows that are read whole, in another order, need no tile.
// CHECK-LABEL: func.func @heads
// CHECK:       gpu.func @heads_step
// CHECK-NOT:     memref.alloc
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @heads(%x: memref<128x12x64xf32>, %y: memref<12x128x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(h, s, e) -> (s, h, e)>, affine_map<(h, s, e) -> (h, s, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<128x12x64xf32>) outs(%y : memref<12x128x64xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
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
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @copy(%x: memref<24x20xf32>, %y: memref<6x4xf32>) {
  %v = memref.subview %x[2, 4] [6, 4] [3, 2] : memref<24x20xf32> to memref<6x4xf32, strided<[60, 2], offset: 44>>
  memref.copy %v, %y : memref<6x4xf32, strided<[60, 2], offset: 44>> to memref<6x4xf32>
  return
}
}

// -----

// Sums of sums: a thread for each of what is beside the axis, which goes along it. What the loop allocates is a buffer for all.
// CHECK-LABEL: func.func @sequence
// CHECK:         memref.alloc() : memref<3x7xf32>
// CHECK:         gpu.launch_func @kernels::@sequence_step blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
// CHECK:       gpu.func @sequence_step
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK:             arith.addf
// CHECK:       gpu.return
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @sequence(%x: memref<3x5x7xf32>, %y: memref<3x5x7xf32>, %sum: memref<3x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %from = memref.subview %x[0, %i, 0] [3, 1, 7] [1, 1, 1] : memref<3x5x7xf32> to memref<3x7xf32, strided<[35, 1], offset: ?>>
    %next = memref.alloc() : memref<3x7xf32>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%from, %sum : memref<3x7xf32, strided<[35, 1], offset: ?>>, memref<3x7xf32>) outs(%next : memref<3x7xf32>) {
    ^bb0(%in: f32, %s: f32, %o: f32):
      %r = arith.addf %s, %in : f32
      linalg.yield %r : f32
    }
    %to = memref.subview %y[0, %i, 0] [3, 1, 7] [1, 1, 1] : memref<3x5x7xf32> to memref<3x7xf32, strided<[35, 1], offset: ?>>
    memref.copy %next, %to : memref<3x7xf32> to memref<3x7xf32, strided<[35, 1], offset: ?>>
    memref.copy %next, %sum : memref<3x7xf32> to memref<3x7xf32>
  } loc("step")
  return
}
}

// -----

// Elements that go where the data say: a thread for each of the last dimension's, which makes all updates in their order. Each has
// its own buffer of what is in between.
// CHECK-LABEL: func.func @scatter
// CHECK:         memref.alloc() : memref<6xf32>
// CHECK:         gpu.launch_func @kernels::@scatter_step blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
// CHECK:       gpu.func @scatter_step
// CHECK:           scf.for %{{.*}} = %c0 to %c4 step
// CHECK-NOT:         scf.for
// CHECK:             arith.index_cast
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @scatter(%at: memref<4x6xi32>, %u: memref<4x6xf32>, %y: memref<5x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %n = memref.load %at[%i, %j] : memref<4x6xi32>
      %k = arith.index_cast %n : i32 to index
      %old = memref.subview %y[%k, %j] [1, 1] [1, 1] : memref<5x7xf32> to memref<f32, strided<[], offset: ?>>
      %t = memref.alloc() : memref<f32>
      memref.copy %old, %t : memref<f32, strided<[], offset: ?>> to memref<f32>
      %v = memref.load %u[%i, %j] : memref<4x6xf32>
      %b = memref.load %t[] : memref<f32>
      %s = arith.addf %b, %v : f32
      memref.store %s, %y[%k, %j] : memref<5x7xf32>
    }
  } loc("step")
  return
}
}

// -----

// No loop is of threads: rows depend on the one before, columns on the one beside them. One thread does all.
// CHECK-LABEL: func.func @one_thread
// CHECK:         gpu.launch_func @kernels::@one_thread_step
// CHECK:       gpu.func @one_thread_step
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step
// CHECK:           scf.for %{{.*}} = %c0 to %c6 step
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @one_thread(%x: memref<5x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %i1 = arith.addi %i, %c1 : index
      %j1 = arith.addi %j, %c1 : index
      %v = memref.load %x[%i1, %j] : memref<5x7xf32>
      memref.store %v, %x[%i, %j1] : memref<5x7xf32>
    }
  } loc("step")
  return
}
}

// -----

// A scalar between operations is computed again in each of them; what it says the place of becomes a sequence.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT:     memref.load
// CHECK:         gpu.launch_func @kernels::@scalars_use
// CHECK-NOT:     memref.load
// CHECK:         gpu.launch_func @kernels::@scalars_place
// CHECK-NOT:     memref.load
// CHECK:         return
module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 49152, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 1024, threads_of_core = 2048}} {
func.func @scalars(%p: memref<f32>, %n: memref<1xi32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.mulf %in, %v : f32
    linalg.yield %s : f32
  } loc("use")
  %m = memref.load %n[%c0] : memref<1xi32> loc("place")
  %k = arith.index_cast %m : i32 to index loc("place")
  %to = memref.subview %y[%k] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  %from = memref.subview %x[0] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1]>>
  memref.copy %from, %to : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1], offset: ?>>
  return
}
}
