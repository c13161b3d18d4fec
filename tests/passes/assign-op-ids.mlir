// RUN: kgen-opt "%s" --split-input-file --kgen-assign-op-ids --mlir-print-debuginfo --mlir-print-local-scope | FileCheck "%s"
// Operations that do work are numbered if decisions are recorded, and not otherwise.

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @recorded
  func.func @recorded(%zero: f32, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK: linalg.fill {{.*}} loc(fused<{step = 0 : i64}>["first"])
    %a = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("first")
    // CHECK: linalg.copy {{.*}} loc(fused<{step = 1 : i64}>["second"])
    %b = linalg.copy ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("second")
    // CHECK: kgen.extern {{.*}} loc(fused<{step = 2 : i64}>["third"])
    %c = kgen.extern "f" ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("third")
    // CHECK: return {{.*}} loc("end")
    return %a, %c : tensor<8xf32>, tensor<8xf32> loc("end")
  }
}

// -----

module {
  // CHECK-LABEL: func.func @silent
  func.func @silent(%zero: f32, %e: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: linalg.fill {{.*}} loc("first")
    %a = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("first")
    return %a : tensor<8xf32>
  }
}
