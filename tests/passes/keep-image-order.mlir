// Depthwise convolutions of bytes between two transpositions read and write images as they are, where vectors along rows gain.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-keep-image-order --canonicalize | FileCheck "%s" --check-prefixes=CHECK,ROWS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-keep-image-order --canonicalize | FileCheck "%s" --check-prefixes=CHECK,KEPT

#first = affine_map<(n, y, x, c) -> (n, c, y, x)>
#back = affine_map<(n, c, y, x) -> (n, y, x, c)>
#all = affine_map<(a, b, c, d) -> (a, b, c, d)>
#channels = affine_map<(n, y, x, c) -> (c)>
#image = affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>
#filter = affine_map<(n, y, x, c, r, s) -> (r, s, c)>
#sums = affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>

// ROWS-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>
// ROWS-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5)>
// ROWS-DAG: #[[CHANNELS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>

// The padding moves with the image, the filter gets its channels first, what has an element for each channel is read by channel.
// CHECK-LABEL: func @alone
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x14x14xi8>, %[[BIAS:.*]]: tensor<3xi32>
// ROWS-DAG:      arith.constant dense<{{\[\[\[}}1, 4], [7, 10]], {{\[\[}}2, 5], [8, 11]], {{\[\[}}3, 6], [9, 12]]]> : tensor<3x2x2xi8>
// ROWS:          tensor.pad %[[X]] nofold low[0, 0, 1, 0] high[0, 0, 0, 1]
// ROWS:          linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #{{.*}} outs(%{{.*}} : tensor<2x3x14x14xi32>)
// ROWS:          %[[Y:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[CHANNELS]], {{.*}} ins(%{{.*}}, %[[BIAS]] :
// ROWS:          return %[[Y]]
// KEPT:          linalg.generic {{.*}} ins(%[[X]]
// KEPT:          tensor.pad
// KEPT:          -> tensor<2x14x14x3xi32>
module {
  func.func @alone(%x: tensor<2x3x14x14xi8>, %bias: tensor<3xi32>) -> tensor<2x3x14x14xi8> {
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i8
    %w = arith.constant dense<[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]> : tensor<2x2x3xi8>
    %e = tensor.empty() : tensor<2x14x14x3xi8>
    %t = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : tensor<2x3x14x14xi8>) outs(%e : tensor<2x14x14x3xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<2x14x14x3xi8>
    %p = tensor.pad %t nofold low[0, 1, 0, 0] high[0, 0, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %five : i8
    } : tensor<2x14x14x3xi8> to tensor<2x15x15x3xi8>
    %f = tensor.empty() : tensor<2x14x14x3xi32>
    %g = linalg.fill ins(%zero : i32) outs(%f : tensor<2x14x14x3xi32>) -> tensor<2x14x14x3xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<2x15x15x3xi8>, tensor<2x2x3xi8>) outs(%g : tensor<2x14x14x3xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<2x14x14x3xi32>
    %q = linalg.generic {indexing_maps = [#all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %bias : tensor<2x14x14x3xi32>, tensor<3xi32>) outs(%e : tensor<2x14x14x3xi8>) {
    ^bb0(%a: i32, %b: i32, %o: i8):
      %0 = arith.addi %a, %b : i32
      %1 = arith.trunci %0 : i32 to i8
      linalg.yield %1 : i8
    } -> tensor<2x14x14x3xi8>
    %h = tensor.empty() : tensor<2x3x14x14xi8>
    %y = linalg.generic {indexing_maps = [#back, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%q : tensor<2x14x14x3xi8>) outs(%h : tensor<2x3x14x14xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<2x3x14x14xi8>
    return %y : tensor<2x3x14x14xi8>
  }

  // A neighbour that keeps the channels last: it reads the bytes as well.
  // CHECK-LABEL: func @neighbour
  // CHECK:         -> tensor<1x12x12x3xi32>
  // CHECK-NOT:     -> tensor<1x3x12x12xi32>
  // CHECK:         return
  func.func @neighbour(%x: tensor<1x3x14x14xi8>, %w: tensor<3x3x3xi8>) -> (tensor<1x3x12x12xi8>, tensor<1x12x12x3xi8>) {
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x14x14x3xi8>
    %t = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : tensor<1x3x14x14xi8>) outs(%e : tensor<1x14x14x3xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x14x14x3xi8>
    %f = tensor.empty() : tensor<1x12x12x3xi32>
    %g = linalg.fill ins(%zero : i32) outs(%f : tensor<1x12x12x3xi32>) -> tensor<1x12x12x3xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%t, %w : tensor<1x14x14x3xi8>, tensor<3x3x3xi8>) outs(%g : tensor<1x12x12x3xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x12x12x3xi32>
    %d = tensor.empty() : tensor<1x12x12x3xi8>
    %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s : tensor<1x12x12x3xi32>) outs(%d : tensor<1x12x12x3xi8>) {
    ^bb0(%a: i32, %o: i8):
      %1 = arith.trunci %a : i32 to i8
      linalg.yield %1 : i8
    } -> tensor<1x12x12x3xi8>
    %h = tensor.empty() : tensor<1x3x12x12xi8>
    %y = linalg.generic {indexing_maps = [#back, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%q : tensor<1x12x12x3xi8>) outs(%h : tensor<1x3x12x12xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x3x12x12xi8>
    return %y, %q : tensor<1x3x12x12xi8>, tensor<1x12x12x3xi8>
  }

  // A schedule that tiles rows of the image keeps the loops that it tiles; one that tiles channels has them still.
  // CHECK-LABEL: func @scheduled
  // CHECK:         -> tensor<1x12x12x3xi32>
  // CHECK-NOT:     -> tensor<1x3x12x12xi32>
  // CHECK:         return
  func.func @scheduled(%x: tensor<1x3x14x14xi8>, %w: tensor<3x3x3xi8>) -> tensor<1x3x12x12xi8> attributes {kgen.node_decisions = [{node = "y", schedule = "s", tasks = {m = 4}}]} {
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x14x14x3xi8>
    %t = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : tensor<1x3x14x14xi8>) outs(%e : tensor<1x14x14x3xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x14x14x3xi8>
    %f = tensor.empty() : tensor<1x12x12x3xi32>
    %g = linalg.fill ins(%zero : i32) outs(%f : tensor<1x12x12x3xi32>) -> tensor<1x12x12x3xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%t, %w : tensor<1x14x14x3xi8>, tensor<3x3x3xi8>) outs(%g : tensor<1x12x12x3xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x12x12x3xi32>
    %d = tensor.empty() : tensor<1x12x12x3xi8>
    %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s : tensor<1x12x12x3xi32>) outs(%d : tensor<1x12x12x3xi8>) {
    ^bb0(%a: i32, %o: i8):
      %1 = arith.trunci %a : i32 to i8
      linalg.yield %1 : i8
    } -> tensor<1x12x12x3xi8> loc("y")
    %h = tensor.empty() : tensor<1x3x12x12xi8>
    %y = linalg.generic {indexing_maps = [#back, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%q : tensor<1x12x12x3xi8>) outs(%h : tensor<1x3x12x12xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x3x12x12xi8> loc("y")
    return %y : tensor<1x3x12x12xi8>
  }

  // CHECK-LABEL: func @channels
  // ROWS:          -> tensor<1x3x12x12xi32>
  // KEPT:          -> tensor<1x12x12x3xi32>
  // CHECK:         return
  func.func @channels(%x: tensor<1x3x14x14xi8>, %w: tensor<3x3x3xi8>) -> tensor<1x3x12x12xi8> attributes {kgen.node_decisions = [{node = "y", schedule = "s", tasks = {c = 1}}]} {
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x14x14x3xi8>
    %t = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : tensor<1x3x14x14xi8>) outs(%e : tensor<1x14x14x3xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x14x14x3xi8>
    %f = tensor.empty() : tensor<1x12x12x3xi32>
    %g = linalg.fill ins(%zero : i32) outs(%f : tensor<1x12x12x3xi32>) -> tensor<1x12x12x3xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%t, %w : tensor<1x14x14x3xi8>, tensor<3x3x3xi8>) outs(%g : tensor<1x12x12x3xi32>) {
    ^bb0(%a: i8, %b: i8, %o: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<1x12x12x3xi32>
    %d = tensor.empty() : tensor<1x12x12x3xi8>
    %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s : tensor<1x12x12x3xi32>) outs(%d : tensor<1x12x12x3xi8>) {
    ^bb0(%a: i32, %o: i8):
      %1 = arith.trunci %a : i32 to i8
      linalg.yield %1 : i8
    } -> tensor<1x12x12x3xi8> loc("y")
    %h = tensor.empty() : tensor<1x3x12x12xi8>
    %y = linalg.generic {indexing_maps = [#back, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%q : tensor<1x12x12x3xi8>) outs(%h : tensor<1x3x12x12xi8>) {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } -> tensor<1x3x12x12xi8> loc("y")
    return %y : tensor<1x3x12x12xi8>
  }
}
