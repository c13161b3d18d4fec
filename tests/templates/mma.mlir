// A product of either type: bf16 is multiplied in pairs, packed for VNNI. Callers may keep tensors of unknown rank.
// RUN: kgen-opt "%s" --kgen-instantiate-templates=generalize=false --canonicalize --cse | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-instantiate-templates=inline=false | FileCheck "%s" --check-prefix=CALLS
// RUN: kgen-opt "%s" --kgen-instantiate-templates | FileCheck "%s" --check-prefix=GENERIC
// RUN: kgen-opt "%s" --kgen-check-templates -o %t.checked
// RUN: kgen-opt "%s" -o %t.printed
// RUN: diff %t.checked %t.printed
// RUN: kgen-opt %t.printed -o %t.again
// RUN: diff %t.printed %t.again
// RUN: FileCheck "%s" --check-prefix=TEXT --match-full-lines < %t.printed
// TEXT: template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
// TEXT-NEXT:{{@}}mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxf32> {
// TEXT-NEXT:  %zero = template.constant 0 : f32   // what sums start from
// TEXT: {{.*}} = template.call @mma<T = bf16>(%arg0, %arg1) : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
@mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxf32> {
  %zero = template.constant 0 : f32   // what sums start from
  %empty = tensor.empty() : tensor<MxNxf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<MxNxf32>) -> tensor<MxNxf32>
  template.const_if template::is_same(T, f32) {
    %0 = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>)
                       outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %0 : tensor<MxNxf32>
  } else template.const_if template::is_same(T, bf16) {
    template.let V = 32 / bitwidth(T)
    template.assert K % V == 0, "bf16 is multiplied in pairs"
    template.let P = K / V
    %pairs = tensor.expand_shape %a [[0], [1, 2]] output_shape [M, P, V] : tensor<MxKxT> into tensor<MxPxVxT>
    %space = tensor.empty() : tensor<PxNxVxT>
    %vnni = linalg.pack %b inner_dims_pos = [0] inner_tiles = [V] into %space : tensor<KxNxT> -> tensor<PxNxVxT>
    %1 = linalg.contract indexing_maps = [affine_map<(m, n, k, v) -> (m, k, v)>, affine_map<(m, n, k, v) -> (k, n, v)>,
                                          affine_map<(m, n, k, v) -> (m, n)>]
        ins(%pairs, %vnni : tensor<MxPxVxT>, tensor<PxNxVxT>) outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %1 : tensor<MxNxf32>
  } else {
    template.error "Unsupported element type"
  }
}

// CHECK-NOT: tensor.cast
// CHECK-LABEL: func.func @caller
// CHECK: %[[R:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<32x64xf32>, tensor<64x128xf32>) outs(%{{.*}} : tensor<32x128xf32>)
// CHECK-NEXT: return %[[R]] : tensor<32x128xf32>
// GENERIC-LABEL: func.func @caller
// GENERIC: linalg.fill
// GENERIC-NOT: linalg.matmul
// GENERIC: linalg.generic
func.func @caller(%x: tensor<32x64xf32>, %y: tensor<64x128xf32>) -> tensor<32x128xf32> {
  %a = tensor.cast %x : tensor<32x64xf32> to tensor<*xf32>
  %b = tensor.cast %y : tensor<64x128xf32> to tensor<*xf32>
  %r = template.call @mma(%a, %b) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %out = tensor.cast %r : tensor<*xf32> to tensor<32x128xf32>
  return %out : tensor<32x128xf32>
}

// Both calls are of one instance.
// CHECK-LABEL: func.func @bf16
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<32x64xbf16> into tensor<32x32x2xbf16>
// CHECK: linalg.pack %arg1 inner_dims_pos = [0] inner_tiles = [2] into {{.*}} : tensor<64x128xbf16> -> tensor<32x128x2xbf16>
// CHECK: %[[C:.*]] = linalg.contract {{.*}} tensor<32x32x2xbf16>, tensor<32x128x2xbf16>
// CHECK-NEXT: return %[[C]], %[[C]]
// CALLS-LABEL: func.func @bf16
// CALLS-COUNT-2: call @"mma<T = bf16, M = 32, N = 128, K = 64>"(%arg0, %arg1)
// CALLS: func.func private @"mma<T = bf16, M = 32, N = 128, K = 64>"(%{{.*}}: tensor<32x64xbf16>, %{{.*}}: tensor<64x128xbf16>) -> tensor<32x128xf32>
// CALLS: func.func private @"mma<T = f32, M = 32, N = 128, K = 64>"
// CALLS-NOT: func.func
func.func @bf16(%x: tensor<32x64xbf16>, %y: tensor<64x128xbf16>) -> (tensor<32x128xf32>, tensor<32x128xf32>) {
  %0 = template.call @mma<T = bf16>(%x, %y) : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  %1 = template.call @mma(%x, %y) : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  return %0, %1 : tensor<32x128xf32>, tensor<32x128xf32>
}
