// RUN: kgen-opt "%s" --convert-to-llvm --kgen-lower-runtime-calls --reconcile-unrealized-casts --split-input-file | FileCheck "%s"

// CHECK-LABEL: llvm.func internal @task(
// CHECK-LABEL: llvm.func internal @task_thunk(
// CHECK-SAME:    %[[ARGUMENT:.*]]: !llvm.ptr, %[[INDEX:.*]]: i32)
// CHECK-NEXT:    %[[PLACE0:.*]] = llvm.getelementptr inbounds %[[ARGUMENT]][0, 0] {{.*}} !llvm.struct<(ptr, f32)>
// CHECK-NEXT:    %[[BUFFER:.*]] = llvm.load %[[PLACE0]]
// CHECK-NEXT:    %[[PLACE1:.*]] = llvm.getelementptr inbounds %[[ARGUMENT]][0, 1] {{.*}} !llvm.struct<(ptr, f32)>
// CHECK-NEXT:    %[[SCALAR:.*]] = llvm.load %[[PLACE1]]
// CHECK-NEXT:    %[[TASK:.*]] = llvm.zext %[[INDEX]] : i32 to i64
// CHECK-NEXT:    llvm.call @task(%[[BUFFER]], %[[SCALAR]], %[[TASK]])

// CHECK-LABEL: llvm.func internal @graph_launch(
// CHECK-SAME:    %[[EXECUTOR:.*]]: !llvm.ptr, %[[TASKS:.*]]: i32, %[[THUNK:.*]]: !llvm.ptr, %[[ARGUMENT:.*]]: !llvm.ptr)
// CHECK:         %[[NONE:.*]] = llvm.icmp "eq" %[[EXECUTOR]],
// CHECK:         llvm.cond_br %[[NONE]], ^[[LOOP:.*]](%{{.*}} : i32), ^[[LOOK:.*]]
// CHECK:       ^[[LOOK]]:
// CHECK:         %[[CALLEE:.*]] = llvm.load
// CHECK:         %[[NULL:.*]] = llvm.icmp "eq" %[[CALLEE]],
// CHECK:         llvm.cond_br %[[NULL]], ^[[LOOP]](%{{.*}} : i32), ^[[GIVE:.*]]
// CHECK:       ^[[GIVE]]:
// CHECK:         %[[USER:.*]] = llvm.load
// CHECK:         llvm.call %[[CALLEE]](%[[USER]], %[[TASKS]], %[[THUNK]], %[[ARGUMENT]])
// CHECK:       ^[[LOOP]](%[[INDEX:.*]]: i32):
// CHECK:         llvm.call %[[THUNK]](%[[ARGUMENT]], %[[INDEX]])

// The struct is allocated in the entry block, although the launch is in a loop.
// CHECK-LABEL: llvm.func @graph(
// CHECK:         %[[PACK:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, f32)>
// CHECK:         llvm.br
// CHECK:         llvm.store
// CHECK:         llvm.store
// CHECK:         %[[THUNK:.*]] = llvm.mlir.addressof @task_thunk
// CHECK:         llvm.call @graph_launch(%{{.*}}, %{{.*}}, %[[THUNK]], %[[PACK]])
// CHECK-NOT:   kgen.launch
llvm.func internal @task(%x: !llvm.ptr, %s: f32, %index: i64) {
  llvm.return
}
llvm.func @graph(%p: !llvm.ptr, %s: f32, %executor: !llvm.ptr, %again: i1) {
  llvm.br ^loop
^loop:
  kgen.launch @task[6] on %executor(%p, %s) : !llvm.ptr, f32
  llvm.cond_br %again, ^loop, ^done
^done:
  llvm.return
}

// -----

// A buffer is passed as its aligned pointer; one function serves all launches.
// CHECK-LABEL: llvm.func @buffers
// CHECK:         llvm.extractvalue %{{.*}}[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK:         llvm.call @buffers_launch
// CHECK:         llvm.call @buffers_launch
// CHECK-NOT:   llvm.func internal @{{.*}}_launch
llvm.func internal @task(%x: !llvm.ptr, %index: i64) {
  llvm.return
}
llvm.func @buffers(%d: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, %executor: !llvm.ptr) {
  %x = builtin.unrealized_conversion_cast %d : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<8xf32>
  kgen.launch @task[6] on %executor(%x) : memref<8xf32>
  kgen.launch @task[2] on %executor(%x) : memref<8xf32>
  llvm.return
}

// -----

