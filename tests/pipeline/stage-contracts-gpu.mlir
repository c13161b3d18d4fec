// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=gpu-kernels

module attributes {gpu.container_module} {
func.func @good(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [8], strides: [1] : memref<8xf32> to memref<8xf32>
  gpu.launch_func @kernels::@one blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%flat : memref<8xf32>)
  return
}
gpu.module @kernels {
  gpu.func @one(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<8xf32>
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
func.func @other_blocks(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{has other blocks than the kernel is made for, after the stage 'gpu-kernels'}}
  gpu.launch_func @kernels::@one blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
  return
}
gpu.module @kernels {
  gpu.func @one(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
func.func @unknown_blocks(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{launches a kernel whose blocks have no known size}}
  gpu.launch_func @kernels::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>)
  return
}
gpu.module @kernels {
  gpu.func @one(%x: memref<8xf32>) kernel {
    gpu.return
  }
}
}

// -----

func.func @computes(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{is computed outside of a kernel}}
  %v = memref.load %x[%c1] : memref<8xf32>
  return
}

// -----

func.func @left(%x: memref<8xf32>, %y: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  // expected-error@+1 {{is left}}
  linalg.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// expected-error@+1 {{has no size of its workspace (kgen.workspace)}}
func.func @workspace() {
  return
}
