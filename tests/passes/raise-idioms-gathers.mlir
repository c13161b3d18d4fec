// RUN: kgen-opt "%s" --kgen-raise-idioms=idioms=gathers --canonicalize --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @range
  // CHECK-SAME:    (%[[X:.*]]: tensor<6x5xf32>)
  // CHECK-SAME:    what = "a gather of a range is a slice"
  // CHECK-NEXT:    %[[R:.*]] = tensor.extract_slice %[[X]][2, 0] [3, 5] [1, 1]
  // CHECK-NEXT:    return %[[R]]
  func.func @range(%x: tensor<6x5xf32>) -> tensor<3x5xf32> {
    // -4 is 2.
    %i = arith.constant dense<[-4, 3, 4]> : tensor<3xi64>
    %zero = arith.constant 0 : i64
    %size = arith.constant 6 : i64
    %e = tensor.empty() : tensor<3x5xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: i64, %o: f32):
      %j = linalg.index 1 : index
      %negative = arith.cmpi slt, %a, %zero : i64
      %behind = arith.addi %a, %size : i64
      %b = arith.select %negative, %behind, %a : i64
      %at = arith.index_cast %b : i64 to index
      %v = tensor.extract %x[%at, %j] : tensor<6x5xf32>
      linalg.yield %v : f32
    } -> tensor<3x5xf32>
    return %r : tensor<3x5xf32>
  }

  // Each head twice, and all heads twice.
  // CHECK-LABEL: func.func @repeated
  // CHECK-SAME:    (%[[X:.*]]: tensor<2x5xf32>)
  // CHECK-SAME:    what = "a gather of repeated indices is a repetition"
  // CHECK:         %[[B:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
  // CHECK-SAME:      ins(%[[X]] : tensor<2x5xf32>) outs(%{{.*}} : tensor<2x2x5xf32>)
  // CHECK:         %[[EACH:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]]
  // CHECK:         %[[C:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
  // CHECK:         %[[ALL:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1], [2]]
  // CHECK:         return %[[EACH]], %[[ALL]]
  func.func @repeated(%x: tensor<2x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
    %i = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
    %k = arith.constant dense<[0, 1, 0, 1]> : tensor<4xi32>
    %e = tensor.empty() : tensor<4x5xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi32>) outs(%e : tensor<4x5xf32>) {
    ^bb0(%a: i32, %o: f32):
      %j = linalg.index 1 : index
      %at = arith.index_cast %a : i32 to index
      %v = tensor.extract %x[%at, %j] : tensor<2x5xf32>
      linalg.yield %v : f32
    } -> tensor<4x5xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<4xi32>) outs(%e : tensor<4x5xf32>) {
    ^bb0(%a: i32, %o: f32):
      %j = linalg.index 1 : index
      %at = arith.index_cast %a : i32 to index
      %v = tensor.extract %x[%at, %j] : tensor<2x5xf32>
      linalg.yield %v : f32
    } -> tensor<4x5xf32>
    return %r, %s : tensor<4x5xf32>, tensor<4x5xf32>
  }

  // A permutation, a stride, and an index that is not valid: as they were.
  // CHECK-LABEL: func.func @others
  // CHECK-SAME:    why = "constant indices neither count up nor repeat"
  // CHECK-SAME:    kind = "refused"
  // CHECK-NOT:     tensor.extract_slice
  // CHECK-COUNT-3: tensor.extract %
  func.func @others(%x: tensor<6x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
    %i = arith.constant dense<[2, 1, 0]> : tensor<3xi64>
    %k = arith.constant dense<[0, 2, 4]> : tensor<3xi64>
    %l = arith.constant dense<[4, 5, 6]> : tensor<3xi64>
    %e = tensor.empty() : tensor<3x5xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: i64, %o: f32):
      %j = linalg.index 1 : index
      %at = arith.index_cast %a : i64 to index
      %v = tensor.extract %x[%at, %j] : tensor<6x5xf32>
      linalg.yield %v : f32
    } -> tensor<3x5xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<3xi64>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: i64, %o: f32):
      %j = linalg.index 1 : index
      %at = arith.index_cast %a : i64 to index
      %v = tensor.extract %x[%at, %j] : tensor<6x5xf32>
      linalg.yield %v : f32
    } -> tensor<3x5xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%l : tensor<3xi64>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: i64, %o: f32):
      %j = linalg.index 1 : index
      %at = arith.index_cast %a : i64 to index
      %v = tensor.extract %x[%at, %j] : tensor<6x5xf32>
      linalg.yield %v : f32
    } -> tensor<3x5xf32>
    return %r, %s, %t : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
  }

  // One tensor twice is a repetition, as insertions and as tensor.concat; two tensors are not.
  // CHECK-LABEL: func.func @joined
  // CHECK-SAME:    (%[[X:.*]]: tensor<2x1x5xf32>, %[[Y:.*]]: tensor<2x1x5xf32>)
  // CHECK-SAME:    what = "a tensor that is joined with itself is a repetition"
  // CHECK:         %[[D:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2]]
  // CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
  // CHECK-SAME:      ins(%[[D]] : tensor<2x5xf32>) outs(%{{.*}} : tensor<2x2x5xf32>)
  // CHECK:         %[[O:.*]] = tensor.concat dim(1) %[[X]], %[[Y]]
  // CHECK:         return %[[R]], %{{.*}}, %[[O]]
  func.func @joined(%x: tensor<2x1x5xf32>, %y: tensor<2x1x5xf32>) -> (tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
    %e = tensor.empty() : tensor<2x2x5xf32>
    %0 = tensor.insert_slice %x into %e[0, 0, 0] [2, 1, 5] [1, 1, 1] : tensor<2x1x5xf32> into tensor<2x2x5xf32>
    %1 = tensor.insert_slice %x into %0[0, 1, 0] [2, 1, 5] [1, 1, 1] : tensor<2x1x5xf32> into tensor<2x2x5xf32>
    %2 = tensor.concat dim(1) %x, %x : (tensor<2x1x5xf32>, tensor<2x1x5xf32>) -> tensor<2x2x5xf32>
    %3 = tensor.concat dim(1) %x, %y : (tensor<2x1x5xf32>, tensor<2x1x5xf32>) -> tensor<2x2x5xf32>
    return %1, %2, %3 : tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
  }

  // Products with constant matrices: a diagonal one is a scale, columns of the unit matrix are slices, repetitions or gathers.
  // CHECK-LABEL: func.func @diagonal
  // CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
  // CHECK-SAME:    what = "a product with a diagonal matrix is a scale"
  // CHECK:         %[[D:.*]] = arith.constant dense<[2.000000e+00, -3.000000e+00, 5.000000e-01]> : tensor<3xf32>
  // CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
  // CHECK-SAME:      ins(%[[X]], %[[D]] : tensor<4x3xf32>, tensor<3xf32>)
  // CHECK:           arith.mulf
  // CHECK:         return %[[R]]
  func.func @diagonal(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %w = arith.constant dense<[[2.0, 0.0, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 0.5]]> : tensor<3x3xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
    %r = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z : tensor<4x3xf32>) -> tensor<4x3xf32>
    return %r : tensor<4x3xf32>
  }
  // CHECK-LABEL: func.func @unit
  // CHECK-SAME:    (%[[X:.*]]: tensor<2x4xf32>)
  // CHECK-SAME:    what = "a product with the unit matrix is its operand"
  // CHECK:         return %[[X]]
  func.func @unit(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %w = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %r = linalg.matmul ins(%w, %x : tensor<2x2xf32>, tensor<2x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    return %r : tensor<2x4xf32>
  }
  // CHECK-LABEL: func.func @columns
  // CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
  // CHECK-DAG:     what = "a product with columns of the unit matrix is a slice"
  // CHECK-DAG:     %[[AT:.*]] = arith.constant dense<[2, 0, 1]> : tensor<3xi64>
  // CHECK-DAG:     %[[FACTORS:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<3xf32>
  // CHECK:         %[[S:.*]] = tensor.extract_slice %[[X]][0, 1] [4, 2] [1, 1]
  // CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[AT]] : tensor<3xi64>)
  // CHECK:           tensor.extract %[[X]]
  // CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%[[G]], %[[FACTORS]] :
  // CHECK:         return %[[S]], %[[M]]
  func.func @columns(%x: tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x3xf32>) {
    %range = arith.constant dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<2x3xf32>
    %others = arith.constant dense<[[0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]> : tensor<3x3xf32>
    %zero = arith.constant 0.0 : f32
    %e2 = tensor.empty() : tensor<4x2xf32>
    %e3 = tensor.empty() : tensor<4x3xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %range : tensor<4x3xf32>, tensor<2x3xf32>) outs(%z2 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %s = linalg.matmul ins(%x, %others : tensor<4x3xf32>, tensor<3x3xf32>) outs(%z3 : tensor<4x3xf32>) -> tensor<4x3xf32>
    return %r, %s : tensor<4x2xf32>, tensor<4x3xf32>
  }

  // Two elements in a column, a column without one, an infinity, and sums that do not start from zero: as they were.
  // CHECK-LABEL: func.func @dense
  // CHECK-NOT:     what
  // CHECK-COUNT-4: linalg.matmul
  func.func @dense(%x: tensor<4x2xf32>, %b: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %two = arith.constant dense<[[1.0, 0.0], [2.0, 1.0]]> : tensor<2x2xf32>
    %none = arith.constant dense<[[1.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
    %infinite = arith.constant dense<[[1.0, 0.0], [0.0, 0x7F800000]]> : tensor<2x2xf32>
    %unit = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x2xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
    %r = linalg.matmul ins(%x, %two : tensor<4x2xf32>, tensor<2x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
    %s = linalg.matmul ins(%x, %none : tensor<4x2xf32>, tensor<2x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
    %t = linalg.matmul ins(%x, %infinite : tensor<4x2xf32>, tensor<2x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
    %u = linalg.matmul ins(%x, %unit : tensor<4x2xf32>, tensor<2x2xf32>) outs(%b : tensor<4x2xf32>) -> tensor<4x2xf32>
    return %r, %s, %t, %u : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }
}
