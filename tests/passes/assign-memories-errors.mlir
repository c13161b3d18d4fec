// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-assign-memories))" --split-input-file --verify-diagnostics

func.func @no_destination(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'kgen.memory' is for pads, scf.forall and operations with a destination}}
  %s = tensor.extract_slice %x[0] [4] [1] {kgen.memory = 2 : i64} : tensor<8xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

func.func @several_constants(%x: tensor<6xindex>) -> tensor<8xindex> {
  // expected-error@+1 {{a pad with one constant is needed to be a copy to a memory}}
  %p = tensor.pad %x low[0] high[2] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } {kgen.memory = 1 : i64} : tensor<6xindex> to tensor<8xindex>
  return %p : tensor<8xindex>
}
