// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-contractions-to-tpp --linalg-generalize-named-ops --kgen-fuse-attention --canonicalize --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
  // Scaled and masked, with transposed operands and a transposed result: no copy is left. The softmax is as the operator lowers it:
  // subnormal exponentials are 0, and each row has one division.
  // CHECK-LABEL: func.func @transposed
  // CHECK-SAME:    (%[[Q:.*]]: tensor<24x2x8xf32>, %[[K:.*]]: tensor<40x2x8xf32>, %[[V:.*]]: tensor<40x2x8xf32>, %[[MASK:.*]]: tensor<24x40xf32>)
  // CHECK-NEXT:    %[[R:.*]] = kgen.attention ins(%[[Q]], %[[K]], %[[V]] :
  // CHECK-SAME:      epilogue_ins(%[[MASK]] : tensor<24x40xf32>)
  // CHECK-SAME:      epilogue_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d2)>]
  // CHECK-SAME:      k_map = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3)>, q_map = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d3)>
  // CHECK-SAME:      result_map = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d4)>, v_map = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d4)>
  // CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[M:.*]]: f32):
  // CHECK-NEXT:      %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[SUM]], %[[HALF]] : f32
  // CHECK-NEXT:      %[[X:.*]] = arith.addf %[[S]], %[[M]] : f32
  // CHECK-NEXT:      kgen.yield %[[X]] : f32
  // CHECK:         return %[[R]]
  func.func @transposed(%q: tensor<24x2x8xf32>, %k: tensor<40x2x8xf32>, %v: tensor<40x2x8xf32>, %mask: tensor<24x40xf32>) -> tensor<24x2x8xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %qe = tensor.empty() : tensor<2x24x8xf32>
    %ke = tensor.empty() : tensor<2x8x40xf32>
    %ve = tensor.empty() : tensor<2x40x8xf32>
    %qt = linalg.transpose ins(%q : tensor<24x2x8xf32>) outs(%qe : tensor<2x24x8xf32>) permutation = [1, 0, 2]
    %kt = linalg.transpose ins(%k : tensor<40x2x8xf32>) outs(%ke : tensor<2x8x40xf32>) permutation = [1, 2, 0]
    %vt = linalg.transpose ins(%v : tensor<40x2x8xf32>) outs(%ve : tensor<2x40x8xf32>) permutation = [1, 0, 2]
    %s = linalg.batch_matmul ins(%qt, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %half : tensor<2x24x40xf32>, tensor<f32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.mulf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mask : tensor<2x24x40xf32>, tensor<24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = kgen.exp_or_zero <-8.0e+01> %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %inverse = arith.divf %one, %j : f32
      %0 = arith.mulf %i, %inverse : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%w, %vt : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %te = tensor.empty() : tensor<24x2x8xf32>
    %t = linalg.transpose ins(%r : tensor<2x24x8xf32>) outs(%te : tensor<24x2x8xf32>) permutation = [1, 0, 2]
    return %t : tensor<24x2x8xf32>
  }

  // The comparison of indices becomes the attribute `causal`.
  // CHECK-LABEL: func.func @causal
  // CHECK-SAME:    {what = "one attention of two gemms"}, kind = "applied"
  // CHECK:         kgen.attention
  // CHECK-SAME:      causal = 16 : i64
  // CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT:      kgen.yield %[[SUM]] : f32
  func.func @causal(%q: tensor<2x24x8xf32>, %k: tensor<2x8x40xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %key = linalg.index 2 : index
      %query = linalg.index 1 : index
      %past = arith.constant 16 : index
      %last = arith.addi %query, %past : index
      %seen = arith.cmpi sle, %key, %last : index
      %0 = arith.select %seen, %i, %lowest : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%c : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.divf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // Another operation reads the weights.
  // CHECK-LABEL: func.func @weights_read
  // CHECK-NOT:     kgen.attention
  // CHECK:         return
  func.func @weights_read(%q: tensor<2x24x8xf32>, %k: tensor<2x8x40xf32>, %v: tensor<2x40x8xf32>) -> (tensor<2x24x8xf32>, tensor<2x24x40xf32>) {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.divf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r, %w : tensor<2x24x8xf32>, tensor<2x24x40xf32>
  }

  // The maximum starts from the lowest number, and where the sum is 0, so is the factor: a query all of whose keys are masked gives 0.
  // CHECK-LABEL: func.func @masked_to_zero
  // CHECK:         kgen.attention
  // CHECK-SAME:      masked_to_zero
  func.func @masked_to_zero(%q: tensor<2x24x8xf32>, %k: tensor<2x8x40xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %inverse = arith.divf %one, %j : f32
      %nothing = arith.cmpf oeq, %j, %zero : f32
      %factor = arith.select %nothing, %zero, %inverse : f32
      %0 = arith.mulf %i, %factor : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // The maximum starts from -inf, so that exponentials of masked rows are NaN: no attention has such results.
  // CHECK-LABEL: func.func @half_masked
  // CHECK-NOT:     kgen.attention
  // CHECK:         return
  func.func @half_masked(%q: tensor<2x24x8xf32>, %k: tensor<2x8x40xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %inverse = arith.divf %one, %j : f32
      %nothing = arith.cmpf oeq, %j, %zero : f32
      %factor = arith.select %nothing, %zero, %inverse : f32
      %0 = arith.mulf %i, %factor : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // Three queries are fewer than half of a vector of eight.
  // CHECK-LABEL: func.func @few_queries
  // CHECK-SAME:    {why = "fewer queries than half of a vector has lanes"}, kind = "refused"
  // CHECK-NOT:     kgen.attention
  // CHECK:         return
  func.func @few_queries(%q: tensor<2x3x8xf32>, %k: tensor<2x8x40xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x3x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x3x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<2x3x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
    %er = tensor.empty() : tensor<2x3xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x3x40xf32>) outs(%low : tensor<2x3xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x3xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x3x40xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x3x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x3x40xf32>) outs(%none : tensor<2x3xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x3xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x3x40xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.divf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x3x40xf32>
    %ze = tensor.empty() : tensor<2x3x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x3x40xf32>, tensor<2x40x8xf32>) outs(%z : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    return %r : tensor<2x3x8xf32>
  }

  // Gemms of rounded operands: Q and V as they were rounded, K rounded before its transpose. `narrow`: probabilities may be rounded as
  // the weights were.
  // CHECK-LABEL: func.func @rounded
  // CHECK-SAME:    (%[[Q:.*]]: tensor<2x24x8xf32>, %[[K:.*]]: tensor<2x40x8xf32>, %[[V:.*]]: tensor<2x40x8xf32>)
  // CHECK-DAG:     %[[QN:.*]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<2x24x8xf32>) outs({{.*}} : tensor<2x24x8xbf16>)
  // CHECK-DAG:     %[[VN:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<2x40x8xf32>) outs({{.*}} : tensor<2x40x8xbf16>)
  // CHECK-DAG:     %[[KN:.*]] = linalg.generic {{.*}} ins(%[[K]] : tensor<2x40x8xf32>) outs({{.*}} : tensor<2x40x8xbf16>)
  // CHECK:         kgen.attention ins(%[[QN]], %[[KN]], %[[VN]] : tensor<2x24x8xbf16>, tensor<2x40x8xbf16>, tensor<2x40x8xbf16>)
  // CHECK-SAME:      probability_type = bf16
  // CHECK-NEXT:    ^bb0(%{{.*}}: f32):
  func.func @rounded(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %te = tensor.empty() : tensor<2x8x40xf32>
    %t = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%te : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %qne = tensor.empty() : tensor<2x24x8xbf16>
    %qn = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x24x8xf32>) outs(%qne : tensor<2x24x8xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %0 = arith.truncf %i : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<2x24x8xbf16>
    %kne = tensor.empty() : tensor<2x8x40xbf16>
    %kn = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<2x8x40xf32>) outs(%kne : tensor<2x8x40xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %0 = arith.truncf %i : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<2x8x40xbf16>
    %vne = tensor.empty() : tensor<2x40x8xbf16>
    %vn = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : tensor<2x40x8xf32>) outs(%vne : tensor<2x40x8xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %0 = arith.truncf %i : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<2x40x8xbf16>
    %s = linalg.batch_matmul ins(%qn, %kn : tensor<2x24x8xbf16>, tensor<2x8x40xbf16>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %none = linalg.fill ins(%zero : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x24x40xf32>) outs(%none : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.divf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %wne = tensor.empty() : tensor<2x24x40xbf16>
    %wn = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x24x40xf32>) outs(%wne : tensor<2x24x40xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %0 = arith.truncf %i : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<2x24x40xbf16>
    %ze = tensor.empty() : tensor<2x24x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%ze : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %r = linalg.batch_matmul ins(%wn, %vn : tensor<2x24x40xbf16>, tensor<2x40x8xbf16>) outs(%z : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }
}
