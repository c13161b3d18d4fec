// RUN: kgen-opt "%s" --kgen-fuse-elementwise --mlir-print-debuginfo --mlir-print-local-scope | FileCheck "%s"
// A fused operation gets the names of all nodes whose operations are in its body; every fusion is recorded.

#identity = affine_map<(d0) -> (d0)>

// CHECK: module attributes {kgen.decisions = []}
module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @two_nodes
  // CHECK-SAME: kgen.decisions = [{details = {}, kind = "fused", nodes = ["producer", "consumer"], pass = "kgen-fuse-elementwise"}]
  func.func @two_nodes(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    // CHECK: linalg.generic
    // CHECK: } -> tensor<8xf32> loc(fused["producer", "consumer"])
    %r = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32 loc("producer"), %out: f32 loc("consumer")):
      %y = arith.negf %a : f32 loc("producer")
      %z = math.absf %y : f32 loc("consumer")
      linalg.yield %z : f32 loc("consumer")
    } -> tensor<8xf32> loc("consumer")
    return %r : tensor<8xf32>
  }

  // A transposition has no operation in the body; its argument stands for it.
  // CHECK-LABEL: func.func @only_moves
  // CHECK: } -> tensor<8xf32> loc(fused["mover", "consumer"])
  func.func @only_moves(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32 loc("mover"), %out: f32 loc("consumer")):
      %z = math.absf %a : f32 loc("consumer")
      linalg.yield %z : f32 loc("consumer")
    } -> tensor<8xf32> loc("consumer")
    return %r : tensor<8xf32>
  }

  // Nothing was fused: nothing changes, nothing is recorded.
  // CHECK-LABEL: func.func @one_node
  // CHECK-NOT: kgen.decisions
  // CHECK: } -> tensor<8xf32> loc("alone")
  func.func @one_node(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32 loc("alone"), %out: f32 loc("alone")):
      %z = math.absf %a : f32 loc("alone")
      linalg.yield %z : f32 loc("alone")
    } -> tensor<8xf32> loc("alone")
    return %r : tensor<8xf32>
  }
}
