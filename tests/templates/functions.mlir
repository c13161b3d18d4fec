// Each function of expressions, each kind of parameter: constants say what they gave.
// RUN: kgen-opt "%s" --allow-unregistered-dialect --kgen-target=x86-64-v3 --kgen-instantiate-templates --mlir-print-local-scope | FileCheck "%s"
template.func {T : any_type, U : any_type_of<u8, f32>, S : any_shape, N : index_of<1 to 64 step 3>, B : bool, W : string_of<"a", "b">, R : real}
@all(%x : tensor<SxNxT>) -> tensor<NxU> {
  // CHECK: arith.constant 12 : index
  %0 = template.constant elements(S) * 2 : index
  // CHECK: arith.constant 3 : index
  %1 = template.constant S[1] : index
  // CHECK: arith.constant 2 : index
  %2 = template.constant dim(S, 0) : index
  // CHECK: arith.constant 16 : i32
  %3 = template.constant bitwidth(T) : i32
  // CHECK: arith.constant true
  %4 = template.constant is_float(T) && !is_integer(T) && is_unsigned(U) && rank(S) == 2 : i1
  // CHECK: arith.constant 2.500000e+00 : f32
  template.let C = compute(T)
  %5 = template.constant R + 2 : C
  // CHECK: arith.constant 4 : index
  %6 = template.constant min(N, 9) : index
  // CHECK: arith.constant 9 : index
  %7 = template.constant max(N, 9) : index
  // CHECK: arith.constant 1 : index
  %8 = template.constant floordiv(N, 3) : index
  // CHECK: arith.constant 2 : index
  %9 = template.constant ceildiv(N, 3) : index
  // CHECK: arith.constant 0.707106{{.*}} : f32
  %10 = template.constant sqrt(R) : f32
  // CHECK: "test.lists"() {a = [0, 1, 2], b = ["parallel", "parallel"], c = [2, 3], d = [0, 7, 7]}
  "test.lists"() {a = [$(range(0, 3))], b = [$(repeat("parallel", rank(S)))], c = [$(sizes(S))], d = [$(concat(range(0, 1), repeat(7, 2)))]} : () -> ()
  // CHECK: "test.maps"() {a = affine_map<(d0, d1) -> (d0, d1)>, b = affine_map<(d0, d1, d2) -> (d2, d0)>}
  "test.maps"() {a = $(identity(2)), b = $(projection(3, [2, 0]))} : () -> ()
  // CHECK: arith.constant 256 : index
  %11 = template.constant target("vector_bits") : index
  // CHECK: arith.constant 3 : index
  %12 = template.constant size(range(1, 4)) : index
  // CHECK: arith.constant false
  %13 = template.constant target("avx512f") || W == "a" && B : i1
  // CHECK: arith.constant -7 : i8
  %14 = template.constant -7 : i8
  // CHECK: tensor.empty() : tensor<4xi8>
  %15 = tensor.empty() : tensor<NxU>
  return %15 : tensor<NxU>
}
func.func @f(%x: tensor<2x3x4xbf16>) -> tensor<4xi8> {
  %0 = template.call @all<U = u8, B = true, W = "b", R = 0.5>(%x) : (tensor<2x3x4xbf16>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
