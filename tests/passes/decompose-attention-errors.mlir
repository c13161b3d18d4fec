// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-decompose-attention --verify-diagnostics

func.func @unbounded(%q: tensor<?x12x?x64xf32>, %k: tensor<?x12x?x64xf32>, %v: tensor<?x12x?x64xf32>, %mask: tensor<?x?xf32>) -> tensor<?x12x?x64xf32> {
  // expected-error@+1 {{'kgen.attention' op has a dynamic size without bounds, which kgen.size gives to an argument}}
  %r = kgen.attention ins(%q, %k, %v : tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>) epilogue_ins(%mask : tensor<?x?xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
      v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
      result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %s = arith.addf %p, %a : f32
    kgen.yield %s : f32
  } -> tensor<?x12x?x64xf32>
  return %r : tensor<?x12x?x64xf32>
}
