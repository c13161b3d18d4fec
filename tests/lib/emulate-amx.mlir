// AMX instructions become calls of functions that do the same.
// RUN: kgen-opt "%s" --kgen-emulate-amx | FileCheck "%s"

// CHECK-DAG:   llvm.func @kgen_emulated_ldtilecfg(!llvm.ptr)
// CHECK-DAG:   llvm.func @kgen_emulated_tileloadd64(i32, !llvm.ptr, i64)
// CHECK-DAG:   llvm.func @kgen_emulated_tdpbf16ps(i32, i32, i32)
// CHECK-DAG:   llvm.func @kgen_emulated_tilerelease()
// CHECK-LABEL: llvm.func @tiles
// CHECK:         llvm.call @kgen_emulated_ldtilecfg(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @kgen_emulated_tileloadd64(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, !llvm.ptr, i64) -> ()
// CHECK:         llvm.call @kgen_emulated_tileloadd64
// CHECK:         llvm.call @kgen_emulated_tdpbf16ps(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> ()
// CHECK:         llvm.call @kgen_emulated_tilerelease() : () -> ()
// Other intrinsics stay.
// CHECK:         llvm.call_intrinsic "llvm.x86.avx.vzeroupper"() : () -> ()
llvm.func @tiles(%p: !llvm.ptr, %stride: i64) {
  %0 = llvm.mlir.constant(0 : i8) : i8
  %1 = llvm.mlir.constant(1 : i8) : i8
  %2 = llvm.mlir.constant(2 : i8) : i8
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%p) : (!llvm.ptr) -> ()
  llvm.call_intrinsic "llvm.x86.tileloadd64"(%1, %p, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tileloadd64"(%2, %p, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%0, %1, %2) : (i8, i8, i8) -> ()
  llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
  llvm.call_intrinsic "llvm.x86.avx.vzeroupper"() : () -> ()
  llvm.return
}
