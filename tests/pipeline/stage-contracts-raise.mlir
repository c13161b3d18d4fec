// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=raise
// RUN: sed "s/'raise'/'fuse'/" "%s" > "%t.mlir"
// RUN: kgen-opt "%t.mlir" --split-input-file --verify-diagnostics --kgen-verify-stage=fuse
// The stages "raise" and "fuse" leave structured operations, and no contraction that is not tpp.

func.func @good(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @contraction(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{is a contraction outside of tpp, after the stage 'raise'}}
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @branch() {
  // expected-error@+1 {{is left, after the stage 'raise'}}
  cf.br ^bb1
^bb1:
  return
}
