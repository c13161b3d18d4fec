// Operators by name become loops that suit the caches; which of the forms is an attribute, and a decision.
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-decompose-named-ops | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-decompose-named-ops=by-definition | FileCheck "%s" --check-prefix=PLAIN

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
