// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts="upconvert-a=false pad-a=false" --mlir-print-local-scope | FileCheck "%s"
// The layout of B that a lowering configuration names, or a schedule of the operation's node.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#packed = #kgen.lowering_config<layout = {rhs = "packed"}>
#plain = #kgen.lowering_config<layout = {rhs = "plain"}>

module {
  // CHECK-LABEL: func @packed
  // CHECK:         linalg.pack
  // CHECK:         panel = 32
  func.func @packed(%a: tensor<4x6xf32>, %b: tensor<6x40xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], lowering_config = #packed} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // CHECK-LABEL: func @plain
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm
  // CHECK-NOT:     panel
  // CHECK:         return
  func.func @plain(%a: tensor<4x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %b = arith.constant dense<1.0> : tensor<6x40xf32>
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = [], lowering_config = #plain} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32>
    return %g : tensor<4x40xf32>
  }

  // CHECK-LABEL: func @scheduled
  // CHECK-NOT:     linalg.pack
  // CHECK:         tpp.gemm {{.*}} lowering_config = #kgen.lowering_config<layout = {rhs = "plain"}>
  func.func @scheduled(%a: tensor<4x6xf32>, %e: tensor<4x40xf32>) -> tensor<4x40xf32>
      attributes {kgen.node_decisions = [{node = "y", schedule = "s", layout = {rhs = "plain"}}]} {
    %b = arith.constant dense<1.0> : tensor<6x40xf32>
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x40xf32>) outs(%e : tensor<4x40xf32>)
        attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x40xf32> loc("y")
    return %g : tensor<4x40xf32>
  }
}
