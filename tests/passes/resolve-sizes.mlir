// RUN: kgen-opt "%s" --kgen-resolve-sizes --canonicalize --mlir-print-local-scope --allow-unregistered-dialect --split-input-file | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-resolve-sizes --mlir-print-local-scope --allow-unregistered-dialect --split-input-file | FileCheck "%s" --check-prefix=ALONE

// Sizes of arguments are the function's, through slices, loops and reshapes.
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %[[B:.*]]: index {kgen.size = {{.*}}}, %[[L:.*]]: index {kgen.size
// CHECK-DAG:     %[[ROWS:.*]] = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%[[B]], %[[L]]]
// CHECK:         "test.use"(%[[B]], %[[L]], %[[ROWS]], %[[L]])
func.func @arguments(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 16, multiple = 1>},
    %length: index {kgen.size = #kgen.size<"length", min = 16, max = 512, multiple = 16>},
    %x: memref<?x?x64xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, s1, 64)>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<?x?x64xf32> to tensor<?x?x64xf32>
  %d0 = tensor.dim %t, %c0 : tensor<?x?x64xf32>
  %d1 = memref.dim %x, %c1 : memref<?x?x64xf32>
  %rows = tensor.collapse_shape %t [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %d2 = tensor.dim %rows, %c0 : tensor<?x64xf32>
  %s = tensor.extract_slice %t[0, 0, 0] [1, %length, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
  %d3 = tensor.dim %s, %c0 : tensor<?x64xf32>
  "test.use"(%d0, %d1, %d2, %d3) : (index, index, index, index) -> ()
  return
}

// -----

// Results of tasks have the sizes of what they are written to.
// CHECK-LABEL: func.func @tasks(
// CHECK-SAME:    %[[N:.*]]: index {kgen.size
// CHECK:         "test.use"(%[[N]],
func.func @tasks(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 16, multiple = 1>}) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?x4xf32>) {
    %s = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %t = "test.make"(%s) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    }
  }
  %d = tensor.dim %r, %c0 : tensor<?x4xf32>
  "test.use"(%d, %r) : (index, tensor<?x4xf32>) -> ()
  return
}

// -----

// What can have one value only is a constant: tiles that divide all sizes are whole.
// CHECK-LABEL: func.func @whole_tiles
// CHECK:         %[[C16:.*]] = arith.constant 16 : index
// CHECK:         "test.use"(%[[C16]])
func.func @whole_tiles(%length: index {kgen.size = #kgen.size<"length", min = 16, max = 512, multiple = 16>}) {
  scf.forall (%i) = (0) to (%length) step (16) {
    %size = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%i)[%length]
    "test.use"(%size) : (index) -> ()
  }
  return
}

// -----

// Without such sizes, nothing is changed; nor where a size is not known.
// CHECK-LABEL: func.func @unknown
// CHECK:         memref.dim %{{.*}}, %{{.*}} : memref<?xf32>
func.func @unknown(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 4, multiple = 1>}, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  "test.use"(%d) : (index) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @no_sizes
// CHECK:         tensor.dim
func.func @no_sizes(%n: index, %x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  "test.use"(%d) : (index) -> ()
  return
}

// -----

// What was read for its size alone disappears: the operation before it has one user less.
// ALONE-LABEL: func.func @asked
// ALONE-NOT:     tensor.expand_shape
// ALONE:         "test.use"(%arg0, %arg1, %arg2)
func.func @asked(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 16, multiple = 1>},
                 %length: index {kgen.size = #kgen.size<"length", min = 1, max = 512, multiple = 1>}, %x: tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [%batch, %length, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %b = tensor.dim %e, %c0 : tensor<?x?x8xf32>
  %l = tensor.dim %e, %c1 : tensor<?x?x8xf32>
  "test.use"(%b, %l, %x) : (index, index, tensor<?x8xf32>) -> ()
  return
}
