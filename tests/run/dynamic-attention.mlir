// Attention of a batch and a length that are known at run time, against that of numbers. The blocks of keys differ, so sums
// are added in another order.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: checks hold

func.func @main(%q: tensor<3x2x300x16xf32>, %k: tensor<3x2x300x16xf32>, %v: tensor<3x2x300x16xf32>, %mask: tensor<3x300xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x3x2x300x16xf32>
  %all0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x3x2x300x16xf32>) -> tensor<6x3x2x300x16xf32>
  %q0 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 5, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x5x16xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 5, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x5x16xf32>
  %v0 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 5, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x5x16xf32>
  %mask0 = tensor.extract_slice %mask[0, 0] [3, 5] [1, 1] : tensor<3x300xf32> to tensor<3x5xf32>
  %r0 = kgen.attention ins(%q0, %k0, %v0 : tensor<3x2x5x16xf32>, tensor<3x2x5x16xf32>, tensor<3x2x5x16xf32>) epilogue_ins(%mask0 : tensor<3x5xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x5x16xf32>
  %all1 = tensor.insert_slice %r0 into %all0[0, 0, 0, 0, 0] [1, 3, 2, 5, 16] [1, 1, 1, 1, 1] : tensor<3x2x5x16xf32> into tensor<6x3x2x300x16xf32>
  %q1 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 64, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x64x16xf32>
  %k1 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 64, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x64x16xf32>
  %v1 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 64, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x64x16xf32>
  %mask1 = tensor.extract_slice %mask[0, 0] [3, 64] [1, 1] : tensor<3x300xf32> to tensor<3x64xf32>
  %r1 = kgen.attention ins(%q1, %k1, %v1 : tensor<3x2x64x16xf32>, tensor<3x2x64x16xf32>, tensor<3x2x64x16xf32>) epilogue_ins(%mask1 : tensor<3x64xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x64x16xf32>
  %all2 = tensor.insert_slice %r1 into %all1[1, 0, 0, 0, 0] [1, 3, 2, 64, 16] [1, 1, 1, 1, 1] : tensor<3x2x64x16xf32> into tensor<6x3x2x300x16xf32>
  %q2 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 123, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x123x16xf32>
  %k2 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 123, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x123x16xf32>
  %v2 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 123, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x123x16xf32>
  %mask2 = tensor.extract_slice %mask[0, 0] [3, 123] [1, 1] : tensor<3x300xf32> to tensor<3x123xf32>
  %r2 = kgen.attention ins(%q2, %k2, %v2 : tensor<3x2x123x16xf32>, tensor<3x2x123x16xf32>, tensor<3x2x123x16xf32>) epilogue_ins(%mask2 : tensor<3x123xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x123x16xf32>
  %all3 = tensor.insert_slice %r2 into %all2[2, 0, 0, 0, 0] [1, 3, 2, 123, 16] [1, 1, 1, 1, 1] : tensor<3x2x123x16xf32> into tensor<6x3x2x300x16xf32>
  %q3 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 182, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x182x16xf32>
  %k3 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 182, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x182x16xf32>
  %v3 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 182, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x182x16xf32>
  %mask3 = tensor.extract_slice %mask[0, 0] [3, 182] [1, 1] : tensor<3x300xf32> to tensor<3x182xf32>
  %r3 = kgen.attention ins(%q3, %k3, %v3 : tensor<3x2x182x16xf32>, tensor<3x2x182x16xf32>, tensor<3x2x182x16xf32>) epilogue_ins(%mask3 : tensor<3x182xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x182x16xf32>
  %all4 = tensor.insert_slice %r3 into %all3[3, 0, 0, 0, 0] [1, 3, 2, 182, 16] [1, 1, 1, 1, 1] : tensor<3x2x182x16xf32> into tensor<6x3x2x300x16xf32>
  %q4 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 241, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x241x16xf32>
  %k4 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 241, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x241x16xf32>
  %v4 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 241, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x241x16xf32>
  %mask4 = tensor.extract_slice %mask[0, 0] [3, 241] [1, 1] : tensor<3x300xf32> to tensor<3x241xf32>
  %r4 = kgen.attention ins(%q4, %k4, %v4 : tensor<3x2x241x16xf32>, tensor<3x2x241x16xf32>, tensor<3x2x241x16xf32>) epilogue_ins(%mask4 : tensor<3x241xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x241x16xf32>
  %all5 = tensor.insert_slice %r4 into %all4[4, 0, 0, 0, 0] [1, 3, 2, 241, 16] [1, 1, 1, 1, 1] : tensor<3x2x241x16xf32> into tensor<6x3x2x300x16xf32>
  %q5 = tensor.extract_slice %q[0, 0, 0, 0] [3, 2, 300, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x300x16xf32>
  %k5 = tensor.extract_slice %k[0, 0, 0, 0] [3, 2, 300, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x300x16xf32>
  %v5 = tensor.extract_slice %v[0, 0, 0, 0] [3, 2, 300, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<3x2x300x16xf32>
  %mask5 = tensor.extract_slice %mask[0, 0] [3, 300] [1, 1] : tensor<3x300xf32> to tensor<3x300xf32>
  %r5 = kgen.attention ins(%q5, %k5, %v5 : tensor<3x2x300x16xf32>, tensor<3x2x300x16xf32>, tensor<3x2x300x16xf32>) epilogue_ins(%mask5 : tensor<3x300xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
              v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
              result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %p, %c : f32
    %t = arith.addf %s, %a : f32
    kgen.yield %t : f32
  } -> tensor<3x2x300x16xf32>
  %all6 = tensor.insert_slice %r5 into %all5[5, 0, 0, 0, 0] [1, 3, 2, 300, 16] [1, 1, 1, 1, 1] : tensor<3x2x300x16xf32> into tensor<6x3x2x300x16xf32>
  scf.for %i = %c0 to %c6 step %c1 {
    %l = affine.apply affine_map<(i) -> (5 + 59 * i)>(%i)
    %ofLength = tensor.extract_slice %all6[%i, 0, 0, 0, 0] [1, 3, 2, 300, 16] [1, 1, 1, 1, 1] : tensor<6x3x2x300x16xf32> to tensor<3x2x300x16xf32>
    %new = tensor.empty() : tensor<3x2x300x16xf32>
    // A buffer of its own; -0 becomes 0.
    %zeros = linalg.fill ins(%zero : f32) outs(%new : tensor<3x2x300x16xf32>) -> tensor<3x2x300x16xf32>
    %expected = linalg.add ins(%ofLength, %zeros : tensor<3x2x300x16xf32>, tensor<3x2x300x16xf32>) outs(%new : tensor<3x2x300x16xf32>) -> tensor<3x2x300x16xf32>
    // After the batch and the length: what is expected.
    %last = scf.for %b = %c1 to %c4 step %c1 iter_args(%next = %expected) -> (tensor<3x2x300x16xf32>) {
      %dq = tensor.extract_slice %q[0, 0, 0, 0] [%b, 2, %l, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<?x2x?x16xf32>
      %dk = tensor.extract_slice %k[0, 0, 0, 0] [%b, 2, %l, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<?x2x?x16xf32>
      %dv = tensor.extract_slice %v[0, 0, 0, 0] [%b, 2, %l, 16] [1, 1, 1, 1] : tensor<3x2x300x16xf32> to tensor<?x2x?x16xf32>
      %dm = tensor.extract_slice %mask[0, 0] [%b, %l] [1, 1] : tensor<3x300xf32> to tensor<?x?xf32>
      %r = kgen.attention ins(%dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) epilogue_ins(%dm : tensor<?x?xf32>)
          attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
                  v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
                  result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
      ^bb0(%p: f32, %a: f32):
        %c = arith.constant 0.25 : f32
        %s = arith.mulf %p, %c : f32
        %t = arith.addf %s, %a : f32
        kgen.yield %t : f32
      } -> tensor<?x2x?x16xf32>
      %found = tensor.insert_slice %r into %next[0, 0, 0, 0] [%b, 2, %l, 16] [1, 1, 1, 1] : tensor<?x2x?x16xf32> into tensor<3x2x300x16xf32>
      bench.expect_close %found, %expected {relative = 1.0e-5, absolute = 1.0e-6} : tensor<3x2x300x16xf32>
      scf.yield %found : tensor<3x2x300x16xf32>
    }
  }
  return
}
