// Sums and extrema over windows of NCHW images: vectors of neighbours in a row.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --linalg-generalize-named-ops --kgen-vectorize --canonicalize --cse --split-input-file | FileCheck "%s"

// Windows that move by two columns: the first row has two rows of taps, the others three. Its first piece begins with padding, and every
// second element is taken after the rows are combined. The last pieces reach out of the image on the right.
// CHECK-LABEL: func.func @every_second
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6x70xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         scf.for %[[C:.*]] = %c0{{.*}} to %c2
// CHECK:           vector.transfer_read %[[X]][%[[C]], %c0, %c0], {{.*}} : tensor<2x6x70xf32>, vector<7xf32>
// CHECK:           vector.shuffle {{.*}} [-1, 0, 1, 2, 3, 4, 5, 6] : vector<7xf32>, vector<7xf32>
// CHECK:           vector.shuffle {{.*}} [8, 1, 2, 3, 4, 5, 6, 7] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.transfer_write {{.*}} : vector<8xf32>, tensor<2x3x35xf32>
// CHECK:           scf.for %[[J:.*]] = %c8{{.*}} to %c24{{.*}} step %c8
// CHECK:             vector.transfer_read %[[X]][%[[C]], %c0, %{{.*}}], {{.*}} : tensor<2x6x70xf32>, vector<8xf32>
// CHECK:           vector.transfer_write {{.*}} : vector<3xf32>, tensor<2x3x35xf32>
// CHECK:           scf.for %[[I:.*]] = %c1{{.*}} to %c3
// CHECK-NOT:     linalg
// CHECK:         return
module {
  func.func @every_second(%x: tensor<2x6x70xf32>) -> tensor<2x3x35xf32> {
    %least = arith.constant 0xFF800000 : f32
    %p = tensor.pad %x nofold low[0, 1, 1] high[0, 0, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index):
      tensor.yield %least : f32
    } : tensor<2x6x70xf32> to tensor<2x7x71xf32>
    %w = tensor.empty() : tensor<3x3xf32>
    %e = tensor.empty() : tensor<2x3x35xf32>
    %f = linalg.fill ins(%least : f32) outs(%e : tensor<2x3x35xf32>) -> tensor<2x3x35xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(c, y, x, r, s) -> (c, y * 2 + r, x * 2 + s)>, affine_map<(c, y, x, r, s) -> (r, s)>, affine_map<(c, y, x, r, s) -> (c, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<2x7x71xf32>, tensor<3x3xf32>) outs(%f : tensor<2x3x35xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %t = arith.maximumf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<2x3x35xf32>
    return %m : tensor<2x3x35xf32>
  }

  // What computes something of each sum comes with it.
  // CHECK-LABEL: func.func @mean
  // CHECK:         scf.for
  // CHECK:           vector.transfer_read
  // CHECK:           arith.divf {{.*}} : vector<8xf32>
  // CHECK:           vector.transfer_write {{.*}} : vector<8xf32>, tensor<3x16xf32>
  // CHECK-NOT:     linalg
  // CHECK:         return
  func.func @mean(%x: tensor<3x18xf32>) -> tensor<3x16xf32> {
    %zero = arith.constant 0.0 : f32
    %count = arith.constant 3.0 : f32
    %w = tensor.empty() : tensor<3xf32>
    %e = tensor.empty() : tensor<3x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x16xf32>) -> tensor<3x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(y, x, s) -> (y, x + s)>, affine_map<(y, x, s) -> (s)>, affine_map<(y, x, s) -> (y, x)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<3x18xf32>, tensor<3xf32>) outs(%f : tensor<3x16xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %t = arith.addf %o, %v : f32
      linalg.yield %t : f32
    } -> tensor<3x16xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(y, x) -> (y, x)>, affine_map<(y, x) -> (y, x)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<3x16xf32>) outs(%e : tensor<3x16xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.divf %v, %count : f32
      linalg.yield %t : f32
    } -> tensor<3x16xf32>
    return %d : tensor<3x16xf32>
  }
}
