// RUN: kgen-opt "%s" --kgen-forall-to-parallel --kgen-outline-tasks --split-input-file --verify-diagnostics

// Not a view of a whole buffer, and its size would be lost on the way.
func.func @unknown_size(%n: index) {
  %x = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0.0 : f32
  // expected-error@+1 {{cannot pass 'memref<?xf32>' to its tasks}}
  scf.forall (%i) in (8) {
    memref.store %c0, %x[%i] : memref<?xf32>
  }
  return
}
