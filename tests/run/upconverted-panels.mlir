// Panels of bf16 and f16 that are up-converted once for many rows: 521 values of k are several blocks, whose sums wait in C or, where that
// is narrow, beside it; the last columns are no whole vector, and the rows of the second product are more than one block.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// RUN: %if x86-64-v4-bf16 %{ kgen-run "%s" --target x86-64-v4-bf16 | FileCheck "%s" %}
// CHECK: 4 checks hold
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a1: tensor<101x521xbf16>, %b1: tensor<521x75xbf16>, %a2: tensor<307x521xbf16>, %b2: tensor<521x75xbf16>, %a3: tensor<101x521xf16>, %b3: tensor<521x75xf16>, %a4: tensor<101x521xf16>, %b4: tensor<521x75xf16>) {
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  // 1: 101 rows of bf16, sums as f32.
  %e1 = tensor.empty() : tensor<101x75xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %p1 = linalg.matmul ins(%a1, %b1 : tensor<101x521xbf16>, tensor<521x75xbf16>) outs(%f1 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %r1e = tensor.empty() : tensor<101x75xf64>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<101x75xf32>) outs(%r1e : tensor<101x75xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<101x75xf64>
  %x1e = tensor.empty() : tensor<101x521xf64>
  %x1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a1 : tensor<101x521xbf16>) outs(%x1e : tensor<101x521xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %t = arith.extf %x : bf16 to f64
    linalg.yield %t : f64
  } -> tensor<101x521xf64>
  %y1e = tensor.empty() : tensor<521x75xf64>
  %y1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b1 : tensor<521x75xbf16>) outs(%y1e : tensor<521x75xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %t = arith.extf %x : bf16 to f64
    linalg.yield %t : f64
  } -> tensor<521x75xf64>
  %g1 = tensor.empty() : tensor<101x75xf64>
  %z1 = linalg.fill ins(%zero64 : f64) outs(%g1 : tensor<101x75xf64>) -> tensor<101x75xf64>
  %w1 = linalg.matmul ins(%x1, %y1 : tensor<101x521xf64>, tensor<521x75xf64>) outs(%z1 : tensor<101x75xf64>) -> tensor<101x75xf64>
  bench.expect_close %r1, %w1 {absolute = 1.0e-4, relative = 1.0e-5} : tensor<101x75xf64>
  // 2: 307 rows of bf16, sums as bf16.
  %e2 = tensor.empty() : tensor<307x75xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<307x75xf32>) -> tensor<307x75xf32>
  %p2 = linalg.matmul ins(%a2, %b2 : tensor<307x521xbf16>, tensor<521x75xbf16>) outs(%f2 : tensor<307x75xf32>) -> tensor<307x75xf32>
  %h2 = tensor.empty() : tensor<307x75xbf16>
  %q2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p2 : tensor<307x75xf32>) outs(%h2 : tensor<307x75xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<307x75xbf16>
  %r2e = tensor.empty() : tensor<307x75xf64>
  %r2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q2 : tensor<307x75xbf16>) outs(%r2e : tensor<307x75xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %t = arith.extf %x : bf16 to f64
    linalg.yield %t : f64
  } -> tensor<307x75xf64>
  %x2e = tensor.empty() : tensor<307x521xf64>
  %x2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a2 : tensor<307x521xbf16>) outs(%x2e : tensor<307x521xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %t = arith.extf %x : bf16 to f64
    linalg.yield %t : f64
  } -> tensor<307x521xf64>
  %y2e = tensor.empty() : tensor<521x75xf64>
  %y2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b2 : tensor<521x75xbf16>) outs(%y2e : tensor<521x75xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %t = arith.extf %x : bf16 to f64
    linalg.yield %t : f64
  } -> tensor<521x75xf64>
  %g2 = tensor.empty() : tensor<307x75xf64>
  %z2 = linalg.fill ins(%zero64 : f64) outs(%g2 : tensor<307x75xf64>) -> tensor<307x75xf64>
  %w2 = linalg.matmul ins(%x2, %y2 : tensor<307x521xf64>, tensor<521x75xf64>) outs(%z2 : tensor<307x75xf64>) -> tensor<307x75xf64>
  bench.expect_close %r2, %w2 {absolute = 1.0e-4, relative = 0.004} : tensor<307x75xf64>
  // 3: 101 rows of f16, sums as f32.
  %e3 = tensor.empty() : tensor<101x75xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %p3 = linalg.matmul ins(%a3, %b3 : tensor<101x521xf16>, tensor<521x75xf16>) outs(%f3 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %r3e = tensor.empty() : tensor<101x75xf64>
  %r3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p3 : tensor<101x75xf32>) outs(%r3e : tensor<101x75xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<101x75xf64>
  %x3e = tensor.empty() : tensor<101x521xf64>
  %x3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a3 : tensor<101x521xf16>) outs(%x3e : tensor<101x521xf64>) {
  ^bb0(%x: f16, %o: f64):
    %t = arith.extf %x : f16 to f64
    linalg.yield %t : f64
  } -> tensor<101x521xf64>
  %y3e = tensor.empty() : tensor<521x75xf64>
  %y3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b3 : tensor<521x75xf16>) outs(%y3e : tensor<521x75xf64>) {
  ^bb0(%x: f16, %o: f64):
    %t = arith.extf %x : f16 to f64
    linalg.yield %t : f64
  } -> tensor<521x75xf64>
  %g3 = tensor.empty() : tensor<101x75xf64>
  %z3 = linalg.fill ins(%zero64 : f64) outs(%g3 : tensor<101x75xf64>) -> tensor<101x75xf64>
  %w3 = linalg.matmul ins(%x3, %y3 : tensor<101x521xf64>, tensor<521x75xf64>) outs(%z3 : tensor<101x75xf64>) -> tensor<101x75xf64>
  bench.expect_close %r3, %w3 {absolute = 1.0e-4, relative = 1.0e-5} : tensor<101x75xf64>
  // 4: 101 rows of f16, sums as f16.
  %e4 = tensor.empty() : tensor<101x75xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %p4 = linalg.matmul ins(%a4, %b4 : tensor<101x521xf16>, tensor<521x75xf16>) outs(%f4 : tensor<101x75xf32>) -> tensor<101x75xf32>
  %h4 = tensor.empty() : tensor<101x75xf16>
  %q4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p4 : tensor<101x75xf32>) outs(%h4 : tensor<101x75xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<101x75xf16>
  %r4e = tensor.empty() : tensor<101x75xf64>
  %r4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q4 : tensor<101x75xf16>) outs(%r4e : tensor<101x75xf64>) {
  ^bb0(%x: f16, %o: f64):
    %t = arith.extf %x : f16 to f64
    linalg.yield %t : f64
  } -> tensor<101x75xf64>
  %x4e = tensor.empty() : tensor<101x521xf64>
  %x4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a4 : tensor<101x521xf16>) outs(%x4e : tensor<101x521xf64>) {
  ^bb0(%x: f16, %o: f64):
    %t = arith.extf %x : f16 to f64
    linalg.yield %t : f64
  } -> tensor<101x521xf64>
  %y4e = tensor.empty() : tensor<521x75xf64>
  %y4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b4 : tensor<521x75xf16>) outs(%y4e : tensor<521x75xf64>) {
  ^bb0(%x: f16, %o: f64):
    %t = arith.extf %x : f16 to f64
    linalg.yield %t : f64
  } -> tensor<521x75xf64>
  %g4 = tensor.empty() : tensor<101x75xf64>
  %z4 = linalg.fill ins(%zero64 : f64) outs(%g4 : tensor<101x75xf64>) -> tensor<101x75xf64>
  %w4 = linalg.matmul ins(%x4, %y4 : tensor<101x521xf64>, tensor<521x75xf64>) outs(%z4 : tensor<101x75xf64>) -> tensor<101x75xf64>
  bench.expect_close %r4, %w4 {absolute = 1.0e-4, relative = 0.0005} : tensor<101x75xf64>
  return
}
