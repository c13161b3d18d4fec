// RUN: kgen-opt "%s" --kgen-apply-schedules --split-input-file --verify-diagnostics

// expected-error@+1 {{an entry of 'kgen.schedules' has no symbol 'sequence'}}
func.func @no_sequence() attributes {kgen.schedules = [{parameters = []}]} {
  return
}

// -----

func.func @unknown_index(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = []} {
  // expected-error@+1 {{names a schedule that 'kgen.schedules' does not have}}
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

func.func @unknown_schedule(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine}]} {
  // expected-error@+1 {{there is no schedule @mine::@__kgen_schedule_mine}}
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

module @kgen_schedules {
  module @mine attributes {transform.with_named_sequence} {
    // expected-error@+1 {{takes 1 values, is given a function and 1 parameters}}
    transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}) {
      transform.yield
    }
  }
}
func.func @parameters(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine, parameters = [1 : i64]}]} {
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// A handle that was consumed is used again.
module @kgen_schedules {
  module @mine attributes {transform.with_named_sequence} {
    transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}) {
      // expected-note@+1 {{handle to invalidated ops}}
      %exp = transform.structured.match ops{["linalg.exp"]} in %f : (!transform.any_op) -> !transform.any_op
      // expected-note@+1 {{invalidated by this transform op}}
      %tile, %loop = transform.structured.tile_using_for %exp tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      // expected-error@+1 {{op uses a handle invalidated by a previously executed transform op}}
      transform.annotate %exp "again" : !transform.any_op
      transform.yield
    }
  }
}
func.func @consumed(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine}]} {
  // expected-error@+3 {{schedule @mine::@__kgen_schedule_mine failed}}
  // expected-note@+2 {{ancestor payload op}}
  // expected-note@+1 {{nested payload op}}
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// An operation that refuses: there is one loop.
module @kgen_schedules {
  module @mine attributes {transform.with_named_sequence} {
    transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}) {
      %exp = transform.structured.match ops{["linalg.exp"]} in %f : (!transform.any_op) -> !transform.any_op
      // expected-error@+1 {{too many tiles provided, expected at most 1 found 4}}
      %tile, %loop:4 = transform.structured.tile_using_for %exp tile_sizes [4, 4, 4, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield
    }
  }
}
func.func @refused(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine}]} {
  // expected-error@+2 {{schedule @mine::@__kgen_schedule_mine failed}}
  // expected-note@+1 {{target op}}
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// A function that the script gave another name is not found again.
module @kgen_schedules {
  module @mine attributes {transform.with_named_sequence} {
    transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}) {
      %name = transform.param.constant "other" -> !transform.any_param
      transform.annotate %f "sym_name" = %name : !transform.any_op, !transform.any_param
      transform.yield
    }
  }
}
func.func @renamed(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine}]} {
  // expected-error@+1 {{schedule @mine::@__kgen_schedule_mine left no function to compute the node}}
  %s = linalg.exp {kgen.schedule = 0 : i64} ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// A slice has no destination that could be in a memory.
module @kgen_schedules {
  module @mine attributes {transform.with_named_sequence} {
    transform.named_sequence @__kgen_schedule_mine(%f: !transform.any_op {transform.readonly}) {
      %slice = transform.structured.match ops{["tensor.extract_slice"]} in %f : (!transform.any_op) -> !transform.any_op
      %memory = transform.param.constant 2 : i64 -> !transform.param<i64>
      transform.annotate %slice "kgen.memory" = %memory : !transform.any_op, !transform.param<i64>
      transform.yield
    }
  }
}
func.func @memory(%a: tensor<8xf32>) -> tensor<4xf32> attributes {kgen.schedules = [{sequence = @mine::@__kgen_schedule_mine}]} {
  // expected-error@+2 {{'kgen.memory' is for pads, scf.forall and operations with a destination}}
  // expected-error@+1 {{schedule @mine::@__kgen_schedule_mine asks for memories of others}}
  %s = tensor.extract_slice %a[0] [4] [1] {kgen.schedule = 0 : i64} : tensor<8xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}
