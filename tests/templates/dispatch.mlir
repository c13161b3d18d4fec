// Sizes that are known at run time only: a switch over the instances, and a template for the rest.
// RUN: kgen-opt "%s" --kgen-instantiate-templates=generalize=false --canonicalize --cse | FileCheck "%s"
template.func {M : index_of<1, 8, 64>, N : index} @rows(%x : tensor<MxNxf32>) -> tensor<MxNxf32> {
  template.let Blocks = min(M, 8)
  %e = tensor.empty() : tensor<MxNxf32>
  %0 = linalg.exp {rows = Blocks} ins(%x : tensor<MxNxf32>) outs(%e : tensor<MxNxf32>) -> tensor<MxNxf32>
  return %0 : tensor<MxNxf32>
}
template.func {M : any_dim, N : index} @rows(%x : tensor<MxNxf32>) -> tensor<MxNxf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<MxNxf32>
  %e = tensor.empty(%m) : tensor<?xNxf32>
  %0 = linalg.exp ins(%x : tensor<MxNxf32>) outs(%e : tensor<?xNxf32>) -> tensor<?xNxf32>
  %1 = tensor.cast %0 : tensor<?xNxf32> to tensor<MxNxf32>
  return %1 : tensor<MxNxf32>
}
template.func {S : any_shape_of<32x64, 64x64>} @shapes(%x : tensor<Sxf32>) -> tensor<Sxf32> { return %x : tensor<Sxf32> }
template.func {S : any_shape} @shapes(%x : tensor<Sxf32>) -> tensor<Sxf32> { return %x : tensor<Sxf32> }
// Combinations that `requires` excludes are no cases.
template.func {M : index_of<1, 2>, N : index_of<2, 4>} @both(%x : tensor<Mxf32>, %y : tensor<Nxf32>) -> f32 requires M * N <= 4 {
  %0 = template.constant M * N : f32
  return %0 : f32
}
template.func {M : any_dim, N : any_dim} @both(%x : tensor<Mxf32>, %y : tensor<Nxf32>) -> f32 {
  %0 = template.constant 0 : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @f
// CHECK: %[[M:.*]] = tensor.dim %arg0
// CHECK: scf.index_switch %[[M]] -> tensor<?x16xf32>
// CHECK: case 1 {
// CHECK: linalg.exp {rows = 1 : i64} {{.*}} tensor<1x16xf32>
// CHECK: case 8 {
// CHECK: linalg.exp {rows = 8 : i64} {{.*}} tensor<8x16xf32>
// CHECK: case 64 {
// CHECK: linalg.exp {rows = 8 : i64} {{.*}} tensor<64x16xf32>
// CHECK: default {
// CHECK: linalg.exp ins(%arg0
// Known now: the most special template, without a switch.
// CHECK: linalg.exp {rows = 8 : i64} ins(%arg1
// CHECK: %[[IS:.*]] = arith.andi
// CHECK: arith.select
// CHECK: scf.index_switch
// CHECK: tensor.cast %arg2 : tensor<?x?xf32> to tensor<32x64xf32>
func.func @f(%x: tensor<?x16xf32>, %y: tensor<8x16xf32>, %s: tensor<?x?xf32>) -> (tensor<?x16xf32>, tensor<8x16xf32>, tensor<?x?xf32>) {
  %0 = template.call @rows(%x) : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %1 = template.call @rows(%y) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = template.call @shapes(%s) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x16xf32>, tensor<8x16xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @g
// CHECK: case 0 {
// CHECK: case 1 {
// CHECK: case 2 {
// CHECK-NOT: case 3 {
// CHECK: default {
func.func @g(%x: tensor<?xf32>, %y: tensor<?xf32>) -> f32 {
  %0 = template.call @both(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  return %0 : f32
}
