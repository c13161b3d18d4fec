// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{%S/targets/small-tiles.yaml},func.func(kgen-vectorize))" --split-input-file --allow-unregistered-dialect | FileCheck "%s"

module {
  // Both dimensions are collapsed: 21 elements are two vectors of eight and one of five. Nothing is masked,
  // and nothing is read or written out of bounds.
  // CHECK-LABEL: func.func @collapsed
  // CHECK:         tensor.collapse_shape %{{.*}} : tensor<3x7xf32> into tensor<21xf32>
  // CHECK:         %[[L:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} -> (tensor<21xf32>)
  // CHECK:           vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<21xf32>, vector<8xf32>
  // CHECK:           arith.addf {{.*}} : vector<8xf32>
  // CHECK:           vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf32>, tensor<21xf32>
  // CHECK:         vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<21xf32>, vector<5xf32>
  // CHECK:         arith.addf {{.*}} : vector<5xf32>
  // CHECK:         vector.transfer_write %{{.*}}, %[[L]][{{.*}} {in_bounds = [true]} : vector<5xf32>, tensor<21xf32>
  // CHECK-NOT:     linalg.generic
  func.func @collapsed(%x: tensor<3x7xf32>, %y: tensor<3x7xf32>, %e: tensor<3x7xf32>) -> tensor<3x7xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<3x7xf32>, tensor<3x7xf32>)
        outs(%e : tensor<3x7xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s = arith.addf %x0, %x1 : f32
      linalg.yield %s : f32
    } -> tensor<3x7xf32>
    return %0 : tensor<3x7xf32>
  }

  // Less than a vector: no loop.
  // CHECK-LABEL: func.func @short
  // CHECK-NOT:     scf.for
  // CHECK:         arith.addf {{.*}} : vector<5xf32>
  func.func @short(%x: tensor<5xf32>, %y: tensor<5xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<5xf32>, tensor<5xf32>)
        outs(%e : tensor<5xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s = arith.addf %x0, %x1 : f32
      linalg.yield %s : f32
    } -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }

  // The widest type in the body counts, because bf16 is added in f32: eight are a vector. Two of them are rounded
  // at a time.
  // CHECK-LABEL: func.func @mixed
  // CHECK:         vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<21xbf16>, vector<16xbf16>
  // CHECK:         arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
  // CHECK:         arith.addf {{.*}} : vector<16xf32>
  // CHECK:         arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
  // CHECK:         vector.transfer_write {{.*}} {in_bounds = [true]} : vector<16xbf16>, tensor<21xbf16>
  // CHECK:         vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<21xbf16>, vector<5xbf16>
  // CHECK:         vector.transfer_write {{.*}} {in_bounds = [true]} : vector<5xbf16>, tensor<21xbf16>
  func.func @mixed(%x: tensor<21xbf16>, %e: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<21xbf16>) outs(%e : tensor<21xbf16>) {
    ^bb0(%x0: bf16, %o: bf16):
      %w = arith.extf %x0 : bf16 to f32
      %s = arith.addf %w, %w : f32
      %n = arith.truncf %s : f32 to bf16
      linalg.yield %n : bf16
    } -> tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }

  // A conversion alone is done vector by vector.
  // CHECK-LABEL: func.func @converted
  // CHECK:         scf.for
  // CHECK:           arith.truncf {{.*}} : vector<8xf32> to vector<8xbf16>
  func.func @converted(%x: tensor<21xf32>, %e: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<21xf32>) outs(%e : tensor<21xbf16>) {
    ^bb0(%x0: f32, %o: bf16):
      %n = arith.truncf %x0 : f32 to bf16
      linalg.yield %n : bf16
    } -> tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }

  // A copy fills the vector.
  // CHECK-LABEL: func.func @moved
  // CHECK:         vector.transfer_read {{.*}} : tensor<64xbf16>, vector<16xbf16>
  func.func @moved(%x: tensor<64xbf16>, %e: tensor<64xbf16>) -> tensor<64xbf16> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
    ^bb0(%x0: bf16, %o: bf16):
      linalg.yield %x0 : bf16
    } -> tensor<64xbf16>
    return %0 : tensor<64xbf16>
  }

  // A row is read as a vector, a column as a scalar that is spread.
  // CHECK-LABEL: func.func @broadcasts
  // CHECK:         scf.for
  // CHECK-DAG:       vector.transfer_read {{.*}} : tensor<8xf32>, vector<8xf32>
  // CHECK-DAG:       %[[S:.*]] = tensor.extract {{.*}} : tensor<4xf32>
  // CHECK-DAG:       vector.broadcast %[[S]] : f32 to vector<8xf32>
  func.func @broadcasts(%x: tensor<8xf32>, %y: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<8xf32>, tensor<4xf32>)
        outs(%e : tensor<4x8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s = arith.addf %x0, %x1 : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }

  // An operand that is not contiguous along the vector is gathered element by element where each element of the result
  // may be computed only once.
  // CHECK-LABEL: func.func @gather
  // CHECK-COUNT-8:   tensor.extract {{.*}} : tensor<8x4xf32>
  // CHECK:           vector.from_elements {{.*}} : vector<8xf32>
  // CHECK:           vector.transfer_write {{.*}} : vector<8xf32>, tensor<4x8xf32>
  func.func @gather(%x: tensor<8x4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x4xf32>)
        outs(%e : tensor<4x8xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }

  // Otherwise blocks of 8 x 8 are transposed in registers, two of which fill cache lines, in strips of a line.
  // The last rows (30 to 37) and columns (21 to 36) overlap the ones before.
  // CHECK-LABEL: func.func @transposed
  // CHECK:         scf.for %[[J0:.*]] = %{{.*}} to %c37{{.*}} step %c16
  // CHECK:           %[[J:.*]] = arith.minsi %[[J0]], %c21{{.*}} : index
  // CHECK:           scf.for %[[I0:.*]] = %{{.*}} to %c38{{.*}} step %c8
  // CHECK:             %[[I:.*]] = arith.minsi %[[I0]], %c30{{.*}} : index
  // CHECK:             vector.transfer_read %arg0[%[[J]], %[[I]]], {{.*}} : tensor<37x38xf32>, vector<8xf32>
  // CHECK-COUNT-7:     vector.transfer_read {{.*}} : tensor<37x38xf32>, vector<8xf32>
  // CHECK:             vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
  // CHECK:             vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
  // CHECK-COUNT-8:     vector.transfer_write {{.*}} : vector<16xf32>, tensor<38x37xf32>
  func.func @transposed(%x: tensor<37x38xf32>, %e: tensor<38x37xf32>) -> tensor<38x37xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<37x38xf32>)
        outs(%e : tensor<38x37xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    } -> tensor<38x37xf32>
    return %0 : tensor<38x37xf32>
  }

  // Few elements a row: every third one of three vectors.
  // CHECK-LABEL: func.func @colours
  // CHECK:         tensor.collapse_shape %arg0
  // CHECK-COUNT-3: vector.transfer_read {{.*}} : tensor<120xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 3, 6, 9, 12, 15, -1, -1] : vector<8xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 10, 13] : vector<8xf32>, vector<8xf32>
  // CHECK:         vector.transfer_write {{.*}} : vector<8xf32>, tensor<3x40xf32>
  func.func @colours(%x: tensor<40x3xf32>, %e: tensor<3x40xf32>) -> tensor<3x40xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<40x3xf32>)
        outs(%e : tensor<3x40xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    } -> tensor<3x40xf32>
    return %0 : tensor<3x40xf32>
  }

  // And back: each of three vectors takes elements from three.
  // CHECK-LABEL: func.func @pixels
  // CHECK-COUNT-3: vector.transfer_read {{.*}} : tensor<3x40xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 8, -1, 1, 9, -1, 2, 10] : vector<8xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 1, 8, 3, 4, 9, 6, 7] : vector<8xf32>, vector<8xf32>
  // CHECK-COUNT-3: vector.transfer_write {{.*}} : vector<8xf32>, tensor<120xf32>
  func.func @pixels(%x: tensor<3x40xf32>, %e: tensor<40x3xf32>) -> tensor<40x3xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<3x40xf32>)
        outs(%e : tensor<40x3xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    } -> tensor<40x3xf32>
    return %0 : tensor<40x3xf32>
  }

  // A sum along contiguous memory: four partial sums of a vector each, one vector more, and three elements of 43, which
  // join the vectors before lanes are added.
  // CHECK-LABEL: func.func @reduce_rows
  // CHECK:         scf.for
  // CHECK-COUNT-5:   vector.transfer_read {{.*}} : tensor<3x43xf32>, vector<8xf32>
  // CHECK:           vector.transfer_read {{.*}} : tensor<3x43xf32>, vector<3xf32>
  // CHECK:           vector.shuffle {{.*}} [0, 1, 2, -1, -1, -1, -1, -1] : vector<3xf32>, vector<3xf32>
  // CHECK:           arith.select {{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK:           vector.reduction <add>, {{.*}} : vector<8xf32> into f32
  // CHECK-NOT:       vector.reduction
  // CHECK:           tensor.insert {{.*}} : tensor<3xf32>
  func.func @reduce_rows(%x: tensor<3x43xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<3x43xf32>)
        outs(%e : tensor<3xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // Short rows, as many at a time as there are lanes, and then as many as in 128 bits: halves of their vectors are
  // interleaved and added, until a lane has the sum of a row.
  // CHECK-LABEL: func.func @reduce_short_rows
  // CHECK-COUNT-8: vector.transfer_read %arg0{{.*}} : tensor<12x8xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xf32>, vector<8xf32>
  // CHECK:         arith.addf {{.*}} : vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
  // CHECK:         vector.transfer_write {{.*}} : vector<8xf32>, tensor<12xf32>
  // CHECK-COUNT-4: vector.transfer_read %arg0{{.*}} : tensor<12x8xf32>, vector<8xf32>
  // CHECK:         vector.transfer_write {{.*}} : vector<4xf32>, tensor<12xf32>
  // CHECK-NOT:     vector.reduction
  func.func @reduce_short_rows(%x: tensor<12x8xf32>, %e: tensor<12xf32>) -> tensor<12xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<12x8xf32>)
        outs(%e : tensor<12xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }

  // Reduced loops around rows stay around them, in the memory order of the operand.
  // CHECK-LABEL: func.func @reduce_in_order
  // CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to %c5
  // CHECK:           scf.for %[[J:.*]] = %c0{{.*}} to %c3
  // CHECK:             vector.transfer_read %arg0[%[[I]], %[[J]],
  func.func @reduce_in_order(%x: tensor<5x3x128xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(j, i, k) -> (i, j, k)>, affine_map<(j, i, k) -> (j)>], iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%x : tensor<5x3x128xf32>)
        outs(%e : tensor<3xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // A maximum across rows, in the order of memory: four rows at a time, far from each other, are added to each vector of results; then
  // the last row.
  // CHECK-LABEL: func.func @reduce_columns
  // CHECK-NOT:     vector.reduction
  // CHECK:         scf.for %[[ROW:.*]] = %c0{{.*}} to %c5
  // CHECK:         vector.transfer_read %{{.*}} vector<8xf32>
  // CHECK:         vector.transfer_read %arg0[%[[ROW]], {{.*}} vector<8xf32>
  // CHECK:         arith.addi %[[ROW]], %c5
  // CHECK:         arith.addi %[[ROW]], %c10
  // CHECK:         %[[LAST:.*]] = arith.addi %[[ROW]], %c15
  // CHECK:         vector.transfer_read %arg0[%[[LAST]], {{.*}} vector<8xf32>
  // CHECK:         arith.maximumf {{.*}} : vector<8xf32>
  // CHECK:         vector.transfer_write {{.*}} : vector<8xf32>
  // CHECK:         vector.transfer_read {{.*}} vector<3xf32>
  // CHECK-COUNT-4: arith.maximumf {{.*}} : vector<3xf32>
  // CHECK:         vector.transfer_write {{.*}} : vector<3xf32>
  func.func @reduce_columns(%x: tensor<21x11xf32>, %e: tensor<11xf32>) -> tensor<11xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<21x11xf32>)
        outs(%e : tensor<11xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.maximumf %o, %x0 : f32
      linalg.yield %s : f32
    } -> tensor<11xf32>
    return %0 : tensor<11xf32>
  }

  // The largest of a vector's lanes in halves, after those of the 3 that are left over, with five that do not count.
  // CHECK-LABEL: func.func @largest
  // CHECK-NOT:     vector.reduction
  // CHECK:         vector.shuffle {{.*}} [0, 1, 2, -1, -1, -1, -1, -1] : vector<3xf32>, vector<3xf32>
  // CHECK:         arith.select {{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK:         arith.maxnumf {{.*}} : vector<8xf32>
  // CHECK:         arith.maxnumf {{.*}} : vector<4xf32>
  // CHECK:         arith.maxnumf {{.*}} : vector<2xf32>
  // CHECK:         arith.maxnumf {{.*}} : vector<1xf32>
  // CHECK-NOT:     arith.maxnumf {{.*}} : vector
  func.func @largest(%x: tensor<11xf32>, %e: tensor<f32>) -> tensor<f32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%x : tensor<11xf32>)
        outs(%e : tensor<f32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.maxnumf %o, %x0 : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    return %0 : tensor<f32>
  }

  // Sums of functions have two chains of partial results, for which registers are left.
  // CHECK-LABEL: func.func @powers
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
  func.func @powers(%x: tensor<64xf32>, %e: tensor<f32>) -> tensor<f32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%x : tensor<64xf32>)
        outs(%e : tensor<f32>) {
    ^bb0(%x0: f32, %o: f32):
      %p = kgen.exp_or_zero <-8.0e+01> %x0 : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    return %0 : tensor<f32>
  }

  // Functions of two vectors at a time, as long as there are two.
  // CHECK-LABEL: func.func @function
  // CHECK:         scf.for
  // CHECK:           kgen.sigmoid {{.*}} : vector<16xf32>
  // CHECK:         kgen.sigmoid {{.*}} : vector<8xf32>
  // CHECK:         kgen.sigmoid {{.*}} : vector<3xf32>
  func.func @function(%x: tensor<43xf32>, %e: tensor<43xf32>) -> tensor<43xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<43xf32>)
        outs(%e : tensor<43xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = kgen.sigmoid %x0 : f32
      linalg.yield %s : f32
    } -> tensor<43xf32>
    return %0 : tensor<43xf32>
  }

  // One division for each column, not for each element.
  // CHECK-LABEL: func.func @same_along_columns
  // CHECK:         arith.divf {{.*}} : vector<8xf32>
  // CHECK-NOT:     arith.divf
  // CHECK:         scf.for
  // CHECK-NOT:     arith.divf
  // CHECK:         return
  func.func @same_along_columns(%x: tensor<5x8xf32>, %y: tensor<8xf32>, %e: tensor<5x8xf32>) -> tensor<5x8xf32> {
    %one = arith.constant 1.0 : f32
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<5x8xf32>, tensor<8xf32>)
        outs(%e : tensor<5x8xf32>) {
    ^bb0(%x0: f32, %y0: f32, %o: f32):
      %d = arith.divf %one, %y0 : f32
      %s = arith.mulf %x0, %d : f32
      linalg.yield %s : f32
    } -> tensor<5x8xf32>
    return %0 : tensor<5x8xf32>
  }

  // Also for values of two operands per column, and for mathematical functions.
  // CHECK-LABEL: func.func @sum_is_same_along_columns
  // CHECK:         kgen.sigmoid {{.*}} : vector<8xf32>
  // CHECK-NOT:     kgen.sigmoid
  // CHECK:         scf.for
  // CHECK-NOT:     kgen.sigmoid
  // CHECK:         return
  func.func @sum_is_same_along_columns(%x: tensor<1x5x8xf32>, %y: tensor<1x8xf32>, %z: tensor<8xf32>,
                                       %e: tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i, j)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %y, %z : tensor<1x5x8xf32>, tensor<1x8xf32>, tensor<8xf32>)
        outs(%e : tensor<1x5x8xf32>) {
    ^bb0(%x0: f32, %y0: f32, %z0: f32, %o: f32):
      %t = arith.addf %y0, %z0 : f32
      %d = kgen.sigmoid %t : f32
      %s = arith.mulf %x0, %d : f32
      linalg.yield %s : f32
    } -> tensor<1x5x8xf32>
    return %0 : tensor<1x5x8xf32>
  }

  // Two values that are broadcast along different loops are hoisted each to its own loops.
  // CHECK-LABEL: func.func @same_along_two
  // CHECK:         kgen.sigmoid {{.*}} : vector<8xf32>
  // CHECK:         scf.for {{.*}} -> (tensor<3x8xf32>)
  // CHECK:           math.exp {{.*}} : vector<8xf32>
  // CHECK-NOT:     kgen.sigmoid
  // CHECK:         scf.for {{.*}} -> (tensor<3x5x8xf32>)
  // CHECK-NOT:     math.exp
  // CHECK:         return
  func.func @same_along_two(%x: tensor<3x5x8xf32>, %y: tensor<8xf32>, %z: tensor<3x8xf32>, %e: tensor<3x5x8xf32>) -> tensor<3x5x8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %y, %z : tensor<3x5x8xf32>, tensor<8xf32>, tensor<3x8xf32>)
        outs(%e : tensor<3x5x8xf32>) {
    ^bb0(%x0: f32, %y0: f32, %z0: f32, %o: f32):
      %g = kgen.sigmoid %y0 : f32
      %t = arith.addf %g, %z0 : f32
      %d = math.exp %t : f32
      %s = arith.mulf %x0, %d : f32
      linalg.yield %s : f32
    } -> tensor<3x5x8xf32>
    return %0 : tensor<3x5x8xf32>
  }

  // No dimension at all: one element.
  // CHECK-LABEL: func.func @scalar
  // CHECK:         tensor.extract
  // CHECK:         arith.negf {{.*}} : f32
  // CHECK:         tensor.insert
  func.func @scalar(%x: tensor<f32>, %e: tensor<f32>) -> tensor<f32> {
    %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%x : tensor<f32>)
        outs(%e : tensor<f32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.negf %x0 : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    return %0 : tensor<f32>
  }

  // The widest type decides how many elements fill a vector.
  // CHECK-LABEL: func.func @wide
  // CHECK:         arith.extf {{.*}} : vector<4xf32> to vector<4xf64>
  func.func @wide(%x: tensor<8xf32>, %e: tensor<8xf64>) -> tensor<8xf64> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>)
        outs(%e : tensor<8xf64>) {
    ^bb0(%x0: f32, %o: f64):
      %s = arith.extf %x0 : f32 to f64
      linalg.yield %s : f64
    } -> tensor<8xf64>
    return %0 : tensor<8xf64>
  }
}

