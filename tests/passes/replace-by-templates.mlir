// A template takes the place of operations that unify with the template that it names in `replaces`.
// RUN: kgen-opt "%s" --split-input-file --kgen-replace-by-templates | FileCheck "%s"

// A product, a bias and a maximum: named or generic, operands that commute in either order.
template.func {M : index, N : index, K : index}
@dense(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>, %c : tensor<Nxf32>) -> tensor<MxNxf32> cost 2 * M * N * K {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<MxNxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<MxNxf32>) -> tensor<MxNxf32>
  %p = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%z : tensor<MxNxf32>) -> tensor<MxNxf32>
  %y = linalg.generic {indexing_maps = [$(identity(2)), $(projection(2, [1])), $(identity(2))], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<MxNxf32>, tensor<Nxf32>) outs(%e : tensor<MxNxf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %zero : f32
    linalg.yield %m : f32
  } -> tensor<MxNxf32>
  return %y : tensor<MxNxf32>
}
template.func {M : index, N : index, K : index}
@fast(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>, %c : tensor<Nxf32>) -> tensor<MxNxf32> replaces @dense cost M * N * K requires K > 2 {
  %e = tensor.empty() : tensor<MxNxf32>
  return %e : tensor<MxNxf32>
}

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @found
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[C:.*]]: tensor<4xf32>)
func.func @found(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: linalg.matmul
  // CHECK-NOT: linalg.generic
  // CHECK: %[[R:.*]] = template.call @fast<K = 8, M = 4, N = 4>(%[[A]], %[[B]], %[[C]]) : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %p : tensor<4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) {
  ^bb0(%s : f32, %x : f32, %o : f32):
    %1 = arith.constant 0.0 : f32
    %t = arith.addf %s, %x : f32
    %m = arith.maximumf %1, %t : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// The bias is added to rows.
// CHECK-LABEL: func.func @other_map
func.func @other_map(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: template.call
  // CHECK: linalg.matmul
  %0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %0 : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// The sum does not start from zero, or the maximum is one with another number.
// CHECK-LABEL: func.func @other_constants
func.func @other_constants(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NOT: template.call
  // CHECK: linalg.matmul
  // CHECK: linalg.matmul
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %one = linalg.fill ins(%1 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.fill ins(%0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%one : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %0 : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  %p2 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p2, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %1 : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  return %y, %y2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Somebody else reads the product.
// CHECK-LABEL: func.func @read_elsewhere
func.func @read_elsewhere(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NOT: template.call
  // CHECK: linalg.matmul
  %0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %0 : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  return %y, %p : tensor<4x4xf32>, tensor<4x4xf32>
}

// What the template requires does not hold.
// CHECK-LABEL: func.func @too_short
func.func @too_short(%a: tensor<4x2xf32>, %b: tensor<2x4xf32>, %c: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: template.call
  // CHECK: linalg.matmul
  %0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x2xf32>, tensor<2x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    %m = arith.maximumf %t, %0 : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// The lowest cost; of equal ones the first. A pattern without a cost is dearer than any, a template without one costs nothing.
template.func {N : index} @double(%a : tensor<Nxf32>) -> tensor<Nxf32> cost N {
  %y = arith.addf %a, %a : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
template.func {N : index} @dear(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @double cost N { return %a : tensor<Nxf32> }
template.func {N : index} @cheap(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @double cost 8 { return %a : tensor<Nxf32> }
template.func {N : index} @same(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @double cost 8.0 { return %a : tensor<Nxf32> }
template.func {N : index} @half(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @double cost N / 2.0 + 5 { return %a : tensor<Nxf32> }
template.func {N : index} @square(%a : tensor<Nxf32>) -> tensor<Nxf32> {
  %y = arith.mulf %a, %a : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
template.func {N : index} @any_cost(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @square cost 1000000 { return %a : tensor<Nxf32> }
template.func {N : index} @negated(%a : tensor<Nxf32>) -> tensor<Nxf32> cost 1 {
  %y = arith.negf %a : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
template.func {N : index} @no_cost(%a : tensor<Nxf32>) -> tensor<Nxf32> replaces @negated { return %a : tensor<Nxf32> }

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @costs
func.func @costs(%a: tensor<4xf32>, %b: tensor<9xf32>) -> (tensor<4xf32>, tensor<9xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<9xf32>
  // CHECK: linalg.generic
  // CHECK: arith.addf
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.addf %x, %x : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  // CHECK: template.call @cheap<N = 9>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<9xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.addf %x, %x : f32
    linalg.yield %t : f32
  } -> tensor<9xf32>
  // CHECK: template.call @any_cost<N = 4>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.mulf %x, %x : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  // CHECK: template.call @no_cost<N = 4>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.negf %x : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<9xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A number that is a parameter, a type that decides on the form, a flag; the template gets them. Two results.
template.func {S : any_shape, T : any_type_of<f32, bf16>, Slope : real}
@leaky(%x : tensor<SxT>) -> (tensor<SxT>, tensor<SxT>) {
  template.let R = rank(S)
  template.const_if is_same(T, f32) {
    %slope = template.constant Slope : tensor<Sxf32>
    %y = arith.mulf %x, %slope : tensor<Sxf32>
    %z = arith.maximumf %x, %y : tensor<Sxf32>
    return %z, %y : tensor<SxT>, tensor<SxT>
  } else {
    %wide = arith.extf %x : tensor<SxT> to tensor<Sxf32>
    %slope = template.constant Slope : tensor<Sxf32>
    %y = arith.mulf %wide, %slope : tensor<Sxf32>
    %m = arith.maximumf %wide, %y : tensor<Sxf32>
    %n = arith.truncf %y : tensor<Sxf32> to tensor<SxT>
    %z = arith.truncf %m : tensor<Sxf32> to tensor<SxT>
    return %z, %n : tensor<SxT>, tensor<SxT>
  }
}
template.func {N : index, T : any_type, Slope : real}
@leaky_rows(%x : tensor<3xNxT>) -> (tensor<3xNxT>, tensor<3xNxT>) replaces @leaky { return %x, %x : tensor<3xNxT>, tensor<3xNxT> }

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @parameters
// CHECK-SAME: (%[[A:.*]]: tensor<3x5xf32>)
func.func @parameters(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  // CHECK: %[[R:.*]]:2 = template.call @leaky_rows<N = 5, Slope = 0.25, T = f32>(%[[A]])
  // CHECK-NEXT: return %[[R]]#1, %[[R]]#0
  %e = tensor.empty() : tensor<3x5xf32>
  %slope = arith.constant 0.25 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.mulf %x, %slope : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  %z = linalg.max ins(%y, %a : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y, %z : tensor<3x5xf32>, tensor<3x5xf32>
}
// CHECK-LABEL: func.func @other_shape
func.func @other_shape(%a: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  // CHECK-NOT: template.call
  // CHECK: linalg.max
  %e = tensor.empty() : tensor<4x5xf32>
  %slope = arith.constant 0.25 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%x : f32, %o : f32):
    %t = arith.mulf %x, %slope : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  %z = linalg.max ins(%y, %a : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y, %z : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// The larger pattern first, and no operation twice.
template.func {N : index} @add3(%a : tensor<Nxf32>, %b : tensor<Nxf32>, %c : tensor<Nxf32>) -> tensor<Nxf32> {
  %s = arith.addf %a, %b : tensor<Nxf32>
  %y = arith.addf %s, %c : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
template.func {N : index} @one_step(%a : tensor<Nxf32>, %b : tensor<Nxf32>, %c : tensor<Nxf32>) -> tensor<Nxf32> replaces @add3 { return %a : tensor<Nxf32> }
template.func {N : index} @add2(%a : tensor<Nxf32>, %b : tensor<Nxf32>) -> tensor<Nxf32> {
  %s = arith.addf %a, %b : tensor<Nxf32>
  return %s : tensor<Nxf32>
}
template.func {N : index} @two_terms(%a : tensor<Nxf32>, %b : tensor<Nxf32>) -> tensor<Nxf32> replaces @add2 { return %a : tensor<Nxf32> }

// CHECK-LABEL: func.func @sizes
func.func @sizes(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %[[S:.*]] = template.call @two_terms
  // CHECK-NEXT: template.call @one_step<N = 4>(%arg1, %[[S]], %arg1)
  // CHECK-NEXT: return
  %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%b, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.add ins(%1, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// REQUIRES: templates
