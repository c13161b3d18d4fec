// RUN: not kgen-opt "%s" --kgen-raise-idioms=idioms=softmax,softmaxes 2>&1 | FileCheck "%s"
// CHECK: error: 'softmaxes' is no idiom: kgen-raise-idioms takes extrema, normalizations, integer-products, half-rotations, gathers, pair-rotations, softmax, quantizations, activations
module {
  func.func @f() {
    return
  }
}
