// Results of a product that are converted as they are stored, as scalar code converts them: to i8 and to bf16.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 2 checks hold
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<13x9xf32>, %b: tensor<9x21xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 16.0 : f32
  %e = tensor.empty() : tensor<13x21xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<13x21xf32>) -> tensor<13x21xf32>
  %p = linalg.matmul ins(%a, %b : tensor<13x9xf32>, tensor<9x21xf32>) outs(%z : tensor<13x21xf32>) -> tensor<13x21xf32>
  %ie = tensor.empty() : tensor<13x21xi8>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<13x21xf32>) outs(%ie : tensor<13x21xi8>) {
  ^bb0(%u: f32, %o: i8):
    %s = arith.mulf %u, %scale : f32
    %t = arith.fptosi %s : f32 to i8
    linalg.yield %t : i8
  } -> tensor<13x21xi8>
  %q = linalg.matmul ins(%a, %b : tensor<13x9xf32>, tensor<9x21xf32>) outs(%z : tensor<13x21xf32>) -> tensor<13x21xf32>
  %he = tensor.empty() : tensor<13x21xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<13x21xf32>) outs(%he : tensor<13x21xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %t = arith.truncf %u : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<13x21xbf16>
  // One element after the other, from a product that is used as it is.
  %r = linalg.matmul ins(%a, %b : tensor<13x9xf32>, tensor<9x21xf32>) outs(%z : tensor<13x21xf32>) -> tensor<13x21xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 13 : index
  %n = arith.constant 21 : index
  %results:2 = scf.for %x = %c0 to %m step %c1 iter_args(%ti = %ie, %th = %he) -> (tensor<13x21xi8>, tensor<13x21xbf16>) {
    %row:2 = scf.for %y = %c0 to %n step %c1 iter_args(%tj = %ti, %tk = %th) -> (tensor<13x21xi8>, tensor<13x21xbf16>) {
      %u = tensor.extract %r[%x, %y] : tensor<13x21xf32>
      %s = arith.mulf %u, %scale : f32
      %t = arith.fptosi %s : f32 to i8
      %w = arith.truncf %u : f32 to bf16
      %ni = tensor.insert %t into %tj[%x, %y] : tensor<13x21xi8>
      %nh = tensor.insert %w into %tk[%x, %y] : tensor<13x21xbf16>
      scf.yield %ni, %nh : tensor<13x21xi8>, tensor<13x21xbf16>
    }
    scf.yield %row#0, %row#1 : tensor<13x21xi8>, tensor<13x21xbf16>
  }
  bench.expect_close %i, %results#0 {absolute = 0.0, relative = 0.0} : tensor<13x21xi8>
  bench.expect_close %h, %results#1 {absolute = 0.0, relative = 0.0} : tensor<13x21xbf16>
  return
}
