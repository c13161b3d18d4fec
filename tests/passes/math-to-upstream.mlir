// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-math-to-upstream))" | FileCheck "%s"

// CHECK-LABEL: func.func @bounded
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[E:.*]] = math.exp %[[X]] : f32
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : f32
// CHECK:         %[[R:.*]] = arith.select %[[BELOW]], %{{.*}}, %[[E]] : f32
// CHECK:         math.exp2 %[[X]] : f32
// CHECK:         return %[[R]]
func.func @bounded(%x: f32) -> (f32, f32) {
  %a = kgen.exp_or_zero<-8.0e+01> %x : f32
  %b = kgen.exp2_or_zero<-1.2e+02> %x : f32
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[Y:.*]]: f32, %[[X:.*]]: f32
// CHECK:         arith.negf %[[X]]
// CHECK:         math.exp
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK:         arith.divf %[[Y]], %[[SUM]]
func.func @product(%y: f32, %x: f32) -> f32 {
  %z = kgen.sigmoid_product %y, %x : f32
  return %z : f32
}

// CHECK-LABEL: func.func @activations
// CHECK-NOT:     kgen.
// CHECK:         math.exp
// CHECK:         arith.divf
// CHECK:         math.absf
// CHECK:         math.log1p
// CHECK:         math.erfc
// CHECK:         math.exp
// CHECK-NOT:     kgen.
// CHECK:         return
func.func @activations(%x: f32) -> (f32, f32, f32, f32) {
  %a = kgen.sigmoid %x : f32
  %b = kgen.softplus %x : f32
  %c = kgen.gelu %x : f32
  %d = kgen.gelu_tanh %x : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}
