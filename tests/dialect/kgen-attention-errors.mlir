// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @too_few(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op needs the dimensions m, n, d and e behind those of the batch}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d) -> (m, d)>, k_map = affine_map<(m, n, d) -> (n, d)>, v_map = affine_map<(m, n, d) -> (n, d)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d) -> (m, d)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @maps_of_extras(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op needs one map per epilogue operand}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [affine_map<(m, n, d, e) -> (m)>], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @permutation(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the map of K must be a projected permutation of 4 dimensions into 2, found affine_map<(d0, d1, d2, d3) -> (d1, d1)>}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, n)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @results(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the map of V must be a projected permutation of 4 dimensions into 2, found affine_map<(d0, d1, d2, d3) -> (d1, d3, d0)>}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e, m)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @indexed(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op V must not be indexed by d}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, d)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @not_indexed(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op Q must be indexed by m}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (n, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @shape(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<6x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op dimension 0 of K is 5, expected 6}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<6x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @integers(%q: tensor<4x2xi32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op multiplies floats that are added up in one type}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xi32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @two_types(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf64>) {
  // expected-error@+1 {{'kgen.attention' op multiplies floats that are added up in one type}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf64>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scalars(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the score takes 1 scalars, found 2}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32, %x: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @score(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the score is computed from and yields 'f32'}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f64):
    kgen.yield %p : f64
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @extra_type(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'kgen.attention' op an argument of the score must have the type of its operand's elements}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>) epilogue_ins(%x : tensor<4xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [affine_map<(m, n, d, e) -> (m)>], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32, %y: f16):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @elementwise(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op 'vector.print' in a score is not elementwise}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    vector.print %p : f32
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @rows(%q: tensor<2x4xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op Q must end in d, V and the result in e}}
  %r = kgen.attention ins(%q, %k, %v : tensor<2x4xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (d, m)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @batch(%q: tensor<1x4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the result must have all dimensions of the batch}}
  %r = kgen.attention ins(%q, %k, %v : tensor<1x4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (n, d)>, v_map = affine_map<(b, m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_elements(%q: tensor<4x?xf32>, %k: tensor<5x?xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op the sizes of d and e must be static}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x?xf32>, tensor<5x?xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_shape(%q: tensor<4x2xf32>, %k: tensor<?x2xf32>, %v: tensor<6x3xf32>) {
  // expected-error@+1 {{'kgen.attention' op dimension 0 of K is ?, expected 6}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<?x2xf32>, tensor<6x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @counts_without_map(%q: tensor<4x2xf32>, %k: tensor<6x2xf32>, %v: tensor<6x3xf32>, %n: tensor<i64>) {
  // expected-error@+1 {{'kgen.attention' op needs a map of the counts of keys if there are any, and only then}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<6x2xf32>, tensor<6x3xf32>) key_counts(%n : tensor<i64>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @counts_by_key(%q: tensor<4x2xf32>, %k: tensor<6x2xf32>, %v: tensor<6x3xf32>, %n: tensor<6xi64>) {
  // expected-error@+1 {{'kgen.attention' op the counts of keys must not be indexed by n}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<6x2xf32>, tensor<6x3xf32>) key_counts(%n : tensor<6xi64>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      counts_map = affine_map<(m, n, d, e) -> (n)>, epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return
}
