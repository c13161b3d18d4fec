#row = affine_map<(i, j) -> (j)>

// x / sqrt(mean(x^2) + Epsilon) * w, of rows
template.func {S : any_shape, N : index, T : any_type_of<f32, bf16, f16>, Epsilon : real = 1.0e-5}
@my.rms_norm(%x : tensor<SxNxT>, %w : tensor<NxT>) -> tensor<SxNxT> requires N > 0, "rows of one element or more" {
  template.let C = compute(T)
  template.let R = rank(S)
  %zero = template.constant 0 : C
  %n = template.constant N : C
  %epsilon = template.constant Epsilon : C
  %space = tensor.empty() : tensor<SxC>
  %init = linalg.fill ins(%zero : C) outs(%space : tensor<SxC>) -> tensor<SxC>
  %sums = linalg.generic {indexing_maps = [$(identity(R + 1)), $(projection(R + 1, range(0, R)))],
                          iterator_types = [$(concat(repeat("parallel", R), ["reduction"]))]}
      ins(%x : tensor<SxNxT>) outs(%init : tensor<SxC>) {
  ^bb0(%v: T, %sum: C):
    template.const_if is_same(T, C) {
      %p = arith.mulf %v, %v : C
      %s = arith.addf %sum, %p : C
      linalg.yield %s : C
    } else {
      %e = arith.extf %v : T to C
      %p = arith.mulf %e, %e : C
      %s = arith.addf %sum, %p : C
      linalg.yield %s : C
    }
  } -> tensor<SxC>
  %out = tensor.empty() : tensor<SxNxT>
  %y = linalg.generic {indexing_maps = [$(identity(R + 1)), $(projection(R + 1, [R])), $(projection(R + 1, range(0, R))), $(identity(R + 1))],
                       iterator_types = [$(repeat("parallel", R + 1))]}
      ins(%x, %w, %sums : tensor<SxNxT>, tensor<NxT>, tensor<SxC>) outs(%out : tensor<SxNxT>) {
  ^bb0(%v: T, %scale: T, %sum: C, %o: T):
    %mean = arith.divf %sum, %n : C
    %more = arith.addf %mean, %epsilon : C
    %root = math.sqrt %more : C
    template.const_if is_same(T, C) {
      %q = arith.divf %v, %root : C
      %r = arith.mulf %q, %scale : C
      linalg.yield %r : C
    } else {
      %e = arith.extf %v : T to C
      %f = arith.extf %scale : T to C
      %q = arith.divf %e, %root : C
      %r = arith.mulf %q, %f : C
      %t = arith.truncf %r : C to T
      linalg.yield %t : T
    }
  } -> tensor<SxNxT>
  return %y : tensor<SxNxT>
}

// max(a * b + bias, 0)
template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
@my.dense(%a : tensor<MxKxT>, %b : tensor<KxNxT>, %bias : tensor<NxT>) -> tensor<MxNxT> requires is_same(T, f32), "the sums of bf16 need a type of their own" {
  %zero = template.constant 0 : T
  %space = tensor.empty() : tensor<MxNxT>
  %init = linalg.fill ins(%zero : T) outs(%space : tensor<MxNxT>) -> tensor<MxNxT>
  %product = linalg.matmul ins(%a, %b : tensor<MxKxT>, tensor<KxNxT>) outs(%init : tensor<MxNxT>) -> tensor<MxNxT>
  %out = linalg.generic {indexing_maps = [$(identity(2)), #row, $(identity(2))], iterator_types = [$(repeat("parallel", 2))]}
      ins(%product, %bias : tensor<MxNxT>, tensor<NxT>) outs(%space : tensor<MxNxT>) {
  ^bb0(%p: T, %q: T, %o: T):
    %s = arith.addf %p, %q : T
    %r = arith.maximumf %s, %zero : T
    linalg.yield %r : T
  } -> tensor<MxNxT>
  return %out : tensor<MxNxT>
}

// Without a bias.
template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
@my.dense(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxT> requires is_same(T, f32) {
  %zero = template.constant 0 : T
  %space = tensor.empty() : tensor<NxT>
  %none = linalg.fill ins(%zero : T) outs(%space : tensor<NxT>) -> tensor<NxT>
  %y = template.call @my.dense(%a, %b, %none) : (tensor<MxKxT>, tensor<KxNxT>, tensor<NxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}
