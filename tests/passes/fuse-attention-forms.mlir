// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-contractions-to-tpp --linalg-generalize-named-ops --kgen-fuse-attention --canonicalize --mlir-print-local-scope | FileCheck "%s"

// What exporters write around the products and the softmax: scales, guards, causal masks.
module attributes {kgen.decisions = []} {
  // Q times 0.5 and K divided by 4: the scores are multiplied with 0.125. The difference in front of the exponential is apart.
  // CHECK-LABEL: func.func @scaled_operands
  // CHECK-SAME:    (%[[Q:.*]]: tensor<2x24x8xf32>, %[[K:.*]]: tensor<2x40x8xf32>, %[[V:.*]]: tensor<2x40x8xf32>)
  // CHECK-NEXT:    kgen.attention ins(%[[Q]], %[[K]], %[[V]] :
  // CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT:      %[[C:.*]] = arith.constant 1.250000e-01 : f32
  // CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[SUM]], %[[C]] : f32
  // CHECK-NEXT:      kgen.yield %[[S]] : f32
  func.func @scaled_operands(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %qsc = arith.constant 0.5 : f32
    %qs = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x24x8xf32>) outs(%ev : tensor<2x24x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.mulf %i, %qsc : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x8xf32>
    %ksc = arith.constant 4.0 : f32
    %ks = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<2x40x8xf32>) outs(%ek : tensor<2x40x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.divf %i, %ksc : f32
      linalg.yield %0 : f32
    } -> tensor<2x40x8xf32>
    %kt = linalg.transpose ins(%ks : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %x = linalg.batch_matmul ins(%qs, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // A scale that is no constant: Q is scaled first.
  // CHECK-LABEL: func.func @no_constant
  // CHECK:         %[[SCALED:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x24x8xf32>, tensor<f32>)
  // CHECK:         kgen.attention ins(%[[SCALED]],
  // CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT:      kgen.yield %[[SUM]] : f32
  func.func @no_constant(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>, %scale: tensor<f32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %qs = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %scale : tensor<2x24x8xf32>, tensor<f32>) outs(%ev : tensor<2x24x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.mulf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x8xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %x = linalg.batch_matmul ins(%qs, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // A constant divided by Q is no scale of it.
  // CHECK-LABEL: func.func @divided_by_q
  // CHECK:         %[[INVERSE:.*]] = linalg.generic
  // CHECK:           arith.divf
  // CHECK:         kgen.attention ins(%[[INVERSE]],
  func.func @divided_by_q(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %qsc = arith.constant 0.5 : f32
    %qs = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x24x8xf32>) outs(%ev : tensor<2x24x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.divf %qsc, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x8xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %x = linalg.batch_matmul ins(%qs, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // CHECK-LABEL: func.func @guarded
  // CHECK-NEXT:    kgen.attention
  // CHECK-SAME:      nan_to_zero
  func.func @guarded(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %x = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %g = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.cmpf uno, %i, %i : f32
      %1 = arith.select %0, %zero, %i : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %r = linalg.batch_matmul ins(%g, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // Where NaN becomes 1, weights are no softmax.
  // CHECK-LABEL: func.func @guarded_by_one
  // CHECK-NOT:     kgen.attention
  // CHECK:         return
  func.func @guarded_by_one(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %one = arith.constant 1.0 : f32
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %x = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %g = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.cmpf uno, %i, %i : f32
      %1 = arith.select %0, %one, %i : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %r = linalg.batch_matmul ins(%g, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // Constants that count up, compared with the index of the query: keys up to 16 after it are seen.
  // CHECK-LABEL: func.func @compared
  // CHECK-NEXT:    kgen.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x24x8xf32>, tensor<2x40x8xf32>, tensor<2x40x8xf32>) attributes {causal = 16 : i64
  func.func @compared(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %no = arith.constant 0 : i8
    %sixteen = arith.constant 16 : i64
    %ramp = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi64>
    %em = tensor.empty() : tensor<24x40xi8>
    %seen = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<40xi64>) outs(%em : tensor<24x40xi8>) {
    ^bb0(%i: i64, %o: i8):
      %0 = linalg.index 0 : index
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.addi %1, %sixteen : i64
      %3 = arith.cmpi sle, %i, %2 : i64
      %4 = arith.extui %3 : i1 to i8
      linalg.yield %4 : i8
    } -> tensor<24x40xi8>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%seen, %s : tensor<24x40xi8>, tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%c: i8, %i: f32, %o: f32):
      %0 = arith.cmpi ne, %c, %no : i8
      %1 = arith.select %0, %i, %lowest : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // Constants that do not count up: a mask like any other.
  // CHECK-LABEL: func.func @uneven
  // CHECK:         %[[MASK:.*]] = linalg.generic {{.*}} -> (d0, d1)>]{{.*}} outs(%{{.*}} : tensor<24x40xi8>)
  // CHECK:         kgen.attention
  // CHECK-SAME:      epilogue_ins(%[[MASK]] : tensor<24x40xi8>)
  // CHECK-NOT:     causal
  // CHECK:         return
  func.func @uneven(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %no = arith.constant 0 : i8
    %sixteen = arith.constant 16 : i64
    %ramp = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi64>
    %em = tensor.empty() : tensor<24x40xi8>
    %seen = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<40xi64>) outs(%em : tensor<24x40xi8>) {
    ^bb0(%i: i64, %o: i8):
      %0 = linalg.index 0 : index
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.addi %1, %sixteen : i64
      %3 = arith.cmpi sle, %i, %2 : i64
      %4 = arith.extui %3 : i1 to i8
      linalg.yield %4 : i8
    } -> tensor<24x40xi8>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%seen, %s : tensor<24x40xi8>, tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%c: i8, %i: f32, %o: f32):
      %0 = arith.cmpi ne, %c, %no : i8
      %1 = arith.select %0, %i, %lowest : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // -1000 is a score that a key may have: the mask stays.
  // CHECK-LABEL: func.func @weak
  // CHECK:         kgen.attention
  // CHECK-SAME:      epilogue_ins(%{{.*}} : tensor<24x40xi8>)
  // CHECK-NOT:     causal
  // CHECK:         return
  func.func @weak(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %weak = arith.constant -1000.0 : f32
    %no = arith.constant 0 : i8
    %sixteen = arith.constant 16 : i64
    %ramp = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi64>
    %em = tensor.empty() : tensor<24x40xi8>
    %seen = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<40xi64>) outs(%em : tensor<24x40xi8>) {
    ^bb0(%i: i64, %o: i8):
      %0 = linalg.index 0 : index
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.addi %1, %sixteen : i64
      %3 = arith.cmpi sle, %i, %2 : i64
      %4 = arith.extui %3 : i1 to i8
      linalg.yield %4 : i8
    } -> tensor<24x40xi8>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%seen, %s : tensor<24x40xi8>, tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%c: i8, %i: f32, %o: f32):
      %0 = arith.cmpi ne, %c, %no : i8
      %1 = arith.select %0, %i, %weak : f32
      linalg.yield %1 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // A constant matrix: 0 up to the diagonal, f32's lowest number after it.
  // CHECK-LABEL: func.func @added
  // CHECK-NEXT:    kgen.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x24x8xf32>, tensor<2x40x8xf32>, tensor<2x40x8xf32>) attributes {causal = 0 : i64
  func.func @added(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %mask = arith.constant dense<"0x00000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF"> : tensor<24x40xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<2x24x40xf32>, tensor<24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // One more hidden key: no causal mask.
  // CHECK-LABEL: func.func @no_triangle
  // CHECK:         kgen.attention
  // CHECK-SAME:      epilogue_ins(%{{.*}} : tensor<24x40xf32>)
  // CHECK-NOT:     causal
  // CHECK:         return
  func.func @no_triangle(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %mask = arith.constant dense<"0x00000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF"> : tensor<24x40xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<2x24x40xf32>, tensor<24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }

  // The first query would see no key.
  // CHECK-LABEL: func.func @sees_nothing
  // CHECK:         kgen.attention
  // CHECK-NOT:     causal
  // CHECK:         return
  func.func @sees_nothing(%q: tensor<2x24x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x24x40xf32>
    %ez = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %ev = tensor.empty() : tensor<2x24x8xf32>
    %vz = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    %ek = tensor.empty() : tensor<2x40x8xf32>
    %et = tensor.empty() : tensor<2x8x40xf32>
    %mask = arith.constant dense<"0xFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF"> : tensor<24x40xf32>
    %kt = linalg.transpose ins(%k : tensor<2x40x8xf32>) outs(%et : tensor<2x8x40xf32>) permutation = [0, 2, 1]
    %s = linalg.batch_matmul ins(%q, %kt : tensor<2x24x8xf32>, tensor<2x8x40xf32>) outs(%ez : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<2x24x40xf32>, tensor<24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %er = tensor.empty() : tensor<2x24xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x24xf32>) -> tensor<2x24xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x24x40xf32>) outs(%low : tensor<2x24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.maximumf %o, %i : f32
      linalg.yield %0 : f32
    } -> tensor<2x24xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x24x40xf32>, tensor<2x24xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.subf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<2x24x40xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
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
    %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x8xf32>) outs(%vz : tensor<2x24x8xf32>) -> tensor<2x24x8xf32>
    return %r : tensor<2x24x8xf32>
  }
}
