// RUN: kgen check "%s" --print-graph | FileCheck "%s"
// CHECK: graph results
// CHECK-NEXT: input given: f32[5, 7]
// CHECK-NEXT: out0: f32[5, 7] = linalg.generic(given)
// CHECK: out1: f32[5, 7] = func.return(given)
// CHECK: out2: f32[5, 7] = func.return(out0)
// CHECK: out3: i32[3] = func.return()
// CHECK: filled: f32[5, 7] = func.return()
// CHECK: outputs out0, out1, out2, out3, filled
// CHECK: graph loop
// CHECK-COUNT-4: tensor.extract_slice(arg0)
// CHECK: graph mask
// CHECK: input arg1: bool[6]
// What is no operation of its own: constants, arguments and one value twice as results; calls; loops; masks; names.
func.func private @double(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = arith.addf %x, %x : tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func @results(%arg0: tensor<5x7xf32> {kgen.name = "given"}, %unused: tensor<3xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<3xi32>, tensor<5x7xf32> {kgen.name = "filled"}) {
  %twice = func.call @double(%arg0) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %c = arith.constant dense<[1, -2, 3]> : tensor<3xi32>
  %one = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %twice, %arg0, %twice, %c, %f : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<3xi32>, tensor<5x7xf32>
}

func.func @loop(%arg0: tensor<4x8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %start) -> tensor<8xf32> {
    %row = tensor.extract_slice %arg0[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %next = arith.addf %s, %row : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %sum : tensor<8xf32>
}

func.func @mask(%arg0: tensor<6xf32>, %arg1: tensor<6xi1>) -> (tensor<6xf32>, tensor<6xi1>) {
  %zero = arith.constant dense<0.0> : tensor<6xf32>
  %chosen = arith.select %arg1, %arg0, %zero : tensor<6xi1>, tensor<6xf32>
  %positive = arith.cmpf ogt, %chosen, %zero : tensor<6xf32>
  %both = arith.andi %positive, %arg1 : tensor<6xi1>
  return %chosen, %both : tensor<6xf32>, tensor<6xi1>
}
