// RUN: kgen-opt "%s" --kgen-lower-runtime-calls --reconcile-unrealized-casts --canonicalize --split-input-file | FileCheck "%s"

!buffer = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>

// The graph's function returns what a call that failed has returned, and 0 in the end.
// CHECK:       llvm.func @g(!llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK:       llvm.func @f(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK-LABEL: llvm.func @graph(
// CHECK-SAME:    %[[X:.*]]: !llvm.struct<{{.*}}>, %[[Y:.*]]: !llvm.struct<{{.*}}>, %[[W:.*]]: !llvm.struct<{{.*}}>) -> i32
// CHECK-DAG:     %[[SIZE:.*]] = llvm.mlir.constant(64 : i64) : i64
// CHECK-DAG:     %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-DAG:     %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK:         %[[A:.*]] = llvm.extractvalue %[[X]][1]
// CHECK:         %[[B:.*]] = llvm.extractvalue %[[Y]][1]
// CHECK:         %[[C:.*]] = llvm.extractvalue %[[W]][1]
// CHECK:         %[[S:.*]] = llvm.call @f(%[[A]], %[[B]], %[[C]], %[[SIZE]])
// CHECK:         %[[BAD:.*]] = llvm.icmp "ne" %[[S]], %[[ZERO]] : i32
// CHECK:         llvm.cond_br %[[BAD]], ^[[END:.*]](%[[S]] : i32), ^[[NEXT:.*]]
// CHECK:       ^[[NEXT]]:
// CHECK:         %[[T:.*]] = llvm.call @g(%{{.*}}, %[[NONE]], %{{.*}})
// CHECK:         %[[WORSE:.*]] = llvm.icmp "ne" %[[T]], %[[ZERO]] : i32
// CHECK:         llvm.cond_br %[[WORSE]], ^[[END]](%[[T]] : i32), ^[[REST:.*]]
// CHECK:       ^[[REST]]:
// CHECK-NEXT:    llvm.return %[[ZERO]] : i32
// CHECK:       ^[[END]](%[[STATUS:.*]]: i32):
// CHECK:         llvm.return %[[STATUS]] : i32
llvm.func @graph(%dx: !buffer, %dy: !buffer, %dw: !buffer) {
  %x = builtin.unrealized_conversion_cast %dx : !buffer to memref<8xf32>
  %y = builtin.unrealized_conversion_cast %dy : !buffer to memref<8xf32>
  %w = builtin.unrealized_conversion_cast %dw : !buffer to memref<64xi8>
  kgen.extern "f" ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) workspace(%w : memref<64xi8>) {workspace_bytes = 64 : i64}
  kgen.extern "g" outs(%y : memref<8xf32>)
  llvm.return
}

// -----

// Tensors without elements are NULL, where they stand among the others. One declaration serves all calls.
// CHECK:       llvm.func @h(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK-NOT:   llvm.func @h
// CHECK-LABEL: llvm.func @empty(
// CHECK:         %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[Y:.*]] = llvm.extractvalue
// CHECK:         llvm.call @h(%[[NULL]], %[[Y]], %[[NULL]], %[[NULL]], %{{.*}})
// CHECK:         llvm.call @h(%{{.*}}, %{{.*}}, %[[NULL]], %[[NULL]], %{{.*}})
llvm.func @empty(%dy: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>) {
  %y = builtin.unrealized_conversion_cast %dy : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<8xf32>
  kgen.extern "h" outs(%y : memref<8xf32>) {empty_arguments = array<i64: 0, 2>}
  kgen.extern "h" ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) {empty_arguments = array<i64: 2>}
  llvm.return
}

// -----

// Functions without such calls return nothing, as before.
// CHECK-LABEL: llvm.func @kept(%{{.*}}: !llvm.ptr) {
// CHECK-NEXT:    llvm.return
llvm.func @kept(%x: !llvm.ptr) {
  llvm.return
}
