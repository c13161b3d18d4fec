// Templates whose headers match the attributes of a descriptor make kernels.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-generate-micro-kernels | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-generate-micro-kernels --kgen-instantiate-templates | FileCheck "%s" --check-prefix=INSTANCE

// The lowest cost of two; what `m` and `c_row` are has to be equal.
template.func {M : index, K : index, Flag : bool = true}
@dear(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
kernel ukernel.gemm {element = f32, m = M, n = 16, k = K, a_row = K, a_col = 1, b_row = 16, c_row = 16} cost 2 { return }
template.func {M : index, K : index, Type : any_type}
@cheap(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
kernel ukernel.gemm {element = Type, m = M, n = 16, k = K, a_row = 4 * M, a_col = 1, b_row = 16, c_row = 8 + 8} cost 1.5 {
  %zero = template.constant 0 : Type
  llvm.store %zero, %c : Type, !llvm.ptr
  return
}
// CHECK-LABEL: func.func private @two
// CHECK-SAME: %[[A:.*]]: !llvm.ptr {{.*}}, %[[B:.*]]: !llvm.ptr {{.*}}, %[[C:[a-z0-9]*]]: !llvm.ptr) attributes {kgen.provider = "templates"
// CHECK-NEXT: template.call @cheap<K = 8, M = 2, Type = f32>(%[[A]], %[[B]], %[[C]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NEXT: return
// INSTANCE-LABEL: func.func private @two
// INSTANCE: %[[ZERO:.*]] = arith.constant 0.0
// INSTANCE-NEXT: llvm.store %[[ZERO]], %arg2
// INSTANCE-NEXT: return
ukernel.gemm @two attributes {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
    c_row = 16, b_prefetch = 0, b_padded, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
^bb0(%sum: f32):
  ukernel.yield %sum : f32
}
// Rows of A are another number of elements apart: only @dear is left.
// CHECK-LABEL: func.func private @one
// CHECK-NEXT: template.call @dear<Flag = true, K = 8, M = 3>
ukernel.gemm @one attributes {element = f32, m = 3, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
    c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
^bb0(%sum: f32):
  ukernel.yield %sum : f32
}
// An epilogue is a loop over the sums, which are in C, or on the stack where C has another type; what is prefetched is not passed on.
// CHECK-LABEL: func.func private @epilogue
// CHECK-SAME: %[[A:.*]]: !llvm.ptr {{.*}}, %[[B:.*]]: !llvm.ptr {{.*}}, %[[C:[a-z0-9]*]]: !llvm.ptr, %[[NEXT:.*]]: !llvm.ptr, %[[BIAS:.*]]: !llvm.ptr)
// CHECK: %[[SUMS:.*]] = llvm.alloca
// CHECK-NEXT: template.call @dear<Flag = true, K = 8, M = 3>(%[[A]], %[[B]], %[[SUMS]])
// CHECK: scf.for
// CHECK:   arith.addf
// CHECK:   llvm.store {{.*}} : vector<8xbf16>
ukernel.gemm @epilogue attributes {element = f32, m = 3, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
    c_row = 32, b_prefetch = 128, b_streams = 2, epilogue_rows = array<i64: 0>, epilogue_cols = array<i64: 1>} {
^bb0(%sum: f32, %bias: f32):
  %s = arith.addf %sum, %bias : f32
  %t = arith.truncf %s : f32 to bf16
  ukernel.yield %t : bf16
}
// What headers do not list has to be what it is by default: others make these.
// CHECK-LABEL: func.func private @added
// CHECK-SAME: kgen.provider = "{{vector|xsmm}}"
ukernel.gemm @added attributes {element = f32, m = 3, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16, accumulate,
    c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
^bb0(%sum: f32):
  ukernel.yield %sum : f32
}
// REQUIRES: templates
