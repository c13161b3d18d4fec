// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @shape(%x: tensor<5x24xf32>) {
  // expected-error@+1 {{with its border 'tensor<5x24xf32>' is 'tensor<7x24xf32>', found 'tensor<8x24xf32>'}}
  %r = tpp.implicit_pad %x low [1, 0] high [1, 0] : tensor<5x24xf32> -> tensor<8x24xf32>
  return
}

// -----

func.func @layout(%x: memref<5x24xf32>) {
  // expected-error@+1 {{with its border 'memref<5x24xf32>' is 'memref<7x24xf32, strided<[24, 1], offset: ?>>', found 'memref<7x24xf32>'}}
  %r = tpp.implicit_pad %x low [1, 0] high [1, 0] : memref<5x24xf32> -> memref<7x24xf32>
  return
}

// -----

func.func @sizes(%x: tensor<5x24xf32>) {
  // expected-error@+1 {{needs a size in front of and behind each dimension}}
  %r = tpp.implicit_pad %x low [1] high [1, 0] : tensor<5x24xf32> -> tensor<7x24xf32>
  return
}

// -----

func.func @negative(%x: tensor<5x24xf32>) {
  // expected-error@+1 {{needs a size in front of and behind each dimension}}
  %r = tpp.implicit_pad %x low [-1, 0] high [1, 0] : tensor<5x24xf32> -> tensor<5x24xf32>
  return
}

// -----

func.func @dynamic(%x: tensor<?x24xf32>) {
  // expected-error@+1 {{needs a static size of dimension 0, which is padded}}
  %r = tpp.implicit_pad %x low [1, 0] high [1, 0] : tensor<?x24xf32> -> tensor<?x24xf32>
  return
}
