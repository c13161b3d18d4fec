// A size that is known at run time only, from 1 to 130: instances for 1, 8 and 64, loops for the rest.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// CHECK: 130 checks hold
template.func {M : index_of<1, 8, 64>, N : index} @fma(%x : memref<MxNxf32>, %y : memref<MxNxf32>) {
  linalg.generic {indexing_maps = [$(identity(2)), $(identity(2))], iterator_types = [$(repeat("parallel", 2))]}
      ins(%x : memref<MxNxf32>) outs(%y : memref<MxNxf32>) {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %p, %w : f32
    linalg.yield %s : f32
  }
  return
}
template.func {M : any_dim, N : index} @fma(%x : memref<MxNxf32>, %y : memref<MxNxf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<MxNxf32>
  %n = template.constant N : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : memref<MxNxf32>
      %w = memref.load %y[%i, %j] : memref<MxNxf32>
      %p = arith.mulf %v, %v : f32
      %s = arith.addf %p, %w : f32
      memref.store %s, %y[%i, %j] : memref<MxNxf32>
    }
  }
  return
}
func.func @main(%x: memref<130x5xf32>, %y: memref<130x5xf32>, %expected: memref<130x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %end = arith.constant 131 : index
  memref.copy %y, %expected : memref<130x5xf32> to memref<130x5xf32>
  scf.for %m = %c1 to %end step %c1 {
    %rows = memref.subview %x[0, 0][%m, 5][1, 1] : memref<130x5xf32> to memref<?x5xf32, strided<[5, 1]>>
    %a = memref.cast %rows : memref<?x5xf32, strided<[5, 1]>> to memref<?x5xf32>
    %others = memref.subview %y[0, 0][%m, 5][1, 1] : memref<130x5xf32> to memref<?x5xf32, strided<[5, 1]>>
    %b = memref.cast %others : memref<?x5xf32, strided<[5, 1]>> to memref<?x5xf32>
    template.call @fma(%a, %b) : (memref<?x5xf32>, memref<?x5xf32>) -> ()
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %c5 step %c1 {
        %v = memref.load %x[%i, %j] : memref<130x5xf32>
        %w = memref.load %expected[%i, %j] : memref<130x5xf32>
        %p = arith.mulf %v, %v : f32
        %s = arith.addf %p, %w : f32
        memref.store %s, %expected[%i, %j] : memref<130x5xf32>
      }
    }
    // Rows after the size are as they were.
    bench.expect_close %y, %expected : memref<130x5xf32>
  }
  return
}
