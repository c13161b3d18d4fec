// RUN: kgen-opt "%s" --kgen-raise-idioms=idioms=half-rotations --canonicalize --cse --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
  // Both halves are computed from halves of x and of the caches: nothing is exchanged in memory.
  // CHECK-LABEL: func.func @rotate_half
  // CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>, %[[COS:.*]]: tensor<8xf32>, %[[SIN:.*]]: tensor<8xf32>)
  // CHECK-SAME:    what = "a sum with the exchanged halves of each row, half by half"
  // CHECK-DAG:     %[[X1:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 4] [1, 1]
  // CHECK-DAG:     %[[X2:.*]] = tensor.extract_slice %[[X]][0, 4] [4, 4] [1, 1]
  // CHECK-DAG:     %[[C1:.*]] = tensor.extract_slice %[[COS]][0] [4] [1]
  // CHECK-DAG:     arith.negf
  // CHECK-DAG:     linalg.generic {{.*}} ins(%[[X1]], %[[C1]] : tensor<4x4xf32>, tensor<4xf32>)
  // CHECK-DAG:     tensor.extract_slice %[[SIN]][0] [4] [1]
  // CHECK-NOT:     tensor.insert_slice
  // CHECK:         %[[A:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT:    ^bb0
  // CHECK-NEXT:      arith.addf
  // CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [4, 4] [1, 1]
  // CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT:    ^bb0
  // CHECK-NEXT:      arith.addf
  // CHECK:         %[[BOTH:.*]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 4] [4, 4] [1, 1]
  // CHECK-NEXT:    return %[[BOTH]]
  func.func @rotate_half(%x: tensor<4x8xf32>, %cos: tensor<8xf32>, %sin: tensor<8xf32>) -> tensor<4x8xf32> {
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %eh = tensor.empty() : tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x2 : tensor<4x4xf32>) outs(%eh : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    %j1 = tensor.insert_slice %n into %e[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %j2 = tensor.insert_slice %x1 into %j1[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %cos : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%j2, %sin : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }

  // A sum that several read is computed in halves, too, and not from itself.
  // CHECK-LABEL: func.func @shared
  // CHECK-SAME:    what = "a sum with the exchanged halves of each row, half by half"
  // CHECK:         %[[A:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT:    ^bb0
  // CHECK-NEXT:      arith.addf
  // CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [4, 4] [1, 1]
  // CHECK:         %[[BOTH:.*]] = tensor.insert_slice %{{.*}} into %[[FIRST]][0, 4] [4, 4] [1, 1]
  // CHECK-NEXT:    return %[[BOTH]], %[[BOTH]]
  func.func @shared(%x: tensor<4x8xf32>, %cos: tensor<8xf32>, %sin: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %eh = tensor.empty() : tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x2 : tensor<4x4xf32>) outs(%eh : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    %j1 = tensor.insert_slice %n into %e[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %j2 = tensor.insert_slice %x1 into %j1[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %cos : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%j2, %sin : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    return %r, %r : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // With tensor.concat, of a part of a row, and with caches that were joined from one half twice: that half is read.
  // CHECK-LABEL: func.func @part
  // CHECK-SAME:    (%[[X:.*]]: tensor<4x12xf32>, %[[HALF:.*]]: tensor<4x4xf32>, %[[SIN:.*]]: tensor<4x8xf32>)
  // CHECK-NOT:     tensor.concat
  // CHECK-DAG:     %[[P:.*]] = tensor.extract_slice %[[X]][0, 2] [4, 8] [1, 1]
  // CHECK-DAG:     tensor.extract_slice %[[P]][0, 0] [4, 4] [1, 1]
  // CHECK-DAG:     tensor.extract_slice %[[P]][0, 4] [4, 4] [1, 1]
  // CHECK-DAG:     linalg.generic {{.*}} ins(%[[HALF]] : tensor<4x4xf32>)
  // CHECK-DAG:     math.cos
  // CHECK-NOT:     math.cos
  // CHECK:         return
  func.func @part(%whole: tensor<4x12xf32>, %angles: tensor<4x4xf32>, %sin: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %x = tensor.extract_slice %whole[0, 2] [4, 8] [1, 1] : tensor<4x12xf32> to tensor<4x8xf32>
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %both = tensor.concat dim(1) %angles, %angles : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%both : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.cos %a : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %j = tensor.concat dim(1) %x2, %x1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %cos : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %j, %sin : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
      %0 = arith.mulf %b, %c : f32
      %1 = arith.addf %a, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }

  // Exchanged halves that something else reads, too; halves that are not exchanged are no rotation at all.
  // CHECK-LABEL: func.func @read_twice
  // CHECK-SAME:    why = "exchanged halves of a row are read by several operations"
  // CHECK-SAME:    kind = "refused"
  // CHECK:         %[[J:.*]] = tensor.concat
  // CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[J]] : tensor<4x8xf32>, tensor<4x8xf32>)
  func.func @read_twice(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %j = tensor.concat dim(1) %x2, %x1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %j : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    return %r, %j : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // CHECK-LABEL: func.func @not_exchanged(
  // CHECK:         tensor.concat
  func.func @not_exchanged(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 3] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %j = tensor.concat dim(1) %x2, %x1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %j : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }

  // A product is no rotation: it is computed as it stands.
  // CHECK-LABEL: func.func @no_sum
  // CHECK-SAME:    why = "exchanged halves of a row do not lead to a sum"
  // CHECK:         tensor.concat
  func.func @no_sum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %x1 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %x2 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %j = tensor.concat dim(1) %x2, %x1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    return %j : tensor<4x8xf32>
  }
}
