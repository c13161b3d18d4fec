// Nothing of a measured region is removed, merged with the same computation outside, or moved out of the loop: the addition and
// the store of every iteration are in the code, between two calls of the host, although all iterations do the same.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v2 --kgen-optimize=bench --kgen-llvm-stage | mlir-translate --allow-unregistered-dialect --mlir-to-llvmir | opt -O3 -S | FileCheck "%s"

// CHECK-LABEL: define void @main(
// CHECK:       fadd <4 x float>
// CHECK:       call i64 @kgen_bench_start
// CHECK:       {{^[0-9]+:}}
// CHECK:         load <4 x float>
// CHECK:         fadd <4 x float>
// CHECK:         store <4 x float>
// CHECK:         call i64 @kgen_bench_again
// CHECK:         br i1
module {
  func.func @main(%m: memref<4xf32> {llvm.noalias}, %o: memref<4xf32> {llvm.noalias}) {
    %a = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %s = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    bench.expect_finite %s : tensor<4xf32>
    %r = bench.measure ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
      %t = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
      bench.yield %t : tensor<4xf32>
    } -> tensor<4xf32>
    bufferization.materialize_in_destination %r in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
    return
  }
}
