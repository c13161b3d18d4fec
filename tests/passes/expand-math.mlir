// RUN: kgen-opt "%s" --kgen-target --split-input-file --kgen-expand-math | FileCheck "%s"
// The functions become arithmetic only, with nothing fused and no fast-math flags, on every shape.

// CHECK-LABEL: func @exp_vector
// CHECK-NOT:     math.
// CHECK-NOT:     fastmath
// CHECK:         arith.addf {{.*}} : vector<16xf32>
// CHECK:         arith.bitcast {{.*}} : vector<16xf32> to vector<16xi32>
// CHECK:         arith.shrui {{.*}} : vector<16xi32>
// CHECK-NOT:     math.
// CHECK-NOT:     fastmath
// CHECK:         return {{.*}} : vector<16xf32>
func.func @exp_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @exp_scalar
// CHECK-NOT:     math.
// CHECK:         arith.bitcast {{.*}} : f64 to i64
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : f64
func.func @exp_scalar(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// CHECK-LABEL: func @log_matrix
// CHECK-NOT:     math.
// CHECK-NOT:     arith.divf
// CHECK:         return {{.*}} : vector<3x5xf32>
func.func @log_matrix(%x: vector<3x5xf32>) -> vector<3x5xf32> {
  %y = math.log %x : vector<3x5xf32>
  return %y : vector<3x5xf32>
}

// CHECK-LABEL: func @tanh_scalar
// CHECK-NOT:     math.
// CHECK:         arith.divf {{.*}} : f32
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : f32
func.func @tanh_scalar(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  return %y : f32
}

// CHECK-LABEL: func @erf_vector
// CHECK-NOT:     math.
// CHECK:         arith.divf {{.*}} : vector<8xf64>
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : vector<8xf64>
func.func @erf_vector(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.erf %x : vector<8xf64>
  return %y : vector<8xf64>
}

// CHECK-LABEL: func @gelu_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @gelu_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.gelu %x : vector<16xf32>
  return %y : vector<16xf32>
}

// One division, and no tanh.
// CHECK-LABEL: func @gelu_tanh_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     arith.divf
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @gelu_tanh_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.gelu_tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @sigmoid_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @sigmoid_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.sigmoid %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @softplus_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     arith.divf
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @softplus_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.softplus %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Without an upper end, a power has one factor of 2^n.
// CHECK-LABEL: func @expm1_of_negative
// CHECK-NOT:     math.
// CHECK:         arith.shli
// CHECK-NOT:     arith.shli
// CHECK-NOT:     arith.select
// CHECK:         return {{.*}} : vector<16xf32>
func.func @expm1_of_negative(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.expm1 %x {kgen.non_positive} : vector<16xf32>
  return %y : vector<16xf32>
}

