// Kernels of the tests for Vulkan: GpuLibrary.cpp makes a SPIR-V module of each.
#storage = #spirv.storage_class<StorageBuffer>
#workgroup = #spirv.storage_class<Workgroup>

module attributes {gpu.container_module, spirv.target_env = #spirv.target_env<#spirv.vce<v1.3,
    [Shader, Float16, Int8, Int16, StorageBuffer16BitAccess, StorageBuffer8BitAccess],
    [SPV_KHR_storage_buffer_storage_class, SPV_KHR_16bit_storage, SPV_KHR_8bit_storage]>, #spirv.resource_limits<>>} {
  // A block makes a row, a thread a number of it.
  gpu.module @product {
    gpu.func @product(%a: memref<5x7xf32, #storage>, %w: memref<7x6xf32, #storage>, %out: memref<5x6xf32, #storage>) kernel
        attributes {known_block_size = array<i32: 6, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [6, 1, 1]>} {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %c7 step %c1 iter_args(%s = %zero) -> f32 {
        %x = memref.load %a[%i, %k] : memref<5x7xf32, #storage>
        %y = memref.load %w[%k, %j] : memref<7x6xf32, #storage>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      memref.store %sum, %out[%i, %j] : memref<5x6xf32, #storage>
      gpu.return
    }
  }
  // A bias and a limit, on blocks and threads of two dimensions.
  gpu.module @finish {
    gpu.func @finish(%t: memref<5x6xf32, #storage>, %b: memref<6xf32, #storage>, %y: memref<5x6xf32, #storage>) kernel
        attributes {known_block_size = array<i32: 2, 3, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [2, 3, 1]>} {
      %i = gpu.block_id y
      %x = gpu.thread_id x
      %y0 = gpu.thread_id y
      %c3 = arith.constant 3 : index
      %j0 = arith.muli %x, %c3 : index
      %j = arith.addi %j0, %y0 : index
      %zero = arith.constant 0.0 : f32
      %v = memref.load %t[%i, %j] : memref<5x6xf32, #storage>
      %u = memref.load %b[%j] : memref<6xf32, #storage>
      %s = arith.addf %v, %u : f32
      %r = arith.maximumf %s, %zero : f32
      memref.store %r, %y[%i, %j] : memref<5x6xf32, #storage>
      gpu.return
    }
  }
  // The last block has threads without work.
  gpu.module @add {
    gpu.func @add(%x: memref<1000xf32, #storage>, %z: memref<1000xf32, #storage>, %out: memref<1000xf32, #storage>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>} {
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %c64 = arith.constant 64 : index
      %c1000 = arith.constant 1000 : index
      %first = arith.muli %block, %c64 : index
      %i = arith.addi %first, %thread : index
      %is_inside = arith.cmpi ult, %i, %c1000 : index
      scf.if %is_inside {
        %a = memref.load %x[%i] : memref<1000xf32, #storage>
        %b = memref.load %z[%i] : memref<1000xf32, #storage>
        %s = arith.addf %a, %b : f32
        memref.store %s, %out[%i] : memref<1000xf32, #storage>
      }
      gpu.return
    }
  }
  // Each block reverses its numbers through shared memory.
  gpu.module @reverse {
    gpu.func @reverse(%x: memref<1000xf32, #storage>, %out: memref<1000xf32, #storage>) kernel
        attributes {known_block_size = array<i32: 50, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [50, 1, 1]>} {
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %c50 = arith.constant 50 : index
      %c49 = arith.constant 49 : index
      %shared = memref.alloc() : memref<50xf32, #workgroup>
      %first = arith.muli %block, %c50 : index
      %i = arith.addi %first, %thread : index
      %v = memref.load %x[%i] : memref<1000xf32, #storage>
      memref.store %v, %shared[%thread] : memref<50xf32, #workgroup>
      gpu.barrier
      %other = arith.subi %c49, %thread : index
      %u = memref.load %shared[%other] : memref<50xf32, #workgroup>
      memref.store %u, %out[%i] : memref<1000xf32, #storage>
      gpu.return
    }
  }
  // Buffers of 16 bits, and arithmetic on f16.
  gpu.module @halve {
    gpu.func @halve(%h: memref<64xf16, #storage>, %out: memref<64xf16, #storage>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>} {
      %i = gpu.thread_id x
      %half = arith.constant 0.5 : f16
      %v = memref.load %h[%i] : memref<64xf16, #storage>
      %r = arith.mulf %v, %half : f16
      memref.store %r, %out[%i] : memref<64xf16, #storage>
      gpu.return
    }
  }
  // Buffers of 8 bits, and arithmetic on i8.
  gpu.module @next {
    gpu.func @next(%n: memref<64xi8, #storage>, %out: memref<64xi8, #storage>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>} {
      %i = gpu.thread_id x
      %one = arith.constant 1 : i8
      %v = memref.load %n[%i] : memref<64xi8, #storage>
      %r = arith.addi %v, %one : i8
      memref.store %r, %out[%i] : memref<64xi8, #storage>
      gpu.return
    }
  }
  // A weight of five megabytes, which is copied in pieces.
  gpu.module @sample {
    gpu.func @sample(%big: memref<1310720xf32, #storage>, %out: memref<1310xf32, #storage>) kernel
        attributes {known_block_size = array<i32: 10, 1, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [10, 1, 1]>} {
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %c10 = arith.constant 10 : index
      %c1000 = arith.constant 1000 : index
      %c7 = arith.constant 7 : index
      %first = arith.muli %block, %c10 : index
      %i = arith.addi %first, %thread : index
      %thousand = arith.muli %i, %c1000 : index
      %at = arith.addi %thousand, %c7 : index
      %v = memref.load %big[%at] : memref<1310720xf32, #storage>
      memref.store %v, %out[%i] : memref<1310xf32, #storage>
      gpu.return
    }
  }
}
