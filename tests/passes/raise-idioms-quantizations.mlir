// Bytes of sums by one multiply-add for each channel, or two, and quotients by a known scale without a division.
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-raise-idioms=idioms=quantizations --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,FMA
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v2 --kgen-raise-idioms=idioms=quantizations --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,V2

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#channel = affine_map<(m, n) -> (n)>

// Correction, scale, bias, ReLU and QuantizeLinear of 4 channels. The zero point is added to the integer.
// CHECK-LABEL: func @product
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}reduction
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %{{.*}}, %{{.*}} : tensor<2x4xi32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[FACTOR:.*]]: f32, %[[TERM:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT: %[[X:.*]] = arith.sitofp %[[SUM]]
// FMA-NEXT: %[[Y:.*]] = math.fma %[[X]], %[[FACTOR]], %[[TERM]]
// V2-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[FACTOR]]
// V2-NEXT: %[[Y:.*]] = arith.addf %[[PRODUCT]], %[[TERM]]
// CHECK-NEXT: %[[ROUNDED:.*]] = math.roundeven %[[Y]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.fptosi %[[ROUNDED]]
// CHECK-NEXT: %[[MOVED:.*]] = arith.addi %[[NUMBER]], %c10_i32 overflow<nsw>
// CHECK-NEXT: %[[RAISED:.*]] = arith.maxsi %[[MOVED]], %c10_i32
// CHECK-NEXT: %[[BOUNDED:.*]] = arith.minsi %[[RAISED]], %c255_i32
// CHECK-NEXT: arith.trunci %[[BOUNDED]]
func.func @product(%a: tensor<2x16xi8>, %b: tensor<16x4xi8>) -> tensor<2x4xi8> {
  %zero = arith.constant 0 : i32
  %corrections = arith.constant dense<[5, -7, 100, 2000]> : tensor<4xi32>
  %scales = arith.constant dense<[0.0137, 0.00213, 0.0301, 0.0071]> : tensor<4xf32>
  %biases = arith.constant dense<[1.25, -3.5, 0.1, 7.0]> : tensor<4xf32>
  %least = arith.constant 0.0 : f32
  %by = arith.constant 0.417 : f32
  %low = arith.constant -10.0 : f32
  %high = arith.constant 245.0 : f32
  %point = arith.constant 10 : i32
  %e = tensor.empty() : tensor<2x4xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4xi32>) -> tensor<2x4xi32>
  %sums = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x16xi8>, tensor<16x4xi8>) outs(%zeros : tensor<2x4xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x4xi32>
  %bytes = tensor.empty() : tensor<2x4xi8>
  %r = linalg.generic {indexing_maps = [#all, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %corrections, %scales, %biases : tensor<2x4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) outs(%bytes : tensor<2x4xi8>) {
  ^bb0(%sum: i32, %correction: i32, %scale: f32, %bias: f32, %out: i8):
    %0 = arith.subi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.cmpf ogt, %least, %3 : f32
    %5 = arith.select %4, %least, %3 : f32
    %6 = arith.divf %5, %by : f32
    %7 = arith.maxnumf %6, %low : f32
    %8 = arith.minnumf %7, %high : f32
    %9 = math.roundeven %8 : f32
    %10 = arith.fptosi %9 : f32 to i32
    %11 = arith.addi %10, %point : i32
    %12 = arith.trunci %11 : i32 to i8
    linalg.yield %12 : i8
  } -> tensor<2x4xi8>
  return %r : tensor<2x4xi8>
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(n, m) -> (n, m)>
#transposed = affine_map<(n, m) -> (m, n)>

// What reads sums transposed makes bytes in their order first.
// CHECK-LABEL: func @transposed
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}reduction
// CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<2x4xi32>) outs(%{{.*}} : tensor<2x4xi8>)
// CHECK: arith.trunci
// CHECK: linalg.generic {{.*}} ins(%[[BYTES]] : tensor<2x4xi8>) outs(%{{.*}} : tensor<4x2xf32>)
// CHECK-NEXT: ^bb0(%[[BYTE:.*]]: i8, %{{.*}}: f32):
// CHECK-NEXT: %[[X:.*]] = arith.extsi %[[BYTE]]
// CHECK-NEXT: %[[Y:.*]] = arith.sitofp %[[X]]
// CHECK-NEXT: linalg.yield %[[Y]]
func.func @transposed(%a: tensor<2x16xi8>, %b: tensor<16x4xi8>) -> tensor<4x2xf32> {
  %zero = arith.constant 0 : i32
  %scale = arith.constant 0.0137 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<2x4xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4xi32>) -> tensor<2x4xi32>
  %sums = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x16xi8>, tensor<16x4xi8>) outs(%zeros : tensor<2x4xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x4xi32>
  %floats = tensor.empty() : tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#transposed, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<2x4xi32>) outs(%floats : tensor<4x2xf32>) {
  ^bb0(%sum: i32, %out: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.maxnumf %1, %low : f32
    %3 = arith.minnumf %2, %high : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    %7 = arith.extsi %6 : i8 to i32
    %8 = arith.sitofp %7 : i32 to f32
    linalg.yield %8 : f32
  } -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

#all = affine_map<(n) -> (n)>

// Floats keep their bounds, and a quotient becomes a product with the inverse in two parts where products are fused.
// CHECK-LABEL: func @floats
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: i8):
// FMA: arith.cmpf ogt, %[[X]]
// FMA: arith.cmpf olt
// FMA-NEXT: %[[BOUNDED:.*]] = arith.select
// FMA-NEXT: %[[REST:.*]] = arith.mulf %[[BOUNDED]]
// FMA-NEXT: %[[Q:.*]] = math.fma %[[BOUNDED]], %{{.*}}, %[[REST]]
// FMA-NEXT: math.roundeven %[[Q]]
// V2: arith.divf %[[X]]
func.func @floats(%x: tensor<64xf32>) -> tensor<64xi8> {
  %scale = arith.constant 0.0137 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<64xi8>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = arith.maxnumf %0, %low : f32
    %2 = arith.minnumf %1, %high : f32
    %3 = math.roundeven %2 : f32
    %4 = arith.fptosi %3 : f32 to i32
    %5 = arith.trunci %4 : i32 to i8
    linalg.yield %5 : i8
  } -> tensor<64xi8>
  return %r : tensor<64xi8>
}

