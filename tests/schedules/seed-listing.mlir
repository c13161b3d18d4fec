// The listing that the schedules began with: copies from L3 in the inner loop, the accumulator in L2, packed and unpacked in each step.
// RUN: kgen simulate "%s" --machine array-2x2 | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 67176192 cycles{{$}}
// CHECK: {{^}}  L3    L2  2147483648 {{ *}}65536 {{ *}}67108864{{$}}
// CHECK: {{^}}  L2    L3     2097152
// CHECK: {{^}}  L2    L1   402653184
// CHECK: {{^}}  L1    L2   134217728
// CHECK: {{^}}  L2       278528  524288
// CHECK: {{^}}  L1        12288   65536
// CHECK-NOT: fault
func.func @f(%a: memref<1024x2048xi32>, %b: memref<2048x512xi32>, %out: memref<1024x512xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %c256 = arith.constant 256 : index
  %c32 = arith.constant 32 : index
  scf.forall (%i, %j) in (16, 8) {
    %m = affine.apply affine_map<(d) -> (d * 64)>(%i)
    %n = affine.apply affine_map<(d) -> (d * 64)>(%j)
    %c = memref.subview %out[%m, %n] [64, 64] [1, 1] : memref<1024x512xi32> to memref<64x64xi32, strided<[512, 1], offset: ?>>
    %c2 = memref.alloc() : memref<64x64xi32, 1>
    scf.forall (%y, %x) in (2, 2) {
      %m1 = affine.apply affine_map<(d) -> (d * 32)>(%y)
      %n1 = affine.apply affine_map<(d) -> (d * 32)>(%x)
      %ma = arith.addi %m, %m1 : index
      %nb = arith.addi %n, %n1 : index
      %ct = memref.subview %c2[%m1, %n1] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
      linalg.fill ins(%zero : i32) outs(%ct : memref<32x32xi32, strided<[64, 1], offset: ?>, 1>)
      scf.for %k = %c0 to %c2048 step %c256 {
        %as = memref.subview %a[%ma, %k] [32, 256] [1, 1] : memref<1024x2048xi32> to memref<32x256xi32, strided<[2048, 1], offset: ?>>
        %bs = memref.subview %b[%k, %nb] [256, 32] [1, 1] : memref<2048x512xi32> to memref<256x32xi32, strided<[512, 1], offset: ?>>
        scf.for %l = %c0 to %c256 step %c32 {
          %a2 = memref.alloc() : memref<32x256xi32, 1>
          linalg.copy ins(%as : memref<32x256xi32, strided<[2048, 1], offset: ?>>) outs(%a2 : memref<32x256xi32, 1>)
          %at = memref.subview %a2[0, %l] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
          %b2 = memref.alloc() : memref<256x32xi32, 1>
          linalg.copy ins(%bs : memref<256x32xi32, strided<[512, 1], offset: ?>>) outs(%b2 : memref<256x32xi32, 1>)
          %bt = memref.subview %b2[%l, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
          %a1 = memref.alloc() : memref<4x8x4x8xi32, 2>
          %ae = memref.expand_shape %at [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%ae : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%a1 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3]
          %b1 = memref.alloc() : memref<4x4x8x8xi32, 2>
          %be = memref.expand_shape %bt [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%be : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%b1 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3]
          %c1 = memref.alloc() : memref<4x8x4x8xi32, 2>
          %ce = memref.expand_shape %ct [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%ce : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%c1 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3]
          linalg.generic {indexing_maps = [affine_map<(m, n, k, i, j, l) -> (k, m, i, l)>, affine_map<(m, n, k, i, j, l) -> (n, k, l, j)>,
              affine_map<(m, n, k, i, j, l) -> (n, m, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
              ins(%a1, %b1 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%c1 : memref<4x8x4x8xi32, 2>) {
          ^bb0(%p: i32, %q: i32, %r: i32):
            %s = arith.muli %p, %q : i32
            %t = arith.addi %r, %s : i32
            linalg.yield %t : i32
          }
          linalg.transpose ins(%c1 : memref<4x8x4x8xi32, 2>) outs(%ce : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3]
        }
      }
    } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
    linalg.copy ins(%c2 : memref<64x64xi32, 1>) outs(%c : memref<64x64xi32, strided<[512, 1], offset: ?>>)
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @reference(%a: memref<1024x2048xi32>, %b: memref<2048x512xi32>, %out: memref<1024x512xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%out : memref<1024x512xi32>)
  linalg.matmul ins(%a, %b : memref<1024x2048xi32>, memref<2048x512xi32>) outs(%out : memref<1024x512xi32>)
  return
}
// REQUIRES: machines
