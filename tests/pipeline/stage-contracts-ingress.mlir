// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=ingress
// The form that all importers leave: generator/README.md, "What enters the pipeline".

// A node, its input and its output have names.
func.func @good(%x: memref<4xf32> {llvm.noalias, llvm.readonly}, %y: memref<4xf32> {llvm.noalias}) {
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32> loc("x")
  %1 = tensor.empty() : tensor<4xf32> loc("y")
  %2 = linalg.exp ins(%0 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32> loc("y")
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> () loc("y")
  return
}

// -----

func.func @nameless(%x: memref<4xf32> {llvm.noalias}) {
  // expected-error@+1 {{has no name of a node, a weight or an input as its location, after the stage 'ingress'}}
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{has results: outputs are arguments}}
func.func @result(%x: memref<4xf32> {llvm.noalias}) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// expected-error@+1 {{has an argument without llvm.noalias}}
func.func @aliased(%x: memref<4xf32>) {
  return
}

// -----

// expected-error@+1 {{has an argument that is no memref with a static shape, or one of sizes (kgen.shape), and identity layout}}
func.func @strided(%x: memref<4xf32, strided<[2]>> {llvm.noalias}) {
  return
}

// -----

func.func @dynamic(%x: memref<4xf32> {llvm.noalias}) {
  %n = arith.constant 4 : index loc("n")
  // expected-error@unknown {{has a result without a static shape}}
  %0 = tensor.empty(%n) : tensor<?xf32> loc("e")
  return
}

// -----

func.func @vectors(%x: memref<4xf32> {llvm.noalias}) {
  // expected-error@unknown {{is left}}
  %0 = vector.constant_mask [2] : vector<4xi1> loc("m")
  return
}

// -----

// A size that is a parameter: types and other sizes follow from it.
func.func @sizes(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 64, multiple = 1>},
                 %x: memref<?x4xf32> {kgen.shape = affine_map<()[s0] -> (s0, 4)>, llvm.noalias, llvm.readonly},
                 %y: memref<?xf32> {kgen.shape = affine_map<()[s0] -> (s0 * 4)>, llvm.noalias}) {
  %n = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%batch] loc("4*batch")
  %0 = bufferization.to_tensor %x restrict : memref<?x4xf32> to tensor<?x4xf32> loc("x")
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x4xf32> into tensor<?xf32> loc("y")
  %2 = tensor.empty(%n) : tensor<?xf32> loc("y")
  %3 = linalg.exp ins(%1 : tensor<?xf32>) outs(%2 : tensor<?xf32>) -> tensor<?xf32> loc("y")
  bufferization.materialize_in_destination %3 in restrict writable %y : (tensor<?xf32>, memref<?xf32>) -> () loc("y")
  return
}

// -----

// expected-error@+1 {{has a size without bounds (kgen.size)}}
func.func @boundless(%batch: index, %x: memref<4xf32> {llvm.noalias}) {
  return
}

// -----

// expected-error@+1 {{has an argument that is no memref with a static shape, or one of sizes (kgen.shape), and identity layout}}
func.func @shapeless(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 64, multiple = 1>},
                     %x: memref<?xf32> {llvm.noalias}) {
  return
}
