// RUN: kgen-opt "%s" --kgen-apply-schedules | FileCheck "%s"
// What is recorded: a copy that the loop around it makes in each iteration, and parts of a padded copy that hold nothing but padding.

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @repeated
  // CHECK-SAME:  kgen.decisions = [{details = {text = "a loop copies the same part to L1 in each iteration: keep it in a loop around this one"}
  // CHECK-SAME:  kind = "wasteful", nodes = ["product"], pass = "kgen-apply-schedules"}]
  func.func @repeated(%a: tensor<64x32xi32>, %b: tensor<64x32xi32>) -> tensor<64x32xi32> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %r = scf.for %i = %c0 to %c64 step %c8 iter_args(%out = %b) -> tensor<64x32xi32> {
      %same = tensor.pad %a nofold low[0, 0] high[0, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %zero : i32
      } {kgen.memory = 2 : i64} : tensor<64x32xi32> to tensor<64x32xi32> loc("product")
      %part = tensor.extract_slice %same[%i, 0] [8, 32] [1, 1] : tensor<64x32xi32> to tensor<8x32xi32>
      %other = tensor.pad %part nofold low[0, 0] high[0, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %zero : i32
      } {kgen.memory = 2 : i64} : tensor<8x32xi32> to tensor<8x32xi32> loc("product")
      %next = tensor.insert_slice %other into %out[%i, 0] [8, 32] [1, 1] : tensor<8x32xi32> into tensor<64x32xi32>
      scf.yield %next : tensor<64x32xi32>
    }
    return %r : tensor<64x32xi32>
  }

  // 40 rows in parts of 32: the last part has 8, and 24 of padding. Parts of 16 are read on, of which one is empty; of 32, none is.
  // CHECK-LABEL: func.func @padded
  // CHECK-SAME:  kgen.decisions = [{details = {text = "up to 24 of 32 that are copied to L2 are padding, and parts of 16
  // CHECK-SAME:  nodes = ["narrow"], pass = "kgen-apply-schedules"}]
  func.func @padded(%a: tensor<40x8xi32>, %b: tensor<32x8xi32>) -> tensor<32x8xi32> {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %r = scf.for %n = %c0 to %c2 step %c1 iter_args(%out = %b) -> tensor<32x8xi32> {
      %i = affine.apply affine_map<(d0) -> (d0 * 32)>(%n)
      %rows = affine.min affine_map<(d0) -> (32, 40 - d0 * 32)>(%n)
      %high = affine.apply affine_map<(d0) -> (32 - d0)>(%rows)
      %part = tensor.extract_slice %a[%i, 0] [%rows, 8] [1, 1] : tensor<40x8xi32> to tensor<?x8xi32>
      %narrow = tensor.pad %part nofold low[0, 0] high[%high, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %zero : i32
      } {kgen.memory = 1 : i64} : tensor<?x8xi32> to tensor<32x8xi32> loc("narrow")
      %wide = tensor.pad %part nofold low[0, 0] high[%high, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %zero : i32
      } {kgen.memory = 1 : i64} : tensor<?x8xi32> to tensor<32x8xi32> loc("wide")
      %inner = scf.for %j = %c0 to %c32 step %c16 iter_args(%o = %out) -> tensor<32x8xi32> {
        %slice = tensor.extract_slice %narrow[%j, 0] [16, 8] [1, 1] : tensor<32x8xi32> to tensor<16x8xi32>
        %m = tensor.insert_slice %slice into %o[%j, 0] [16, 8] [1, 1] : tensor<16x8xi32> into tensor<32x8xi32>
        scf.yield %m : tensor<32x8xi32>
      }
      %last = scf.for %j = %c0 to %c32 step %c32 iter_args(%o = %inner) -> tensor<32x8xi32> {
        %slice = tensor.extract_slice %wide[%j, 0] [32, 8] [1, 1] : tensor<32x8xi32> to tensor<32x8xi32>
        %m = tensor.insert_slice %slice into %o[%j, 0] [32, 8] [1, 1] : tensor<32x8xi32> into tensor<32x8xi32>
        scf.yield %m : tensor<32x8xi32>
      }
      scf.yield %last : tensor<32x8xi32>
    }
    return %r : tensor<32x8xi32>
  }
}
