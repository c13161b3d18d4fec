// kgen's own operators once more, as templates. The same code comes out in each variant.

// x / sqrt(mean(x^2) + Epsilon) * w, of rows
template.func {S : any_shape, N : index, T : any_type_of<f32, bf16>, Epsilon : real = 1.0e-5}
@my.rms_norm(%x : tensor<SxNxT>, %w : tensor<NxT>) -> tensor<SxNxT> {
  template.let R = rank(S)
  %zero = template.constant 0 : f32
  %space = tensor.empty() : tensor<Sxf32>
  %init = linalg.fill ins(%zero : f32) outs(%space : tensor<Sxf32>) -> tensor<Sxf32>
  %sums = linalg.generic {indexing_maps = [$(identity(R + 1)), $(projection(R + 1, range(0, R)))],
                          iterator_types = [$(concat(repeat("parallel", R), ["reduction"]))]}
      ins(%x : tensor<SxNxT>) outs(%init : tensor<Sxf32>) {
  ^bb0(%v: T, %sum: f32):
    template.const_if is_same(T, f32) {
      %p = arith.mulf %v, %v : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
    } else {
      %e = arith.extf %v : T to f32
      %p = arith.mulf %e, %e fastmath<contract> : f32
      %s = arith.addf %sum, %p fastmath<contract> : f32
      linalg.yield %s : f32
    }
  } -> tensor<Sxf32>
  %others = tensor.empty() : tensor<Sxf32>
  %factors = linalg.generic {indexing_maps = [$(identity(R)), $(identity(R))], iterator_types = [$(repeat("parallel", R))]}
      ins(%sums : tensor<Sxf32>) outs(%others : tensor<Sxf32>) {
  ^bb0(%sum: f32, %o: f32):
    %n = template.constant N : f32
    %mean = arith.divf %sum, %n : f32
    %epsilon = template.constant Epsilon : f32
    %more = arith.addf %mean, %epsilon : f32
    %root = template.const_if is_same(T, f32) -> f32 {
      %r = math.sqrt %more : f32
      template.yield %r : f32
    } else {
      %r = math.sqrt %more {kgen.result_precision = 8 : i32} : f32
      template.yield %r : f32
    }
    %one = template.constant 1 : f32
    %factor = arith.divf %one, %root : f32
    linalg.yield %factor : f32
  } -> tensor<Sxf32>
  %out = tensor.empty() : tensor<SxNxT>
  %y = linalg.generic {indexing_maps = [$(identity(R + 1)), $(projection(R + 1, range(0, R))), $(projection(R + 1, [R])), $(identity(R + 1))],
                       iterator_types = [$(repeat("parallel", R + 1))]}
      ins(%x, %factors, %w : tensor<SxNxT>, tensor<Sxf32>, tensor<NxT>) outs(%out : tensor<SxNxT>) {
  ^bb0(%v: T, %factor: f32, %scale: T, %o: T):
    template.const_if is_same(T, f32) {
      %q = arith.mulf %v, %factor : f32
      %r = arith.mulf %q, %scale : f32
      linalg.yield %r : f32
    } else {
      %e = arith.extf %v : T to f32
      %f = arith.extf %scale : T to f32
      %q = arith.mulf %e, %factor fastmath<contract> : f32
      %r = arith.mulf %q, %f fastmath<contract> : f32
      %t = arith.truncf %r {kgen.result_precision} : f32 to T
      linalg.yield %t : T
    }
  } -> tensor<SxNxT>
  return %y : tensor<SxNxT>
}

// x * Phi(x)
template.func {S : any_shape, T : any_type_of<f32, bf16>} @my.gelu(%x : tensor<SxT>) -> tensor<SxT> {
  template.let R = rank(S)
  %out = tensor.empty() : tensor<SxT>
  %y = linalg.generic {indexing_maps = [$(identity(R)), $(identity(R))], iterator_types = [$(repeat("parallel", R))]}
      ins(%x : tensor<SxT>) outs(%out : tensor<SxT>) {
  ^bb0(%v: T, %o: T):
    template.const_if is_same(T, f32) {
      %g = kgen.gelu %v : f32
      linalg.yield %g : f32
    } else {
      %e = arith.extf %v : T to f32
      %g = kgen.gelu %e {kgen.result_precision = 8 : i32} : f32
      %t = arith.truncf %g : f32 to T
      linalg.yield %t : T
    }
  } -> tensor<SxT>
  return %y : tensor<SxT>
}