// -----

#all = affine_map<(n) -> (n)>

// Integers that may be anything, and a factor that is negative: as they were.
// CHECK-LABEL: func @unknown
// CHECK: arith.mulf
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK-LABEL: func @negative
// CHECK: arith.mulf
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
func.func @unknown(%x: tensor<64xi32>) -> tensor<64xi8> {
  %scale = arith.constant 0.0137 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<64xi8>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<64xi32>) outs(%e : tensor<64xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = arith.sitofp %in : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.maxnumf %1, %low : f32
    %3 = arith.minnumf %2, %high : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    linalg.yield %6 : i8
  } -> tensor<64xi8>
  return %r : tensor<64xi8>
}

func.func @negative(%x: tensor<64xi8>) -> tensor<64xi8> {
  %scale = arith.constant -0.5 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<64xi8>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %i = arith.extsi %in : i8 to i32
    %0 = arith.sitofp %i : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.maxnumf %1, %low : f32
    %3 = arith.minnumf %2, %high : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    linalg.yield %6 : i8
  } -> tensor<64xi8>
  return %r : tensor<64xi8>
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#channel = affine_map<(m, n) -> (n)>

// No multiply-add has the second channel's bytes: which sums are next to a half is decided by what the steps round. After a product,
// one has.
// CHECK-LABEL: func @two
// FMA: %[[X:.*]] = arith.sitofp
// FMA-NEXT: %[[MOVED:.*]] = arith.mulf %[[X]],
// FMA-NEXT: %[[Y:.*]] = math.fma %[[MOVED]],
// FMA-NEXT: math.roundeven %[[Y]]
// V2: arith.mulf
// V2-NEXT: arith.addf
// V2-NEXT: arith.divf
func.func @two(%a: tensor<2x9xi8>, %b: tensor<9x2xi8>) -> tensor<2x2xi8> {
  %zero = arith.constant 0 : i32
  %corrections = arith.constant dense<[100, -5616]> : tensor<2xi32>
  %scales = arith.constant dense<[0.0137, 7.37307637e-05]> : tensor<2xf32>
  %biases = arith.constant dense<[1.25, 0.0951126888]> : tensor<2xf32>
  %by = arith.constant 0.0731 : f32
  %low = arith.constant -121.0 : f32
  %high = arith.constant 134.0 : f32
  %point = arith.constant 121 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
  %sums = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x9xi8>, tensor<9x2xi8>) outs(%zeros : tensor<2x2xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x2xi32>
  %bytes = tensor.empty() : tensor<2x2xi8>
  %r = linalg.generic {indexing_maps = [#all, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %corrections, %scales, %biases : tensor<2x2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) outs(%bytes : tensor<2x2xi8>) {
  ^bb0(%sum: i32, %correction: i32, %scale: f32, %bias: f32, %out: i8):
    %0 = arith.addi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.divf %3, %by : f32
    %5 = arith.maxnumf %4, %low : f32
    %6 = arith.minnumf %5, %high : f32
    %7 = math.roundeven %6 : f32
    %8 = arith.fptosi %7 : f32 to i32
    %9 = arith.addi %8, %point : i32
    %10 = arith.trunci %9 : i32 to i8
    linalg.yield %10 : i8
  } -> tensor<2x2xi8>
  return %r : tensor<2x2xi8>
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#channel = affine_map<(m, n) -> (n)>

// The same steps, but the filter is known: its second channel adds up nine bytes, and none of the sums that it has are next to a half.
// CHECK-LABEL: func @bounded
// FMA: %[[X:.*]] = arith.sitofp
// FMA-NEXT: %[[Y:.*]] = math.fma %[[X]],
// FMA-NEXT: math.roundeven %[[Y]]
// V2: %[[X:.*]] = arith.sitofp
// V2-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[X]],
// V2-NEXT: %[[Y:.*]] = arith.addf %[[PRODUCT]],
// V2-NEXT: math.roundeven %[[Y]]
func.func @bounded(%a: tensor<2x9xi8>) -> tensor<2x2xi8> {
  %b = arith.constant dense<[[9, 1], [-8, 1], [7, 1], [6, 1], [5, 1], [4, 1], [3, 1], [2, 1], [-1, 1]]> : tensor<9x2xi8>
  %zero = arith.constant 0 : i32
  %corrections = arith.constant dense<[100, -5616]> : tensor<2xi32>
  %scales = arith.constant dense<[0.0137, 7.37307637e-05]> : tensor<2xf32>
  %biases = arith.constant dense<[1.25, 0.0951126888]> : tensor<2xf32>
  %by = arith.constant 0.0731 : f32
  %low = arith.constant -121.0 : f32
  %high = arith.constant 134.0 : f32
  %point = arith.constant 121 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
  %sums = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x9xi8>, tensor<9x2xi8>) outs(%zeros : tensor<2x2xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x2xi32>
  %bytes = tensor.empty() : tensor<2x2xi8>
  %r = linalg.generic {indexing_maps = [#all, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %corrections, %scales, %biases : tensor<2x2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) outs(%bytes : tensor<2x2xi8>) {
  ^bb0(%sum: i32, %correction: i32, %scale: f32, %bias: f32, %out: i8):
    %0 = arith.addi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.divf %3, %by : f32
    %5 = arith.maxnumf %4, %low : f32
    %6 = arith.minnumf %5, %high : f32
    %7 = math.roundeven %6 : f32
    %8 = arith.fptosi %7 : f32 to i32
    %9 = arith.addi %8, %point : i32
    %10 = arith.trunci %9 : i32 to i8
    linalg.yield %10 : i8
  } -> tensor<2x2xi8>
  return %r : tensor<2x2xi8>
}
