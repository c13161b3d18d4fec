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
}
