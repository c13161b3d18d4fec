// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=gpu-fuse

func.func @named(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{is left, after the stage 'gpu-fuse'}}
  %y = kgen.softmax %x along [1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
