// Arithmetic on floats is rounded operation by operation; other operations stay as they are.
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(spirv.module(kgen-forbid-contraction))" | FileCheck "%s"

spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []> {
  // CHECK-LABEL: spirv.func @sum
  // CHECK:         spirv.FMul %{{.*}}, %{{.*}} {no_contraction} : f32
  // CHECK:         spirv.FAdd %{{.*}}, %{{.*}} {no_contraction} : f32
  // CHECK:         spirv.IAdd %{{[^{]*}} : i32
  spirv.func @sum(%x: f32, %y: f32, %i: i32) -> f32 "None" {
    %p = spirv.FMul %x, %y : f32
    %s = spirv.FAdd %p, %x : f32
    %n = spirv.IAdd %i, %i : i32
    spirv.ReturnValue %s : f32
  }
}
