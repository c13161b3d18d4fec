// What kgen explain is told: consumers that became epilogues, and why others did not.
// RUN: kgen-opt "%s" --kgen-fuse-epilogues | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @relu
// CHECK-SAME:    kgen.decisions = [{details = {into = ["product"]}, kind = "epilogue", nodes = ["relu"], pass = "kgen-fuse-epilogues"}]
// CHECK-LABEL: func.func @read_twice
// CHECK-SAME:    kgen.decisions = [{details = {why = "the contraction's result is read elsewhere, too"}, kind = "refused", nodes = ["relu"], pass = "kgen-fuse-epilogues"}]
module attributes {kgen.decisions = []} {
  func.func @relu(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %zero = arith.constant 0.0 : f32
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x4xf32> loc("product")
    %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
        ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.maximumf %x, %zero : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32> loc("relu")
    return %r : tensor<4x4xf32>
  }
  func.func @read_twice(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %zero = arith.constant 0.0 : f32
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x4xf32> loc("product")
    %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
        ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.maximumf %x, %zero : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32> loc("relu")
    return %r, %g : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