// exp(x - max) over its sum, of rows
template.func {S : any_shape, N : index, T : any_type_of<f32, bf16>} @my.softmax(%x : tensor<SxNxT>) -> tensor<SxNxT> {
  template.let R = rank(S)
  template.let IsNarrow = is_same(T, bf16)
  template.let Rows = projection(R + 1, range(0, R))
  template.let Sums = concat(repeat("parallel", R), ["reduction"])
  %lowest = arith.constant 0xFF800000 : f32
  %space = tensor.empty() : tensor<Sxf32>
  %least = linalg.fill ins(%lowest : f32) outs(%space : tensor<Sxf32>) -> tensor<Sxf32>
  %largest = linalg.generic {indexing_maps = [$(identity(R + 1)), Rows], iterator_types = [$(Sums)]}
      ins(%x : tensor<SxNxT>) outs(%least : tensor<Sxf32>) {
  ^bb0(%v: T, %m: f32):
    %e = template.const_if IsNarrow -> f32 {
      %w = arith.extf %v : T to f32
      template.yield %w : f32
    } else { template.yield %v : f32 }
    %r = arith.maxnumf %m, %e : f32
    linalg.yield %r : f32
  } -> tensor<Sxf32>
  %powersSpace = tensor.empty() : tensor<SxNxf32>
  %powers = linalg.generic {indexing_maps = [$(identity(R + 1)), Rows, $(identity(R + 1))], iterator_types = [$(repeat("parallel", R + 1))]}
      ins(%x, %largest : tensor<SxNxT>, tensor<Sxf32>) outs(%powersSpace : tensor<SxNxf32>) {
  ^bb0(%v: T, %m: f32, %o: f32):
    template.const_if IsNarrow {
      %e = arith.extf %v : T to f32
      %d = arith.subf %e, %m : f32
      %p = kgen.exp_or_zero<-84.158490920205168> %d {kgen.non_positive, kgen.result_precision = 8 : i32} : f32
      linalg.yield %p : f32
    } else {
      %d = arith.subf %v, %m : f32
      %p = kgen.exp_or_zero<-84.158490920205168> %d {kgen.non_positive} : f32
      linalg.yield %p : f32
    }
  } -> tensor<SxNxf32>
  %zero = template.constant 0 : f32
  %sumsSpace = tensor.empty() : tensor<Sxf32>
  %init = linalg.fill ins(%zero : f32) outs(%sumsSpace : tensor<Sxf32>) -> tensor<Sxf32>
  %sums = linalg.generic {indexing_maps = [$(identity(R + 1)), Rows], iterator_types = [$(Sums)]}
      ins(%powers : tensor<SxNxf32>) outs(%init : tensor<Sxf32>) {
  ^bb0(%v: f32, %s: f32):
    %r = arith.addf %s, %v : f32
    linalg.yield %r : f32
  } -> tensor<Sxf32>
  %out = tensor.empty() : tensor<SxNxT>
  %y = linalg.generic {indexing_maps = [$(identity(R + 1)), Rows, $(identity(R + 1))], iterator_types = [$(repeat("parallel", R + 1))]}
      ins(%powers, %sums : tensor<SxNxf32>, tensor<Sxf32>) outs(%out : tensor<SxNxT>) {
  ^bb0(%v: f32, %s: f32, %o: T):
    %one = template.constant 1 : f32
    %f = arith.divf %one, %s : f32
    template.const_if IsNarrow {
      %r = arith.mulf %v, %f fastmath<contract> : f32
      %t = arith.truncf %r {kgen.result_precision} : f32 to T
      linalg.yield %t : T
    } else {
      %r = arith.mulf %v, %f : f32
      linalg.yield %r : f32
    }
  } -> tensor<SxNxT>
  return %y : tensor<SxNxT>
}

// max(a * b + bias, 0)
template.func {M : index, N : index, K : index}
@my.dense(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>, %bias : tensor<Nxf32>) -> tensor<MxNxf32> {
  %zero = template.constant 0 : f32
  %space = tensor.empty() : tensor<MxNxf32>
  %init = linalg.fill ins(%zero : f32) outs(%space : tensor<MxNxf32>) -> tensor<MxNxf32>
  %product = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%init : tensor<MxNxf32>) -> tensor<MxNxf32>
  %out = linalg.generic {indexing_maps = [$(identity(2)), $(projection(2, [1])), $(identity(2))], iterator_types = [$(repeat("parallel", 2))]}
      ins(%product, %bias : tensor<MxNxf32>, tensor<Nxf32>) outs(%space : tensor<MxNxf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %is = arith.cmpf ogt, %zero, %s : f32
    %r = arith.select %is, %zero, %s : f32
    linalg.yield %r : f32
  } -> tensor<MxNxf32>
  return %out : tensor<MxNxf32>
}

// The sums of bf16 are of f32; each node of the graph rounds its result.
template.func {M : index, N : index, K : index}
@my.dense(%a : tensor<MxKxbf16>, %b : tensor<KxNxbf16>, %bias : tensor<Nxbf16>) -> tensor<MxNxbf16> {
  %zero = template.constant 0 : f32
  %space = tensor.empty() : tensor<MxNxf32>
  %init = linalg.fill ins(%zero : f32) outs(%space : tensor<MxNxf32>) -> tensor<MxNxf32>
  %product = linalg.matmul ins(%a, %b : tensor<MxKxbf16>, tensor<KxNxbf16>) outs(%init : tensor<MxNxf32>) -> tensor<MxNxf32>
  %narrow = tensor.empty() : tensor<MxNxbf16>
  %out = linalg.generic {indexing_maps = [$(identity(2)), $(projection(2, [1])), $(identity(2))], iterator_types = [$(repeat("parallel", 2))]}
      ins(%product, %bias : tensor<MxNxf32>, tensor<Nxbf16>) outs(%narrow : tensor<MxNxbf16>) {
  ^bb0(%p: f32, %q: bf16, %o: bf16):
    %1 = arith.truncf %p : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.extf %q : bf16 to f32
    %4 = arith.addf %2, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    %6 = arith.extf %5 : bf16 to f32
    %is = arith.cmpf ogt, %zero, %6 : f32
    %r = arith.select %is, %zero, %6 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<MxNxbf16>
  return %out : tensor<MxNxbf16>
}
