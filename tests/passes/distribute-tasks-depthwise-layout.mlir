// Depthwise windows over NCHW images: a task has some channels and transposes their image itself.
// RUN: kgen-opt "%s" --split-input-file --kgen-select-tiling="level=distribution task-work=1200" --kgen-distribute-tasks --cse --canonicalize | FileCheck "%s"

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
module attributes {kgen.target = #target} {
// A cache line of 16 channels with 20 x 20 pixels; the padding joins the task, too.
// CHECK-LABEL: func @line
// CHECK: scf.forall (%[[C:.*]]) = (0) to (128) step (16) shared_outs
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, %[[C]], 0, 0] [1, 16, 20, 20]
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%{{.*}} : tensor<1x20x20x16xf32>)
// CHECK: %[[P:.*]] = tensor.pad %[[T]] nofold low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: : tensor<1x20x20x16xf32> to tensor<1x22x22x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x22x22x16xf32>, tensor<3x3x16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16x20x20xf32>)
func.func @line(%x: tensor<1x128x20x20xf32>, %w: tensor<3x3x128xf32>, %s: tensor<1x20x20x128xf32>) -> tensor<1x128x20x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x20x20x128xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x128x20x20xf32>) outs(%e : tensor<1x20x20x128xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<1x20x20x128xf32>
  %p = tensor.pad %t nofold low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x20x20x128xf32> to tensor<1x22x22x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<1x22x22x128xf32>, tensor<3x3x128xf32>) outs(%s : tensor<1x20x20x128xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %m = arith.mulf %v, %u : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<1x20x20x128xf32>
  %f = tensor.empty() : tensor<1x128x20x20xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x20x20x128xf32>) outs(%f : tensor<1x128x20x20xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x128x20x20xf32>
  return %z : tensor<1x128x20x20xf32>
}
// Half a cache line, of larger images without padding; the remainder of 20 channels is a task of its own.
// CHECK-LABEL: func @half
// CHECK: scf.forall (%[[C:.*]]) = (0) to (16) step (8) shared_outs
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x60x60x8xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = {{.*}}"reduction"{{.*}} ins(%{{.*}} : tensor<1x60x60x8xf32>, tensor<3x3x8xf32>)
// CHECK: scf.forall ({{.*}}) = (16) to (20) step (4) shared_outs
// CHECK: linalg.generic {{.*}} iterator_types = {{.*}}"reduction"{{.*}} ins(%{{.*}} : tensor<1x60x60x4xf32>, tensor<3x3x4xf32>)
func.func @half(%x: tensor<1x20x60x60xf32>, %w: tensor<3x3x20xf32>, %s: tensor<1x58x58x20xf32>) -> tensor<1x20x58x58xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x60x60x20xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x20x60x60xf32>) outs(%e : tensor<1x60x60x20xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<1x60x60x20xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%t, %w : tensor<1x60x60x20xf32>, tensor<3x3x20xf32>) outs(%s : tensor<1x58x58x20xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %m = arith.mulf %v, %u : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<1x58x58x20xf32>
  %f = tensor.empty() : tensor<1x20x58x58xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x58x58x20xf32>) outs(%f : tensor<1x20x58x58xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x20x58x58xf32>
  return %z : tensor<1x20x58x58xf32>
}
// The L2 holds all channels: the image is transposed in front of the windows.
// CHECK-LABEL: func @small
// CHECK: scf.forall
// CHECK: linalg.generic
// CHECK: scf.forall
// CHECK: linalg.generic {{.*}}"reduction"
func.func @small(%x: tensor<1x32x20x20xf32>, %w: tensor<3x3x32xf32>, %s: tensor<1x20x20x32xf32>) -> tensor<1x32x20x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x20x20x32xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x32x20x20xf32>) outs(%e : tensor<1x20x20x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<1x20x20x32xf32>
  %p = tensor.pad %t nofold low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x20x20x32xf32> to tensor<1x22x22x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<1x22x22x32xf32>, tensor<3x3x32xf32>) outs(%s : tensor<1x20x20x32xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %m = arith.mulf %v, %u : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<1x20x20x32xf32>
  %f = tensor.empty() : tensor<1x32x20x20xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x20x20x32xf32>) outs(%f : tensor<1x32x20x20xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x32x20x20xf32>
  return %z : tensor<1x32x20x20xf32>
}
// Images of bytes are transposed by channels where the L2 holds them all, too: lines of 64, through what makes bytes of sums.
// CHECK-LABEL: func @bytes
// CHECK: scf.forall (%[[C:.*]]) = (0) to (128) step (64) shared_outs
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x20x20x64xi8>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}} : tensor<1x20x20x64xi8>, tensor<3x3x64xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x18x18x64xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x18x18xi8>)
func.func @bytes(%x: tensor<1x128x20x20xi8>, %w: tensor<3x3x128xi8>) -> tensor<1x128x18x18xi8> {
  %zero = arith.constant 0 : i32
  %most = arith.constant 127 : i32
  %e = tensor.empty() : tensor<1x20x20x128xi8>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x128x20x20xi8>) outs(%e : tensor<1x20x20x128xi8>) {
  ^bb0(%v: i8, %o: i8):
    linalg.yield %v : i8
  } -> tensor<1x20x20x128xi8>
  %i = tensor.empty() : tensor<1x18x18x128xi32>
  %s = linalg.fill ins(%zero : i32) outs(%i : tensor<1x18x18x128xi32>) -> tensor<1x18x18x128xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%t, %w : tensor<1x20x20x128xi8>, tensor<3x3x128xi8>) outs(%s : tensor<1x18x18x128xi32>) {
  ^bb0(%v: i8, %u: i8, %o: i32):
    %a = arith.extui %v : i8 to i32
    %b = arith.extsi %u : i8 to i32
    %m = arith.muli %a, %b : i32
    %r = arith.addi %o, %m : i32
    linalg.yield %r : i32
  } -> tensor<1x18x18x128xi32>
  %d = tensor.empty() : tensor<1x18x18x128xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x18x18x128xi32>) outs(%d : tensor<1x18x18x128xi8>) {
  ^bb0(%v: i32, %o: i8):
    %r = arith.minsi %v, %most : i32
    %b = arith.trunci %r : i32 to i8
    linalg.yield %b : i8
  } -> tensor<1x18x18x128xi8>
  %f = tensor.empty() : tensor<1x128x18x18xi8>
  %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<1x18x18x128xi8>) outs(%f : tensor<1x128x18x18xi8>) {
  ^bb0(%v: i8, %o: i8):
    linalg.yield %v : i8
  } -> tensor<1x128x18x18xi8>
  return %z : tensor<1x128x18x18xi8>
}
}
