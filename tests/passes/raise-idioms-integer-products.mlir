// Products of what is computed from bytes become products of the bytes; near misses stay, with the reason.
// RUN: kgen-opt "%s" --split-input-file --kgen-raise-idioms=idioms=integer-products --canonicalize --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-raise-idioms=idioms=integer-products --kgen-decompose-named-ops=products-only --canonicalize --mlir-print-local-scope | FileCheck "%s" --check-prefix=LOOPS

// A zero point and a scale in single operations on the left, a scale for each column on the right, on integers.
// CHECK-LABEL: func @matmul
// CHECK-SAME:  what = "a product of bytes"
// CHECK-DAG:   %[[W:.*]] = arith.constant dense<{{\[}}[1, 2], [3, -4]]> : tensor<2x2xi8>
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant dense<10> : tensor<i8>
// CHECK-DAG:   %[[SCALE:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
// CHECK-DAG:   %[[SCALES:.*]] = arith.constant dense<[4.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK:       %[[Y:.*]] = kgen.quantized_product %arg0 by %[[W]] into %{{.*}} left_zeros(%[[ZERO]] on [])
// CHECK-SAME:    left_scales(%[[SCALE]] on []) right_scales(%[[SCALES]] on [1]) {indexing_maps = {{.*}}, left_unsigned}
// CHECK:       return %[[Y]]
// The same in i32: sums of columns are 4 and -2.
// LOOPS-LABEL: func @matmul
// LOOPS-DAG:   %[[W:.*]] = arith.constant dense<{{\[}}[1, 2], [3, -4]]> : tensor<2x2xi8>
// LOOPS-DAG:   %[[CORRECTION:.*]] = arith.constant dense<[40, -20]> : tensor<2xi32>
// LOOPS-DAG:   %[[FACTORS:.*]] = arith.constant dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>
// LOOPS:       %[[S:.*]] = linalg.generic {{.*}} ins(%arg0, %[[W]] : tensor<3x2xi8>, tensor<2x2xi8>) outs({{.*}} : tensor<3x2xi32>)
// LOOPS:         arith.extui
// LOOPS:         arith.extsi
// LOOPS:         arith.muli
// LOOPS:         arith.addi
// LOOPS:       %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[CORRECTION]] :
// LOOPS:         arith.subi
// LOOPS:       %[[Y:.*]] = linalg.generic {{.*}} ins(%[[T]], %[[FACTORS]] :
// LOOPS:         arith.sitofp
// LOOPS:         arith.mulf
// LOOPS:       return %[[Y]]
#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {kgen.decisions = []} {
func.func @matmul(%x: tensor<3x2xi8>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %zp = arith.constant 10.0 : f32
  %scale = arith.constant dense<0.25> : tensor<3x2xf32>
  %scales = arith.constant dense<[4.0, 2.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x2xf32>
  %ei = tensor.empty() : tensor<2x2xi32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.subf %a, %zp : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %dx = linalg.mul ins(%scale, %d : tensor<3x2xf32>, tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x2xi8>) outs(%ei : tensor<2x2xi32>) {
  ^bb0(%a: i8, %o: i32):
    %0 = arith.extsi %a : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<2x2xi32>
  %dw = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%i, %scales : tensor<2x2xi32>, tensor<2xf32>) outs(%ew : tensor<2x2xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
}

// -----

// A padded image and transposed filters: zeros are the zero point, -3, and the filters are transposed when code is generated.
// CHECK-LABEL: func @image
// CHECK-DAG:   %[[W:.*]] = arith.constant dense_resource<transposed> : tensor<3x2xi8>
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant -3 : i8
// CHECK-DAG:   %[[BYTE:.*]] = arith.constant dense<-3> : tensor<i8>
// CHECK:       %[[P:.*]] = tensor.pad %arg0 low[1] high[1] {
// CHECK:         tensor.yield %[[ZERO]]
// CHECK:       kgen.quantized_product %[[P]] by %[[W]] into %{{.*}} left_zeros(%[[BYTE]] on []) {{.*}}affine_map<(d0, d1, d2) -> (d0 + d2)>
// LOOPS-LABEL: func @image
// LOOPS-DAG:   %[[W:.*]] = arith.constant dense_resource<transposed> : tensor<3x2xi8>
// LOOPS-DAG:   %[[CORRECTION:.*]] = arith.constant dense<[-18, -45]> : tensor<2xi32>
// LOOPS:       linalg.generic {{{.*}}affine_map<(d0, d1, d2) -> (d0 + d2)>{{.*}}} ins(%{{.*}}, %[[W]] : tensor<7xi8>, tensor<3x2xi8>)
// LOOPS:       linalg.generic {{.*}} ins(%{{.*}}, %[[CORRECTION]] :
#one = affine_map<(x) -> (x)>
#two = affine_map<(x, y) -> (x, y)>
func.func @image(%x: tensor<5xi8>) -> tensor<5x2xf32> {
  %w = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %zp = arith.constant -3 : i32
  %scale = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %ew = tensor.empty() : tensor<2x3xf32>
  %et = tensor.empty() : tensor<3x2xf32>
  %ey = tensor.empty() : tensor<5x2xf32>
  %dx = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<5xi8>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %zp : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<5xf32>
  %dw = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x3xi8>) outs(%ew : tensor<2x3xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x3xf32>
  %t = linalg.transpose ins(%dw : tensor<2x3xf32>) outs(%et : tensor<3x2xf32>) permutation = [1, 0]
  %s = tensor.expand_shape %t [[0, 1], [2]] output_shape [1, 3, 2] : tensor<3x2xf32> into tensor<1x3x2xf32>
  %f = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x3x2xf32> into tensor<3x2xf32>
  %p = tensor.pad %dx low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<5xf32> to tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ey : tensor<5x2xf32>) -> tensor<5x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(x, f, k) -> (x + k)>, affine_map<(x, f, k) -> (k, f)>, affine_map<(x, f, k) -> (x, f)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %f : tensor<7xf32>, tensor<3x2xf32>) outs(%z : tensor<5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// -----

// Neither operand is a constant, and both have zero points: 128 * 2 is what the right one contributes to each product of sums.
// CHECK-LABEL: func @sums
// CHECK-DAG:   %[[A:.*]] = arith.constant dense<7> : tensor<i8>
// CHECK-DAG:   %[[B:.*]] = arith.constant dense<-128> : tensor<i8>
// CHECK:       kgen.quantized_product %arg0 by %arg1 into %{{.*}} left_zeros(%[[A]] on []) right_zeros(%[[B]] on []) {{.*}}left_unsigned, right_unsigned}
// LOOPS-LABEL: func @sums
// LOOPS-DAG:   %[[A:.*]] = arith.constant dense<7> : tensor<i32>
// LOOPS-DAG:   %[[B:.*]] = arith.constant dense<128> : tensor<i32>
// LOOPS-DAG:   %[[LESS:.*]] = arith.constant dense<256> : tensor<i32>
// LOOPS:       %[[COLUMNS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%arg1 : tensor<2x4xi8>) outs({{.*}} : tensor<4xi32>)
// LOOPS:       %[[DIFFERENCES:.*]] = linalg.generic {{.*}} ins(%[[COLUMNS]], %[[LESS]] :
// LOOPS:       %[[TIMES:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[DIFFERENCES]] :
// LOOPS:       %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x2xi8>) outs({{.*}} : tensor<3xi32>)
// LOOPS:       linalg.generic {{.*}} ins(%{{.*}}, %[[TIMES]], %[[B]], %[[ROWS]] :
#id = affine_map<(m, n) -> (m, n)>
func.func @sums(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zx = arith.constant 7.0 : f32
  %zw = arith.constant 128.0 : f32
  %scale = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.subf %0, %zx : f32
    %2 = arith.mulf %scale, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.subf %0, %zw : f32
    %2 = arith.mulf %scale, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
module attributes {kgen.decisions = []} {
// CHECK-LABEL: func @argument
// CHECK-SAME:  why = "no product of bytes: an intermediate result is no (byte - zero point) * scale whose scale and zero point are constants, one for all or one for each index of a dimension"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @depth
// CHECK-SAME:  why = "no product of bytes: scales or zero points of an intermediate result differ along a dimension that is summed over"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @half
// CHECK-SAME:  why = "no product of bytes: a zero point is no integer in an intermediate result"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @range
// CHECK-SAME:  why = "no product of bytes: a zero point is no number of the bytes' type in an intermediate result"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @infinite
// CHECK-SAME:  why = "no product of bytes: a scale is no normal number in an intermediate result"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @small
// CHECK-SAME:  why = "no product of bytes: the product of two scales is no normal number"
// CHECK:       linalg.matmul
// CHECK-LABEL: func @square
// CHECK-SAME:  why = "no product of bytes: an intermediate result is no (byte
// CHECK:       linalg.matmul
// CHECK-LABEL: func @wraps
// CHECK-SAME:  why = "no product of bytes: an intermediate result is no (byte
// CHECK:       linalg.matmul
// One operand is not made of bytes.
// CHECK-LABEL: func @mixed
// CHECK-NOT:   no product of bytes
// CHECK-SAME:  why = "the other operand of an intermediate result is not made of bytes"}, kind = "dequantized"
// CHECK:       linalg.matmul
func.func @argument(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>, %s: tensor<3xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<3x2xi8>, tensor<3xf32>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @depth(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<3x2xi8>, tensor<2xf32>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @half(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.5 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.subf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @range(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 1.0 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @infinite(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0x7F800000 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @small(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 1.0e-20 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @square(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @wraps(%x: tensor<3x2xi8>, %w: tensor<2x4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 3 : i8
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.subi %a, %c : i8
    %1 = arith.sitofp %0 : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xi8>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @mixed(%x: tensor<3x2xi8>, %w: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x2xf32>
  %ew = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%ex : tensor<3x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x4xf32>) outs(%ew : tensor<2x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.matmul ins(%dx, %dw : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
}

// -----

// Each channel by itself: products of f32 are faster than those of i32.
// CHECK-LABEL: func @depthwise
// CHECK-SAME:  why = "no product of bytes: each channel is summed up by itself, which is faster in f32"
// CHECK-NOT:   arith.muli
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f32
module attributes {kgen.decisions = []} {
func.func @depthwise(%x: tensor<9x4xi8>) -> tensor<7x4xf32> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [-1, -2, -3, -4]]> : tensor<3x4xi8>
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<9x4xf32>
  %ew = tensor.empty() : tensor<3x4xf32>
  %e = tensor.empty() : tensor<7x4xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(y, c) -> (y, c)>, affine_map<(y, c) -> (y, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x4xi8>) outs(%ex : tensor<9x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %half : f32
    linalg.yield %1 : f32
  } -> tensor<9x4xf32>
  %dw = linalg.generic {indexing_maps = [affine_map<(y, c) -> (y, c)>, affine_map<(y, c) -> (y, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<3x4xi8>) outs(%ew : tensor<3x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %half : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x4xf32>) -> tensor<7x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(y, c, t) -> (y + t, c)>, affine_map<(y, c, t) -> (t, c)>, affine_map<(y, c, t) -> (y, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%dx, %dw : tensor<9x4xf32>, tensor<3x4xf32>) outs(%z : tensor<7x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<7x4xf32>
  return %y : tensor<7x4xf32>
}
}
