// Kernels get Vulkan's interface; bf16 is stored as integers, vectors in memory element by element, hints go.
// RUN: kgen-opt "%s" --split-input-file --kgen-prepare-spirv | FileCheck "%s"

// CHECK:       module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3,
// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME:    %[[X:.*]]: memref<64xi16, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}
// CHECK-SAME:    %[[Y:.*]]: memref<64xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>}
// CHECK-SAME:    spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>
// CHECK-DAG:     memref.alloc() : memref<32xf32, #spirv.storage_class<Workgroup>>
// CHECK:         memref.load %[[X]]
// CHECK:         arith.bitcast {{.*}} : i16 to bf16
// CHECK-COUNT-4: memref.load %[[Y]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[Y]]
// CHECK-NOT:     vector.load
// CHECK-NOT:     vector.store
// CHECK-NOT:     llvm.intr.expect
// CHECK-NOT:     overflow
gpu.module @kernels {
  gpu.func @kernel(%x: memref<64xbf16>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %no = arith.constant false
    %s = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %h = memref.load %x[%t] : memref<64xbf16>
    %f = arith.extf %h : bf16 to f32
    memref.store %f, %s[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    %v = vector.load %y[%c0] : memref<64xf32>, vector<4xf32>
    %next = arith.addi %c0, %c4 overflow<nsw> : index
    vector.store %v, %y[%next] : memref<64xf32>, vector<4xf32>
    %rare = arith.cmpi eq, %t, %c0 : index
    %hint = llvm.intr.expect %rare, %no : i1
    scf.if %hint {
      memref.store %f, %y[%c0] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

// Integers that were extended are compared as they were before, with a sign or without one; where the constant is none of theirs, not.
// CHECK-LABEL: gpu.func @compare
// CHECK:         %[[S:.*]] = memref.load %{{.*}} : memref<8xi32
// CHECK-DAG:     arith.cmpi slt, %[[S]], %{{.*}} : i32
// CHECK-DAG:     arith.cmpi ult, %{{.*}}, %{{.*}} : i8
// CHECK-DAG:     arith.cmpi slt, %{{.*}}, %{{.*}} : i64
gpu.module @kernels {
  gpu.func @compare(%x: memref<8xi32>, %u: memref<8xi8>, %y: memref<8xi32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i64
    %many = arith.constant 4294967296 : i64
    %c200 = arith.constant 200 : i32
    %s = memref.load %x[%t] : memref<8xi32>
    %w = arith.extsi %s : i32 to i64
    %a = arith.cmpi slt, %w, %zero : i64
    %b = arith.cmpi slt, %w, %many : i64
    %h = memref.load %u[%t] : memref<8xi8>
    %hw = arith.extui %h : i8 to i32
    %c = arith.cmpi slt, %hw, %c200 : i32
    %ab = arith.andi %a, %b : i1
    %abc = arith.andi %ab, %c : i1
    %r = arith.extui %abc : i1 to i32
    memref.store %r, %y[%t] : memref<8xi32>
    gpu.return
  }
}
