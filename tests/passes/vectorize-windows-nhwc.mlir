// Sums, products and extrema over windows of NHWC images: vectors of channels, several pixels at a time.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --linalg-generalize-named-ops --kgen-vectorize --canonicalize --cse --split-input-file | FileCheck "%s"

// A filter for each channel, and what reads the sums. The image is read where it is: in the first and the last row only two of
// the filter's rows meet it, and pixels at the sides leave out a column. Sums start from zero without a fill, and are written
// once, as the last operation has them.
// CHECK-LABEL: func.func @each
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x5x12x16xf32>, %[[W:[a-z0-9]+]]: tensor<3x3x16xf32>
// CHECK:         scf.for %[[Y:.*]] = %{{.*}} to %c5
// CHECK:           %[[FIRST:.*]] = arith.cmpi slt, %[[Y]], %c1
// CHECK:           scf.if %[[FIRST]]
// CHECK:             scf.for %[[C:.*]] = %{{.*}} to %c16 step %c8
// CHECK:           else
// CHECK:             %[[MIDDLE:.*]] = arith.cmpi slt, %[[Y]], %c4
// CHECK:             scf.if %[[MIDDLE]]
// CHECK:               scf.for %[[C:.*]] = %{{.*}} to %c16 step %c8
// Twelve pixels of three columns each, less one at each side, in three rows.
// CHECK-COUNT-102:       vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:             vector.fma
// CHECK:             else
// CHECK-COUNT-68:        vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:             vector.fma
// CHECK-NOT:     scf.if
// CHECK-NOT:     linalg
// CHECK:         return
module {
  func.func @each(%x: tensor<1x5x12x16xf32>, %w: tensor<3x3x16xf32>, %b: tensor<16xf32>) -> tensor<1x5x12x16xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %zero : f32
    } : tensor<1x5x12x16xf32> to tensor<1x7x14x16xf32>
    %e = tensor.empty() : tensor<1x5x12x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x12x16xf32>) -> tensor<1x5x12x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x7x14x16xf32>, tensor<3x3x16xf32>) outs(%f : tensor<1x5x12x16xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %m = arith.mulf %v, %u : f32
      %t = arith.addf %o, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x5x12x16xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(n, y, x, c) -> (c)>, affine_map<(n, y, x, c) -> (n, y, x, c)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%b : tensor<16xf32>) outs(%s : tensor<1x5x12x16xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<1x5x12x16xf32>
    return %r : tensor<1x5x12x16xf32>
  }
}

// -----

// A slice of the rows, as a task has them: which taps are inside of the image depends on its offset.
// CHECK-LABEL: func.func @task_slice
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x8x4x8xf32>, %[[E:[a-z0-9]+]]: tensor<1x2x4x8xf32>, %[[AT:[a-z0-9]+]]: index
// CHECK:         scf.for %[[Y:.*]] = %{{.*}} to %c2
// CHECK:           %[[P:.*]] = affine.apply #{{.*}}()[%{{.*}}, %{{.*}}]
// CHECK:           arith.cmpi slt, %[[P]], %c1
// CHECK:           vector.transfer_read %[[X]]
// CHECK:           arith.maximumf
module {
  func.func @task_slice(%x: tensor<1x8x4x8xf32>, %e: tensor<1x2x4x8xf32>, %at: index, %shape: tensor<3x3xf32>) -> tensor<1x2x4x8xf32> {
    %least = arith.constant 0xFF800000 : f32
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %least : f32
    } : tensor<1x8x4x8xf32> to tensor<1x10x6x8xf32>
    %q = tensor.extract_slice %p[0, %at, 0, 0] [1, 4, 6, 8] [1, 1, 1, 1] : tensor<1x10x6x8xf32> to tensor<1x4x6x8xf32>
    %f = linalg.fill ins(%least : f32) outs(%e : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%q, %shape : tensor<1x4x6x8xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x4x8xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %t = arith.maximumf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<1x2x4x8xf32>
    return %s : tensor<1x2x4x8xf32>
  }
}

// -----

