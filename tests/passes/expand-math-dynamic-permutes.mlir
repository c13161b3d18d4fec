// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-expand-math | FileCheck "%s"

// AVX2 permutes one register: of two, each lane takes what it needs.
module {
  // CHECK-LABEL: func.func @one
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx2.permps"(%arg0, %arg1)
  func.func @one(%v: vector<8xf32>, %p: vector<8xi32>) -> vector<8xf32> {
    %r = kgen.dynamic_permute %v, %p : vector<8xf32>, vector<8xi32>
    return %r : vector<8xf32>
  }

  // CHECK-LABEL: func.func @two
  // CHECK-DAG:     %[[LOWER:.*]] = vector.extract_strided_slice %arg0 {offsets = [0]
  // CHECK-DAG:     %[[UPPER:.*]] = vector.extract_strided_slice %arg0 {offsets = [8]
  // CHECK-DAG:     %[[IS:.*]] = arith.cmpi sgt, %arg1, %{{.*}} : vector<8xi32>
  // CHECK-DAG:     %[[L:.*]] = llvm.call_intrinsic "llvm.x86.avx2.permps"(%[[LOWER]], %arg1)
  // CHECK-DAG:     %[[U:.*]] = llvm.call_intrinsic "llvm.x86.avx2.permps"(%[[UPPER]], %arg1)
  // CHECK:         arith.select %[[IS]], %[[U]], %[[L]]
  func.func @two(%v: vector<16xf32>, %p: vector<8xi32>) -> vector<8xf32> {
    %r = kgen.dynamic_permute %v, %p : vector<16xf32>, vector<8xi32>
    return %r : vector<8xf32>
  }
}

// -----

#avx512 = "x86-64-v4"
module attributes {kgen.target = #avx512} {
  // CHECK-LABEL: func.func @one
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%arg0, %arg1)
  func.func @one(%v: vector<16xf32>, %p: vector<16xi32>) -> vector<16xf32> {
    %r = kgen.dynamic_permute %v, %p : vector<16xf32>, vector<16xi32>
    return %r : vector<16xf32>
  }

  // CHECK-LABEL: func.func @two
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"(%{{.*}}, %arg1, %{{.*}})
  func.func @two(%v: vector<32xf32>, %p: vector<16xi32>) -> vector<16xf32> {
    %r = kgen.dynamic_permute %v, %p : vector<32xf32>, vector<16xi32>
    return %r : vector<16xf32>
  }
}