// Maxima that begin with a number are numbers: of a comparison with NaN, they stay what they are.
// CHECK-LABEL: func @largest
// CHECK:         scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}})
// CHECK:           %[[V:.*]] = vector.load
// CHECK:           %[[IS:.*]] = arith.cmpf ogt, %[[V]], %[[M]] : vector<16xf32>
// CHECK:           arith.select %[[IS]], %[[V]], %[[M]]
// CHECK-NOT:     maxnumf
// CHECK:         return
func.func @largest(%x: memref<64xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant dense<0xFF800000> : vector<16xf32>
  %m = scf.for %i = %c0 to %c64 step %c16 iter_args(%most = %least) -> (vector<16xf32>) {
    %v = vector.load %x[%i] : memref<64xf32>, vector<16xf32>
    %next = arith.maxnumf %most, %v : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %low = vector.shuffle %m, %m [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>, vector<16xf32>
  %high = vector.shuffle %m, %m [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
  %r = arith.maxnumf %low, %high : vector<8xf32>
  return %r : vector<8xf32>
}

// CHECK-LABEL: func @larger
// CHECK:         arith.maxnumf
func.func @larger(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %m = arith.maxnumf %x, %y : vector<16xf32>
  return %m : vector<16xf32>
}

// Instructions of every target stay.
// CHECK-LABEL: func @kept
// CHECK:         math.sqrt
// CHECK:         math.absf
// CHECK:         math.copysign
func.func @kept(%x: vector<4xf32>) -> vector<4xf32> {
  %a = math.sqrt %x : vector<4xf32>
  %b = math.absf %a : vector<4xf32>
  %c = math.copysign %b, %x : vector<4xf32>
  return %c : vector<4xf32>
}

// One factor, and one comparison.
// CHECK-LABEL: func @exp_or_zero
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.shli {{.*}} : vector<16xi32>
// CHECK-NOT:     arith.shrui
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-NOT:     arith.cmpf
// CHECK:         return {{.*}} : vector<16xf32>
func.func @exp_or_zero(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.exp_or_zero <-8.0e+01> %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Of what is not positive: numbers close to 0, whose squares are subnormal, are moved away from it.
// CHECK-LABEL: func @exp_of_difference
// CHECK:         %[[BOUND:.*]] = arith.constant dense<-9.31322574E-10> : vector<16xf32>
// CHECK:         %[[IS:.*]] = arith.cmpf ogt, %{{.*}}, %[[BOUND]] : vector<16xf32>
// CHECK:         arith.select %[[IS]], %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
func.func @exp_of_difference(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.exp_or_zero <-8.0e+01> %x {kgen.non_positive} : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// With AVX2, what is looked up by eight lanes, or by one of them; with AVX-512, by sixteen.
#avx2 = "x86-64-v3"
module attributes {kgen.target = #avx2} {
// CHECK-LABEL: func @erf_by_pieces
// CHECK-COUNT-14: kgen.dynamic_permute {{.*}} : vector<8xf32>, vector<8xi32>
// CHECK-NOT:     kgen.dynamic_permute
// CHECK-NOT:     arith.divf
// CHECK:         return {{.*}} : vector<12xf32>
func.func @erf_by_pieces(%x: vector<12xf32>) -> vector<12xf32> {
  %y = math.erf %x : vector<12xf32>
  return %y : vector<12xf32>
}

// CHECK-LABEL: func @erf_of_one
// CHECK-COUNT-7: kgen.dynamic_permute {{.*}} : vector<8xf32>, vector<8xi32>
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         return {{.*}} : f32
func.func @erf_of_one(%x: f32) -> f32 {
  %y = math.erf %x : f32
  return %y : f32
}

// Few digits suffice for what is rounded to 16 bits: four lookups, and ties go anywhere.
// CHECK-LABEL: func @erf_of_few_digits
// CHECK-COUNT-4: kgen.dynamic_permute {{.*}} : vector<8xf32>, vector<8xi32>
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         arith.truncf %{{.*}} {kgen.result_precision} : vector<8xf32> to vector<8xbf16>
func.func @erf_of_few_digits(%x: vector<8xf32>) -> vector<8xbf16> {
  %y = math.erf %x {kgen.result_precision = 8 : i32} : vector<8xf32>
  %z = arith.addf %x, %y : vector<8xf32>
  %n = arith.truncf %z : vector<8xf32> to vector<8xbf16>
  return %n : vector<8xbf16>
}

// Of tanh, bf16 needs four, f16 five.
// CHECK-LABEL: func @tanh_of_few_digits
// CHECK-COUNT-4: kgen.dynamic_permute {{.*}} : vector<8xf32>, vector<8xi32>
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         return
func.func @tanh_of_few_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x {kgen.result_precision = 8 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @tanh_of_more_digits
// CHECK-COUNT-5: kgen.dynamic_permute {{.*}} : vector<8xf32>, vector<8xi32>
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         return
func.func @tanh_of_more_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x {kgen.result_precision = 11 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// A power without lookups, and a quotient.
// CHECK-LABEL: func @sigmoid_of_few_digits
// CHECK-NOT:     kgen.dynamic_permute
// CHECK-COUNT-6: math.fma
// CHECK-NOT:     math.fma
// CHECK:         arith.divf
func.func @sigmoid_of_few_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = kgen.sigmoid %x {kgen.result_precision = 8 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// The product is a quotient with the factor; where the exponential may not be normal, a branch.
// CHECK-LABEL: func @sigmoid_product
// CHECK-SAME:    %[[Y:.*]]: vector<8xf32>, %[[X:.*]]: vector<8xf32>
// CHECK:         kgen.dynamic_permute
// CHECK:         %[[FACTOR:.*]] = arith.constant dense<1.78558826> : vector<8xf32>
// CHECK:         %[[SUM:.*]] = math.fma %{{.*}}, %[[FACTOR]], %{{.*}} : vector<8xf32>
// CHECK:         arith.divf %[[Y]], %[[SUM]] : vector<8xf32>
// CHECK:         llvm.intr.expect
// CHECK:         scf.if
// CHECK-NOT:     kgen.sigmoid
// CHECK:         return
func.func @sigmoid_product(%y: vector<8xf32>, %x: vector<8xf32>) -> vector<8xf32> {
  %z = kgen.sigmoid_product %y, %x : vector<8xf32>
  return %z : vector<8xf32>
}

// The rounding of a product of a rough function's quotient needs no ties to even; nor does f16 need a branch for large arguments.
// CHECK-LABEL: func @factors_of_few_digits
// CHECK-NOT:     scf.if
// CHECK:         arith.truncf %{{.*}} {kgen.result_precision} : vector<8xf32> to vector<8xf16>
func.func @factors_of_few_digits(%x: vector<8xf32>, %a: vector<8xf32>) -> vector<8xf16> {
  %y = math.expm1 %x {kgen.result_precision = 11 : i32} : vector<8xf32>
  %q = arith.divf %y, %a : vector<8xf32>
  %p = arith.mulf %q, %a : vector<8xf32>
  %n = arith.truncf %p : vector<8xf32> to vector<8xf16>
  return %n : vector<8xf16>
}

// No element is expected to need the longer division by pi; of f16, no finite one does.
// CHECK-LABEL: func @sine
// CHECK:         %[[ANY:.*]] = vector.reduction <or>
// CHECK:         %[[RARELY:.*]] = llvm.intr.expect %[[ANY]], %{{.*}} : i1
// CHECK:         scf.if %[[RARELY]]
func.func @sine(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @sine_of_f16
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @sine_of_f16(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x {kgen.result_precision = 11 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @gelu_of_few_digits
// CHECK-NOT:     arith.divf
// CHECK:         return
func.func @gelu_of_few_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = kgen.gelu %x {kgen.result_precision = 11 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// One polynomial and a root; the even and the odd part of a power.
// CHECK-LABEL: func @arcsine_of_few_digits
// CHECK-NOT:     arith.divf
// CHECK-COUNT-1: math.sqrt
// CHECK-NOT:     arith.divf
// CHECK:         return
func.func @arcsine_of_few_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.asin %x {kgen.result_precision = 8 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @hyperbolic_sine_of_few_digits
// CHECK-NOT:     arith.divf
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         return
func.func @hyperbolic_sine_of_few_digits(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sinh %x {kgen.result_precision = 11 : i32} : vector<8xf32>
  return %y : vector<8xf32>
}

// NaNs of what is made of bf16 and numbers have no more digits than those.
// CHECK-LABEL: func @canonical_nans
// CHECK:         arith.truncf %{{.*}} {kgen.canonical_nans} : vector<8xf32> to vector<8xbf16>
func.func @canonical_nans(%x: vector<8xbf16>, %n: vector<8xi32>) -> vector<8xbf16> {
  %half = arith.constant dense<0.5> : vector<8xf32>
  %w = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %f = arith.sitofp %n : vector<8xi32> to vector<8xf32>
  %y = math.atan %w : vector<8xf32>
  %p = arith.mulf %y, %half : vector<8xf32>
  %s = arith.addf %p, %f : vector<8xf32>
  %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
  return %r : vector<8xbf16>
}

// CHECK-LABEL: func @other_nans
// CHECK-NOT:     kgen.canonical_nans
// CHECK:         return
func.func @other_nans(%x: vector<8xbf16>, %y: vector<8xf32>) -> (vector<8xbf16>, vector<8xbf16>) {
  %nan = arith.constant dense<0x7FFFFFFF> : vector<8xf32>
  %w = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %s = arith.addf %w, %y : vector<8xf32>
  %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
  %t = arith.addf %w, %nan : vector<8xf32>
  %q = arith.truncf %t : vector<8xf32> to vector<8xbf16>
  return %r, %q : vector<8xbf16>, vector<8xbf16>
}

// A remainder by a quotient, or by loops where that has too many digits.
// CHECK-LABEL: func @remainder_by_quotient
// CHECK:         arith.divf
// CHECK:         math.trunc
// CHECK:         math.fma
// CHECK:         scf.if
// CHECK:           scf.while
func.func @remainder_by_quotient(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %r = arith.remf %x, %y : vector<8xf32>
  return %r : vector<8xf32>
}

// A square root is exact, and ties go to even.
// CHECK-LABEL: func @root
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @root(%x: vector<8xf32>) -> vector<8xbf16> {
  %y = math.sqrt %x {kgen.result_precision = 8 : i32} : vector<8xf32>
  %n = arith.truncf %y : vector<8xf32> to vector<8xbf16>
  return %n : vector<8xbf16>
}

// Twice the digits: no lookups.
// CHECK-LABEL: func @erf_f64
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         return
func.func @erf_f64(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.erf %x : vector<4xf64>
  return %y : vector<4xf64>
}
}

// -----

#avx512 = "x86-64-v4"
module attributes {kgen.target = #avx512} {
// CHECK-LABEL: func @power
// CHECK:         kgen.dynamic_permute {{.*}} : vector<16xf32>, vector<16xi32>
// CHECK-NOT:     kgen.dynamic_permute
func.func @power(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.exp_or_zero <-8.0e+01> %x : vector<16xf32>
  return %y : vector<16xf32>
}

// What few numbers need is computed in a branch.
// CHECK-LABEL: func @log_of_normal
// CHECK-COUNT-2: kgen.dynamic_permute
// CHECK:         vector.reduction <or>
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK-COUNT-2:     kgen.dynamic_permute
// CHECK-NOT:     kgen.dynamic_permute
func.func @log_of_normal(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.log %x : vector<16xf32>
  return %y : vector<16xf32>
}
}

// -----

// Integers of 64 bits are divided as f64, twice; a scalar has an instruction.
module attributes {kgen.target = "x86-64-v4"} {
  // CHECK-LABEL: func @long_division
  // CHECK-COUNT-2: arith.divf {{.*}} : vector<8xf64>
  // CHECK-NOT:     arith.div
  // CHECK:         return
  func.func @long_division(%x: vector<8xi64>, %y: vector<8xi64>) -> vector<8xi64> {
    %q = arith.divsi %x, %y : vector<8xi64>
    return %q : vector<8xi64>
  }

  // CHECK-LABEL: func @long_division_of_one
  // CHECK:         arith.divsi
  func.func @long_division_of_one(%x: i64, %y: i64) -> i64 {
    %q = arith.divsi %x, %y : i64
    return %q : i64
  }
}

// -----

// Of a graph that is given nothing but bf16, no NaN has more.
// CHECK-LABEL: func @narrow_nans_in_memory
// CHECK:         arith.truncf %{{.*}} {kgen.canonical_nans} : vector<8xf32> to vector<8xbf16>
module attributes {kgen.canonical_nans} {
  func.func @narrow_nans_in_memory(%m: memref<8xf32>) -> vector<8xbf16> {
    %zero = arith.constant 0 : index
    %x = vector.load %m[%zero] : memref<8xf32>, vector<8xf32>
    %r = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    return %r : vector<8xbf16>
  }
}

// -----

// Instructions split numbers into exponents and mantissas: of zeros, infinities and negative numbers, too.
// CHECK-LABEL: func @logarithm_of_few_digits_by_instructions
// CHECK-NOT:     scf.if
// CHECK-DAG:     kgen.mantissa {{.*}} : vector<16xf32>
// CHECK-DAG:     kgen.exponent {{.*}} : vector<16xf32>
// CHECK-NOT:     scf.if
// CHECK:         return
#splits = "x86-64-v4"
module attributes {kgen.target = #splits} {
  func.func @logarithm_of_few_digits_by_instructions(%x: vector<16xf32>) -> vector<16xf32> {
    %y = math.log %x {kgen.result_precision = 8 : i32} : vector<16xf32>
    return %y : vector<16xf32>
  }
}

// -----

// Sine of f64: one polynomial, and a branch for what is large.
// CHECK-LABEL: func @sine_by_parts_of_pi
// CHECK-NOT:     arith.divf
// CHECK-COUNT-1: scf.if
// CHECK:         return
#fused = "x86-64-v3"
module attributes {kgen.target = #fused} {
  func.func @sine_by_parts_of_pi(%x: vector<4xf64>) -> vector<4xf64> {
    %y = math.sin %x : vector<4xf64>
    return %y : vector<4xf64>
  }
}

// -----

// Where registers hold sixteen numbers, functions of few digits have sixteen pieces, of one degree less.
#sixteen = "x86-64-v4"
module attributes {kgen.target = #sixteen} {
  // CHECK-LABEL: func @tanh_by_sixteen_pieces
  // CHECK-COUNT-3: kgen.dynamic_permute {{.*}} : vector<16xf32>, vector<16xi32>
  // CHECK-NOT:     kgen.dynamic_permute
  // CHECK:         return
  func.func @tanh_by_sixteen_pieces(%x: vector<16xf32>) -> vector<16xf32> {
    %y = math.tanh %x {kgen.result_precision = 8 : i32} : vector<16xf32>
    return %y : vector<16xf32>
  }

  // Three squarings in place of five; one comparison for two registers.
  // CHECK-LABEL: func @gelu_by_sixteen_pieces
  // CHECK-COUNT-6: kgen.dynamic_permute
  // CHECK-COUNT-3: arith.mulf
  // CHECK-NOT:     arith.mulf
  // CHECK:         arith.maxui {{.*}} : vector<16xi32>
  // CHECK:         arith.cmpi ugt, {{.*}} : vector<16xi32>
  // CHECK:         scf.if
  func.func @gelu_by_sixteen_pieces(%x: vector<32xf32>) -> vector<32xf32> {
    %y = kgen.gelu %x {kgen.result_precision = 8 : i32} : vector<32xf32>
    return %y : vector<32xf32>
  }

  // In a sixteenth of an octave, exp is a line.
  // CHECK-LABEL: func @exp_by_sixteenths
  // CHECK-NOT:     arith.mulf
  // CHECK-COUNT-1: kgen.dynamic_permute
  // CHECK-NOT:     arith.mulf
  // CHECK-COUNT-2: math.fma
  // CHECK-NOT:     math.fma
  // CHECK:         return
  func.func @exp_by_sixteenths(%x: vector<16xf32>) -> vector<16xf32> {
    %y = kgen.exp_or_zero<-8.0e+01> %x {kgen.result_precision = 8 : i32} : vector<16xf32>
    return %y : vector<16xf32>
  }

  // Shorter vectors are parts of a register.
  // CHECK-LABEL: func @exp_of_few
  // CHECK:         kgen.dynamic_permute {{.*}} : vector<16xf32>, vector<16xi32>
  func.func @exp_of_few(%x: vector<4xf32>) -> vector<4xf32> {
    %y = kgen.exp_or_zero<-8.0e+01> %x {kgen.result_precision = 8 : i32} : vector<4xf32>
    return %y : vector<4xf32>
  }
}

// -----

// Products that need not be rounded are fused with sums, if nothing else needs them.
#fused = "x86-64-v3"
module attributes {kgen.target = #fused} {
  // CHECK-LABEL: func @products
  // CHECK-SAME:    (%[[A:.*]]: vector<8xf32>, %[[B:.*]]: vector<8xf32>, %[[C:.*]]: vector<8xf32>)
  // CHECK-NEXT:    %[[SUM:.*]] = math.fma %[[A]], %[[B]], %[[C]]
  // CHECK-NEXT:    %[[LESS:.*]] = arith.negf %[[A]]
  // CHECK-NEXT:    %[[DIFFERENCE:.*]] = math.fma %[[LESS]], %[[SUM]], %[[C]]
  // CHECK-NEXT:    %[[ROUNDED:.*]] = arith.mulf %[[DIFFERENCE]], %[[B]]
  // CHECK-NEXT:    %[[LAST:.*]] = arith.addf %[[ROUNDED]], %[[C]]
  // CHECK-NEXT:    return %[[LAST]]
  func.func @products(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
    %0 = arith.mulf %a, %b fastmath<contract> : vector<8xf32>
    %1 = arith.addf %c, %0 fastmath<contract> : vector<8xf32>
    %2 = arith.mulf %a, %1 fastmath<contract> : vector<8xf32>
    %3 = arith.subf %c, %2 fastmath<contract> : vector<8xf32>
    %4 = arith.mulf %3, %b : vector<8xf32>
    %5 = arith.addf %4, %c fastmath<contract> : vector<8xf32>
    return %5 : vector<8xf32>
  }
}

// -----

// Every function of the dialect that a target has no instruction for.
// CHECK-LABEL: func @others
// CHECK-NOT:     math.{{exp2|log2|log10|cbrt|rsqrt|erfc|atan2|fpowi|clampf|sincos|is}}
// CHECK:         return
func.func @others(%x: vector<16xf32>, %y: vector<16xf32>, %n: vector<16xi64>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  %1 = math.log2 %0 : vector<16xf32>
  %2 = math.log10 %1 : vector<16xf32>
  %3 = math.cbrt %2 : vector<16xf32>
  %4 = math.rsqrt %3 : vector<16xf32>
  %5 = math.erfc %4 : vector<16xf32>
  %6 = math.atan2 %5, %y : vector<16xf32>
  %7 = math.fpowi %6, %n : vector<16xf32>, vector<16xi64>
  %8 = math.clampf %7 to [%x, %y] : vector<16xf32>
  %9, %10 = math.sincos %8 : vector<16xf32>
  %11 = math.isnormal %9 : vector<16xf32>
  %12 = arith.select %11, %10, %x : vector<16xi1>, vector<16xf32>
  %13 = math.round %12 : vector<16xf32>
  return %13 : vector<16xf32>
}

// A loop that ends with the longest exponent.
// CHECK-LABEL: func @power_of_integers
// CHECK-NOT:     math.
// CHECK:         scf.while
// CHECK:           vector.reduction <or>
// CHECK:           scf.condition
// CHECK-NOT:     math.
func.func @power_of_integers(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
  %0 = math.ipowi %x, %y : vector<8xi32>
  return %0 : vector<8xi32>
}

// What no target computes in its type is computed in f32 and rounded: functions of f16, and all in bf16.
// CHECK-LABEL: func @narrow
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT:     math.
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK:         arith.addf %{{.*}} : vector<8xf16>
// CHECK:         arith.mulf %{{.*}} : vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:         arith.cmpf olt, %{{.*}} : vector<8xf32>
func.func @narrow(%x: vector<8xf16>, %y: vector<8xbf16>) -> (vector<8xf16>, vector<8xbf16>, vector<8xi1>) {
  %0 = math.exp %x : vector<8xf16>
  %1 = arith.addf %0, %x : vector<8xf16>
  %2 = arith.mulf %y, %y : vector<8xbf16>
  %3 = arith.cmpf olt, %y, %2 : vector<8xbf16>
  return %1, %2, %3 : vector<8xf16>, vector<8xbf16>, vector<8xi1>
}
