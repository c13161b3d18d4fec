// Sums of products of bytes over windows of NHWC images: several taps of a column in one instruction.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,FOURS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,PAIRS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefix=ROWS

// Three rows of a window are a group of four taps, or two of two. The padding, four times 5, is a constant, with which pixels at the
// sides begin and end; a row of the padding is part of a group.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x5x12x16xi8>
// CHECK-NOT:     tensor.pad
// CHECK-DAG:     arith.constant dense<5> : vector<16xi8>
// CHECK:         scf.if
// Three kinds of rows, each of twelve pixels with three columns.
// FOURS-COUNT-108: kgen.dot {{.*}} : vector<64xi8>, vector<16xi32>
// FOURS-NOT:     kgen.dot
// PAIRS-COUNT-216: kgen.dot {{.*}} : vector<32xi16>, vector<16xi32>
// PAIRS-NOT:     kgen.dot
// CHECK:         return
// Where one instruction interleaves the elements of two taps, those of the last row are paired along it, three of them in two pairs that
// two pixels share: five products of each of eight channels.
// ROWS-LABEL:    func.func @unsigned
// ROWS:          scf.if
// ROWS-COUNT-180: kgen.dot {{.*}} : vector<16xi16>, vector<8xi32>
// ROWS-NOT:      kgen.dot
// ROWS:          return
module {
  func.func @unsigned(%x: tensor<1x5x12x16xi8>, %w: tensor<3x3x16xi8>) -> tensor<1x5x12x16xi32> {
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i8
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %five : i8
    } : tensor<1x5x12x16xi8> to tensor<1x7x14x16xi8>
    %e = tensor.empty() : tensor<1x5x12x16xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x5x12x16xi32>) -> tensor<1x5x12x16xi32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x7x14x16xi8>, tensor<3x3x16xi8>) outs(%f : tensor<1x5x12x16xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x5x12x16xi32>
    return %s : tensor<1x5x12x16xi32>
  }

  // Of two signed factors, the image's bytes have their highest bit flipped, and sums start from what that adds.
  // CHECK-LABEL: func.func @signed
  // FOURS-DAG:     %[[FLIP:.*]] = arith.constant dense<-128> : vector<64xi8>
  // FOURS:         %[[ADDED:.*]] = kgen.dot %[[FLIP]], %{{.*}}, %{{.*}} : vector<64xi8>, vector<16xi32>
  // FOURS:         arith.subi %{{.*}}, %{{.*}} : vector<16xi32>
  // FOURS:         %[[FLIPPED:.*]] = arith.xori %{{.*}}, %[[FLIP]] : vector<64xi8>
  // FOURS:         kgen.dot %[[FLIPPED]], %{{.*}} : vector<64xi8>, vector<16xi32>
  // PAIRS-NOT:     arith.xori
  // CHECK:         return
  func.func @signed(%x: tensor<1x5x12x16xi8>, %w: tensor<2x1x16xi8>) -> tensor<1x4x12x16xi32> {
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<1x4x12x16xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x12x16xi32>) -> tensor<1x4x12x16xi32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x5x12x16xi8>, tensor<2x1x16xi8>) outs(%f : tensor<1x4x12x16xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extsi %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x4x12x16xi32>
    return %s : tensor<1x4x12x16xi32>
  }

  // A padding that is known at run time only stays in memory.
  // CHECK-LABEL: func.func @any_padding
  // CHECK-SAME:    %[[FIVE:[a-z0-9]+]]: i8
  // CHECK:         %[[P:.*]] = tensor.pad
  // CHECK:           tensor.yield %[[FIVE]] : i8
  // CHECK:         vector.transfer_read %[[P]]
  // CHECK:         kgen.dot
  // CHECK:         return
  func.func @any_padding(%x: tensor<1x5x12x16xi8>, %w: tensor<3x3x16xi8>, %five: i8) -> tensor<1x5x12x16xi32> {
    %zero = arith.constant 0 : i32
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
      tensor.yield %five : i8
    } : tensor<1x5x12x16xi8> to tensor<1x7x14x16xi8>
    %e = tensor.empty() : tensor<1x5x12x16xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x5x12x16xi32>) -> tensor<1x5x12x16xi32>
    %s = linalg.generic {indexing_maps = [affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, c, r, s) -> (r, s, c)>, affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<1x7x14x16xi8>, tensor<3x3x16xi8>) outs(%f : tensor<1x5x12x16xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x5x12x16xi32>
    return %s : tensor<1x5x12x16xi32>
  }
}
