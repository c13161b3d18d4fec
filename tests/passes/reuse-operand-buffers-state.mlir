// RUN: kgen-opt %s --kgen-reuse-operand-buffers | FileCheck %s

// The next state of a loop overwrites the previous one, which has been read before.
// CHECK-LABEL: func @next_state
// CHECK:         scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}})
// CHECK:           %[[X:.*]] = linalg.exp ins(%[[S]]
// CHECK:           %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %{{.*}} : {{.*}}) outs(%[[S]] : tensor<16xf32>)
// CHECK-NOT:       materialize_in_destination
// CHECK:           scf.yield %[[Y]]
func.func @next_state(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %a) -> tensor<16xf32> {
    %e = tensor.empty() : tensor<16xf32>
    %f = tensor.empty() : tensor<16xf32>
    %x = linalg.exp ins(%s : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x, %b : tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<16xf32>
    %n = bufferization.materialize_in_destination %y in %s : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// Refused: the previous state is read again afterwards, through a view.
// CHECK-LABEL: func @state_is_read_later
// CHECK:         %[[F:.*]] = tensor.empty() : tensor<16xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[F]] : tensor<16xf32>)
// CHECK:         materialize_in_destination
func.func @state_is_read_later(%a: tensor<16xf32>, %b: tensor<16xf32>, %d: tensor<4x4xf32>) -> (tensor<16xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %a, %l = %d) -> (tensor<16xf32>, tensor<4x4xf32>) {
    %v = tensor.expand_shape %s [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %f = tensor.empty() : tensor<16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b : tensor<16xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%q: f32, %o: f32):
      %u = arith.addf %q, %q : f32
      linalg.yield %u : f32
    } -> tensor<16xf32>
    %k = linalg.exp ins(%v : tensor<4x4xf32>) outs(%l : tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = bufferization.materialize_in_destination %y in %s : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    scf.yield %n, %k : tensor<16xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<4x4xf32>
}

// What is read where it is written is read as the state.
// CHECK-LABEL: func @reads_the_state
// CHECK:         scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16xf32>) outs(%[[S]] : tensor<16xf32>)
// CHECK:           scf.yield %[[Y]]
func.func @reads_the_state(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %a) -> tensor<16xf32> {
    %f = tensor.empty() : tensor<16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s, %b : tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<16xf32>
    %n = bufferization.materialize_in_destination %y in %s : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// Refused: what is read of the state is elsewhere than what is written.
// CHECK-LABEL: func @reads_elsewhere
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:         materialize_in_destination
func.func @reads_elsewhere(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %a) -> tensor<4x4xf32> {
    %f = tensor.empty() : tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%p: f32, %o: f32):
      linalg.yield %p : f32
    } -> tensor<4x4xf32>
    %n = bufferization.materialize_in_destination %y in %s : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %n : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// The loop of one step is gone: its state is the caller's, which must not be written.
// CHECK-LABEL: func @without_a_loop
// CHECK:         %[[Y:.*]] = linalg.exp
// CHECK-NEXT:    return %[[Y]]
func.func @without_a_loop(%a: tensor<16xf32>) -> tensor<16xf32> {
  %f = tensor.empty() : tensor<16xf32>
  %y = linalg.exp ins(%a : tensor<16xf32>) outs(%f : tensor<16xf32>) -> tensor<16xf32>
  %n = bufferization.materialize_in_destination %y in %a : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %n : tensor<16xf32>
}

// The same with a part of an input of the function, of which another part is read later. The state of the function is written.
// CHECK-LABEL: func @part_of_an_input
// CHECK:         %[[Y:.*]] = linalg.exp
// CHECK-NOT:     materialize_in_destination %[[Y]]
// CHECK:         bufferization.materialize_in_destination %{{.*}} in %{{.*}} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
func.func @part_of_an_input(%a: memref<2x16xf32>, %state: memref<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %all = bufferization.to_tensor %a restrict : memref<2x16xf32> to tensor<2x16xf32>
  %old = bufferization.to_tensor %state restrict writable : memref<16xf32> to tensor<16xf32>
  %first = tensor.extract_slice %all[0, 0] [1, 16] [1, 1] : tensor<2x16xf32> to tensor<16xf32>
  %f = tensor.empty() : tensor<16xf32>
  %y = linalg.exp ins(%first : tensor<16xf32>) outs(%f : tensor<16xf32>) -> tensor<16xf32>
  %n = bufferization.materialize_in_destination %y in %first : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %second = tensor.extract_slice %all[1, 0] [1, 16] [1, 1] : tensor<2x16xf32> to tensor<16xf32>
  %z = linalg.add ins(%second, %old : tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<16xf32>) -> tensor<16xf32>
  %m = bufferization.materialize_in_destination %z in %old : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %n, %m : tensor<16xf32>, tensor<16xf32>
}