// -----

// Left to scalar loops: several results, windows, dynamic sizes, elements of less than a
// byte or of no size, bodies that read memory, and buffers.
module {
  // CHECK-LABEL: func.func @several_results
  // CHECK:         linalg.generic
  // CHECK-NOT:     vector.
  func.func @several_results(%x: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%x0: f32, %o0: f32, %o1: f32):
      %s = arith.negf %x0 : f32
      linalg.yield %x0, %s : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }

  // Indices, however, become vectors.
  // CHECK-LABEL: func.func @index
  // CHECK:         scf.for %[[I:[a-z0-9]+]] =
  // CHECK:           %[[STEPS:.*]] = vector.step : vector<4xindex>
  // CHECK:           %[[START:.*]] = vector.broadcast %[[I]] : index to vector<4xindex>
  // CHECK:           arith.addi %[[START]], %[[STEPS]] : vector<4xindex>
  // CHECK:           arith.index_cast {{.*}} : vector<4xindex> to vector<4xi64>
  func.func @index(%e: tensor<8xi64>) -> tensor<8xi64> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%e : tensor<8xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %s = arith.index_cast %i : index to i64
      linalg.yield %s : i64
    } -> tensor<8xi64>
    return %0 : tensor<8xi64>
  }

  // A window that moves along the only dimensions there are is a loop over elements.
  // CHECK-LABEL: func.func @window
  // CHECK:         scf.for %[[I:[a-z0-9]+]] =
  // CHECK:           scf.for %[[J:[a-z0-9]+]] =
  // CHECK:             %[[AT:.*]] = arith.addi %[[I]], %[[J]]
  // CHECK:             tensor.extract %{{.*}}[%[[AT]]]
  // CHECK-NOT:     vector.
  func.func @window(%x: tensor<11xf32>, %w: tensor<4xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x, %w : tensor<11xf32>, tensor<4xf32>)
        outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %p = arith.mulf %x0, %x1 : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // CHECK-LABEL: func.func @unknown_size
  // CHECK:         linalg.generic
  // CHECK-NOT:     vector.
  func.func @unknown_size(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>)
        outs(%e : tensor<?xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }

  // CHECK-LABEL: func.func @bits
  // CHECK:         linalg.generic
  // CHECK-NOT:     vector.
  func.func @bits(%x: tensor<8xi1>, %e: tensor<8xi1>) -> tensor<8xi1> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xi1>)
        outs(%e : tensor<8xi1>) {
    ^bb0(%x0: i1, %o: i1):
      linalg.yield %x0 : i1
    } -> tensor<8xi1>
    return %0 : tensor<8xi1>
  }

  // CHECK-LABEL: func.func @indices
  // CHECK:         linalg.generic
  // CHECK-NOT:     vector.
  func.func @indices(%x: tensor<8xindex>, %e: tensor<8xindex>) -> tensor<8xindex> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xindex>)
        outs(%e : tensor<8xindex>) {
    ^bb0(%x0: index, %o: index):
      linalg.yield %x0 : index
    } -> tensor<8xindex>
    return %0 : tensor<8xindex>
  }

  // CHECK-LABEL: func.func @buffers
  // CHECK:         linalg.generic
  // CHECK-NOT:     vector.
  func.func @buffers(%x: memref<8xf32>, %e: memref<8xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : memref<8xf32>) outs(%e : memref<8xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    }
    return
  }
}
