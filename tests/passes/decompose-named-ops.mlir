// Operators by name become loops that suit the caches; which of the forms is an attribute, and a decision.
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-decompose-named-ops | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-decompose-named-ops=by-definition | FileCheck "%s" --check-prefix=PLAIN
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v2 --kgen-decompose-named-ops | FileCheck "%s" --check-prefix=V2

// CHECK-LABEL: func @kept
// CHECK-SAME: what = "exponentials kept"
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: arith.maxnumf
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0, %[[MAX]] :
// CHECK: kgen.exp_or_zero<{{.*}}> %{{.*}} {kgen.non_positive}
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[E]] :
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[E]], %[[SUM]] : {{.*}} attrs = {kgen.form = "exponentials kept"}
// CHECK: %[[INVERSE:.*]] = arith.divf %cst{{.*}}, %in
// CHECK: arith.mulf %in, %[[INVERSE]]
// CHECK: return %[[Y]]
// PLAIN-LABEL: func @kept
// PLAIN: arith.maxnumf
// PLAIN: math.exp
// PLAIN: arith.addf
// PLAIN: arith.divf %in, %in
// PLAIN-NOT: kgen.form
module attributes {kgen.decisions = []} {
func.func @kept(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kgen.softmax %x along [1] : tensor<8x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
}

// -----

// CHECK-LABEL: func @rounded_quotient
// CHECK: arith.divf %in, %in_{{.*}} {kgen.normal_quotient}
// PLAIN-LABEL: func @rounded_quotient
// PLAIN: arith.divf
func.func @rounded_quotient(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kgen.softmax %x along [1] {rounded_quotient} : tensor<8x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Rows of 128 floats of 16 bits; functions get the precision of the operation.
// CHECK-LABEL: func @integers
// CHECK: arith.maxsi
// CHECK: kgen.exp_or_zero{{.*}}kgen.result_precision = 8 : i32
// CHECK: kgen.form = "maximum of integers, exponentials kept"
// CHECK: arith.truncf %{{.*}} {kgen.result_precision}
// PLAIN-LABEL: func @integers
// PLAIN: arith.maxnumf
// PLAIN: math.exp
func.func @integers(%x: tensor<8x128xbf16>) -> tensor<8x128xbf16> {
  %y = kgen.softmax %x along [1] {kgen.result_precision = 8 : i32} : tensor<8x128xbf16> -> tensor<8x128xbf16>
  return %y : tensor<8x128xbf16>
}

// -----

// The sum of rows that are masked is 0, and so are the results.
// CHECK-LABEL: func @masked
// CHECK: arith.constant -3.40282347E+38 : f32
// CHECK: arith.select
// CHECK: arith.mulf
// PLAIN-LABEL: func @masked
// PLAIN: arith.constant -3.40282347E+38 : f32
// PLAIN: arith.select
func.func @masked(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kgen.softmax %x along [1] {masked_to_zero} : tensor<8x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// No cache keeps 2^20 exponentials: maxima and sums of blocks, which tasks divide, then the exponentials once more.
// CHECK-LABEL: func @recomputed
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [2, 64, 16384]
// CHECK: linalg.generic {{.*}} ins(%[[BLOCKS]] :
// CHECK: linalg.index 2
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}}, %{{.*}} :
// CHECK-SAME: kgen.form = "sums of blocks of 16384 elements; exponentials computed again"
// CHECK: kgen.exp_or_zero
// PLAIN-LABEL: func @recomputed
// PLAIN-NOT: tensor.expand_shape
// PLAIN: return
func.func @recomputed(%x: tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
  %y = kgen.softmax %x along [1] : tensor<2x1048576xf32> -> tensor<2x1048576xf32>
  return %y : tensor<2x1048576xf32>
}

// -----

// CHECK-LABEL: func @logarithm
// CHECK: kgen.exp_or_zero
// CHECK: math.log
// CHECK: arith.subf
// CHECK: arith.subf
// PLAIN-LABEL: func @logarithm
// PLAIN: math.log
func.func @logarithm(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kgen.softmax %x along [1] {logarithm} : tensor<8x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Infinities are no numbers in exponentials.
// CHECK-LABEL: func @log_sum_exp
// CHECK-COUNT-2: arith.cmpf ogt
// CHECK: math.log
// CHECK: arith.addf
// CHECK: return %{{.*}} : tensor<16xf32>
// PLAIN-LABEL: func @log_sum_exp
// PLAIN-COUNT-2: arith.cmpf ogt
// PLAIN: math.exp
func.func @log_sum_exp(%x: tensor<8x16x4xf32>) -> tensor<16xf32> {
  %y = kgen.log_sum_exp %x along [0, 2] : tensor<8x16x4xf32> -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// The bound of rows without one is not known: only exponentials that are no normal number are 0.
// CHECK-LABEL: func @open
// CHECK: kgen.exp_or_zero<-87.336544750553102>
// CHECK: kgen.form = "exponentials kept"
// PLAIN-LABEL: func @open
// PLAIN: tensor.dim
func.func @open(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = kgen.softmax %x along [1] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// The mean, the sum of squared differences, and the product with the inverse: what operators are.
// CHECK-LABEL: func @layer
// CHECK-SAME: what = "inverse deviations"
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.divf %in, %cst
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %[[MEAN]] :
// CHECK: %[[INVERSE:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] :
// CHECK: %[[V:.*]] = arith.divf
// CHECK: %[[SHIFTED:.*]] = arith.addf %[[V]],
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SHIFTED]]
// CHECK: arith.divf %{{.*}}, %[[ROOT]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0, %[[INVERSE]], %[[MEAN]], %arg1, %arg2 : {{.*}} attrs = {kgen.form = "inverse deviations"}
// CHECK: return %[[Y]], %[[MEAN]], %[[INVERSE]]
// PLAIN-LABEL: func @layer
// PLAIN: arith.subf
// PLAIN: math.sqrt
// PLAIN: arith.divf
// PLAIN: arith.mulf
// PLAIN: return
module attributes {kgen.decisions = []} {
func.func @layer(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %b: tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y:3 = kgen.normalization %x along [1] scale(%s on [1]) bias(%b on [1]) {centered, epsilon = 1.0e-5 : f64} : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
  return %y#0, %y#1, %y#2 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>
}
}

// -----

// Epsilon outside of the root, and groups of two dimensions.
// CHECK-LABEL: func @outside
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: arith.addf %[[ROOT]],
// CHECK: linalg.generic {indexing_maps = [#map{{[0-9]*}}, #map{{[0-9]*}}, #map{{[0-9]*}}, #[[CHANNELS:map[0-9]*]], #map{{[0-9]*}}], {{.*}} ins(%arg0, %{{.*}}, %{{.*}}, %arg1 :
// PLAIN-LABEL: func @outside
// PLAIN: %[[ROOT:.*]] = math.sqrt
// PLAIN: arith.addf %[[ROOT]],
func.func @outside(%x: tensor<2x3x4x5xf32>, %s: tensor<3x4xf32>) -> tensor<2x3x4x5xf32> {
  %y = kgen.normalization %x along [2, 3] scale(%s on [1, 2]) {centered, epsilon_outside_root, epsilon = 1.0e-9 : f64} : (tensor<2x3x4x5xf32>, tensor<3x4xf32>) -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// -----

// The variance is rounded once, and so are the root and its inverse together; without fused multiply-adds, elements are divided by
// the root.
// CHECK-LABEL: func @quotient
// CHECK-SAME: what = "inverse deviations rounded once"
// CHECK: %[[V:.*]] = math.fma
// CHECK: %[[S:.*]] = math.sqrt %[[V]]
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[S]]
// CHECK: math.fma %{{.*}}, %[[S]], %[[V]]
// CHECK: math.fma %{{.*}}, %[[R]],
// CHECK: math.fma %[[R]], %{{.*}}, %[[R]]
// CHECK: arith.mulf
// V2-LABEL: func @quotient
// V2-SAME: what = "quotients"
// V2-NOT: math.fma
// V2: math.sqrt
// V2: arith.divf %in, %in
// PLAIN-LABEL: func @quotient
// PLAIN: math.sqrt
// PLAIN: arith.divf %in, %in
module attributes {kgen.decisions = []} {
func.func @quotient(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kgen.normalization %x along [1] {epsilon = 1.0e-5 : f64, rounded_quotient, fused_variance} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
}

// -----

// Rows of bf16 that L1 keeps are converted once for three loops, and weights when code is generated.
// CHECK-LABEL: func @converted
// CHECK-SAME: what = "inverse deviations; elements converted once"
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8x64xbf16>) outs(%{{.*}} : tensor<8x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
// CHECK: arith.addf %{{.*}} fastmath<contract>
// CHECK: math.sqrt %{{.*}} {kgen.result_precision = 8 : i32}
// CHECK: %[[S:.*]] = arith.constant dense<1.500000e+00> : tensor<64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}}, %{{.*}}, %[[S]] : {{.*}}) outs(%{{.*}} : tensor<8x64xbf16>)
// CHECK: arith.truncf %{{.*}} {kgen.result_precision}
// PLAIN-LABEL: func @converted
// PLAIN-NOT: tensor<64xf32>
// PLAIN: return
module attributes {kgen.decisions = []} {
func.func @converted(%x: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %s = arith.constant dense<1.5> : tensor<64xbf16>
  %y = kgen.normalization %x along [1] scale(%s on [1]) {centered, epsilon = 1.0e-5 : f64, kgen.result_precision = 8 : i32} : (tensor<8x64xbf16>, tensor<64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}
}

// -----

// Two loops of an RMS normalization read what they convert, and so do three of short rows.
// CHECK-LABEL: func @narrow
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<8x64xbf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<8x63xbf16>) outs(%{{.*}} : tensor<8xf32>)
// PLAIN-LABEL: func @narrow
// PLAIN: return
func.func @narrow(%x: tensor<8x64xbf16>, %z: tensor<8x63xbf16>, %s: tensor<63xbf16>) -> (tensor<8x64xbf16>, tensor<8x63xbf16>) {
  %y = kgen.normalization %x along [1] {epsilon = 1.0e-5 : f64} : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
  %n = kgen.normalization %z along [1] scale(%s on [1]) {centered, epsilon = 1.0e-5 : f64} : (tensor<8x63xbf16>, tensor<63xbf16>) -> tensor<8x63xbf16>
  return %y, %n : tensor<8x64xbf16>, tensor<8x63xbf16>
}

// -----

// Weights beside rows from memory stay narrow if they would push these out of L1.
// CHECK-LABEL: func @large
// CHECK-NOT: tensor<8192xf32>
// CHECK: return
// PLAIN-LABEL: func @large
// PLAIN: return
func.func @large(%x: tensor<4096x8192xbf16>) -> tensor<4096x8192xbf16> {
  %s = arith.constant dense<1.5> : tensor<8192xbf16>
  %y = kgen.normalization %x along [1] scale(%s on [1]) {centered, epsilon = 1.0e-5 : f64} : (tensor<4096x8192xbf16>, tensor<8192xbf16>) -> tensor<4096x8192xbf16>
  return %y : tensor<4096x8192xbf16>
}

// -----

// The length of rows is known at run time.
// CHECK-LABEL: func @open_rows
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[I:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK: arith.divf %in, %[[F]]
// CHECK: arith.divf %in, %[[F]]
// PLAIN-LABEL: func @open_rows
// PLAIN: arith.sitofp
func.func @open_rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = kgen.normalization %x along [1] {centered, epsilon = 1.0e-5 : f64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// The extremum, then the first index of what equals it, or is NaN.
// CHECK-LABEL: func @arg
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8x100xbf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.maximumf
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%arg0, %[[MAX]] : {{.*}} attrs = {kgen.form = "a loop over the extremum, one over its index"}
// CHECK: arith.cmpf uno
// CHECK: arith.minsi
// CHECK: return %[[I]]
// PLAIN-LABEL: func @arg
// PLAIN: arith.maximumf
// PLAIN: arith.minsi
func.func @arg(%x: tensor<8x100xbf16>) -> tensor<8xi32> {
  %i = kgen.arg_extremum %x along [1] : tensor<8x100xbf16> -> tensor<8xi32>
  return %i : tensor<8xi32>
}

// -----

// Numbers without a sign; the last index.
// CHECK-LABEL: func @arg_of_bytes
// CHECK: arith.constant -1 : i8
// CHECK: arith.minui
// CHECK: arith.maxsi
// PLAIN-LABEL: func @arg_of_bytes
// PLAIN: arith.minui
// PLAIN: arith.maxsi
func.func @arg_of_bytes(%x: tensor<8x100xi8>) -> tensor<8xi32> {
  %i = kgen.arg_extremum %x along [1] {minimum, last, is_unsigned} : tensor<8x100xi8> -> tensor<8xi32>
  return %i : tensor<8xi32>
}

// -----

// No cache keeps the axis: of blocks in one pass, then of the blocks'.
// CHECK-LABEL: func @arg_of_long
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<1x[[BLOCKS:[0-9]+]]x[[LENGTH:[0-9]+]]xf32>
// CHECK: kgen.form = "extrema of blocks of [[LENGTH]] elements"
// PLAIN-LABEL: func @arg_of_long
// PLAIN-NOT: tensor.expand_shape
// PLAIN: arith.maximumf
func.func @arg_of_long(%x: tensor<1x33554432xf32>) -> tensor<1xi32> {
  %i = kgen.arg_extremum %x along [1] : tensor<1x33554432xf32> -> tensor<1xi32>
  return %i : tensor<1xi32>
}

// -----

// Rows are summed up side by side, and what is left of them one after another.
// CHECK-LABEL: func @sums
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c{{.*}} step %c1
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %cst, %{{.*}} = %cst, %{{.*}} = %cst
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK: kgen.form = "sums of {{[0-9]+}} rows at a time, in registers"
// PLAIN-LABEL: func @sums
// PLAIN: scf.for
// PLAIN-NOT: scf.for
// PLAIN: return
func.func @sums(%x: tensor<3x7x100xbf16>) -> tensor<3x7x100xbf16> {
  %y = kgen.cumulative_sum %x along [2] : tensor<3x7x100xbf16> -> tensor<3x7x100xbf16>
  return %y : tensor<3x7x100xbf16>
}

// -----

// Along another dimension, vectors hold sums; from the end, without the element itself.
// CHECK-LABEL: func @sums_of_rows
// CHECK: tensor.extract_slice %arg0
// CHECK: linalg.generic
// CHECK: arith.addi
// CHECK: kgen.form = "sums of all elements after the axis at a time"
// PLAIN-LABEL: func @sums_of_rows
// PLAIN: scf.for
// PLAIN: arith.addi
func.func @sums_of_rows(%x: tensor<?x100xi32>) -> tensor<?x100xi32> {
  %y = kgen.cumulative_sum %x along [0] {exclusive, reverse} : tensor<?x100xi32> -> tensor<?x100xi32>
  return %y : tensor<?x100xi32>
}

// -----

// A long row: the keys of its blocks, and a loop over what is found, which searches one block again.
// CHECK-LABEL: func @top
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x64xi32>) outs(%{{.*}} : tensor<16xi32>)
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c5
// CHECK: tensor.extract_slice {{.*}} : tensor<16x64xi32> to tensor<64xi32>
// CHECK: kgen.form = "blocks of 64 elements, rows one after another"
// PLAIN-LABEL: func @top
// PLAIN: scf.for %{{.*}} = %c0{{.*}} to %c5
// PLAIN: arith.cmpf ult
// PLAIN: arith.maximumf
// PLAIN: arith.minsi
// PLAIN-NOT: scf.for
// PLAIN: tensor.extract %arg0
func.func @top(%x: tensor<3x1000xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
  %y:2 = kgen.top_k %x along [1] : (tensor<3x1000xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return %y#0, %y#1 : tensor<3x5xf32>, tensor<3x5xi64>
}

// -----

// Short rows: vectors of them, so the axis comes first. Numbers without a sign, the smallest first.
// CHECK-LABEL: func @top_of_short_rows
// CHECK: linalg.transpose ins(%arg0 : tensor<128x64xi32>) outs(%{{.*}} : tensor<64x128xi32>)
// CHECK: arith.xori {{.*}} %c-2147483648
// CHECK: arith.xori {{.*}} %c-1
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<128xi32>)
// CHECK-NOT: scf.for
// CHECK: linalg.transpose {{.*}} {kgen.form = "a pass for each element that is found, vectors of rows"}
// PLAIN-LABEL: func @top_of_short_rows
// PLAIN-NOT: linalg.transpose
// PLAIN: arith.minui
func.func @top_of_short_rows(%x: tensor<128x64xi32>) -> tensor<128x3xi32> {
  %y = kgen.top_k %x along [1] {smallest, is_unsigned} : (tensor<128x64xi32>) -> tensor<128x3xi32>
  return %y : tensor<128x3xi32>
}

// -----

// Many long rows: tasks.
// CHECK-LABEL: func @top_in_tasks
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: scf.for {{.*}} to %c342
// CHECK: kgen.form = "blocks of 64 elements, rows one after another in 3 tasks"
// PLAIN-LABEL: func @top_in_tasks
// PLAIN-NOT: scf.forall
// PLAIN: return
func.func @top_in_tasks(%x: tensor<1026x1000xf32>) -> tensor<1026x3xf32> {
  %y = kgen.top_k %x along [1] : (tensor<1026x1000xf32>) -> tensor<1026x3xf32>
  return %y : tensor<1026x3xf32>
}

// -----

// Along another dimension than the last, of a number of rows that is known at run time.
// CHECK-LABEL: func @top_of_open
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK: tensor.collapse_shape {{.*}} into tensor<?x100xbf16>
// CHECK: arith.extf
// CHECK: tensor.expand_shape {{.*}} into tensor<?x?x2xbf16>
// CHECK: linalg.transpose
// PLAIN-LABEL: func @top_of_open
// PLAIN: arith.extf
// PLAIN: arith.minnumf
func.func @top_of_open(%x: tensor<?x100x?xbf16>) -> tensor<?x2x?xbf16> {
  %y = kgen.top_k %x along [1] {smallest} : (tensor<?x100x?xbf16>) -> tensor<?x2x?xbf16>
  return %y : tensor<?x2x?xbf16>
}

// -----

// Few channels: a vector holds points of one of them.
// CHECK-LABEL: func @sample
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x5x7xbf16>) attrs = {kgen.form = "vectors of points"}
// CHECK: tensor.extract %arg1
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<2x3x9x8xbf16>
// PLAIN-LABEL: func @sample
// PLAIN: outs(%{{.*}} : tensor<2x3x5x7xbf16>)
func.func @sample(%x: tensor<2x3x9x8xbf16>, %g: tensor<2x5x7x2xf32>) -> tensor<2x3x5x7xbf16> {
  %y = kgen.grid_sample linear zeros %x at %g : tensor<2x3x9x8xbf16>, tensor<2x5x7x2xf32> -> tensor<2x3x5x7xbf16>
  return %y : tensor<2x3x5x7xbf16>
}

// -----

// Many: a vector holds channels of one point.
// CHECK-LABEL: func @sample_channels
// CHECK: linalg.transpose ins(%arg0 {{.*}} permutation = [0, 2, 3, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5x7x16xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [0, 3, 1, 2] {kgen.form = "vectors of channels"}
// PLAIN-LABEL: func @sample_channels
// PLAIN-NOT: linalg.transpose
// PLAIN: outs(%{{.*}} : tensor<2x16x5x7xf32>)
func.func @sample_channels(%x: tensor<2x16x9x8xf32>, %g: tensor<2x5x7x2xf32>) -> tensor<2x16x5x7xf32> {
  %y = kgen.grid_sample nearest border %x at %g {align_corners} : tensor<2x16x9x8xf32>, tensor<2x5x7x2xf32> -> tensor<2x16x5x7xf32>
  return %y : tensor<2x16x5x7xf32>
}

// -----

// Zero points for rows and columns, and scales for both: terms of sums of rows and of columns. Neither side is known.
// CHECK-LABEL: func @product_of_bytes
// CHECK-SAME: what = "a product of bytes less terms of zero points"
// CHECK: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: arith.extui
// CHECK: arith.extsi
// CHECK: %[[ZA:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<8xi8>)
// CHECK: %[[ZB:.*]] = linalg.generic {{.*}} ins(%arg3 : tensor<32xi8>)
// CHECK: %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%arg1 :
// CHECK: %[[K:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[ZB]] : tensor<i32>, tensor<32xi32>)
// CHECK: arith.muli
// CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} ins(%[[B]], %[[K]] :
// CHECK: arith.subi
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[ZA]], %[[COLUMNS]], %[[ZB]], %[[ROWS]] :
// CHECK-COUNT-2: arith.subi
// CHECK: linalg.generic {{.*}} ins(%[[S]], %arg4, %arg5 : tensor<8x32xi32>, tensor<8xf32>, tensor<32xf32>)
// CHECK: arith.mulf
// PLAIN-LABEL: func @product_of_bytes
// PLAIN: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1, %arg2, %arg3 :
// PLAIN-COUNT-2: arith.subi
// PLAIN: arith.muli
// PLAIN: arith.addi
// PLAIN: linalg.generic {{.*}} ins(%{{.*}}, %arg4, %arg5 :
// PLAIN: arith.sitofp
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
module attributes {kgen.decisions = []} {
func.func @product_of_bytes(%a: tensor<8x64xi8>, %b: tensor<64x32xi8>, %za: tensor<8xi8>, %zb: tensor<32xi8>, %sa: tensor<8xf32>, %sb: tensor<32xf32>)
    -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %y = kgen.quantized_product %a by %b into %e left_zeros(%za on [0]) right_zeros(%zb on [1]) left_scales(%sa on [0]) right_scales(%sb on [1])
      {indexing_maps = [#left, #right, #result], left_unsigned}
      : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<8x32xf32>, tensor<8xi8>, tensor<32xi8>, tensor<8xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
}

// -----

// What is known is computed here: zero points that are 0 add nothing, 3 times the sums of columns is subtracted; 0.5 * 0.25 / 2. The sums of nothing are 0.
// CHECK-LABEL: func @known_numbers
// CHECK: %[[TERMS:.*]] = arith.constant dense<[12, 18]> : tensor<2xi32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[TERMS]] :
// CHECK: %[[FACTOR:.*]] = arith.constant dense<6.250000e-02> : tensor<f32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1, %[[FACTOR]] : tensor<8x2xi32>, tensor<2xi32>, tensor<f32>)
// CHECK: arith.addi
// CHECK-LABEL: func @no_products
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK-NEXT: return %[[ZERO]]
func.func @known_numbers(%a: tensor<8x2xi8>, %bias: tensor<2xi32>) -> tensor<8x2xf32> {
  %b = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %za = arith.constant dense<3> : tensor<i8>
  %zb = arith.constant dense<0> : tensor<2xi8>
  %sa = arith.constant dense<0.5> : tensor<f32>
  %sb = arith.constant dense<0.25> : tensor<f32>
  %by = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<8x2xf32>
  %y = kgen.quantized_product %a by %b into %e left_zeros(%za on []) right_zeros(%zb on [1]) left_scales(%sa on []) right_scales(%sb on []) divisor(%by) bias(%bias on [1])
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<8x2xi8>, tensor<2x2xi8>, tensor<8x2xf32>, tensor<i8>, tensor<2xi8>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}
func.func @no_products(%a: tensor<8x0xi8>, %b: tensor<0x2xi8>, %z: tensor<i8>) -> tensor<8x2xi32> {
  %e = tensor.empty() : tensor<8x2xi32>
  %y = kgen.quantized_product %a by %b into %e left_zeros(%z on [])
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<8x0xi8>, tensor<0x2xi8>, tensor<8x2xi32>, tensor<i8>) -> tensor<8x2xi32>
  return %y : tensor<8x2xi32>
}

// -----

// Halves of rows, one after the other; elements beyond the pairs are moved. By its definition, each element reads the other one of its pair.
// CHECK-LABEL: func @halves
// CHECK-SAME: what = "halves of rows"
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %arg0[0, 0] [5, 4] [1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %arg0[0, 4] [5, 4] [1, 1]
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[A]], %arg1, %[[B]], %arg2 :
// CHECK: arith.subf
// CHECK: %[[I:.*]] = tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0] [5, 4] [1, 1]
// CHECK: %[[SECOND:.*]] = linalg.generic {{.*}} ins(%[[A]], %arg2, %[[B]], %arg1 :
// CHECK: arith.addf
// CHECK: %[[J:.*]] = tensor.insert_slice %[[SECOND]] into %[[I]][0, 4] [5, 4] [1, 1]
// CHECK: %[[REST:.*]] = tensor.extract_slice %arg0[0, 8] [5, 1] [1, 1]
// CHECK: %[[K:.*]] = tensor.insert_slice %[[REST]] into %[[J]][0, 8] [5, 1] [1, 1] {kgen.form = "halves of rows"}
// CHECK: return %[[K]]
// PLAIN-LABEL: func @halves
// PLAIN: linalg.generic
// PLAIN: linalg.index 1
// PLAIN-COUNT-4: tensor.extract
// PLAIN: return
module attributes {kgen.decisions = []} {
func.func @halves(%x: tensor<5x9xf32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) -> tensor<5x9xf32> {
  %y = kgen.rotary_embedding %x cosines(%c) sines(%s) on [0] : (tensor<5x9xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x9xf32>
  return %y : tensor<5x9xf32>
}
}

// -----

// Neighbours, in one operation over pairs. Cosines and sines that are elements of pairs themselves are read where they lie.
// CHECK-LABEL: func @neighbours
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x8xf32>, %[[PARTS:.*]]: tensor<4x4x2xf32>)
// CHECK-SAME: what = "neighbours that change places in registers"
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK: %[[P:.*]] = tensor.expand_shape %[[ROWS]] {{\[\[}}0], [1, 2]] output_shape [4, 4, 2]
// CHECK: %[[FIRST:.*]] = arith.constant dense<[1, 0]> : tensor<2xi8>
// CHECK: %[[SIGNS:.*]] = arith.constant dense<[-1.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[P]], %[[FIRST]], %[[PARTS]], %[[SIGNS]], %[[P]], %[[PARTS]] :
// CHECK: %[[OTHER:.*]] = arith.select
// CHECK: %[[SIGNED:.*]] = arith.mulf %[[OTHER]], %{{.*}} : f32
// CHECK: %[[B:.*]] = arith.mulf %[[SIGNED]], %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: arith.addf %[[A]], %[[B]] : f32
// CHECK: %[[Y:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
// CHECK: tensor.expand_shape %[[Y]]
module attributes {kgen.decisions = []} {
func.func @neighbours(%x: tensor<1x4x8xf32>, %parts: tensor<4x4x2xf32>) -> tensor<1x4x8xf32> {
  %c1 = tensor.extract_slice %parts[0, 0, 0] [4, 4, 1] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x4x1xf32>
  %s1 = tensor.extract_slice %parts[0, 0, 1] [4, 4, 1] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x4x1xf32>
  %c = tensor.collapse_shape %c1 [[0], [1, 2]] : tensor<4x4x1xf32> into tensor<4x4xf32>
  %s = tensor.collapse_shape %s1 [[0], [1, 2]] : tensor<4x4x1xf32> into tensor<4x4xf32>
  %y = kgen.rotary_embedding %x cosines(%c) sines(%s) on [1] {interleaved} : (tensor<1x4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<1x4x8xf32>
  return %y : tensor<1x4x8xf32>
}
}

// -----

// Neighbours of rows whose number is known at run time are slices; with angles for each element, these are sliced, too.
// CHECK-LABEL: func @open_rows
// CHECK-DAG: tensor.extract_slice %arg0[0, 0] [%{{.*}}, 4] [1, 2]
// CHECK-DAG: tensor.extract_slice %arg0[0, 1] [%{{.*}}, 4] [1, 2]
// CHECK-DAG: tensor.extract_slice %arg1[0] [4] [2]
// CHECK-DAG: tensor.extract_slice %arg1[1] [4] [2]
// CHECK: tensor.insert_slice {{.*}} {kgen.form = "slices of neighbours"}
func.func @open_rows(%x: tensor<?x8xf32>, %a: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [] {interleaved, each_element} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
