// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --mlir-print-op-generic | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --emit-bytecode | kgen-opt | FileCheck "%s"

// CHECK:      module attributes {kgen.target = #kgen.target<name = "x86-64-v3", triple = "x86_64-unknown-linux-gnu",
// CHECK-SAME:   features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
// CHECK-SAME:   gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64}}>}
module attributes {kgen.target = #kgen.target<name = "x86-64-v3", triple = "x86_64-unknown-linux-gnu",
    features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64}}>} {
  // CHECK-LABEL: func.func @gelu
  func.func @gelu(%s: f64, %v: vector<16xf32>, %t: tensor<?x4xf32>) -> (f64, vector<16xf32>, tensor<?x4xf32>) {
    // CHECK: kgen.gelu %{{.*}} : f64
    %0 = kgen.gelu %s : f64
    // CHECK: kgen.gelu %{{.*}} : vector<16xf32>
    %1 = kgen.gelu %v : vector<16xf32>
    // CHECK: kgen.gelu %{{.*}} : tensor<?x4xf32>
    %2 = kgen.gelu %t : tensor<?x4xf32>
    return %0, %1, %2 : f64, vector<16xf32>, tensor<?x4xf32>
  }

  // CHECK-LABEL: func.func @lowering_config
  func.func @lowering_config(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    // CHECK: linalg.exp {lowering_config = #kgen.lowering_config<distribution = [2, 0], cache = [1, 0], vector = [1, 8], unroll = 0,
    // CHECK-SAME: non_temporal = false, strategy = "rows", provider = "vector", layout = {rhs = "packed"}>}
    %0 = linalg.exp {lowering_config = #kgen.lowering_config<strategy = "rows", distribution = [2, 0], cache = [1, 0], vector = [1, 8],
      non_temporal = false, unroll = 0, provider = "vector", layout = {rhs = "packed"}>} ins(%t : tensor<4x8xf32>) outs(%u : tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: linalg.exp {lowering_config = #kgen.lowering_config<distribution = [0, 0]>}
    %1 = linalg.exp {lowering_config = #kgen.lowering_config<distribution = [0, 0]>} ins(%t : tensor<4x8xf32>) outs(%u : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // CHECK-LABEL: func.func @sigmoid
  func.func @sigmoid(%s: f64, %v: vector<16xf32>, %t: tensor<?x4xf32>) -> (f64, vector<16xf32>, tensor<?x4xf32>) {
    // CHECK: kgen.sigmoid %{{.*}} : f64
    %0 = kgen.sigmoid %s : f64
    // CHECK: kgen.sigmoid %{{.*}} : vector<16xf32>
    %1 = kgen.sigmoid %v : vector<16xf32>
    // CHECK: kgen.sigmoid %{{.*}} : tensor<?x4xf32>
    %2 = kgen.sigmoid %t : tensor<?x4xf32>
    return %0, %1, %2 : f64, vector<16xf32>, tensor<?x4xf32>
  }

  // CHECK-LABEL: func.func @sigmoid_product
  func.func @sigmoid_product(%s: f64, %v: vector<16xf32>, %t: tensor<?x4xf32>) -> (f64, vector<16xf32>, tensor<?x4xf32>) {
    // CHECK: kgen.sigmoid_product %{{.*}}, %{{.*}} : f64
    %0 = kgen.sigmoid_product %s, %s : f64
    // CHECK: kgen.sigmoid_product %{{.*}}, %{{.*}} : vector<16xf32>
    %1 = kgen.sigmoid_product %v, %v : vector<16xf32>
    // CHECK: kgen.sigmoid_product %{{.*}}, %{{.*}} : tensor<?x4xf32>
    %2 = kgen.sigmoid_product %t, %t : tensor<?x4xf32>
    return %0, %1, %2 : f64, vector<16xf32>, tensor<?x4xf32>
  }

  // CHECK-LABEL: func.func @permute
  func.func @permute(%v: vector<8xf32>, %w: vector<32xf32>, %p: vector<8xi32>, %q: vector<16xi32>) -> (vector<8xf32>, vector<16xf32>) {
    // CHECK: kgen.dynamic_permute %{{.*}}, %{{.*}} : vector<8xf32>, vector<8xi32>
    %0 = kgen.dynamic_permute %v, %p : vector<8xf32>, vector<8xi32>
    // CHECK: kgen.dynamic_permute %{{.*}}, %{{.*}} : vector<32xf32>, vector<16xi32>
    %1 = kgen.dynamic_permute %w, %q : vector<32xf32>, vector<16xi32>
    return %0, %1 : vector<8xf32>, vector<16xf32>
  }

  // CHECK-LABEL: func.func @instructions
  func.func @instructions(%v: vector<32xi16>, %a: vector<32xbf16>, %sum: vector<16xf32>, %s: f64) -> (vector<32xi16>, vector<16xf32>, f64) {
    // CHECK: kgen.dynamic_permute %{{.*}}, %{{.*}} : vector<32xi16>, vector<32xi16>
    %0 = kgen.dynamic_permute %v, %v : vector<32xi16>, vector<32xi16>
    // CHECK: kgen.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<32xbf16>, vector<16xf32>
    %1 = kgen.dot %a, %a, %sum : vector<32xbf16>, vector<16xf32>
    // CHECK: kgen.pack %{{.*}}, %{{.*}} {is_unsigned} : vector<32xi16>
    %5 = kgen.pack %v, %v {is_unsigned} : vector<32xi16>
    // CHECK: kgen.exponent %{{.*}} : f64
    %2 = kgen.exponent %s : f64
    // CHECK: kgen.mantissa %{{.*}} : f64
    %3 = kgen.mantissa %2 : f64
    // CHECK: kgen.negative_magnitude_min<-5.500000e+00> %{{.*}} : f64
    %4 = kgen.negative_magnitude_min <-5.5> %3 : f64
    // CHECK: kgen.store_fence
    kgen.store_fence
    return %0, %1, %4 : vector<32xi16>, vector<16xf32>, f64
  }

  // CHECK-LABEL: func.func @exp_or_zero
  func.func @exp_or_zero(%s: f64, %v: vector<16xf32>) -> (f64, vector<16xf32>) {
    // CHECK: kgen.exp_or_zero<-7.000000e+02> %{{.*}} : f64
    %0 = kgen.exp_or_zero <-7.0e+02> %s : f64
    // CHECK: kgen.exp_or_zero<-8.000000e+01> %{{.*}} : vector<16xf32>
    %1 = kgen.exp_or_zero <-8.0e+01> %v : vector<16xf32>
    return %0, %1 : f64, vector<16xf32>
  }

  // The last block may be short; of 4 bits, an odd number of zero points fills a byte.
  // CHECK-LABEL: func.func @matmul_nbits
  func.func @matmul_nbits(%a: tensor<3x70xbf16>, %w: tensor<5x3x16xi8>, %s: tensor<5x3xf32>, %z: tensor<5x2xi8>) -> tensor<3x5xf32> {
    // CHECK: kgen.matmul_nbits %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {bits = 4 : i64, block = 32 : i64} : (tensor<3x70xbf16>, tensor<5x3x16xi8>, tensor<5x3xf32>, tensor<5x2xi8>) -> tensor<3x5xf32>
    %0 = kgen.matmul_nbits %a, %w, %s, %z {bits = 4 : i64, block = 32 : i64} : (tensor<3x70xbf16>, tensor<5x3x16xi8>, tensor<5x3xf32>, tensor<5x2xi8>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }

  // CHECK-LABEL: func.func @rows
  func.func @rows(%a: tensor<3x70xbf16>, %w: tensor<5x3x16xi8>, %s: tensor<5x3xf32>) -> (tensor<3x5xf32>, tensor<3x120xi8>) {
    // CHECK: kgen.matmul_nbits %{{.*}}, %{{.*}}, %{{.*}} {bits = 4 : i64, block = 32 : i64, row_scale_block = 64 : i64} :
    %0 = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64, row_scale_block = 64 : i64} : (tensor<3x70xbf16>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<3x5xf32>
    // CHECK: kgen.quantize_rows %{{.*}} {block = 32 : i64, scale_block = 64 : i64} : tensor<3x70xbf16> -> tensor<3x120xi8>
    %1 = kgen.quantize_rows %a {block = 32 : i64, scale_block = 64 : i64} : tensor<3x70xbf16> -> tensor<3x120xi8>
    return %0, %1 : tensor<3x5xf32>, tensor<3x120xi8>
  }

  // Pure: what nobody uses goes, and equal ones are one.
  // CHECK-LABEL: func.func @pure
  func.func @pure(%s: f32) -> f32 {
    %0 = kgen.gelu %s : f32
    return %0 : f32
  }
}

// Costs are optional; those that are not given have a default.
// CHECK: module attributes {kgen.target = #kgen.target<name = "costs",
// CHECK-SAME: gemm_tiles = {}, reciprocal_throughput = {dot_bf16 = 2.000000e+00 : f64}>}
module attributes {kgen.target = #kgen.target<name = "costs", triple = "x86_64-unknown-linux-gnu", features = "", tune = "",
    vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 262144, gemm_tiles = {}, reciprocal_throughput = {dot_bf16 = 2.0}>} {}

// CHECK-LABEL: func @launch
// CHECK:         kgen.launch @task[6] on %{{.*}}(%{{.*}}, %{{.*}}) : memref<8xf32>, f32
// CHECK:         kgen.launch @nothing_captured[2] on %{{.*}}()
// CHECK:         kgen.launch @slots[2] slots on %{{.*}}(%{{.*}}) : f32
// CHECK:         kgen.launch @nothing_captured[2, count %{{.*}}] on %{{.*}}()
func.func @launch(%x: memref<8xf32>, %s: f32, %count: index, %executor: !llvm.ptr) {
  kgen.launch @task[6] on %executor(%x, %s) : memref<8xf32>, f32
  kgen.launch @nothing_captured[2] on %executor()
  kgen.launch @slots[2] slots on %executor(%s) : f32
  kgen.launch @nothing_captured[2, count %count] on %executor()
  return
}
func.func private @task(memref<8xf32>, f32, index)
func.func private @nothing_captured(index)
func.func private @slots(f32, index, index)

// CHECK-LABEL: func @slot
// CHECK:         kgen.task_slot %{{.*}}
func.func @slot(%task: index) -> index {
  %slot = kgen.task_slot %task
  return %slot : index
}

// CHECK-LABEL: func @sizes(
// CHECK-SAME:    %{{.*}}: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
// CHECK-SAME:    %{{.*}}: memref<?x1024xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 1024)>},
// CHECK-SAME:    %{{.*}}: index {kgen.size = #kgen.size<"", min = 0, max = 64, multiple = 16>},
// CHECK-SAME:    %{{.*}}: memref<?xi8> {kgen.shape = affine_map<()[s0, s1] -> (s0 * 4096, s1 * 64)>})
func.func @sizes(
    %batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
    %x: memref<?x1024xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 1024)>},
    %length: index {kgen.size = #kgen.size<"", min = 0, max = 64, multiple = 16>},
    %workspace: memref<?xi8> {kgen.shape = affine_map<()[s0, s1] -> (s0 * 4096, s1 * 64)>}) {
  return
}