// 70 tasks have as many slots, bytes after the captures: the thunk takes the first that is free and gives it back.
// CHECK-LABEL: llvm.func internal @task_thunk(
// CHECK-SAME:    %[[ARGUMENT:.*]]: !llvm.ptr, %[[INDEX:.*]]: i32)
// CHECK:         %[[TAKEN:.*]] = llvm.getelementptr inbounds %[[ARGUMENT]][0, 1] {{.*}} !llvm.struct<(ptr, array<70 x i8>)>
// CHECK:         %[[SLOT:.*]] = llvm.call @slots_take_slot(%[[TAKEN]])
// CHECK:         llvm.call @task(%{{.*}}, %{{.*}}, %[[SLOT]])
// CHECK:         %[[FREE:.*]] = llvm.mlir.constant(0 : i8)
// CHECK:         %[[OWN:.*]] = llvm.getelementptr inbounds %[[TAKEN]][%[[SLOT]]]
// CHECK:         llvm.store %[[FREE]], %[[OWN]] atomic release
// CHECK-LABEL: llvm.func internal @slots_take_slot(
// CHECK-SAME:    %[[BYTES:.*]]: !llvm.ptr) -> i64
// CHECK:       ^[[LOOK:.*]](%[[I:.*]]: i64):
// CHECK:         %[[BYTE:.*]] = llvm.getelementptr inbounds %[[BYTES]][%[[I]]]
// CHECK:         llvm.atomicrmw xchg %[[BYTE]], %{{.*}} acquire
// CHECK:         llvm.return %[[I]]
// CHECK-LABEL: llvm.func @slots(
// CHECK:         "llvm.intr.memset"
// CHECK:         llvm.call @slots_launch
llvm.func internal @task(%x: !llvm.ptr, %index: i64, %slot: i64) {
  llvm.return
}
llvm.func @slots(%p: !llvm.ptr, %executor: !llvm.ptr) {
  kgen.launch @task[70] slots on %executor(%p) : !llvm.ptr
  llvm.return
}

// -----

// After eight registers for arguments, vectors of three f32 are passed as vectors of four; other
// vectors, and those before, as they are.
// CHECK-LABEL: llvm.func internal @part(
// CHECK-SAME:    %{{.*}}: vector<3xf32>, %{{.*}}: vector<24xf32>, %{{.*}}: f32, %{{.*}}: vector<3xi32>, %[[WIDE:.*]]: vector<4xf32>, %{{.*}}: i64) -> vector<3xf32>
// CHECK-NEXT:    %[[NARROW:.*]] = llvm.shufflevector %[[WIDE]], %[[WIDE]] [0, 1, 2] : vector<4xf32>
// CHECK-NEXT:    llvm.fadd %[[NARROW]], %[[NARROW]] : vector<3xf32>
// CHECK-LABEL: llvm.func internal @enough(
// CHECK-SAME:    %{{.*}}: vector<28xf32>, %{{.*}}: vector<3xf32>)
// CHECK-LABEL: llvm.func @caller(
// CHECK-SAME:    %[[X:.*]]: vector<3xf32>, %[[L:.*]]: vector<24xf32>, %[[S:.*]]: f32, %[[I:.*]]: vector<3xi32>, %[[N:.*]]: i64)
// CHECK-NEXT:    %[[PASSED:.*]] = llvm.shufflevector %[[X]], %[[X]] [0, 1, 2, -1] : vector<3xf32>
// CHECK-NEXT:    llvm.call @part(%[[X]], %[[L]], %[[S]], %[[I]], %[[PASSED]], %[[N]])
llvm.func internal @part(%a: vector<3xf32>, %l: vector<24xf32>, %s: f32, %i: vector<3xi32>, %x: vector<3xf32>, %n: i64) -> vector<3xf32> {
  %y = llvm.fadd %x, %x : vector<3xf32>
  llvm.return %y : vector<3xf32>
}
llvm.func internal @enough(%l: vector<28xf32>, %x: vector<3xf32>) {
  llvm.return
}
llvm.func @caller(%x: vector<3xf32>, %l: vector<24xf32>, %s: f32, %i: vector<3xi32>, %n: i64) -> vector<3xf32> {
  %y = llvm.call @part(%x, %l, %s, %i, %x, %n) : (vector<3xf32>, vector<24xf32>, f32, vector<3xi32>, vector<3xf32>, i64) -> vector<3xf32>
  %poison = llvm.mlir.poison : vector<28xf32>
  llvm.call @enough(%poison, %x) : (vector<28xf32>, vector<3xf32>) -> ()
  llvm.return %y : vector<3xf32>
}
