// Filters that are known at build time: the taps of a group lie beside each other, as products read them.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,PAIRS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,FOURS

#image = affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>
#filter = affine_map<(n, y, x, c, r, s) -> (r, s, c)>
#sums = affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>
#all = affine_map<(n, y, x, c) -> (n, y, x, c)>
#channels = affine_map<(n, y, x, c) -> (c)>
module {
  // Words of both taps, of eight channels and of the other two; bytes of both and of two taps that the group lacks.
  // CHECK-LABEL: func.func @vectors
  // PAIRS-DAG:     %[[TABLE:.*]] = arith.constant dense<[1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8, 9, -9, 10, -10]> : tensor<20xi16>
  // PAIRS:         vector.transfer_read %[[TABLE]]{{.*}} : tensor<20xi16>, vector<16xi16>
  // PAIRS:         vector.transfer_read %[[TABLE]]{{.*}} : tensor<20xi16>, vector<4xi16>
  // FOURS-DAG:     %[[TABLE:.*]] = arith.constant dense<[1, -1, 0, 0, 2, -2, 0, 0, 3, -3, 0, 0, {{.*}}, 10, -10, 0, 0]> : tensor<40xi8>
  // FOURS:         vector.transfer_read %[[TABLE]]{{.*}} : tensor<40xi8>, vector<40xi8>
  // CHECK:         return
  func.func @vectors(%x: tensor<1x4x6x10xi8>) -> tensor<1x3x6x10xi32> {
    %w = arith.constant dense<[[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]], [[-1, -2, -3, -4, -5, -6, -7, -8, -9, -10]]]> : tensor<2x1x10xi8>
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x3x6x10xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x10xi32>) -> tensor<1x3x6x10xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x4x6x10xi8>, tensor<2x1x10xi8>) outs(%f : tensor<1x3x6x10xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x3x6x10xi32>
    return %s : tensor<1x3x6x10xi32>
  }

  // A task has some of the channels: the table is that of all.
  // CHECK-LABEL: func.func @tasks
  // PAIRS-DAG:     %[[TABLE:.*]] = arith.constant dense<{{.*}}> : tensor<64xi16>
  // PAIRS-DAG:     %[[TWO:.*]] = arith.constant 2 : index
  // PAIRS:         scf.forall (%[[FIRST:.*]]) = (0) to (32) step (16)
  // PAIRS:           %[[CHANNEL:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
  // PAIRS:           %[[PLACE:.*]] = arith.muli %[[CHANNEL]], %[[TWO]] : index
  // PAIRS:           vector.transfer_read %[[TABLE]][%[[PLACE]]]
  // CHECK:         return
  func.func @tasks(%x: tensor<1x4x6x32xi8>) -> tensor<1x3x6x32xi32> {
    %w = arith.constant dense<[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]], [[64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95]]]> : tensor<2x1x32xi8>
    %zero = arith.constant 0 : i32
    %d = tensor.empty() : tensor<1x3x6x32xi32>
    %r = scf.forall (%c) = (0) to (32) step (16) shared_outs(%g = %d) -> (tensor<1x3x6x32xi32>) {
      %p = tensor.extract_slice %x[0, 0, 0, %c] [1, 4, 6, 16] [1, 1, 1, 1] : tensor<1x4x6x32xi8> to tensor<1x4x6x16xi8>
      %q = tensor.extract_slice %w[0, 0, %c] [2, 1, 16] [1, 1, 1] : tensor<2x1x32xi8> to tensor<2x1x16xi8>
      %e = tensor.empty() : tensor<1x3x6x16xi32>
      %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x16xi32>) -> tensor<1x3x6x16xi32>
      %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%p, %q : tensor<1x4x6x16xi8>, tensor<2x1x16xi8>) outs(%f : tensor<1x3x6x16xi32>) {
      ^bb0(%v: i8, %u: i8, %o: i32):
        %a = arith.extui %v : i8 to i32
        %b = arith.extsi %u : i8 to i32
        %m = arith.muli %a, %b : i32
        %t = arith.addi %o, %m : i32
        linalg.yield %t : i32
      } -> tensor<1x3x6x16xi32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %g[0, 0, 0, %c] [1, 3, 6, 16] [1, 1, 1, 1] : tensor<1x3x6x16xi32> into tensor<1x3x6x32xi32>
      }
    }
    return %r : tensor<1x3x6x32xi32>
  }

  // Blocks of 64 channels, and one of 32: channels 0 to 3 and 16 to 19 are its first part. A branch takes the place of the selection by a
  // number of the channels: the first one is for blocks, or vectors, whose channels all have it. It is around the results of each pixel of
  // a block, and around those of all pixels of a vector.
  // CHECK-LABEL: func.func @blocks
  // FOURS-DAG:     arith.constant dense<"0x0001000001020000020300000304000010110000111200001213000013140000040500000506000006070000070800001415
  // FOURS-DAG:     %[[FACTORS:.*]] = arith.constant dense<{{.*}}> : tensor<32xf32>
  // FOURS:         %[[READ:.*]] = vector.transfer_read %[[FACTORS]]{{.*}} vector<32xf32>
  // FOURS:         %[[HAVE:.*]] = arith.cmpf une, %[[READ]], %{{.*}} : vector<32xf32>
  // FOURS:         %[[ALL:.*]] = vector.reduction <and>, %[[HAVE]] : vector<32xi1> into i1
  // FOURS:         kgen.dot
  // FOURS:         %[[NUMBERS:.*]]:4 = scf.if %[[ALL]] -> (vector<8xi32>, vector<8xi32>, vector<8xi32>, vector<8xi32>)
  // FOURS-NOT:       arith.addf
  // FOURS-COUNT-4:   arith.mulf
  // FOURS-NOT:       arith.addf
  // FOURS:         } else {
  // FOURS-NOT:       arith.mulf
  // FOURS-COUNT-4:   arith.addf
  // FOURS-NOT:       arith.mulf
  // FOURS:         kgen.pack %[[NUMBERS]]#0, %[[NUMBERS]]#1
  // PAIRS:         %[[HAVE:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : vector<8xf32>
  // PAIRS:         %[[ALL:.*]] = vector.reduction <and>, %[[HAVE]] : vector<8xi1> into i1
  // PAIRS-COUNT-6: kgen.dot
  // PAIRS:         scf.if %[[ALL]] -> (tensor<1x3x6x32xi8>)
  // PAIRS-NOT:       kgen.dot
  // PAIRS-COUNT-6:   arith.mulf
  // PAIRS:         } else {
  // PAIRS-NOT:       kgen.dot
  // PAIRS-COUNT-6:   arith.addf
  // CHECK:         return
  func.func @blocks(%x: tensor<1x4x6x32xi8>) -> tensor<1x3x6x32xi8> {
    %w = arith.constant dense<[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]]]> : tensor<2x1x32xi8>
    %factors = arith.constant dense<[0.25, 0.25, 0.25, 0.25, 0.25, 0.0, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]> : tensor<32xf32>
    %zero = arith.constant 0 : i32
    %none = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %most = arith.constant 255 : i32
    %e = tensor.empty() : tensor<1x3x6x32xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x32xi32>) -> tensor<1x3x6x32xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x4x6x32xi8>, tensor<2x1x32xi8>) outs(%f : tensor<1x3x6x32xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x3x6x32xi32>
    %d = tensor.empty() : tensor<1x3x6x32xi8>
    %r = linalg.generic {indexing_maps = [#all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %factors : tensor<1x3x6x32xi32>, tensor<32xf32>) outs(%d : tensor<1x3x6x32xi8>) {
    ^bb0(%sum: i32, %factor: f32, %o: i8):
      %0 = arith.sitofp %sum : i32 to f32
      %1 = arith.mulf %0, %factor : f32
      %2 = arith.addf %0, %half : f32
      %3 = arith.cmpf une, %factor, %none : f32
      %4 = arith.select %3, %1, %2 : f32
      %5 = math.roundeven %4 : f32
      %6 = arith.fptosi %5 : f32 to i32
      %7 = arith.maxsi %6, %zero : i32
      %8 = arith.minsi %7, %most : i32
      %9 = arith.trunci %8 : i32 to i8
      linalg.yield %9 : i8
    } -> tensor<1x3x6x32xi8>
    return %r : tensor<1x3x6x32xi8>
  }
}
