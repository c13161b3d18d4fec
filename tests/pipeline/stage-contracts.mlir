// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=pack
// RUN: not kgen-opt "%s" --kgen-verify-stage=pakc 2>&1 | FileCheck "%s"
// CHECK: there is no stage 'pakc'
// What may not be there after the stage "pack", and what may; the other stages: stage-contracts-<stage>.mlir.

func.func @good(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @contraction(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{is a contraction outside of tpp, after the stage 'pack'}}
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @constant(%e: tensor<2x2x1xf32>) -> tensor<2x2x1xf32> {
  %c = arith.constant dense<1.0> : tensor<2x2xf32>
  // expected-error@+1 {{packs a constant at run time}}
  %p = linalg.pack %c inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<2x2xf32> -> tensor<2x2x1xf32>
  return %p : tensor<2x2x1xf32>
}

// -----

func.func @branch() {
  // expected-error@+1 {{is left}}
  cf.br ^bb1
^bb1:
  return
}
