// Three products of bf16 with a bias, added up in f32 by either provider, against sums in double precision; sizes that no tile
// divides. B is packed in pairs while the program runs.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 --provider vector | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 --provider xsmm | FileCheck "%s" %}
// RUN: %if x86-64-v4-bf16 %{ kgen-run "%s" --target x86-64-v4-bf16 --provider vector | FileCheck "%s" %}
// RUN: %if x86-64-v4-bf16 %{ kgen-run "%s" --target zen5 --provider vector | FileCheck "%s" %}
// RUN: %if x86-64-v4-bf16 %{ kgen-run "%s" --target x86-64-v4-bf16 --provider xsmm | FileCheck "%s" %}
// CHECK: 2 checks hold
func.func @main(%a: tensor<3x70x34xbf16>, %b: tensor<3x34x41xbf16>, %bias: tensor<41xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 70 : index
  %n = arith.constant 41 : index
  %k = arith.constant 34 : index
  %r = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x41xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<70x41xf32>) -> tensor<70x41xf32>
  %p = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x70x34xbf16>, tensor<3x34x41xbf16>) outs(%z : tensor<70x41xf32>) -> tensor<70x41xf32>
  %h = tensor.empty() : tensor<70x41xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<70x41xf32>, tensor<41xbf16>) outs(%h : tensor<70x41xbf16>) {
  ^bb0(%x: f32, %w: bf16, %o: bf16):
    %w32 = arith.extf %w : bf16 to f32
    %s = arith.addf %x, %w32 : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x41xbf16>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%y : tensor<70x41xbf16>) outs(%e : tensor<70x41xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %x32 = arith.extf %x : bf16 to f32
    linalg.yield %x32 : f32
  } -> tensor<70x41xf32>
  %d0 = arith.constant 0.0 : f64
  %ref = scf.for %i = %c0 to %m step %c1 iter_args(%ti = %e) -> tensor<70x41xf32> {
    %rj = scf.for %j = %c0 to %n step %c1 iter_args(%tj = %ti) -> tensor<70x41xf32> {
      %sum = scf.for %q = %c0 to %r step %c1 iter_args(%outer = %d0) -> f64 {
        %part = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %outer) -> f64 {
          %u = tensor.extract %a[%q, %i, %l] : tensor<3x70x34xbf16>
          %v = tensor.extract %b[%q, %l, %j] : tensor<3x34x41xbf16>
          %u32 = arith.extf %u : bf16 to f32
          %v32 = arith.extf %v : bf16 to f32
          %u64 = arith.extf %u32 : f32 to f64
          %v64 = arith.extf %v32 : f32 to f64
          %prod = arith.mulf %u64, %v64 : f64
          %next = arith.addf %acc, %prod : f64
          scf.yield %next : f64
        }
        scf.yield %part : f64
      }
      %w = tensor.extract %bias[%j] : tensor<41xbf16>
      %w32 = arith.extf %w : bf16 to f32
      %w64 = arith.extf %w32 : f32 to f64
      %biased = arith.addf %sum, %w64 : f64
      %f = arith.truncf %biased : f64 to f32
      %ins = tensor.insert %f into %tj[%i, %j] : tensor<70x41xf32>
      scf.yield %ins : tensor<70x41xf32>
    }
    scf.yield %rj : tensor<70x41xf32>
  }
  bench.expect_close %wide, %ref {absolute = 1.0e-5, relative = 4.0e-3} : tensor<70x41xf32>
  bench.expect_finite %wide : tensor<70x41xf32>
  return
}
