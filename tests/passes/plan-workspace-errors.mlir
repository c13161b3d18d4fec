// RUN: kgen-opt "%s" --kgen-plan-workspace --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown_size(%n: index) {
  // expected-error@+1 {{a buffer of unknown size cannot be placed in the workspace}}
  %0 = memref.alloc(%n) : memref<?xf32>
  "test.use"(%0) : (memref<?xf32>) -> ()
  return
}

// -----

func.func @strided() {
  // expected-error@+1 {{a buffer of unknown size cannot be placed in the workspace}}
  %0 = memref.alloc() : memref<4x4xf32, strided<[8, 1]>>
  "test.use"(%0) : (memref<4x4xf32, strided<[8, 1]>>) -> ()
  return
}

// -----

// The size of an index is the target's business, and not known here.
func.func @index() {
  // expected-error@+1 {{a buffer of unknown size cannot be placed in the workspace}}
  %0 = memref.alloc() : memref<4xindex>
  "test.use"(%0) : (memref<4xindex>) -> ()
  return
}

// -----

func.func @aligned_beyond_the_workspace() {
  // expected-error@+1 {{a buffer aligned to more than its workspace or in another memory cannot be placed in the workspace}}
  %0 = memref.alloc() {alignment = 128} : memref<4xf32>
  "test.use"(%0) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @other_memory() {
  // expected-error@+1 {{a buffer aligned to more than its workspace or in another memory cannot be placed in the workspace}}
  %0 = memref.alloc() : memref<4xf32, 1>
  "test.use"(%0) : (memref<4xf32, 1>) -> ()
  return
}

// -----

// Each iteration would write its buffer over the one that the iteration before it handed on.
func.func @carried(%n: index, %x: memref<4xf32>) {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  %r = scf.for %i = %from to %n step %by iter_args(%before = %x) -> memref<4xf32> {
    // expected-error@+1 {{a buffer that is carried from one iteration of its loop to the next cannot be placed in the workspace}}
    %now = memref.alloc() : memref<4xf32>
    "test.use"(%before, %now) : (memref<4xf32>, memref<4xf32>) -> ()
    scf.yield %now : memref<4xf32>
  }
  "test.use"(%r) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{lifetimes are known only in a function of one block}}
func.func @branches(%condition: i1) {
  %0 = memref.alloc() : memref<4xf32>
  cf.cond_br %condition, ^bb1, ^bb2
^bb1:
  "test.use"(%0) : (memref<4xf32>) -> ()
  cf.br ^bb2
^bb2:
  return
}

// -----

func.func @unknown_tasks(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{a buffer of each of an unknown number of tasks cannot be placed in the workspace}}
    %own = memref.alloc() : memref<16xf32>
    "test.use"(%own) : (memref<16xf32>) -> ()
  }
  return
}
