// RUN: kgen-opt "%s" --kgen-lower-micro-kernel-calls --split-input-file | FileCheck "%s"

// Only the address of a tile's first element is passed, its offset included.
// CHECK-LABEL: func.func @call
// CHECK:         %[[BASE:.*]] = llvm.extractvalue {{.*}}[1]
// CHECK:         %[[OFFSET:.*]] = llvm.extractvalue {{.*}}[2]
// CHECK:         llvm.getelementptr %[[BASE]][%[[OFFSET]]]
// CHECK:         call @uk_gemm_f32_1x3x2(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT:     ukernel.call
func.func private @uk_gemm_f32_1x3x2(!llvm.ptr, !llvm.ptr, !llvm.ptr)
func.func @call(%a: memref<1x2xf32, strided<[2, 1], offset: ?>>, %b: memref<2x3xf32>, %c: memref<1x3xf32>) {
  ukernel.call @uk_gemm_f32_1x3x2(%a, %b, %c) : memref<1x2xf32, strided<[2, 1], offset: ?>>, memref<2x3xf32>, memref<1x3xf32>
  return
}

// -----

// Other calls, and other operations on memrefs, stay.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %[[X:.*]] = memref.load
// CHECK-NEXT:    call @other(%{{.*}}) : (memref<4xf32>) -> ()
func.func private @other(memref<4xf32>)
func.func @kept(%a: memref<4xf32>, %i: index) -> f32 {
  %x = memref.load %a[%i] : memref<4xf32>
  call @other(%a) : (memref<4xf32>) -> ()
  return %x : f32
}
