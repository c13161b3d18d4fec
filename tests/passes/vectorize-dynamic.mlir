// Sizes that are known at run time: loops to a value, and the remainder after whole vectors.
// RUN: kgen-opt "%s" --mlir-print-local-scope --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize,canonicalize,cse))" | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>

module {
  // Rows of whole vectors stay rows: nothing is left over.
  // CHECK-LABEL: func.func @rows
  // CHECK-SAME:    %[[N:.*]]: index
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[N]] step %c1
  // CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c768{{.*}} step %c8
  // CHECK:             vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<?x768xf32>, vector<8xf32>
  // CHECK:             vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf32>, tensor<?x768xf32>
  // CHECK-NOT:     linalg.generic
  func.func @rows(%n: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
      %a: memref<?x768xf32> {kgen.shape = affine_map<()[s0] -> (s0, 768)>}, %bias: tensor<768xf32>) -> tensor<?x768xf32> {
    %x = bufferization.to_tensor %a restrict : memref<?x768xf32> to tensor<?x768xf32>
    %e = tensor.empty(%n) : tensor<?x768xf32>
    %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %bias : tensor<?x768xf32>, tensor<768xf32>) outs(%e : tensor<?x768xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s = arith.addf %x0, %x1 : f32
      linalg.yield %s : f32
    } -> tensor<?x768xf32>
    return %0 : tensor<?x768xf32>
  }

  // Rows that are no whole vectors become one loop, as long as the product of the sizes, which is an even number. Its
  // remainder is masked.
  // CHECK-LABEL: func.func @collapsed
  // CHECK-SAME:    %[[N:.*]]: index
  // CHECK:         tensor.collapse_shape %{{.*}} : tensor<?x10xf32> into tensor<?xf32>
  // CHECK:         %[[ALL:.*]] = affine.apply affine_map<()[s0] -> (s0 * 10)>()[%[[N]]]
  // CHECK:         %[[LINES:.*]] = affine.apply affine_map<()[s0] -> (((s0 * 5) floordiv 8) * 16)>()[%[[N]]]
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[LINES]] step %c16
  // CHECK:           vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<?xf32>, vector<16xf32>
  // CHECK:         %[[END:.*]] = affine.apply affine_map<()[s0] -> (((s0 * 5) floordiv 4) * 8)>()[%[[N]]]
  // CHECK:         scf.for %{{.*}} = %[[LINES]] to %[[END]] step %c8
  // CHECK:           vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
  // CHECK:         scf.for %[[I:.*]] = %[[END]] to %[[ALL]] step %c8
  // CHECK:           %[[LEFT:.*]] = affine.apply affine_map<(d0)[s0] -> (-d0 + s0 * 10)>(%[[I]])[%[[N]]]
  // CHECK:           %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<8xi1>
  // CHECK:           vector.transfer_read {{.*}}, %[[MASK]] {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
  // CHECK:           vector.transfer_write {{.*}}, %[[MASK]] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
  func.func @collapsed(%n: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>}, %a: tensor<128x10xf32>) -> tensor<?x10xf32> {
    %x = tensor.extract_slice %a[0, 0] [%n, 10] [1, 1] : tensor<128x10xf32> to tensor<?x10xf32>
    %e = tensor.empty(%n) : tensor<?x10xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x10xf32>) outs(%e : tensor<?x10xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %x0 : f32
      linalg.yield %s : f32
    } -> tensor<?x10xf32>
    return %0 : tensor<?x10xf32>
  }

  // Bytes are not masked by this target: shorter and shorter vectors.
  // CHECK-LABEL: func.func @bytes
  // CHECK-DAG:     vector.transfer_read {{.*}} : tensor<?xi8>, vector<32xi8>
  // CHECK-DAG:     vector.transfer_read {{.*}} : tensor<?xi8>, vector<16xi8>
  // CHECK-DAG:     vector.transfer_read {{.*}} : tensor<?xi8>, vector<1xi8>
  // CHECK-NOT:     vector.create_mask
  func.func @bytes(%n: index {kgen.size = #kgen.size<"length", min = 1, max = 200, multiple = 1>}, %x: tensor<200xi8>) -> tensor<?xi8> {
    %a = tensor.extract_slice %x[0] [%n] [1] : tensor<200xi8> to tensor<?xi8>
    %e = tensor.empty(%n) : tensor<?xi8>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xi8>) outs(%e : tensor<?xi8>) {
    ^bb0(%x0: i8, %o: i8):
      %s = arith.addi %x0, %x0 : i8
      linalg.yield %s : i8
    } -> tensor<?xi8>
    return %0 : tensor<?xi8>
  }

  // A multiple of a vector leaves nothing over.
  // CHECK-LABEL: func.func @multiple
  // CHECK-NOT:     vector.create_mask
  // CHECK:         vector.transfer_read {{.*}} : tensor<?xf32>, vector<8xf32>
  // CHECK-NOT:     vector.transfer_read
  func.func @multiple(%n: index {kgen.size = #kgen.size<"length", min = 16, max = 208, multiple = 16>}, %x: tensor<208xf32>) -> tensor<?xf32> {
    %a = tensor.extract_slice %x[0] [%n] [1] : tensor<208xf32> to tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %x0 : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }

  // Four chains, as for a size that is a number; what is left over are four masked vectors whose other lanes are
  // neutral. They are parts of their own, or take the place of the chains in short rows.
  // CHECK-LABEL: func.func @sums
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %{{.*}} step %c32
  // CHECK-COUNT-4:   vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<5x?xf32>, vector<8xf32>
  // CHECK:         scf.if
  // CHECK:         } else {
  // CHECK:           %[[MASK:.*]] = vector.create_mask
  // CHECK:           vector.transfer_read {{.*}}, %[[MASK]]
  // CHECK:           arith.select %[[MASK]]
  // CHECK:           arith.select
  // CHECK:         vector.reduction <add>
  func.func @sums(%n: index {kgen.size = #kgen.size<"length", min = 1, max = 200, multiple = 1>}, %x: tensor<5x200xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
    %a = tensor.extract_slice %x[0, 0] [5, %n] [1, 1] : tensor<5x200xf32> to tensor<5x?xf32>
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<5x?xf32>) outs(%e : tensor<5xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }

  // Rows that are reduced together, and those that are left over in the same order.
  // CHECK-LABEL: func.func @joint
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[EIGHTS:.*]] step %c8
  // CHECK:         scf.for %{{.*}} = %[[EIGHTS]] to %[[FOURS:.*]] step %c4
  // CHECK:         scf.for %{{.*}} = %[[FOURS]] to %{{.*}} step %c1
  // CHECK-NOT:       vector.reduction
  // CHECK:           vector.shuffle
  // CHECK:           tensor.insert
  func.func @joint(%n: index {kgen.size = #kgen.size<"batch", min = 1, max = 64, multiple = 1>}, %x: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<?xf32> {
    %a = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<64x8xf32> to tensor<?x8xf32>
    %e = tensor.extract_slice %y[0] [%n] [1] : tensor<64xf32> to tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x8xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %o : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }

  // Blocks are transposed in registers, the last one overlaps the one before. Where there is no whole block, element by
  // element.
  // CHECK-LABEL: func.func @transposed
  // CHECK-SAME:    %[[N:.*]]: index
  // CHECK:         %[[HAS:.*]] = arith.cmpi sge, %[[N]], %c16
  // CHECK:         %[[BLOCKS:.*]] = arith.select %[[HAS]], %[[N]], %c0
  // CHECK:         %[[OTHERS:.*]] = arith.select %[[HAS]], %c0{{.*}}, %[[N]]
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[BLOCKS]] step %c16
  // CHECK:           arith.minsi
  // CHECK:           vector.shuffle
  // CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[OTHERS]] step %c1
  // CHECK:           tensor.insert
  func.func @transposed(%n: index {kgen.size = #kgen.size<"length", min = 1, max = 200, multiple = 1>}, %x: tensor<200x64xf32>) -> tensor<64x?xf32> {
    %a = tensor.extract_slice %x[0, 0] [%n, 64] [1, 1] : tensor<200x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%n) : tensor<64x?xf32>
    %0 = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x64xf32>) outs(%e : tensor<64x?xf32>) {
    ^bb0(%x0: f32, %o: f32):
      linalg.yield %x0 : f32
    } -> tensor<64x?xf32>
    return %0 : tensor<64x?xf32>
  }

  // What is the same in a row is computed once, in a tensor of as many elements as there are rows.
  // CHECK-LABEL: func.func @hoisted
  // CHECK-SAME:    %[[N:.*]]: index
  // CHECK:         tensor.empty(%[[N]]) : tensor<?xf32>
  // CHECK:         arith.divf {{.*}} : vector<8xf32>
  // CHECK:         arith.mulf {{.*}} : vector<8xf32>
  func.func @hoisted(%n: index {kgen.size = #kgen.size<"batch", min = 1, max = 64, multiple = 1>}, %x: tensor<64x768xf32>, %y: tensor<64xf32>) -> tensor<?x768xf32> {
    %a = tensor.extract_slice %x[0, 0] [%n, 768] [1, 1] : tensor<64x768xf32> to tensor<?x768xf32>
    %d = tensor.extract_slice %y[0] [%n] [1] : tensor<64xf32> to tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?x768xf32>
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %d : tensor<?x768xf32>, tensor<?xf32>) outs(%e : tensor<?x768xf32>) {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %one = arith.constant 1.0 : f32
      %q = arith.divf %one, %x1 : f32
      %s = arith.mulf %x0, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x768xf32>
    return %0 : tensor<?x768xf32>
  }

  // A size without a bound stays scalar.
  // CHECK-LABEL: func.func @unbounded
  // CHECK:         linalg.generic
  func.func @unbounded(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x0: f32, %o: f32):
      %s = arith.addf %x0, %x0 : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
