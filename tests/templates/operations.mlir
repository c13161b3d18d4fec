// Each operation of templates, and aliases of the file.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-instantiate-templates | FileCheck "%s"
// RUN: kgen-opt "%s" -o %t.printed
// RUN: kgen-opt %t.printed -o %t.again
// RUN: diff %t.printed %t.again
// RUN: kgen-opt %t.printed --kgen-target=x86-64-v4 --kgen-instantiate-templates | FileCheck "%s"
#swapped = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>
!pair = vector<2xf32>

// A loop that is unrolled, with the target's vectors; type_switch inside of it.
template.func {T : any_type_of<f32, i32>, N : index} @dot(%a : memref<NxT>, %b : memref<NxT>) -> T {
  template.let L = target("vector_bits") / bitwidth(T)
  template.assert N % L == 0, "whole vectors"
  %zero = template.constant 0 : T
  %start = vector.broadcast %zero : T to vector<LxT>
  %sum = template.const_for I = 0 to N step L iter_args(%s = %start) -> (vector<LxT>) {
    %at = template.constant I : index
    %x = vector.load %a[%at] : memref<NxT>, vector<LxT>
    %y = vector.load %b[%at] : memref<NxT>, vector<LxT>
    %n = template.type_switch T -> vector<LxT>
    case f32 {
      %f = vector.fma %x, %y, %s : vector<LxT>
      template.yield %f : vector<LxT>
    }
    case i32 {
      %p = arith.muli %x, %y : vector<LxT>
      %f = arith.addi %p, %s : vector<LxT>
      template.yield %f : vector<LxT>
    }
    template.yield %n : vector<LxT>
  }
  %r = vector.reduction <add>, %sum : vector<LxT> into T
  template.const_if target("avx512f") && !target("amx-tile") {
    %c0 = template.constant 0 : index
    memref.store %r, %a[%c0] : memref<NxT>
  }
  return %r : T
}

// A region whose terminator is chosen; a default; a parameter that is given.
template.func {S : any_shape, T : any_type_of<f32, f16, i8>, Twice : bool = true} @twice(%x : tensor<SxT>) -> tensor<SxT> {
  %e = tensor.empty() : tensor<SxT>
  template.const_if !Twice {
    return %x : tensor<SxT>
  } else template.const_if rank(S) == 2 {
    %0 = linalg.map ins(%x : tensor<SxT>) outs(%e : tensor<SxT>) (%v : T, %w : T) {
      template.const_if is_float(T) {
        %d = arith.addf %v, %v : T
        linalg.yield %d : T
      } else {
        %d = arith.addi %v, %v : T
        linalg.yield %d : T
      }
    }
    return %0 : tensor<SxT>
  } else {
    template.error "rank 2 only"
  }
}

// Results that the instance names, aliases, const_switch, template.result.
template.func {M : index, N : index} @transposed(%x : tensor<MxNxf32>) -> tensor<RxCxf32> {
  template.result R = N
  template.result C = M
  %e = tensor.empty() : tensor<NxMxf32>
  %0 = linalg.generic {indexing_maps = [#swapped, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<MxNxf32>) outs(%e : tensor<NxMxf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<NxMxf32>
  return %0 : tensor<NxMxf32>
}
template.func {Kind : string, Scale : real = 0.5} @scaled(%x : vector<2xf32>) -> vector<2xf32> {
  template.const_switch Kind
  case "half" {
    %h = template.constant Scale : vector<2xf32>
    %y = arith.mulf %x, %h : !pair
    return %y : !pair
  }
  default { return %x : !pair }
}

// CHECK-NOT: template
// CHECK-LABEL: func.func @f
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
// CHECK: memref.store
// CHECK: arith.muli {{.*}} : vector<16xi32>
// CHECK: vector.reduction <add>, {{.*}} : vector<16xi32> into i32
// CHECK: arith.addi {{.*}} : i8
// CHECK: linalg.generic
// CHECK-SAME: tensor<4x6xf32>) outs({{.*}} : tensor<6x4xf32>)
// CHECK: arith.mulf {{.*}} : vector<2xf32>
// CHECK: return {{.*}}, %arg3
func.func @f(%a: memref<32xf32>, %b: memref<32xi32>, %t: tensor<4x6xi8>, %u: tensor<f16>, %m: tensor<4x6xf32>, %p: vector<2xf32>)
    -> (f32, i32, tensor<4x6xi8>, tensor<f16>, tensor<6x4xf32>, vector<2xf32>, vector<2xf32>) {
  %0 = template.call @dot(%a, %a) : (memref<32xf32>, memref<32xf32>) -> f32
  %1 = template.call @dot(%b, %b) : (memref<32xi32>, memref<32xi32>) -> i32
  %2 = template.call @twice(%t) : (tensor<4x6xi8>) -> tensor<4x6xi8>
  %3 = template.call @twice<Twice = false>(%u) : (tensor<f16>) -> tensor<f16>
  %4 = template.call @transposed(%m) : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %5 = template.call @scaled<Kind = "half", Scale = 0.25>(%p) : (vector<2xf32>) -> vector<2xf32>
  %6 = template.call @scaled<Kind = "whole">(%p) : (vector<2xf32>) -> vector<2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : f32, i32, tensor<4x6xi8>, tensor<f16>, tensor<6x4xf32>, vector<2xf32>, vector<2xf32>
}
