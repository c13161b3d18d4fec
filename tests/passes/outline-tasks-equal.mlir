// RUN: kgen-opt "%s" --kgen-forall-to-parallel --kgen-outline-tasks --split-input-file | FileCheck "%s"

// Tasks that differ in a constant become one, which gets it as its last capture; a constant that all read stays.
// CHECK-LABEL: func.func private @layers_task0(
// CHECK-SAME:    %[[X:.*]]: memref<16xf32>, %[[W:.*]]: memref<16xf32> {llvm.noalias, llvm.readonly}, %[[TASK:.*]]: index)
// CHECK-NEXT:    %[[ALIGNED:.*]] = memref.assume_alignment %[[W]], 32
// CHECK:         %[[SHARED:.*]] = memref.get_global @shared
// CHECK:         memref.load %[[ALIGNED]][
// CHECK-NEXT:    memref.load %[[SHARED]][
// CHECK-NOT:   @layers_task1
// What reads one constant where others read two is another task.
// CHECK:       func.func private @layers_task2(%{{.*}}: memref<16xf32>, %{{.*}}: index)
// CHECK:       func.func @layers(%[[X:.*]]: memref<16xf32>, %[[EXECUTOR:.*]]: !llvm.ptr)
// CHECK:         %[[W0:.*]] = memref.get_global @w0
// CHECK-NEXT:    kgen.launch @layers_task0[16] on %[[EXECUTOR]](%[[X]], %[[W0]]) : memref<16xf32>, memref<16xf32>
// CHECK:         %[[W1:.*]] = memref.get_global @w1
// CHECK-NEXT:    kgen.launch @layers_task0[16] on %[[EXECUTOR]](%[[X]], %[[W1]]) : memref<16xf32>, memref<16xf32>
// CHECK:         kgen.launch @layers_task2[16] on %[[EXECUTOR]](%[[X]]) : memref<16xf32>
memref.global "public" constant @w0 : memref<16xf32> {alignment = 64 : i64}
memref.global "public" constant @w1 : memref<16xf32> {alignment = 32 : i64}
memref.global "public" constant @shared : memref<16xf32> {alignment = 64 : i64}
func.func @layers(%x: memref<16xf32>) {
  scf.forall (%i) in (16) {
    %w = memref.get_global @w0 : memref<16xf32>
    %s = memref.get_global @shared : memref<16xf32>
    %a = memref.load %w[%i] : memref<16xf32>
    %b = memref.load %s[%i] : memref<16xf32>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %x[%i] : memref<16xf32>
  }
  scf.forall (%i) in (16) {
    %w = memref.get_global @w1 : memref<16xf32>
    %s = memref.get_global @shared : memref<16xf32>
    %a = memref.load %w[%i] : memref<16xf32>
    %b = memref.load %s[%i] : memref<16xf32>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %x[%i] : memref<16xf32>
  }
  scf.forall (%i) in (16) {
    %w = memref.get_global @shared : memref<16xf32>
    %s = memref.get_global @shared : memref<16xf32>
    %a = memref.load %w[%i] : memref<16xf32>
    %b = memref.load %s[%i] : memref<16xf32>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %x[%i] : memref<16xf32>
  }
  return
}

// -----

// Functions that are called, and those that call merged ones; a task's slot comes after its captures.
// CHECK-LABEL: func.func private @calls_part0(
// CHECK-SAME:    %{{.*}}: index, %[[W:.*]]: memref<4xf32> {llvm.noalias, llvm.readonly}) -> f32
// CHECK-NOT:   @calls_part1
// CHECK:       func.func private @calls_task0(
// CHECK-SAME:    %[[X:.*]]: memref<4xf32>, %[[W:.*]]: memref<4xf32> {llvm.noalias, llvm.readonly}, %[[TASK:.*]]: index, %[[SLOT:.*]]: index)
// CHECK:         call @calls_part0(%{{.*}}, %{{.*}}) : (index, memref<4xf32>) -> f32
// CHECK-NOT:   @calls_task1
// CHECK-COUNT-2: kgen.launch @calls_task0[4] slots on %{{.*}}(%{{.*}}, %{{.*}}) : memref<4xf32>, memref<4xf32>
memref.global "public" constant @w0 : memref<4xf32> {alignment = 64 : i64}
memref.global "public" constant @w1 : memref<4xf32> {alignment = 64 : i64}
func.func private @calls_part0(%i: index) -> f32 {
  %w = memref.get_global @w0 : memref<4xf32>
  %a = memref.load %w[%i] : memref<4xf32>
  return %a : f32
}
func.func private @calls_part1(%i: index) -> f32 {
  %w = memref.get_global @w1 : memref<4xf32>
  %a = memref.load %w[%i] : memref<4xf32>
  return %a : f32
}
func.func @calls(%x: memref<4xf32>) {
  scf.forall (%i) in (4) {
    %slot = kgen.task_slot %i
    %a = func.call @calls_part0(%i) : (index) -> f32
    memref.store %a, %x[%slot] : memref<4xf32>
  }
  scf.forall (%i) in (4) {
    %slot = kgen.task_slot %i
    %a = func.call @calls_part1(%i) : (index) -> f32
    memref.store %a, %x[%slot] : memref<4xf32>
  }
  return
}
