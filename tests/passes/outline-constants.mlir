// RUN: kgen-opt "%s" --kgen-outline-constants="prefix=w_ min-bytes=16" --split-input-file | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-outline-constants="prefix=w_ min-bytes=16" --kgen-outline-constants="prefix=w_ min-bytes=16" --split-input-file | FileCheck "%s"

// Equal constants become one symbol without a value; the value is kept for the driver. Doing it twice changes nothing.
// CHECK-LABEL: module attributes {kgen.weights = {
// CHECK-SAME:    w_[[H:[0-9a-f]*]] = dense<[1.0{{.*}}, 2.0{{.*}}, 3.0{{.*}}, 4.0{{.*}}]> : tensor<4xf32>}}
// CHECK-NEXT:    memref.global "public" constant @w_[[H]] : memref<4xf32> {alignment = 64 : i64}
// CHECK-NOT:     memref.global
// CHECK:         memref.get_global @w_[[H]]
// CHECK:         memref.get_global @w_[[H]]
module {
  memref.global "private" constant @a : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> {alignment = 64 : i64}
  memref.global "private" constant @b : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> {alignment = 64 : i64}
  func.func @f() -> (memref<4xf32>, memref<4xf32>) {
    %0 = memref.get_global @a : memref<4xf32>
    %1 = memref.get_global @b : memref<4xf32>
    return %0, %1 : memref<4xf32>, memref<4xf32>
  }
}

// -----

// Equal bytes of another type are another constant; so are other bytes.
// CHECK-LABEL: module attributes
// CHECK-COUNT-3: memref.global "public" constant @w_{{.*}} : memref<
module {
  memref.global "private" constant @a : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" constant @b : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
  memref.global "private" constant @c : memref<4xf32> = dense<[1.0, 2.0, 3.0, 5.0]>
}

// -----

// Bytes decide, not how they are written: a resource is the same as a dense constant.
// CHECK-LABEL: module attributes
// CHECK-COUNT-1: memref.global "public" constant @w_
// CHECK-NOT:     memref.global
module {
  memref.global "private" constant @a : memref<4xi32> = dense<[1, 2, 3, 4]>
  memref.global "private" constant @r : memref<4xi32> = dense_resource<r>
}
{-#
  dialect_resources: { builtin: { r: "0x0400000001000000020000000300000004000000" } }
#-}

// -----

// What stays: small constants, splats, variables, and what has no value.
// CHECK-LABEL: module attributes {kgen.weights = {}}
// CHECK:         memref.global "private" constant @small : memref<3xf32> = dense
// CHECK:         memref.global "private" constant @splat : memref<64xf32> = dense
// CHECK:         memref.global "private" @variable : memref<4xf32> = dense
// CHECK:         memref.global "private" @external : memref<4xf32>
// CHECK:         memref.get_global @small
module {
  memref.global "private" constant @small : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
  memref.global "private" constant @splat : memref<64xf32> = dense<1.0>
  memref.global "private" @variable : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" @external : memref<4xf32>
  func.func @f() -> memref<3xf32> {
    %0 = memref.get_global @small : memref<3xf32>
    return %0 : memref<3xf32>
  }
}
