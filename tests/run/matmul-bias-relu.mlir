// A fused chain against the same in double precision, one element after the other; sizes that no tile divides.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --seed 7 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: kgen-run "%s" --target-path "%S/targets" --target blocked | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 --provider vector | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 2 checks hold
func.func @main(%a: tensor<37x29xf32>, %b: tensor<29x41xf32>, %bias: tensor<41xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 37 : index
  %n = arith.constant 41 : index
  %k = arith.constant 29 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x41xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x41xf32>) -> tensor<37x41xf32>
  %p = linalg.matmul ins(%a, %b : tensor<37x29xf32>, tensor<29x41xf32>) outs(%z : tensor<37x41xf32>) -> tensor<37x41xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<37x41xf32>, tensor<41xf32>) outs(%e : tensor<37x41xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<37x41xf32>
  %d0 = arith.constant 0.0 : f64
  %ref = scf.for %i = %c0 to %m step %c1 iter_args(%ti = %e) -> tensor<37x41xf32> {
    %rj = scf.for %j = %c0 to %n step %c1 iter_args(%tj = %ti) -> tensor<37x41xf32> {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %d0) -> f64 {
        %u = tensor.extract %a[%i, %l] : tensor<37x29xf32>
        %v = tensor.extract %b[%l, %j] : tensor<29x41xf32>
        %u64 = arith.extf %u : f32 to f64
        %v64 = arith.extf %v : f32 to f64
        %prod = arith.mulf %u64, %v64 : f64
        %next = arith.addf %acc, %prod : f64
        scf.yield %next : f64
      }
      %w = tensor.extract %bias[%j] : tensor<41xf32>
      %w64 = arith.extf %w : f32 to f64
      %biased = arith.addf %sum, %w64 : f64
      %relu = arith.maximumf %biased, %d0 : f64
      %f = arith.truncf %relu : f64 to f32
      %ins = tensor.insert %f into %tj[%i, %j] : tensor<37x41xf32>
      scf.yield %ins : tensor<37x41xf32>
    }
    scf.yield %rj : tensor<37x41xf32>
  }
  bench.expect_close %r, %ref {absolute = 1.0e-5} : tensor<37x41xf32>
  bench.expect_finite %r : tensor<37x41xf32>
  return
}
