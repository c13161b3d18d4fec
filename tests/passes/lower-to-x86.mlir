// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-lower-to-x86 | FileCheck "%s"

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

// -----

// An instruction orders zeros, and takes the other operand for NaN. Where LLVM knows that one is neither, it needs no help; nor
// does it for what is no whole register.
// CHECK-LABEL: func @extrema
// CHECK-SAME:    %[[X:[a-z0-9]+]]: vector<16xf32>, %[[Y:[a-z0-9]+]]: vector<16xf32>
// CHECK-DAG:     %[[LARGER:.*]] = arith.constant 5 : i32
// CHECK-DAG:     %[[ALL:.*]] = arith.constant -1 : i16
// CHECK:         %[[M:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[X]], %[[Y]], %[[LARGER]], %[[X]], %[[ALL]], %{{.*}})
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[Y]]
// CHECK:         %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK:         arith.select %[[NAN]], %[[SUM]], %[[M]]
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.128"
// CHECK-NOT:     call_intrinsic
// CHECK:         arith.maximumf {{.*}} : vector<16xf32>
// CHECK:         arith.maximumf {{.*}} : vector<5xf32>
// CHECK:         arith.maximumf {{.*}} : f32
module attributes {kgen.target = "x86-64-v4"} {
  func.func @extrema(%x: vector<16xf32>, %y: vector<16xf32>, %a: vector<2xf64>, %b: vector<2xf64>, %s: vector<5xf32>, %c: f32)
      -> (vector<16xf32>, vector<2xf64>, vector<16xf32>, vector<5xf32>, f32) {
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %m = arith.maximumf %x, %y : vector<16xf32>
    %n = arith.minimumf %a, %b : vector<2xf64>
    %r = arith.maximumf %x, %zero : vector<16xf32>
    %t = arith.maximumf %s, %s : vector<5xf32>
    %u = arith.maximumf %c, %c : f32
    return %m, %n, %r, %t, %u : vector<16xf32>, vector<2xf64>, vector<16xf32>, vector<5xf32>, f32
  }
}

// -----

// Shapes of tile registers: palette 1, widths from byte 16 on, rows from byte 48 on; equal ones are one constant.
// CHECK-COUNT-1: llvm.mlir.global internal constant @uk_tiles_{{[0-9]+}}(dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 3, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<64xi8>) {{.*}}alignment = 64
// CHECK-NOT:     llvm.mlir.global
// CHECK-LABEL: func.func @tiles
// CHECK:         %[[SHAPES:.*]] = llvm.mlir.addressof @uk_tiles_
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[SHAPES]])
// CHECK:         llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilerelease"()
func.func @tiles() {
  ukernel.configure_tiles rows [3, 0, 0, 0, 0, 0, 16, 3] bytes [64, 0, 0, 0, 0, 0, 20, 64]
  ukernel.configure_tiles rows [3, 0, 0, 0, 0, 0, 16, 3] bytes [64, 0, 0, 0, 0, 0, 20, 64]
  ukernel.release_tiles
  return
}

// -----

// Products of pairs of 16 bits are added by an instruction of its own.
// CHECK-LABEL: func.func @products
// CHECK-SAME:    %[[P:[a-z0-9]+]]: vector<32xbf16>, %[[S:[a-z0-9]+]]: vector<16xf32>, %[[U:[a-z0-9]+]]: vector<32xi8>, %[[T:[a-z0-9]+]]: vector<8xi32>, %[[W:[a-z0-9]+]]: vector<8xi16>, %[[V:[a-z0-9]+]]: vector<4xi32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%[[S]], %[[P]], %[[P]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%[[T]], %[[U]], %[[U]])
// CHECK:         %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"(%[[W]], %[[W]])
// CHECK:         arith.addi %[[V]], %[[PAIRS]] : vector<4xi32>
func.func @products(%p: vector<32xbf16>, %s: vector<16xf32>, %u: vector<32xi8>, %t: vector<8xi32>, %w: vector<8xi16>, %v: vector<4xi32>)
    -> (vector<16xf32>, vector<8xi32>, vector<4xi32>) {
  %0 = kgen.dot %p, %p, %s : vector<32xbf16>, vector<16xf32>
  %1 = kgen.dot %u, %u, %t : vector<32xi8>, vector<8xi32>
  %2 = kgen.dot %w, %w, %v : vector<8xi16>, vector<4xi32>
  return %0, %1, %2 : vector<16xf32>, vector<8xi32>, vector<4xi32>
}

// -----

// Packs of each width; bytes of words are signed or unsigned.
// CHECK-LABEL: func.func @packs
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"({{.*}}) : (vector<16xi32>, vector<16xi32>) -> vector<32xi16>
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<64xi8>
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx2.packsswb"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<32xi8>
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.sse2.packssdw.128"({{.*}}) : (vector<4xi32>, vector<4xi32>) -> vector<8xi16>
func.func @packs(%a: vector<16xi32>, %b: vector<16xi16>, %c: vector<4xi32>) -> (vector<64xi8>, vector<32xi8>, vector<8xi16>) {
  %0 = kgen.pack %a, %a : vector<16xi32>
  %1 = kgen.pack %0, %0 {is_unsigned} : vector<32xi16>
  %2 = kgen.pack %b, %b : vector<16xi16>
  %3 = kgen.pack %c, %c : vector<4xi32>
  return %1, %2, %3 : vector<64xi8>, vector<32xi8>, vector<8xi16>
}

// -----

// A vector of 24 takes two registers; half of the second one is poison.
// CHECK-LABEL: func.func @fields
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.getmant.pd.512"
// CHECK:         %[[BOUND:.*]] = arith.constant dense<-5.500000e+00> : vector<16xf32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%{{.*}}, %[[BOUND]]
// CHECK:         return
func.func @fields(%x: vector<24xf32>, %y: f64, %z: vector<16xf32>) -> (vector<24xf32>, f64, vector<16xf32>) {
  %e = kgen.exponent %x : vector<24xf32>
  %m = kgen.mantissa %y : f64
  %r = kgen.negative_magnitude_min<-5.5> %z : vector<16xf32>
  return %e, %m, %r : vector<24xf32>, f64, vector<16xf32>
}

// -----

// CHECK-LABEL: func.func @fence
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
// CHECK-NEXT:    memref.load
// CHECK-LABEL: func.func @half_lanes
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"(%arg0, %arg1)
func.func @fence(%m: memref<f32>, %x: f32) -> f32 {
  memref.store %x, %m[] : memref<f32>
  kgen.store_fence
  %y = memref.load %m[] : memref<f32>
  return %y : f32
}

func.func @half_lanes(%v: vector<32xi16>, %p: vector<32xi16>) -> vector<32xi16> {
  %r = kgen.dynamic_permute %v, %p : vector<32xi16>, vector<32xi16>
  return %r : vector<32xi16>
}
