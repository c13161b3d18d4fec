// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-fuse-attention --canonicalize --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
// Two queries of each of three sequences see as many keys as are filled of the cache, and none after their own. That is all that
// the mask says, which is gone: its counts are those of the keys that a query sees.
// CHECK-LABEL: func.func @filled
// CHECK:         %[[COUNTS:.*]] = linalg.generic {{.*}} ins(%arg3, %arg3 : tensor<3xi64>, tensor<3xi64>) outs(%{{.*}} : tensor<3x2xi64>)
// CHECK:           linalg.index 1
// CHECK:           arith.minsi
// CHECK:         kgen.attention ins(%arg0, %arg1, %arg2 : {{.*}}) key_counts(%[[COUNTS]] : tensor<3x2xi64>)
// CHECK-SAME:      counts_map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>
// CHECK-SAME:      masked_to_zero
// CHECK-NEXT:    ^bb0(%[[PRODUCT:.*]]: f32):
// CHECK-NEXT:      kgen.yield %[[PRODUCT]]
func.func @filled(%q: tensor<3x2x8xf32>, %k: tensor<3x40x8xf32>, %v: tensor<3x40x8xf32>, %filled: tensor<3xi64>) -> tensor<3x2x8xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i8
  %two = arith.constant 2 : index
  %es = tensor.empty() : tensor<3x2x40xf32>
  %s = tpp.gemm ins(%q, %k : tensor<3x2x8xf32>, tensor<3x40x8xf32>) outs(%es : tensor<3x2x40xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, n, d)>, epilogue_maps = []} {
  ^bb0(%x: f32):
    tpp.yield %x : f32
  } -> tensor<3x2x40xf32>
  %em = tensor.empty() : tensor<3x2x40xi8>
  %mask = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%filled : tensor<3xi64>) outs(%em : tensor<3x2x40xi8>) {
  ^bb0(%i: i64, %o: i8):
    %query = linalg.index 1 : index
    %key = linalg.index 2 : index
    %count = arith.index_cast %i : i64 to index
    %before = arith.subi %count, %two : index
    %isFilled = arith.cmpi slt, %key, %count : index
    %own = arith.addi %query, %before : index
    %isBefore = arith.cmpi sle, %key, %own : index
    %both = arith.andi %isFilled, %isBefore : i1
    %0 = arith.extui %both : i1 to i8
    linalg.yield %0 : i8
  } -> tensor<3x2x40xi8>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<3x2x40xf32>, tensor<3x2x40xi8>) outs(%es : tensor<3x2x40xf32>) {
  ^bb0(%i: f32, %j: i8, %o: f32):
    %seen = arith.cmpi ne, %j, %none : i8
    %0 = arith.select %seen, %i, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<3x2x40xf32>
  %w = kgen.softmax %x along [2] {masked_to_zero} : tensor<3x2x40xf32> -> tensor<3x2x40xf32>
  %er = tensor.empty() : tensor<3x2x8xf32>
  %r = tpp.gemm ins(%w, %v : tensor<3x2x40xf32>, tensor<3x40x8xf32>) outs(%er : tensor<3x2x8xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, d, n)>, epilogue_maps = []} {
  ^bb0(%y: f32):
    tpp.yield %y : f32
  } -> tensor<3x2x8xf32>
  return %r : tensor<3x2x8xf32>
}

