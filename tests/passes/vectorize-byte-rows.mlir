// Sums of products of bytes over windows of NCHW images, for CPUs without dot products of bytes: vectors of neighbours in a row.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --canonicalize --cse | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --kgen-verify-stage=vectorize

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y + r, x + s)>
#second = affine_map<(n, c, y, x, r, s) -> (n, c, y * 2 + r, x * 2 + s)>
#filter = affine_map<(n, c, y, x, r, s) -> (c, r, s)>
#sums = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>
#all = affine_map<(n, c, y, x) -> (n, c, y, x)>
#channels = affine_map<(n, c, y, x) -> (c)>
module {
  // The padding is not in memory: a zero in each row, whose products the sums of the first vector start with, and a constant row. The
  // second vector of a row overlaps the first one. Four rows are packed together; the last two are after the loop.
  // CHECK-LABEL: func.func @bytes
  // CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x2x14x20xi8>, %[[W:[a-z0-9]+]]: tensor<2x3x3xi8>, %[[BIAS:[a-z0-9]+]]: tensor<2xi32>
  // CHECK-NOT:     tensor.pad
  // CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<1x2x14x20xi8> into tensor<1x2x280xi8>
  // CHECK:         vector.transfer_read %[[W]]{{.*}} vector<2xi8>
  // CHECK:         tensor.extract %[[BIAS]]
  // CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<1x2x14x20xi8>, vector<8xi32>, vector<8xi32>)
  // CHECK:           %[[BYTES:.*]] = vector.transfer_read %[[ROWS]]{{.*}} vector<16xi8>
  // CHECK:           vector.shuffle %[[BYTES]], %{{.*}} [16, 16, 1, 16, 1, 16, 2, 16, 2, 16, 3, 16,
  // CHECK:           kgen.dot {{.*}} : vector<16xi16>, vector<8xi32>
  // CHECK-NOT:       arith.addi {{.*}} vector<8xi32>
  // CHECK:           kgen.pack {{.*}} {is_unsigned} : vector<16xi16>
  // CHECK-COUNT-4:   vector.transfer_write {{.*}} vector<8xi8>
  // CHECK:           scf.yield
  // CHECK-COUNT-2: vector.transfer_write {{.*}} vector<8xi8>
  // CHECK:         scf.for {{.*}} -> (tensor<1x2x14x20xi8>, vector<8xi32>, vector<8xi32>)
  // CHECK:         return
  func.func @bytes(%x: tensor<1x2x14x20xi8>, %w: tensor<2x3x3xi8>, %bias: tensor<2xi32>) -> tensor<1x2x14x20xi8> {
    %zero = arith.constant 0 : i32
    %most = arith.constant 255 : i32
    %five = arith.constant 5 : i8
    %p = tensor.pad %x nofold low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %five : i8
    } : tensor<1x2x14x20xi8> to tensor<1x2x16x22xi8>
    %e = tensor.empty() : tensor<1x2x14x20xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x14x20xi32>) -> tensor<1x2x14x20xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x2x16x22xi8>, tensor<2x3x3xi8>) outs(%f : tensor<1x2x14x20xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x2x14x20xi32>
    %d = tensor.empty() : tensor<1x2x14x20xi8>
    %q = linalg.generic {indexing_maps = [#all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %bias : tensor<1x2x14x20xi32>, tensor<2xi32>) outs(%d : tensor<1x2x14x20xi8>) {
    ^bb0(%a: i32, %b: i32, %o: i8):
      %0 = arith.addi %a, %b : i32
      %1 = arith.maxsi %0, %zero : i32
      %2 = arith.minsi %1, %most : i32
      %3 = arith.trunci %2 : i32 to i8
      linalg.yield %3 : i8
    } -> tensor<1x2x14x20xi8>
    return %q : tensor<1x2x14x20xi8>
  }

  // A row is two vectors: what is read of it is read once, and a store of both reaches into the next row, but for the last one. Pairs of
  // the filter are numbers of 32 bits: 2 and 1, 3 alone. A branch takes the place of the selection by a number of the channel.
  // CHECK-LABEL: func.func @whole_rows
  // CHECK-DAG:     %[[PAIRS:.*]] = arith.constant dense<{{\[\[}}131073, 3, 327684, 6, 524295, 9], [-65537, 65533, -262148, 65530, -458759, 65527]]> : tensor<2x6xi32>
  // CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : tensor<1x2x14x14xi8> into tensor<1x2x196xi8>
  // CHECK:         tensor.extract %[[PAIRS]]
  // CHECK:         %[[HAS:.*]] = arith.cmpf une
  // CHECK:         scf.if %[[HAS]] -> (tensor<1x2x196xi8>)
  // CHECK:           scf.for {{.*}} -> (tensor<1x2x196xi8>, vector<8xi32>, vector<8xi32>, vector<8xi32>, vector<8xi32>)
  // CHECK-COUNT-2:     vector.transfer_read {{.*}} vector<16xi8>
  // CHECK:             arith.mulf
  // CHECK-NOT:         arith.addf
  // CHECK:             kgen.pack {{.*}} {is_unsigned} : vector<16xi16>
  // CHECK-COUNT-2:     vector.transfer_write {{.*}} vector<16xi8>
  // CHECK:             scf.yield
  // CHECK:           vector.transfer_write {{.*}} vector<16xi8>
  // CHECK-COUNT-2:   vector.transfer_write {{.*}} vector<8xi8>
  // CHECK:         } else {
  // CHECK-NOT:         arith.mulf
  // CHECK:             arith.addf
  // CHECK:         tensor.expand_shape {{.*}} : tensor<1x2x196xi8> into tensor<1x2x14x14xi8>
  // CHECK:         return
  func.func @whole_rows(%x: tensor<1x2x14x14xi8>, %factors: tensor<2xf32>) -> tensor<1x2x14x14xi8> {
    %w = arith.constant dense<[[[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[-1, -2, -3], [-4, -5, -6], [-7, -8, -9]]]> : tensor<2x3x3xi8>
    %zero = arith.constant 0 : i32
    %none = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %most = arith.constant 255 : i32
    %five = arith.constant 5 : i8
    %p = tensor.pad %x nofold low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %five : i8
    } : tensor<1x2x14x14xi8> to tensor<1x2x16x16xi8>
    %e = tensor.empty() : tensor<1x2x14x14xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x14x14xi32>) -> tensor<1x2x14x14xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x2x16x16xi8>, tensor<2x3x3xi8>) outs(%f : tensor<1x2x14x14xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x2x14x14xi32>
    %d = tensor.empty() : tensor<1x2x14x14xi8>
    %q = linalg.generic {indexing_maps = [#all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %factors : tensor<1x2x14x14xi32>, tensor<2xf32>) outs(%d : tensor<1x2x14x14xi8>) {
    ^bb0(%a: i32, %factor: f32, %o: i8):
      %0 = arith.sitofp %a : i32 to f32
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
    } -> tensor<1x2x14x14xi8>
    return %q : tensor<1x2x14x14xi8>
  }

  // With a stride, pairs of neighbours in memory are what products take; signed bytes are extended as they are. Rows of seven results
  // are a vector whose halves overlap.
  // CHECK-LABEL: func.func @strides
  // CHECK:         vector.transfer_read {{.*}} vector<16xi8>
  // CHECK:         arith.extsi {{.*}} : vector<16xi8> to vector<16xi16>
  // CHECK:         kgen.dot
  // CHECK:         vector.transfer_write {{.*}} vector<4xi32>
  // CHECK:         return
  func.func @strides(%x: tensor<1x2x15x15xi8>, %w: tensor<2x3x3xi8>) -> tensor<1x2x7x7xi32> {
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x2x7x7xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x7x7xi32>) -> tensor<1x2x7x7xi32>
    %s = linalg.generic {indexing_maps = [#second, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x2x15x15xi8>, tensor<2x3x3xi8>) outs(%f : tensor<1x2x7x7xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x2x7x7xi32>
    return %s : tensor<1x2x7x7xi32>
  }
}
