// RUN: kgen-opt "%s" --kgen-outline-tasks --split-input-file --verify-diagnostics

// expected-error @below {{a buffer of unknown size needs 'kgen.shape' and no layout to be passed as a pointer, found 'memref<?xf32>'}}
func.func @no_shape(%x: memref<?xf32>) {
  return
}

// -----

// expected-error @below {{a buffer of unknown size needs 'kgen.shape' and no layout to be passed as a pointer, found 'memref<?x8xf32, strided<[16, 1]>>'}}
func.func @strided(%n: index, %x: memref<?x8xf32, strided<[16, 1]>> {kgen.shape = affine_map<()[s0] -> (s0, 8)>}) {
  return
}
