// Tile operations on buffers, as micro-kernels of 5 x 9, against scalar code: a product with what follows it in place, a
// broadcast row on the left of a subtraction, a result in another buffer, and what keeps apart because it is read in between.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 3 checks hold
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
func.func @main(%a: memref<5x7xf32>, %b: memref<7x9xf32>, %bias: memref<9xf32>, %scale: memref<5xf32>, %c: memref<5x9xf32>,
                %d: memref<5x9xf32>, %kept: memref<5x9xf32>, %ce: memref<5x9xf32>, %de: memref<5x9xf32>, %ke: memref<5x9xf32>) {
  tpp.zero outs(%c : memref<5x9xf32>)
  tpp.gemm ins(%a, %b : memref<5x7xf32>, memref<7x9xf32>) outs(%c : memref<5x9xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, accumulate, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  tpp.identity ins(%c : memref<5x9xf32>) outs(%kept : memref<5x9xf32>)
  tpp.sub ins(%bias, %c : memref<9xf32>, memref<5x9xf32>) outs(%c : memref<5x9xf32>) {maps = [#row, #id]}
  tpp.relu ins(%c : memref<5x9xf32>) outs(%c : memref<5x9xf32>)
  tpp.mul ins(%c, %scale : memref<5x9xf32>, memref<5xf32>) outs(%d : memref<5x9xf32>) {maps = [#id, #column]}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 5 : index
  %n = arith.constant 9 : index
  %k = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %zero) -> f32 {
        %p = memref.load %a[%i, %l] : memref<5x7xf32>
        %q = memref.load %b[%l, %j] : memref<7x9xf32>
        %pq = arith.mulf %p, %q : f32
        %next = arith.addf %acc, %pq : f32
        scf.yield %next : f32
      }
      memref.store %sum, %ke[%i, %j] : memref<5x9xf32>
      %r = memref.load %bias[%j] : memref<9xf32>
      %s = arith.subf %r, %sum : f32
      %relu = arith.maximumf %s, %zero : f32
      memref.store %relu, %ce[%i, %j] : memref<5x9xf32>
      %f = memref.load %scale[%i] : memref<5xf32>
      %scaled = arith.mulf %relu, %f : f32
      memref.store %scaled, %de[%i, %j] : memref<5x9xf32>
    }
  }
  bench.expect_close %kept, %ke {absolute = 1.0e-5, relative = 1.0e-5} : memref<5x9xf32>
  bench.expect_close %c, %ce {absolute = 1.0e-5, relative = 1.0e-5} : memref<5x9xf32>
  bench.expect_close %d, %de {absolute = 1.0e-5, relative = 1.0e-5} : memref<5x9xf32>
  return
}
