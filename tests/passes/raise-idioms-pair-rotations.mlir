// RUN: kgen-opt "%s" --kgen-raise-idioms=idioms=pair-rotations --canonicalize --cse --mlir-print-local-scope | FileCheck "%s"

#all = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
#box = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (j, k)>
module attributes {kgen.decisions = []} {
  // Elements of pairs are slices with a stride: what the operator is, too.
  // CHECK-LABEL: func.func @neighbours(
  // CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[COS:.*]]: tensor<4xf32>, %[[SIN:.*]]: tensor<4xf32>)
  // CHECK-SAME:    what = "a rotation of neighbours in each row"
  // CHECK-NEXT:    %[[Y:.*]] = kgen.rotary_embedding %[[X]] cosines(%[[COS]]) sines(%[[SIN]]) on [] {interleaved}
  // CHECK-NEXT:    return %[[Y]]
  func.func @neighbours(%x: tensor<4x8xf32>, %cos: tensor<4xf32>, %sin: tensor<4xf32>) -> tensor<4x8xf32> {
    %a = tensor.extract_slice %x[0, 0] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %b = tensor.extract_slice %x[0, 1] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x4xf32>
    %y0 = linalg.generic {indexing_maps = [#all, #columns, #all, #columns, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %cos, %b, %sin : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %c: f32, %j: f32, %s: f32, %o: f32):
      %0 = arith.mulf %i, %c : f32
      %1 = arith.mulf %j, %s : f32
      %2 = arith.subf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    %y1 = linalg.generic {indexing_maps = [#all, #columns, #all, #columns, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sin, %b, %cos : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %s: f32, %j: f32, %c: f32, %o: f32):
      %0 = arith.mulf %i, %s : f32
      %1 = arith.mulf %j, %c : f32
      %2 = arith.addf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    %w = tensor.empty() : tensor<4x8xf32>
    %i0 = tensor.insert_slice %y0 into %w[0, 0] [4, 4] [1, 2] : tensor<4x4xf32> into tensor<4x8xf32>
    %i1 = tensor.insert_slice %y1 into %i0[0, 1] [4, 4] [1, 2] : tensor<4x4xf32> into tensor<4x8xf32>
    return %i1 : tensor<4x8xf32>
  }

  // Halves of rows, of a part of them and in part of the result; each half has angles of its own, whose parts are slices of one tensor.
  // CHECK-LABEL: func.func @halves(
  // CHECK-SAME:    %[[X:.*]]: tensor<4x12xf32>, %[[COS:.*]]: tensor<4x8xf32>, %[[SIN:.*]]: tensor<4x8xf32>)
  // CHECK-SAME:    what = "a rotation of the halves of each row"
  // CHECK:         %[[PART:.*]] = tensor.extract_slice %[[X]][0, 2] [4, 8] [1, 1]
  // CHECK:         %[[Y:.*]] = kgen.rotary_embedding %[[PART]] cosines(%[[COS]]) sines(%[[SIN]]) on [0] {each_element}
  // CHECK:         tensor.insert_slice %[[Y]] into %{{.*}}[0, 1] [4, 8] [1, 1]
  func.func @halves(%x: tensor<4x12xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<4x9xf32> {
    %a = tensor.extract_slice %x[0, 2] [4, 4] [1, 1] : tensor<4x12xf32> to tensor<4x4xf32>
    %b = tensor.extract_slice %x[0, 6] [4, 4] [1, 1] : tensor<4x12xf32> to tensor<4x4xf32>
    %ca = tensor.extract_slice %cos[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %cb = tensor.extract_slice %cos[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %sa = tensor.extract_slice %sin[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %sb = tensor.extract_slice %sin[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x4xf32>
    %y0 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %ca, %b, %sa : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %c: f32, %j: f32, %s: f32, %o: f32):
      %0 = arith.mulf %i, %c : f32
      %1 = arith.negf %j : f32
      %2 = arith.mulf %s, %1 : f32
      %3 = arith.addf %2, %0 : f32
      linalg.yield %3 : f32
    } -> tensor<4x4xf32>
    %y1 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sb, %b, %cb : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %s: f32, %j: f32, %c: f32, %o: f32):
      %0 = arith.mulf %i, %s : f32
      %1 = arith.mulf %j, %c : f32
      %2 = arith.addf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    %w = tensor.empty() : tensor<4x9xf32>
    %i0 = tensor.insert_slice %y1 into %w[0, 5] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x9xf32>
    %i1 = tensor.insert_slice %y0 into %i0[0, 1] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x9xf32>
    return %i1 : tensor<4x9xf32>
  }

  // rotate_every_two and the sum that it leads to, with angles for each element.
  // CHECK-LABEL: func.func @every_two(
  // CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[COS:.*]]: tensor<8xf32>, %[[SIN:.*]]: tensor<8xf32>)
  // CHECK-SAME:    what = "a rotation of neighbours in each row"
  // CHECK:         %[[Y:.*]] = kgen.rotary_embedding %[[X]] cosines(%[[COS]]) sines(%[[SIN]]) on [] {each_element, interleaved}
  // CHECK-NEXT:    return %[[Y]]
  func.func @every_two(%x: tensor<4x8xf32>, %cos: tensor<8xf32>, %sin: tensor<8xf32>) -> tensor<4x8xf32> {
    %a = tensor.extract_slice %x[0, 0] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %b = tensor.extract_slice %x[0, 1] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x4xf32>
    %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.negf %i : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    %n1 = tensor.expand_shape %n [[0], [1, 2]] output_shape [4, 4, 1] : tensor<4x4xf32> into tensor<4x4x1xf32>
    %a1 = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 4, 1] : tensor<4x4xf32> into tensor<4x4x1xf32>
    %j = tensor.concat dim(2) %n1, %a1 : (tensor<4x4x1xf32>, tensor<4x4x1xf32>) -> tensor<4x4x2xf32>
    %t = tensor.collapse_shape %j [[0], [1, 2]] : tensor<4x4x2xf32> into tensor<4x8xf32>
    %w = tensor.empty() : tensor<4x8xf32>
    %p = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %cos : tensor<4x8xf32>, tensor<8xf32>) outs(%w : tensor<4x8xf32>) {
    ^bb0(%i: f32, %c: f32, %o: f32):
      %0 = arith.mulf %i, %c : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #columns, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %sin, %p : tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) outs(%w : tensor<4x8xf32>) {
    ^bb0(%i: f32, %s: f32, %j2: f32, %o: f32):
      %0 = arith.mulf %i, %s : f32
      %1 = arith.addf %0, %j2 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }

  // One pair in each row, with angles for each element.
  // CHECK-LABEL: func.func @single_pairs(
  // CHECK-SAME:    %[[X:.*]]: tensor<3x1x2xf32>, %[[C:.*]]: tensor<1x2xf32>, %[[S:.*]]: tensor<1x2xf32>)
  // CHECK-DAG:     %[[COS:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1]]
  // CHECK-DAG:     %[[SIN:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]]
  // CHECK:         kgen.rotary_embedding %{{.*}} cosines(%[[COS]]) sines(%[[SIN]]) on [] {each_element, interleaved} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>)
  func.func @single_pairs(%x: tensor<3x1x2xf32>, %cos: tensor<1x2xf32>, %sin: tensor<1x2xf32>) -> tensor<3x1x2xf32> {
    %a = tensor.extract_slice %x[0, 0, 0] [3, 1, 1] [1, 1, 1] : tensor<3x1x2xf32> to tensor<3x1x1xf32>
    %b = tensor.extract_slice %x[0, 0, 1] [3, 1, 1] [1, 1, 1] : tensor<3x1x2xf32> to tensor<3x1x1xf32>
    %ca = tensor.extract_slice %cos[0, 0] [1, 1] [1, 1] : tensor<1x2xf32> to tensor<1x1xf32>
    %cb = tensor.extract_slice %cos[0, 1] [1, 1] [1, 1] : tensor<1x2xf32> to tensor<1x1xf32>
    %sa = tensor.extract_slice %sin[0, 0] [1, 1] [1, 1] : tensor<1x2xf32> to tensor<1x1xf32>
    %sb = tensor.extract_slice %sin[0, 1] [1, 1] [1, 1] : tensor<1x2xf32> to tensor<1x1xf32>
    %e = tensor.empty() : tensor<3x1x1xf32>
    %y0 = linalg.generic {indexing_maps = [#box, #row, #box, #row, #box], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%a, %ca, %b, %sa : tensor<3x1x1xf32>, tensor<1x1xf32>, tensor<3x1x1xf32>, tensor<1x1xf32>) outs(%e : tensor<3x1x1xf32>) {
    ^bb0(%i: f32, %c: f32, %j: f32, %s: f32, %o: f32):
      %0 = arith.mulf %i, %c : f32
      %1 = arith.mulf %j, %s : f32
      %2 = arith.subf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<3x1x1xf32>
    %y1 = linalg.generic {indexing_maps = [#box, #row, #box, #row, #box], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%a, %sb, %b, %cb : tensor<3x1x1xf32>, tensor<1x1xf32>, tensor<3x1x1xf32>, tensor<1x1xf32>) outs(%e : tensor<3x1x1xf32>) {
    ^bb0(%i: f32, %s: f32, %j: f32, %c: f32, %o: f32):
      %0 = arith.mulf %i, %s : f32
      %1 = arith.mulf %j, %c : f32
      %2 = arith.addf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<3x1x1xf32>
    %y = tensor.concat dim(2) %y0, %y1 : (tensor<3x1x1xf32>, tensor<3x1x1xf32>) -> tensor<3x1x2xf32>
    return %y : tensor<3x1x2xf32>
  }

  // The other way round: no rotary embedding, but one operation over pairs.
  // CHECK-LABEL: func.func @back(
  // CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[COS:.*]]: tensor<4xf32>, %[[SIN:.*]]: tensor<4xf32>)
  // CHECK-SAME:    what = "a rotation of neighbours in each row"
  // CHECK-DAG:     %[[FIRST:.*]] = arith.constant dense<[1, 0]> : tensor<2xi8>
  // CHECK-DAG:     %[[SIGNS:.*]] = arith.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>
  // CHECK-DAG:     %[[P:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [4, 4, 2]
  // CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 1)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>,
  // CHECK-SAME:      affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
  // CHECK-SAME:      affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
  // CHECK-SAME:      ins(%[[P]], %[[P]], %[[FIRST]], %[[SIN]], %[[SIGNS]], %[[P]], %[[COS]] :
  // CHECK:           %[[OTHER:.*]] = arith.select
  // CHECK:           %[[SIGNED:.*]] = arith.mulf %[[OTHER]], %{{.*}} : f32
  // CHECK:           %[[B:.*]] = arith.mulf %[[SIGNED]], %{{.*}} : f32
  // CHECK:           %[[A:.*]] = arith.mulf
  // CHECK:           arith.addf %[[A]], %[[B]] : f32
  // CHECK:         %[[Y:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
  // CHECK:         return %[[Y]]
  func.func @back(%x: tensor<4x8xf32>, %cos: tensor<4xf32>, %sin: tensor<4xf32>) -> tensor<4x8xf32> {
    %a = tensor.extract_slice %x[0, 0] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %b = tensor.extract_slice %x[0, 1] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x4xf32>
    %y0 = linalg.generic {indexing_maps = [#all, #columns, #all, #columns, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %cos, %b, %sin : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %c: f32, %j: f32, %s: f32, %o: f32):
      %0 = arith.mulf %i, %c : f32
      %1 = arith.mulf %j, %s : f32
      %2 = arith.addf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    %y1 = linalg.generic {indexing_maps = [#all, #columns, #all, #columns, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sin, %b, %cos : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %s: f32, %j: f32, %c: f32, %o: f32):
      %0 = arith.mulf %i, %s : f32
      %1 = arith.mulf %j, %c : f32
      %2 = arith.subf %1, %0 : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    %w = tensor.empty() : tensor<4x8xf32>
    %i0 = tensor.insert_slice %y0 into %w[0, 0] [4, 4] [1, 2] : tensor<4x4xf32> into tensor<4x8xf32>
    %i1 = tensor.insert_slice %y1 into %i0[0, 1] [4, 4] [1, 2] : tensor<4x4xf32> into tensor<4x8xf32>
    return %i1 : tensor<4x8xf32>
  }

  // rotate_every_two without a sum: a negative second element, and the first one; slices and joins of a dimension of two.
  // CHECK-LABEL: func.func @exchanged(
  // CHECK-SAME:    %[[X:.*]]: tensor<4x2xbf16>)
  // CHECK-SAME:    kind = "applied"
  // CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[X]], %{{.*}}, %{{.*}} : tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<2xi8>, tensor<2xf32>)
  // CHECK-NOT:     tensor.concat
  func.func @exchanged(%x: tensor<4x2xbf16>) -> tensor<4x2xbf16> {
    %a = tensor.extract_slice %x[0, 0] [4, 1] [1, 1] : tensor<4x2xbf16> to tensor<4x1xbf16>
    %b = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x2xbf16> to tensor<4x1xbf16>
    %e = tensor.empty() : tensor<4x1xbf16>
    %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x1xbf16>) outs(%e : tensor<4x1xbf16>) {
    ^bb0(%i: bf16, %o: bf16):
      %0 = arith.negf %i : bf16
      linalg.yield %0 : bf16
    } -> tensor<4x1xbf16>
    %y = tensor.concat dim(1) %n, %a : (tensor<4x1xbf16>, tensor<4x1xbf16>) -> tensor<4x2xbf16>
    return %y : tensor<4x2xbf16>
  }

  // Elements that are not computed from each other stay apart.
  // CHECK-LABEL: func.func @no_rotation
  // CHECK-SAME:    why = "elements of pairs are joined after they were computed apart, but are no rotation"
  // CHECK:         tensor.concat
  func.func @no_rotation(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %a = tensor.extract_slice %x[0, 0] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4x1xf32>
    %b = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4x1xf32>
    %e = tensor.empty() : tensor<4x1xf32>
    %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.negf %i : f32
      linalg.yield %0 : f32
    } -> tensor<4x1xf32>
    %y = tensor.concat dim(1) %a, %n : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    return %y : tensor<4x2xf32>
  }
}
