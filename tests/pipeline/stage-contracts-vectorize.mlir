// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=vectorize

func.func @good(%x: tensor<8xf32>, %i: index, %p: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %x[%i], %p : tensor<8xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @tile(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{is a tile operation without a kernel, after the stage 'vectorize'}}
  %0 = tpp.exp ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @pack(%x: tensor<2x2xf32>, %e: tensor<2x2x1xf32>) -> tensor<2x2x1xf32> {
  // expected-error@+1 {{is left}}
  %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<2x2xf32> -> tensor<2x2x1xf32>
  return %p : tensor<2x2x1xf32>
}

// -----

func.func @pad(%x: tensor<2x2xf32>, %i: index) -> (tensor<4x4xf32>, tensor<2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %parts = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<2x2xf32> to tensor<4x4xf32>
  %part = tensor.extract_slice %parts[%i, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  // expected-error@+1 {{is a pad that is read as a whole}}
  %whole = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<2x2xf32> to tensor<4x4xf32>
  return %whole, %part : tensor<4x4xf32>, tensor<2x2xf32>
}
