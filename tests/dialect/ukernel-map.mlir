// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --cse | FileCheck "%s" --check-prefix=EFFECTS

// CHECK:      ukernel.map @uk_map_f32_4x8_1e attributes {in_cols = array<i64: 1, 0>, in_rows = array<i64: 8, 1>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.divf %[[X]], %[[Y]] : f32
// CHECK-NEXT:   ukernel.yield %[[S]] : f32
ukernel.map @uk_map_f32_4x8_1e attributes {in_cols = array<i64: 1, 0>, in_rows = array<i64: 8, 1>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.divf %x, %y : f32
  ukernel.yield %s : f32
}

// Inputs are only read: what was loaded from one before is still there; the output is written.
// EFFECTS-LABEL: func.func @effects
// EFFECTS:         memref.load %[[X:.*]][
// EFFECTS-NEXT:    %[[BEFORE:.*]] = memref.load %[[OUT:.*]][
// EFFECTS-NEXT:    ukernel.call
// EFFECTS-NEXT:    %[[AFTER:.*]] = memref.load %[[OUT]][
// EFFECTS-NEXT:    return
func.func @effects(%x: memref<4x8xf32>, %y: memref<4x8xf32, strided<[1, 0]>>, %i: index) -> (f32, f32, f32, f32) {
  %out = memref.alloca() : memref<4x8xf32>
  %a = memref.load %x[%i, %i] : memref<4x8xf32>
  %b = memref.load %out[%i, %i] : memref<4x8xf32>
  ukernel.call @uk_map_f32_4x8_1e(%x, %y, %out) : memref<4x8xf32>, memref<4x8xf32, strided<[1, 0]>>, memref<4x8xf32>
  %c = memref.load %out[%i, %i] : memref<4x8xf32>
  return %a, %b, %c, %a : f32, f32, f32, f32
}