// Padding that counts: maxima of what is padded with zeros.
// CHECK-LABEL: func.func @padding_counts
// CHECK:         tensor.pad
// CHECK-NOT:     scf.if
// CHECK:         arith.maximumf {{.*}} : vector<8xf32>
module {
  func.func @padding_counts(%x: tensor<1x2x4x8xf32>, %shape: tensor<3x3xf32>) -> tensor<1x2x4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %zero : f32
    } : tensor<1x2x4x8xf32> to tensor<1x4x6x8xf32>
    %e = tensor.empty() : tensor<1x2x4x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %shape : tensor<1x4x6x8xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x4x8xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %t = arith.maximumf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<1x2x4x8xf32>
    return %s : tensor<1x2x4x8xf32>
  }
}

// -----

// A long row, read from its begin to its end: six pixels at a time, with all of their channels. The filter stays in the first
// cache.
// CHECK-LABEL: func.func @rows_once
// CHECK:         scf.for %[[X:.*]] = %{{.*}} to %c36 step %c6
// CHECK:           scf.for %[[C:.*]] = %{{.*}} to %c32 step %c8
// CHECK-COUNT-54:    vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.fma
// CHECK:             scf.yield
// CHECK-COUNT-54:  vector.fma {{.*}} : vector<5xf32>
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-NOT:     scf.for
// CHECK:         return
module {
  func.func @rows_once(%x: tensor<1x3x38x37xf32>, %w: tensor<3x3x37xf32>, %e: tensor<1x1x36x37xf32>) -> tensor<1x1x36x37xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x36x37xf32>) -> tensor<1x1x36x37xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>,
                                          affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x3x38x37xf32>, tensor<3x3x37xf32>) outs(%f : tensor<1x1x36x37xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %p = arith.mulf %v, %u : f32
      %t = arith.addf %o, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x1x36x37xf32>
    return %s : tensor<1x1x36x37xf32>
  }
}

// -----

// Without a filter, two pixels at a time are few enough for memory to be read nearly in order: both vectors of a line of the cache,
// then the next channels.
// CHECK-LABEL: func.func @pool
// CHECK:         scf.for %[[X:.*]] = %{{.*}} to %c18 step %c2
// CHECK:           scf.for %[[C:.*]] = %{{.*}} to %c32 step %c16
// CHECK-COUNT-4:     vector.transfer_write {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.transfer_write
// CHECK:             scf.yield
// CHECK-COUNT-2:   vector.transfer_write {{.*}} : vector<5xf32>
// CHECK-NOT:       vector.transfer_write
// CHECK:           scf.yield
// CHECK-NOT:     scf.for
// CHECK:         return
module {
  func.func @pool(%x: tensor<1x2x36x37xf32>, %shape: tensor<2x2xf32>, %e: tensor<1x1x18x37xf32>) -> tensor<1x1x18x37xf32> {
    %least = arith.constant 0xFF800000 : f32
    %f = linalg.fill ins(%least : f32) outs(%e : tensor<1x1x18x37xf32>) -> tensor<1x1x18x37xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y * 2 + r, x * 2 + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s)>,
                                          affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %shape : tensor<1x2x36x37xf32>, tensor<2x2xf32>) outs(%f : tensor<1x1x18x37xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %t = arith.maximumf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<1x1x18x37xf32>
    return %s : tensor<1x1x18x37xf32>
  }
}

// -----

// As with rows that are read once, but with a filter that takes more of the first cache: it is read once for each row. Both vectors of a line of the cache
// at a time, six pixels of one and then of the other; what is left of the channels is shorter.
// CHECK-LABEL: func.func @long
// CHECK:         scf.for %[[C:.*]] = %{{.*}} to %c32 step %c16
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c36 step %c6
// CHECK-COUNT-12:    vector.transfer_write {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.transfer_write
// CHECK:           scf.yield
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c36 step %c6
// CHECK-COUNT-6:   vector.transfer_write {{.*}} : vector<5xf32>
// CHECK-NOT:       vector.transfer_write
// CHECK:         return
// A made-up target: an L1 of 4 KiB and an L2 of 256 KiB.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 4096, l2 = 262144, gemm_tiles = {}>} {
  func.func @long(%x: tensor<1x3x38x37xf32>, %w: tensor<3x3x37xf32>, %e: tensor<1x1x36x37xf32>) -> tensor<1x1x36x37xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x36x37xf32>) -> tensor<1x1x36x37xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>,
                                          affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x3x38x37xf32>, tensor<3x3x37xf32>) outs(%f : tensor<1x1x36x37xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %p = arith.mulf %v, %u : f32
      %t = arith.addf %o, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x1x36x37xf32>
    return %s : tensor<1x1x36x37xf32>
  }
}

