// Functions with an instruction are intrinsics, shared memory is an attribution, arguments say what the host promises.
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(gpu.module(kgen-prepare-nvvm))" | FileCheck "%s"

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @kernel(
  // CHECK-SAME:    %{{.*}}: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
  // CHECK-SAME:    %{{.*}}: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}
  // CHECK-SAME:    workgroup(%{{.*}} : memref<32xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  // CHECK-NOT:     memref.alloc
  // CHECK:         llvm.call_intrinsic "llvm.fma.f32"
  // CHECK:         llvm.call_intrinsic "llvm.sqrt.f32"
  // CHECK-NOT:     math.
  // The loop of two rounds is unrolled, the other one stays.
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.fabs.f32"
  // CHECK:         scf.for
  gpu.func @kernel(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %s = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
    %a = memref.load %x[%c0] : memref<64xf32>
    memref.store %a, %s[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    %b = math.fma %a, %a, %a : f32
    %r = math.sqrt %b : f32
    %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %r) -> f32 {
      %n = math.absf %v : f32
      scf.yield %n : f32
    } {kgen.unroll}
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %t, %y[%i] : memref<64xf32>
    }
    gpu.return
  }
}
