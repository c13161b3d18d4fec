// A template that calls itself, and a shape that a branch knows.
// RUN: kgen-opt "%s" --kgen-instantiate-templates | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-check-templates -o %t
template.func
    { S : template.any_shape_of<32x64, 32x32, 64x64>, T : template.any_type_of<f32, bf16> }
    @expand(%x : tensor< S x T >) -> tensor<64x64xT> {
  template.shape_switch S
    case 64x64 {
      return %x : tensor<64x64xT>
    }
    case 32x64 {
      %0 = tensor.empty() : tensor<64x64xT>
      %1 = tensor.insert_slice %x into %0[0, 0][32, 64][1, 1] : tensor<SxT> into tensor<64x64xT>
      %2 = tensor.insert_slice %x into %1[32, 0][32, 64][1, 1] : tensor<SxT> into tensor<64x64xT>
      return %2 : tensor<64x64xT>
    }
    case 32x32 {
      // Twice in one direction, then this template again.
      %0 = tensor.empty() : tensor<32x64xT>
      %1 = tensor.insert_slice %x into %0[0, 0][32, 32][1, 1] : tensor<SxT> into tensor<32x64xT>
      %2 = tensor.insert_slice %x into %1[0, 32][32, 32][1, 1] : tensor<SxT> into tensor<32x64xT>
      %3 = template.call @expand(%2) : (tensor<32x64xT>) -> tensor<64x64xT>
      return %3 : tensor<64x64xT>
    }
}

// CHECK-NOT: template
// CHECK-LABEL: func.func @caller(%arg0: tensor<32x32xf32>, %arg1: tensor<64x64xbf16>)
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
// CHECK: %[[B:.*]] = tensor.insert_slice %arg0 into %[[A]][0, 32] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
// CHECK: %[[C:.*]] = tensor.insert_slice %[[B]] into %{{.*}}[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
// CHECK: %[[D:.*]] = tensor.insert_slice %[[B]] into %[[C]][32, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
// CHECK: return %[[D]], %arg1
// CHECK-NOT: func.func
func.func @caller(%0: tensor<32x32xf32>, %1: tensor<64x64xbf16>) -> (tensor<64x64xf32>, tensor<64x64xbf16>) {
  %2 = template.call @expand(%0) : (tensor<32x32xf32>) -> tensor<64x64xf32>
  %3 = template.call @expand(%1) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %2, %3 : tensor<64x64xf32>, tensor<64x64xbf16>
}
