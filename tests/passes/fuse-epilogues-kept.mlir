// RUN: kgen-opt "%s" --kgen-fuse-epilogues --split-input-file --mlir-print-local-scope | FileCheck "%s"
// Consumers that stay: the epilogue of each contraction below yields the accumulator.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// The result is read by a second operation.
// CHECK-LABEL: func @used_twice
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @used_twice(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %x0 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0, %g : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// Two consumers that meet again: neither is the only user.
// CHECK-LABEL: func @diamond
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
// CHECK:         linalg.generic
func.func @diamond(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %x0 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.addf %x0, %x1 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>

// Another operand is transposed.
// CHECK-LABEL: func @transposed_operand
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @transposed_operand(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #t, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.addf %x0, %x1 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>

// The result is read at another element, too.
// CHECK-LABEL: func @transposed_result
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @transposed_result(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #t, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %g : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.addf %x0, %x1 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// A contraction that accumulates into C has C's type as its result.
// CHECK-LABEL: func @other_result_type
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @other_result_type(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf64> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [], accumulate} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %f = tensor.empty() : tensor<4x4xf64>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%f : tensor<4x4xf64>) {
  ^bb0(%x0: f32, %o: f64):
    %s = arith.extf %x0 : f32 to f64
    linalg.yield %s : f64
  } -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// Vectors of booleans cannot be loaded, because a boolean is less than a byte.
// CHECK-LABEL: func @boolean_operand
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @boolean_operand(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>, %x: tensor<4x4xi1>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %x : tensor<4x4xf32>, tensor<4x4xi1>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %f = arith.uitofp %x1 : i1 to f32
    %s = arith.addf %x0, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A reduction is not elementwise.
// CHECK-LABEL: func @reduction
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @reduction(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%g : tensor<4x4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>

// A consumer that transposes writes other elements than it reads.
// CHECK-LABEL: func @transposing_consumer
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @transposing_consumer(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #t], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %x0 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// The consumer reads its destination.
// CHECK-LABEL: func @uses_out
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @uses_out(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %o : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// The consumer computes with the index of the element.
// CHECK-LABEL: func @index
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @index(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %x0, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// The consumer uses a value from outside that is no constant.
// CHECK-LABEL: func @captured
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @captured(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>, %v: f32) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = arith.addf %x0, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// A table look-up is no elementwise operation.
// CHECK-LABEL: func @lookup
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @lookup(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %table = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %one = arith.constant 1 : index
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %l = tensor.extract %table[%one] : tensor<2xf32>
    %s = arith.addf %x0, %l : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// A consumer in a loop runs more often than the gemm.
// CHECK-LABEL: func @in_a_loop
// CHECK:         tpp.gemm
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]]
// CHECK:         linalg.generic
func.func @in_a_loop(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32>
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  %r = scf.for %i = %from to %to step %by iter_args(%t = %e) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.addf %x0, %x1 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
    scf.yield %0 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#full = affine_map<(b, m, n) -> (b, m, n)>
#swapped = affine_map<(b, m, n) -> (m, b, n)>

// The result is read at its own element and at that of another batch: the second is not computed yet.
// CHECK-LABEL: func @other_batch
// CHECK:         %[[G:.*]] = tpp.gemm
// CHECK:         linalg.generic {{.*}} ins(%[[G]], %[[G]]
func.func @other_batch(%a: tensor<4x4x6xf32>, %b: tensor<4x6x8xf32>, %e: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> {
  %g = tpp.gemm ins(%a, %b : tensor<4x4x6xf32>, tensor<4x6x8xf32>) outs(%e : tensor<4x4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4x8xf32>
  %0 = linalg.generic {indexing_maps = [#full, #swapped, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %g : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%e : tensor<4x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4x8xf32>
  return %0 : tensor<4x4x8xf32>
}
