// Kernels get Vulkan's interface; bf16 is stored as integers, vectors in memory element by element, hints go.
// RUN: kgen-opt "%s" --kgen-prepare-spirv | FileCheck "%s"

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
