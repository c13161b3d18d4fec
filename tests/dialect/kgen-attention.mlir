// RUN: kgen-opt "%s" --mlir-print-local-scope | kgen-opt --mlir-print-local-scope | FileCheck "%s"

// Keys that two heads share, a mask for each query and key, and no keys beyond the query's own and two more.
// CHECK-LABEL: func.func @grouped
// CHECK:         kgen.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<17x2x2x8xf32>, tensor<33x2x8xbf16>, tensor<2x33x6xf32>)
// CHECK-SAME:      epilogue_ins(%{{.*}} : tensor<17x33xi8>)
// CHECK-SAME:      causal = 2 : i64
// CHECK-SAME:      k_map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d4)>
// CHECK:           kgen.yield %{{.*}} : f32
// CHECK:         -> tensor<17x2x2x6xf16>
func.func @grouped(%q: tensor<17x2x2x8xf32>, %k: tensor<33x2x8xbf16>, %v: tensor<2x33x6xf32>, %mask: tensor<17x33xi8>) -> tensor<17x2x2x6xf16> {
  %r = kgen.attention ins(%q, %k, %v : tensor<17x2x2x8xf32>, tensor<33x2x8xbf16>, tensor<2x33x6xf32>) epilogue_ins(%mask : tensor<17x33xi8>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (m, b, h, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (n, b, d)>,
      v_map = affine_map<(b, h, m, n, d, e) -> (b, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (m, n)>],
      result_map = affine_map<(b, h, m, n, d, e) -> (m, b, h, e)>, causal = 2 : i64} {
  ^bb0(%product: f32, %is: i8):
    %lowest = arith.constant 0xFF800000 : f32
    %none = arith.constant 0 : i8
    %c = arith.cmpi ne, %is, %none : i8
    %s = arith.select %c, %product, %lowest : f32
    kgen.yield %s : f32
  } -> tensor<17x2x2x6xf16>
  return %r : tensor<17x2x2x6xf16>
}
