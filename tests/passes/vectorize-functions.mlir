// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v4},func.func(kgen-vectorize))" | FileCheck "%s"

// Two vectors at a time, but for a function that needs the registers for one: a sigmoid, and a power.
module {
  // CHECK-LABEL: func.func @sigmoid
  // CHECK:         kgen.sigmoid {{.*}} : vector<32xf32>
  func.func @sigmoid(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<64xf32>)
        outs(%e : tensor<64xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = kgen.sigmoid %x0 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }

  // CHECK-LABEL: func.func @power
  // CHECK:         math.powf {{.*}} : vector<16xf32>
  // CHECK-NOT:     vector<32xf32>
  func.func @power(%x: tensor<64xf32>, %y: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%x, %y : tensor<64xf32>, tensor<64xf32>)
        outs(%e : tensor<64xf32>) {
    ^bb0(%x0: f32, %y0: f32, %o: f32):
      %p = math.powf %x0, %y0 : f32
      linalg.yield %p : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
