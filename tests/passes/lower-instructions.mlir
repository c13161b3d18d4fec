// RUN: kgen-opt "%s" --kgen-lower-instructions --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @fence
// CHECK-NEXT:    llvm.fence seq_cst
func.func @fence() {
  kgen.store_fence
  return
}

// -----

// Elements of each position in the groups, both signed.
// CHECK-LABEL: func.func @words
// CHECK-SAME:    %[[A:.*]]: vector<8xi16>, %[[B:.*]]: vector<8xi16>, %[[SUM:.*]]: vector<4xi32>)
// CHECK:         %[[A0:.*]] = vector.shuffle %[[A]], %[[A]] [0, 2, 4, 6]
// CHECK:         %[[WIDE_A0:.*]] = arith.extsi %[[A0]] : vector<4xi16> to vector<4xi32>
// CHECK:         %[[B0:.*]] = vector.shuffle %[[B]], %[[B]] [0, 2, 4, 6]
// CHECK:         %[[WIDE_B0:.*]] = arith.extsi %[[B0]]
// CHECK:         %[[P0:.*]] = arith.muli %[[WIDE_A0]], %[[WIDE_B0]]
// CHECK:         %[[S0:.*]] = arith.addi %[[SUM]], %[[P0]]
// CHECK:         vector.shuffle %[[A]], %[[A]] [1, 3, 5, 7]
// CHECK:         %[[P1:.*]] = arith.muli
// CHECK:         %[[S1:.*]] = arith.addi %[[S0]], %[[P1]]
// CHECK:         return %[[S1]]
func.func @words(%a: vector<8xi16>, %b: vector<8xi16>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum : vector<8xi16>, vector<4xi32>
  return %r : vector<4xi32>
}

// -----

// The first factor of bytes is unsigned, the second one signed; four of each.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-1: arith.extui
// CHECK-NEXT:    vector.shuffle {{.*}} [0, 4, 8, 12]
// CHECK-NEXT:    arith.extsi
// CHECK-COUNT-3: arith.extui
// CHECK-NOT:     arith.extui
// CHECK:         return
func.func @bytes(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum : vector<16xi8>, vector<4xi32>
  return %r : vector<4xi32>
}

// -----

// Rows of A against columns of B: a sum for each pair, position by position.
// CHECK-LABEL: func.func @matrix
// CHECK-SAME:    %[[A:.*]]: vector<8xbf16>, %[[B:.*]]: vector<8xbf16>, %[[SUM:.*]]: vector<4xf32>)
// CHECK-NEXT:    %[[A0:.*]] = vector.shuffle %[[A]], %[[A]] [0, 0, 4, 4]
// CHECK-NEXT:    %[[X:.*]] = arith.extf %[[A0]]
// CHECK-NEXT:    %[[B0:.*]] = vector.shuffle %[[B]], %[[B]] [0, 4, 0, 4]
// CHECK-NEXT:    %[[Y:.*]] = arith.extf %[[B0]]
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:    arith.addf %[[SUM]], %[[P]]
// CHECK:         vector.shuffle %[[B]], %[[B]] [3, 7, 3, 7]
func.func @matrix(%a: vector<8xbf16>, %b: vector<8xbf16>, %sum: vector<4xf32>) -> vector<4xf32> {
  %r = kgen.matrix_dot %a, %b, %sum : vector<8xbf16>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// CHECK-LABEL: func.func @floats
// CHECK-COUNT-2: arith.extf {{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
// CHECK-COUNT-2: arith.extf {{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    return
func.func @floats(%a: vector<8xbf16>, %b: vector<8xbf16>, %sum: vector<4xf32>) -> vector<4xf32> {
  %r = kgen.dot %a, %b, %sum : vector<8xbf16>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// CHECK-LABEL: func.func @one_sign
// CHECK-COUNT-8: arith.extsi
// CHECK-COUNT-8: arith.extui
// CHECK:         return
func.func @one_sign(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum {both_signed} : vector<16xi8>, vector<4xi32>
  %s = kgen.dot %a, %b, %r {both_unsigned} : vector<16xi8>, vector<4xi32>
  return %s : vector<4xi32>
}
