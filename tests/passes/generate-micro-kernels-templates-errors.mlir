// RUN: not kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-generate-micro-kernels=provider=templates 2>&1 | FileCheck "%s"
// Every reason why no template makes a kernel.

// CHECK: error: no provider can make micro-kernel 'none':
// CHECK-NEXT: templates: the library has no template for kernels{{$}}
module {
  ukernel.gemm @none attributes {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// CHECK: error: no provider can make micro-kernel 'border':
// CHECK-NEXT: templates: it does not support a_valid_ranges{{$}}
// CHECK: error: no provider can make micro-kernel 'runs':
// CHECK-NEXT: templates: it does not support a_run_rows{{$}}
// CHECK: error: no provider can make micro-kernel 'wide':
// CHECK-NEXT: templates: it does not support b_upconverted_row{{$}}
// CHECK: error: no provider can make micro-kernel 'sums':
// CHECK-NEXT: templates: it does not support sums_row{{$}}
// CHECK: error: no provider can make micro-kernel 'quantized':
// CHECK-NEXT: templates: B is quantized in blocks{{$}}
// CHECK: error: no provider can make micro-kernel 'double':
// CHECK-NEXT: templates: @set: element = f64 is no value of T : any_type_of<f32>; @equal: element is f64, not f32; @lacks: N does not follow from the descriptor; @needs: element is f64, not f32; @dear: element is f64, not f32{{$}}
// CHECK: error: no provider can make micro-kernel 'batch':
// CHECK-NEXT: templates: @set: batch is 2, which its header does not list; @equal: a_row is 8, not 7; @lacks: N does not follow from the descriptor; @needs: it requires false (); @dear: 1 / 2 is not a whole number{{$}}
module {
  template.func {T : any_type_of<f32>} @set(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
  kernel ukernel.gemm {element = T, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16, c_row = 16} { return }
  template.func @equal(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
  kernel ukernel.gemm {element = f32, m = 2, n = 16, k = 8, a_row = 7, a_col = 1, b_row = 16, c_row = 16} { return }
  template.func {N : index} @lacks(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
  kernel ukernel.gemm {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16, c_row = 16} { return }
  template.func @needs(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
  kernel ukernel.gemm {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16, c_row = 16, batch = 2} requires false { return }
  template.func @dear(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
  kernel ukernel.gemm {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16, c_row = 16, batch = 2} cost 1 / 2 { return }
  ukernel.gemm @border attributes {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, a_valid_ranges = array<i64: 0, 1, 0, 8, 0, 1, 0, 7>, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @runs attributes {element = f32, m = 4, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, a_run_rows = 2, a_run_stride = 4, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @wide attributes {element = f32, b_type = bf16, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, b_upconverted_row = 16, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @sums attributes {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, sums_row = 16, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @quantized attributes {element = f32, m = 1, n = 16, k = 64, a_row = 64, a_col = 1, b_row = 576, c_row = 16, b_prefetch = 0,
      b_type = i8, epilogue_rows = array<i64>, epilogue_cols = array<i64>, b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @double attributes {element = f64, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f64):
    ukernel.yield %sum : f64
  }
  ukernel.gemm @batch attributes {element = f32, m = 2, n = 16, k = 8, a_row = 8, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, batch = 2, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}
// REQUIRES: templates
