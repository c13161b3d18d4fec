// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @integer(%x: i32) {
  // expected-error@+1 {{'kgen.gelu' op operand #0 must be floating-point-like, but got 'i32'}}
  %0 = kgen.gelu %x : i32
  return
}

// -----

func.func @other_result(%x: f32) {
  // expected-error@+1 {{'kgen.gelu' op requires the same type for all operands and results}}
  %0 = "kgen.gelu"(%x) : (f32) -> f64
  return
}

// -----

// expected-error@+1 {{struct is missing required parameter: blocks}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = 256, vector_registers = 16, l1d = 1, l2 = 1>} {}

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse Kgen_TargetAttr parameter 'vector_bits'}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = "many", vector_registers = 16, l1d = 1, l2 = 1, blocks = {}>} {}

// -----

func.func @no_task(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op needs a function called @task}}
  kgen.launch @task[6] on %executor()
  return
}

// -----

func.func private @task(f32, index)
func.func @other_types(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op passes its captures and an index, but @task has the type '(f32, index) -> ()'}}
  kgen.launch @task[6] on %executor()
  return
}

// -----

func.func private @task(memref<?xf32>, index)
func.func @unknown_size(%x: memref<?xf32>, %executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op cannot capture 'memref<?xf32>'}}
  kgen.launch @task[6] on %executor(%x) : memref<?xf32>
  return
}

// -----

func.func private @task(index)
func.func @too_many(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op has more tasks than a uint32_t can count}}
  kgen.launch @task[4294967296] on %executor()
  return
}
