// Barriers that not all threads reach, stores to one place, alignments that nothing shows, and kernels
// that no card has room for.
// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-gpu-kernels

gpu.module @kernels {
  gpu.func @uniform(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %first = arith.cmpi eq, %b, %c0 : index
    scf.for %i = %c0 to %n step %c1 {
      scf.if %first {
        gpu.barrier
      }
    }
    gpu.return
  }
  gpu.func @branch() kernel {
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    %twice = arith.addi %t, %t : index
    %some = arith.cmpi ult, %twice, %c7 : index
    scf.if %some {
      // expected-error@+1 {{not all threads of a block reach the barrier}}
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @loop() kernel {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %c7 step %c1 {
      // expected-error@+1 {{not all threads of a block reach the barrier}}
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @carried() kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %c0) -> index {
      %more = arith.cmpi ult, %x, %c7 : index
      scf.if %more {
        // expected-error@+1 {{not all threads of a block reach the barrier}}
        gpu.barrier
      }
      %y = arith.addi %x, %t : index
      scf.yield %y : index
    }
    gpu.return
  }
  gpu.func @twice_carried() kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %c0, %d = %c0) -> (index, index) {
      %double = arith.addi %x, %x : index
      %known = arith.cmpi ult, %x, %c7 : index
      scf.if %known {
        // expected-error@+1 {{not all threads of a block reach the barrier}}
        gpu.barrier
      }
      %more = arith.cmpi ult, %double, %c7 : index
      scf.if %more {
        // expected-error@+1 {{not all threads of a block reach the barrier}}
        gpu.barrier
      }
      %y = arith.addi %double, %t : index
      scf.yield %y, %double : index, index
    }
    gpu.return
  }
  gpu.func @while() kernel {
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    %r = scf.while (%x = %t) : (index) -> index {
      %again = arith.cmpi ult, %x, %c7 : index
      scf.condition(%again) %x : index
    } do {
    ^bb0(%x: index):
      %more = arith.cmpi ult, %x, %c7 : index
      scf.if %more {
        // expected-error@+1 {{not all threads of a block reach the barrier}}
        gpu.barrier
      }
      scf.yield %x : index
    }
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
func.func @launches(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@good blocks in (%c2, %c1, %c1) threads in (%c8, %c2, %c1) args(%x : memref<64xf32>)
  gpu.launch_func @kernels::@threads blocks in (%c1, %c1, %c1) threads in (%c8, %c2, %c1) args(%x : memref<64xf32>)
  gpu.launch_func @kernels::@blocks blocks in (%c2, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<64xf32>)
  gpu.launch_func @kernels::@aligned blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<64xf32>)
  return
}
gpu.module @kernels {
  gpu.func @good(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 2, 1>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %u = gpu.thread_id y
    %first = arith.cmpi eq, %u, %c0 : index
    %row = arith.muli %b, %c8 : index
    %i = arith.addi %row, %t : index
    scf.if %first {
      memref.store %zero, %x[%i] : memref<64xf32>
    }
    gpu.return
  }
  gpu.func @threads(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 2, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    // expected-error@+1 {{several threads store to one place}}
    memref.store %zero, %x[%t] : memref<64xf32>
    gpu.return
  }
  gpu.func @blocks(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %s = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %zero, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    // expected-error@+1 {{several blocks store to one place}}
    memref.store %zero, %x[%t] : memref<64xf32>
    gpu.return
  }
  gpu.func @aligned(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %fours = arith.muli %t, %c4 : index
    %within = arith.remui %fours, %c8 : index
    %good = vector.load %x[%within] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    %next = arith.addi %fours, %c5 : index
    // expected-error@+1 {{an alignment of 16 bytes does not follow from the index}}
    %bad = vector.load %x[%next] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}
}

// -----

module attributes {kgen.gpu = {blocks_of_core = 32, bytes_per_cycle = 1024.0, cores = 64, multiply_adds_per_cycle = 64.0, registers = 255, registers_of_core = 65536, shared_bytes = 1024, shared_bytes_of_core = 131072, shared_bytes_per_cycle = 128.0, subgroup = 32, threads_of_block = 256, threads_of_core = 2048}} {
gpu.module @kernels {
  // expected-error@+1 {{a block has 512 threads and 2048 bytes of shared memory, more than 256 threads or 1024 bytes}}
  gpu.func @large() kernel attributes {known_block_size = array<i32: 32, 16, 1>} {
    %a = memref.alloc() : memref<512xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @heap() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{a kernel allocates memory that is not shared by its block}}
    %a = memref.alloc() : memref<512xf32>
    gpu.return
  }
}
}