// A mask that is added hides other keys, too: it stays, and keys that are not filled are not read.
// CHECK-LABEL: func.func @added
// CHECK:         kgen.attention ins(%arg0, %arg1, %arg2 : {{.*}}) epilogue_ins(%{{.*}} : tensor<3x2x40xf32>) key_counts(%arg3 : tensor<3xi64>)
// CHECK-NEXT:    ^bb0(%[[PRODUCT:.*]]: f32, %[[MASK:.*]]: f32):
// CHECK-NEXT:      %[[SCORE:.*]] = arith.addf %[[PRODUCT]], %[[MASK]]
// CHECK-NEXT:      kgen.yield %[[SCORE]]
func.func @added(%q: tensor<3x2x8xf32>, %k: tensor<3x40x8xf32>, %v: tensor<3x40x8xf32>, %filled: tensor<3xi64>, %given: tensor<40xf32>) -> tensor<3x2x8xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<3x2x40xf32>
  %s = tpp.gemm ins(%q, %k : tensor<3x2x8xf32>, tensor<3x40x8xf32>) outs(%es : tensor<3x2x40xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, n, d)>, epilogue_maps = []} {
  ^bb0(%x: f32):
    tpp.yield %x : f32
  } -> tensor<3x2x40xf32>
  %mask = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%filled, %given : tensor<3xi64>, tensor<40xf32>) outs(%es : tensor<3x2x40xf32>) {
  ^bb0(%i: i64, %j: f32, %o: f32):
    %key = linalg.index 2 : index
    %count = arith.index_cast %i : i64 to index
    %isFilled = arith.cmpi slt, %key, %count : index
    %0 = arith.select %isFilled, %j, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<3x2x40xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<3x2x40xf32>, tensor<3x2x40xf32>) outs(%es : tensor<3x2x40xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<3x2x40xf32>
  %w = kgen.softmax %x along [2] {masked_to_zero} : tensor<3x2x40xf32> -> tensor<3x2x40xf32>
  %er = tensor.empty() : tensor<3x2x8xf32>
  %r = tpp.gemm ins(%w, %v : tensor<3x2x40xf32>, tensor<3x40x8xf32>) outs(%er : tensor<3x2x8xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, d, n)>, epilogue_maps = []} {
  ^bb0(%y: f32):
    tpp.yield %y : f32
  } -> tensor<3x2x8xf32>
  return %r : tensor<3x2x8xf32>
}

// The first keys, as many as a size and the query's number say, in the operation on the scores itself.
// CHECK-LABEL: func.func @past
// CHECK:         %[[COUNTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xi64>)
// CHECK:           arith.addi %{{.*}}, %arg0 : index
// CHECK:         kgen.attention ins(%arg1, %arg2, %arg3 : {{.*}}) key_counts(%[[COUNTS]] : tensor<2xi64>)
func.func @past(%past: index, %q: tensor<3x2x8xf32>, %k: tensor<3x40x8xf32>, %v: tensor<3x40x8xf32>) -> tensor<3x2x8xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<3x2x40xf32>
  %s = tpp.gemm ins(%q, %k : tensor<3x2x8xf32>, tensor<3x40x8xf32>) outs(%es : tensor<3x2x40xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, n, d)>, epilogue_maps = []} {
  ^bb0(%x: f32):
    tpp.yield %x : f32
  } -> tensor<3x2x40xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x2x40xf32>) outs(%es : tensor<3x2x40xf32>) {
  ^bb0(%i: f32, %o: f32):
    %query = linalg.index 1 : index
    %key = linalg.index 2 : index
    %own = arith.addi %query, %past : index
    %seen = arith.cmpi sle, %key, %own : index
    %0 = arith.select %seen, %i, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<3x2x40xf32>
  %w = kgen.softmax %x along [2] : tensor<3x2x40xf32> -> tensor<3x2x40xf32>
  %er = tensor.empty() : tensor<3x2x8xf32>
  %r = tpp.gemm ins(%w, %v : tensor<3x2x40xf32>, tensor<3x40x8xf32>) outs(%er : tensor<3x2x8xf32>)
      attributes {a_map = affine_map<(b, m, n, d) -> (b, m, d)>, b_map = affine_map<(b, m, n, d) -> (b, d, n)>, epilogue_maps = []} {
  ^bb0(%y: f32):
    tpp.yield %y : f32
  } -> tensor<3x2x8xf32>
  return %r : tensor<3x2x8xf32>
}
}