// -----

// Code for all 25 taps and for each place at the border would be long: a loop goes over the rows of the filter that meet the
// image, in which the sums of six pixels stay in registers.
// CHECK-LABEL: func.func @large
// CHECK:         scf.for %[[Y:.*]] = %{{.*}} to %c9
// CHECK:           %[[FIRST:.*]] = arith.minsi %{{.*}}, %c5
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %c5
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c1 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// Six pixels of five columns each, less three at the left side.
// CHECK-COUNT-27:    vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:         vector.fma
// CHECK:             scf.yield
// CHECK-NOT:     scf.if
// CHECK:         return
module {
  func.func @large(%x: tensor<1x9x12x8xf32>, %w: tensor<5x5x8xf32>) -> tensor<1x9x12x8xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %zero : f32
    } : tensor<1x9x12x8xf32> to tensor<1x13x16x8xf32>
    %e = tensor.empty() : tensor<1x9x12x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x12x8xf32>) -> tensor<1x9x12x8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x13x16x8xf32>, tensor<5x5x8xf32>) outs(%f : tensor<1x9x12x8xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %m = arith.mulf %v, %u : f32
      %t = arith.addf %o, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x9x12x8xf32>
    return %s : tensor<1x9x12x8xf32>
  }
}

// -----

// Groups of four channels: each of the group's four meets all of its filters, from where it is spread over the group's lanes.
// Two taps of four channels for each of three pixels.
// CHECK-LABEL: func.func @groups
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x1x4x8xf32>
// CHECK:         vector.transfer_read %[[X]]
// CHECK:         vector.shuffle {{.*}} [0, 0, 0, 0, 4, 4, 4, 4] : vector<8xf32>
// CHECK:         vector.shuffle {{.*}} [1, 1, 1, 1, 5, 5, 5, 5] : vector<8xf32>
// CHECK-NOT:     linalg
// CHECK:         return
// Vectors that are parts of groups have one element in all lanes.
// CHECK-LABEL: func.func @parts_of_groups
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x1x4x32xf32>
// CHECK:         tensor.extract %[[X]]
// CHECK-NOT:     vector.shuffle
// CHECK-NOT:     linalg
// CHECK:         return
module {
  func.func @groups(%x: tensor<1x1x4x8xf32>, %w: tensor<1x4x2x8xf32>, %o: tensor<1x1x3x8xf32>) -> tensor<1x1x3x8xf32> {
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, j, s) -> (n, y + r, x + s, (c floordiv 4) * 4 + j)>, affine_map<(n, y, x, c, r, j, s) -> (r, j, s, c)>, affine_map<(n, y, x, c, r, j, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x1x4x8xf32>, tensor<1x4x2x8xf32>) outs(%o : tensor<1x1x3x8xf32>) {
    ^bb0(%v: f32, %u: f32, %a: f32):
      %m = arith.mulf %v, %u : f32
      %t = arith.addf %a, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x1x3x8xf32>
    return %s : tensor<1x1x3x8xf32>
  }

  func.func @parts_of_groups(%x: tensor<1x1x4x32xf32>, %w: tensor<1x16x2x32xf32>, %o: tensor<1x1x3x32xf32>) -> tensor<1x1x3x32xf32> {
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, j, s) -> (n, y + r, x + s, (c floordiv 16) * 16 + j)>, affine_map<(n, y, x, c, r, j, s) -> (r, j, s, c)>, affine_map<(n, y, x, c, r, j, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x1x4x32xf32>, tensor<1x16x2x32xf32>) outs(%o : tensor<1x1x3x32xf32>) {
    ^bb0(%v: f32, %u: f32, %a: f32):
      %m = arith.mulf %v, %u : f32
      %t = arith.addf %a, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x1x3x32xf32>
    return %s : tensor<1x1x3x32xf32>
  }
}
