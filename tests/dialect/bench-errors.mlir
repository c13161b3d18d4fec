// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @dynamic(%t: tensor<?xf32>) {
  // expected-error@+1 {{'bench.expect_close' op needs a static shape, found 'tensor<?xf32>'}}
  bench.expect_close %t, %t : tensor<?xf32>
  return
}

// -----

func.func @unreadable(%t: tensor<4xi16>) {
  // expected-error@+1 {{'bench.print' op reads f16, bf16, f32, f64, i1, i8, i32 and i64, found 'tensor<4xi16>'}}
  bench.print %t : tensor<4xi16>
  return
}

// -----

func.func @negative(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.expect_close' op tolerances must not be negative}}
  bench.expect_close %t, %t {relative = -1.0} : tensor<4xf32>
  return
}

// -----

func.func @nan(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.expect_close' op tolerances must not be negative}}
  bench.expect_close %t, %t {absolute = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @integers(%t: tensor<4xi32>) {
  // expected-error@+1 {{'bench.expect_finite' op needs floats, found 'tensor<4xi32>'}}
  bench.expect_finite %t : tensor<4xi32>
  return
}

// -----

func.func @never() {
  // expected-error@+1 {{'bench.measure' op needs at least one iteration}}
  bench.measure iterations 0 {
    bench.yield
  }
  return
}

// -----

func.func @no_work() {
  // expected-error@+1 {{'bench.measure' op flops must be positive}}
  bench.measure flops 0 {
    bench.yield
  }
  return
}

// -----

func.func @arguments(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.measure' op the region's arguments must have the types of ins and outs}}
  bench.measure ins(%t : tensor<4xf32>) {
    bench.yield
  }
  return
}

// -----

func.func @terminator() {
  // expected-error@+1 {{'bench.measure' op the region must end in bench.yield}}
  bench.measure {
    scf.yield
  }
  return
}

// -----

func.func @mixed(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{'bench.measure' op outs must be all tensors or all memrefs}}
  %r = bench.measure outs(%t, %m : tensor<4xf32>, memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: memref<4xf32>):
    bench.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @results(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.measure' op needs one result of the same type for each tensor of outs}}
  bench.measure outs(%t : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    bench.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @yielded(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.measure' op the region must yield one tensor of the same type for each of outs}}
  %r = bench.measure outs(%t : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    bench.yield
  } -> tensor<4xf32>
  return
}

// -----

func.func @captured(%t: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  bench.measure {
    // expected-error@+1 {{using value defined outside the region}}
    bench.print %t : tensor<4xf32>
    bench.yield
  }
  return
}
