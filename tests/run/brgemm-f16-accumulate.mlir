// Products of f16 that are added up in f16, in runs, and then in f32: of the numbers 0 to 2, whose sums are exact within a run but in
// all more than f16 can count. With few k, a run has several indices of the batch; with many, an index has several runs.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4-fp16 %{ kgen-run "%s" --target x86-64-v4-fp16 | FileCheck "%s" %}
// CHECK: 2 checks hold
#whole = affine_map<(r, i, j) -> (r, i, j)>
func.func @main(%a0: tensor<101x29x34xi8>, %b0: tensor<101x34x41xi8>, %a1: tensor<11x9x301xi8>, %b1: tensor<11x301x35xi8>) attributes {kgen.f16_accumulate} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 1 : i8
  %x0e = tensor.empty() : tensor<101x29x34xf16>
  %x0 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0 : tensor<101x29x34xi8>) outs(%x0e : tensor<101x29x34xf16>) {
  ^bb0(%x: i8, %o: f16):
    %p = arith.andi %x, %low : i8
    %q = arith.shrui %x, %low : i8
    %s = arith.andi %q, %low : i8
    %t = arith.addi %p, %s : i8
    %f = arith.sitofp %t : i8 to f32
    %h = arith.truncf %f : f32 to f16
    linalg.yield %h : f16
  } -> tensor<101x29x34xf16>
  %y0e = tensor.empty() : tensor<101x34x41xf16>
  %y0 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b0 : tensor<101x34x41xi8>) outs(%y0e : tensor<101x34x41xf16>) {
  ^bb0(%x: i8, %o: f16):
    %p = arith.andi %x, %low : i8
    %q = arith.shrui %x, %low : i8
    %s = arith.andi %q, %low : i8
    %t = arith.addi %p, %s : i8
    %f = arith.sitofp %t : i8 to f32
    %h = arith.truncf %f : f32 to f16
    linalg.yield %h : f16
  } -> tensor<101x34x41xf16>
  %e0 = tensor.empty() : tensor<29x41xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<29x41xf32>) -> tensor<29x41xf32>
  %r0 = linalg.batch_reduce_matmul ins(%x0, %y0 : tensor<101x29x34xf16>, tensor<101x34x41xf16>) outs(%z0 : tensor<29x41xf32>) -> tensor<29x41xf32>
  %m0 = arith.constant 29 : index
  %n0 = arith.constant 41 : index
  %k0 = arith.constant 34 : index
  %q0 = arith.constant 101 : index
  %ref0 = scf.for %i = %c0 to %m0 step %c1 iter_args(%ti = %e0) -> tensor<29x41xf32> {
    %rj = scf.for %j = %c0 to %n0 step %c1 iter_args(%tj = %ti) -> tensor<29x41xf32> {
      %sum = scf.for %r = %c0 to %q0 step %c1 iter_args(%outer = %none) -> i32 {
        %part = scf.for %l = %c0 to %k0 step %c1 iter_args(%acc = %outer) -> i32 {
          %u16 = tensor.extract %x0[%r, %i, %l] : tensor<101x29x34xf16>
          %v16 = tensor.extract %y0[%r, %l, %j] : tensor<101x34x41xf16>
          %u32 = arith.extf %u16 : f16 to f32
          %v32 = arith.extf %v16 : f16 to f32
          %u = arith.fptosi %u32 : f32 to i32
          %v = arith.fptosi %v32 : f32 to i32
          %prod = arith.muli %u, %v : i32
          %next = arith.addi %acc, %prod : i32
          scf.yield %next : i32
        }
        scf.yield %part : i32
      }
      %f = arith.sitofp %sum : i32 to f32
      %ins = tensor.insert %f into %tj[%i, %j] : tensor<29x41xf32>
      scf.yield %ins : tensor<29x41xf32>
    }
    scf.yield %rj : tensor<29x41xf32>
  }
  bench.expect_close %r0, %ref0 {absolute = 0.0, relative = 0.0} : tensor<29x41xf32>
  %x1e = tensor.empty() : tensor<11x9x301xf16>
  %x1 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a1 : tensor<11x9x301xi8>) outs(%x1e : tensor<11x9x301xf16>) {
  ^bb0(%x: i8, %o: f16):
    %p = arith.andi %x, %low : i8
    %q = arith.shrui %x, %low : i8
    %s = arith.andi %q, %low : i8
    %t = arith.addi %p, %s : i8
    %f = arith.sitofp %t : i8 to f32
    %h = arith.truncf %f : f32 to f16
    linalg.yield %h : f16
  } -> tensor<11x9x301xf16>
  %y1e = tensor.empty() : tensor<11x301x35xf16>
  %y1 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b1 : tensor<11x301x35xi8>) outs(%y1e : tensor<11x301x35xf16>) {
  ^bb0(%x: i8, %o: f16):
    %p = arith.andi %x, %low : i8
    %q = arith.shrui %x, %low : i8
    %s = arith.andi %q, %low : i8
    %t = arith.addi %p, %s : i8
    %f = arith.sitofp %t : i8 to f32
    %h = arith.truncf %f : f32 to f16
    linalg.yield %h : f16
  } -> tensor<11x301x35xf16>
  %e1 = tensor.empty() : tensor<9x35xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<9x35xf32>) -> tensor<9x35xf32>
  %r1 = linalg.batch_reduce_matmul ins(%x1, %y1 : tensor<11x9x301xf16>, tensor<11x301x35xf16>) outs(%z1 : tensor<9x35xf32>) -> tensor<9x35xf32>
  %m1 = arith.constant 9 : index
  %n1 = arith.constant 35 : index
  %k1 = arith.constant 301 : index
  %q1 = arith.constant 11 : index
  %ref1 = scf.for %i = %c0 to %m1 step %c1 iter_args(%ti = %e1) -> tensor<9x35xf32> {
    %rj = scf.for %j = %c0 to %n1 step %c1 iter_args(%tj = %ti) -> tensor<9x35xf32> {
      %sum = scf.for %r = %c0 to %q1 step %c1 iter_args(%outer = %none) -> i32 {
        %part = scf.for %l = %c0 to %k1 step %c1 iter_args(%acc = %outer) -> i32 {
          %u16 = tensor.extract %x1[%r, %i, %l] : tensor<11x9x301xf16>
          %v16 = tensor.extract %y1[%r, %l, %j] : tensor<11x301x35xf16>
          %u32 = arith.extf %u16 : f16 to f32
          %v32 = arith.extf %v16 : f16 to f32
          %u = arith.fptosi %u32 : f32 to i32
          %v = arith.fptosi %v32 : f32 to i32
          %prod = arith.muli %u, %v : i32
          %next = arith.addi %acc, %prod : i32
          scf.yield %next : i32
        }
        scf.yield %part : i32
      }
      %f = arith.sitofp %sum : i32 to f32
      %ins = tensor.insert %f into %tj[%i, %j] : tensor<9x35xf32>
      scf.yield %ins : tensor<9x35xf32>
    }
    scf.yield %rj : tensor<9x35xf32>
  }
  bench.expect_close %r1, %ref1 {absolute = 0.0, relative = 0.0} : tensor<9x35xf32>
  return
}
