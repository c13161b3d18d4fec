// Each width of floats that a kernel computes with has its execution mode, and what that needs is declared.
// RUN: kgen-opt "%s" --split-input-file --pass-pipeline="builtin.module(spirv.module(kgen-keep-specials,spirv-update-vce))" | FileCheck "%s"

// CHECK: spirv.module Logical GLSL450 requires #spirv.vce<{{.*}}SignedZeroInfNanPreserve{{.*}}SPV_KHR_float_controls
// CHECK:   spirv.EntryPoint "GLCompute" @mixed
// CHECK-NEXT: spirv.ExecutionMode @mixed "SignedZeroInfNanPreserve", 32
// CHECK-NEXT: spirv.ExecutionMode @mixed "SignedZeroInfNanPreserve", 64
module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader, Float64, SignedZeroInfNanPreserve], [SPV_KHR_storage_buffer_storage_class, SPV_KHR_float_controls]>, #spirv.resource_limits<>>} {
spirv.module Logical GLSL450 {
  spirv.func @mixed() "None" {
    %x = spirv.Constant 1.0 : f32
    %y = spirv.FConvert %x : f32 to f64
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @mixed
  spirv.ExecutionMode @mixed "LocalSize", 1, 1, 1
}
}

// -----

// Integers ask for nothing.
// CHECK: spirv.module
// CHECK-NOT: SignedZeroInfNanPreserve
module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
spirv.module Logical GLSL450 {
  spirv.func @whole() "None" {
    %x = spirv.Constant 1 : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @whole
}
}
