// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-reuse-operand-buffers --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-reuse-operand-buffers --kgen-write-to-caller --kgen-vectorize --kgen-bufferize | FileCheck "%s" --check-prefix=BUFFERS

// One buffer for the contraction and everything that follows, and no copy: the caller's.
module {
// CHECK-LABEL: func @chain
// CHECK:         %[[X:.*]] = linalg.matmul
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<8xf32>) outs(%[[X]] : tensor<4x8xf32>)
// CHECK-NEXT:    ^bb0(%[[Q:.*]]: f32, %[[P:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[P]], %[[Q]]
// CHECK-NEXT:      arith.mulf %[[S]], %[[P]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} outs(%[[Y]] : tensor<4x8xf32>)
// BUFFERS-LABEL: func @chain
// BUFFERS-NOT:     memref.alloc
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return
func.func @chain(%ma: memref<4x8xf32> {bufferization.writable = false}, %mb: memref<8x8xf32> {bufferization.writable = false}, %v: tensor<8xf32> {bufferization.writable = false}, %out: memref<4x8xf32>) {
  %a = bufferization.to_tensor %ma restrict : memref<4x8xf32> to tensor<4x8xf32>
  %b = bufferization.to_tensor %mb restrict : memref<8x8xf32> to tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %v, %x : tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %again: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.mulf %s, %again : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.maximumf %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  bufferization.materialize_in_destination %w in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// The operand of the additions is still live: the caller gets it too. Only the first sum may be overwritten.
// CHECK-LABEL: func @still_live
// CHECK:         %[[X:.*]] = linalg.matmul
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>) outs(%[[Y]] : tensor<4x8xf32>)
func.func @still_live(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<4x8xf32>) -> tensor<4x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r, %x : tensor<4x8xf32>, tensor<4x8xf32>
}

// Refused: arguments and constants; another shape or another element of the operand is read; a view of it is read later; it is
// read in each iteration of a loop.
// CHECK-LABEL: func @argument
// CHECK:         linalg.generic {{.*}} ins(%arg0
// CHECK-LABEL: func @constant
// CHECK:         linalg.generic {{.*}} ins(%cst
// CHECK-LABEL: func @transposed
// CHECK:         %[[X:.*]] = linalg.exp
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[X]]
// CHECK-LABEL: func @seen_through_a_reshape
// CHECK:         %[[X:.*]] = linalg.exp
// CHECK:         tensor.collapse_shape %[[X]]
// CHECK:         linalg.generic {{.*}} ins(%[[X]]
// CHECK-LABEL: func @in_a_loop
// CHECK:         %[[X:.*]] = linalg.exp
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf32>)
func.func @argument(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @constant() -> tensor<4x4xf32> {
  %x = arith.constant dense<1.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @transposed(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @seen_through_a_reshape(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %y, %v : tensor<4x4xf32>, tensor<16xf32>
}
func.func @in_a_loop(%a: tensor<4x4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.addf %p, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    %u = tensor.extract %y[%c0, %c1] : tensor<4x4xf32>
    %v = arith.addf %t, %u : f32
    scf.yield %v : f32
  }
  return %r : f32
}

// The caller's memory has another shape than the operand: overwriting the operand would cost a copy.
// CHECK-LABEL: func @reshaped_result
// CHECK:         %[[V:.*]] = tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} ins(%[[V]] : tensor<16xf32>) outs(%{{.*}} : tensor<16xf32>)
func.func @reshaped_result(%a: tensor<4x4xf32>, %out: memref<16xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<16xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// The operand of a tile's last operation is computed in the tile's memory, after its sums were read.
// CHECK-LABEL: func @tile
// CHECK:         %[[P:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 8] [1, 1]
// CHECK:         %[[E:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x8xf32>) outs(%[[P]] : tensor<1x8xf32>)
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<1x8xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<1xf32>) outs(%[[E]] : tensor<1x8xf32>)
func.func @tile(%a: tensor<1x8xf32>, %z: tensor<1xf32>, %r: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %result = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %r) -> (tensor<4x8xf32>) {
    %e = tensor.empty() : tensor<1x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %v : f32
      linalg.yield %w : f32
    } -> tensor<1x8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%p : tensor<1x8xf32>) outs(%z : tensor<1xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %o : f32
      linalg.yield %w : f32
    } -> tensor<1xf32>
    %place = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %s : tensor<1x8xf32>, tensor<1xf32>) outs(%place : tensor<1x8xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %w = arith.mulf %v, %u : f32
      linalg.yield %w : f32
    } -> tensor<1x8xf32>
    %next = tensor.insert_slice %q into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  return %result : tensor<4x8xf32>
}

// Refused: rows of a tile of columns that are a page apart have conflict misses.
// CHECK-LABEL: func @crowded
// CHECK:         %[[N:.*]] = tensor.empty() : tensor<64x16xf32>
// CHECK:         linalg.generic {{.*}} ins(%arg0 : tensor<64x16xf32>) outs(%[[N]] : tensor<64x16xf32>)
func.func @crowded(%a: tensor<64x16xf32>, %z: tensor<16xf32>, %r: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 1024 : index
  %result = scf.for %j = %c0 to %end step %c16 iter_args(%t = %r) -> (tensor<64x1024xf32>) {
    %e = tensor.empty() : tensor<64x16xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %v : f32
      linalg.yield %w : f32
    } -> tensor<64x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%p : tensor<64x16xf32>) outs(%z : tensor<16xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %o : f32
      linalg.yield %w : f32
    } -> tensor<16xf32>
    %place = tensor.extract_slice %t[0, %j] [64, 16] [1, 1] : tensor<64x1024xf32> to tensor<64x16xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %s : tensor<64x16xf32>, tensor<16xf32>) outs(%place : tensor<64x16xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %w = arith.mulf %v, %u : f32
      linalg.yield %w : f32
    } -> tensor<64x16xf32>
    %next = tensor.insert_slice %q into %t[0, %j] [64, 16] [1, 1] : tensor<64x16xf32> into tensor<64x1024xf32>
    scf.yield %next : tensor<64x1024xf32>
  }
  return %result : tensor<64x1024xf32>
}

// Refused: a result larger than the last-level cache is stored once.
// CHECK-LABEL: func @streamed
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x8xf32>
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x8xf32>) outs(%[[E]] : tensor<1x8xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x8xf32>, tensor<1xf32>) outs(%{{.*}} : tensor<1x8xf32>)
func.func @streamed(%a: tensor<1x8xf32>, %z: tensor<1xf32>, %r: tensor<4194304x8xf32>) -> tensor<4194304x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4194304 : index
  %result = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %r) -> (tensor<4194304x8xf32>) {
    %e = tensor.empty() : tensor<1x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %v : f32
      linalg.yield %w : f32
    } -> tensor<1x8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%p : tensor<1x8xf32>) outs(%z : tensor<1xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.addf %v, %o : f32
      linalg.yield %w : f32
    } -> tensor<1xf32>
    %place = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<4194304x8xf32> to tensor<1x8xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %s : tensor<1x8xf32>, tensor<1xf32>) outs(%place : tensor<1x8xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %w = arith.mulf %v, %u : f32
      linalg.yield %w : f32
    } -> tensor<1x8xf32>
    %next = tensor.insert_slice %q into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4194304x8xf32>
    scf.yield %next : tensor<4194304x8xf32>
  }
  return %result : tensor<4194304x8xf32>
}

// What is written on the operation counts.
// CHECK-LABEL: func @said
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x8xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[E]] : tensor<1x8xf32>)
func.func @said(%a: tensor<1x8xf32>, %z: tensor<1xf32>, %r: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<1x8xf32>
  %place = tensor.extract_slice %r[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %z : tensor<1x8xf32>, tensor<1xf32>) outs(%place : tensor<1x8xf32>) attrs = {kgen.stores = "memory|along_rows"} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<1x8xf32>
  %next = tensor.insert_slice %q into %r[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  return %next : tensor<4x8xf32>
}

// The same for the last slice of one, after a loop that has written the others.
// CHECK-LABEL: func @after_loop
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x8xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[E]] : tensor<1x8xf32>)
func.func @after_loop(%a: tensor<1x8xf32>, %z: tensor<1xf32>, %r: tensor<4194304x8xf32>) -> tensor<4194304x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 4194303 : index
  %most = scf.for %i = %c0 to %last step %c1 iter_args(%t = %r) -> (tensor<4194304x8xf32>) {
    %next = tensor.insert_slice %a into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4194304x8xf32>
    scf.yield %next : tensor<4194304x8xf32>
  }
  %e = tensor.empty() : tensor<1x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<1x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<1x8xf32>) outs(%z : tensor<1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<1xf32>
  %place = tensor.extract_slice %most[%last, 0] [1, 8] [1, 1] : tensor<4194304x8xf32> to tensor<1x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<1x8xf32>, tensor<1xf32>) outs(%place : tensor<1x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<1x8xf32>
  %all = tensor.insert_slice %q into %most[%last, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4194304x8xf32>
  return %all : tensor<4194304x8xf32>
}
}
