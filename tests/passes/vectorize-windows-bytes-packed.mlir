// What becomes of sums of products of bytes: other bytes, of four vectors at once.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,BLOCKS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --canonicalize --cse | FileCheck "%s" --check-prefixes=CHECK,PIXELS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-vectorize --kgen-verify-stage=vectorize

#image = affine_map<(n, y, x, c, r, s) -> (n, y + r, x + s, c)>
#filter = affine_map<(n, y, x, c, r, s) -> (r, s, c)>
#sums = affine_map<(n, y, x, c, r, s) -> (n, y, x, c)>
#all = affine_map<(n, y, x, c) -> (n, y, x, c)>
#channels = affine_map<(n, y, x, c) -> (c)>
module {
  // With 32 registers, 64 channels are interleaved within 128 bits and packed in the order of the image. Sums start from what is
  // added to them. With 16, four pixels of eight channels are packed, and what is no full group is narrowed by itself.
  // CHECK-LABEL: func.func @bytes
  // CHECK-SAME:    %{{.*}}: tensor<1x4x7x80xi8>, %{{.*}}: tensor<2x2x80xi8>, %[[BIAS:[a-z0-9]+]]: tensor<80xi32>
  // BLOCKS:        vector.transfer_read %[[BIAS]]{{.*}} vector<64xi32>
  // BLOCKS:          vector.shuffle {{.*}} [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80,
  // BLOCKS:          kgen.dot {{.*}} : vector<64xi8>, vector<16xi32>
  // BLOCKS-NOT:      arith.addi {{.*}} vector<16xi32>
  // BLOCKS-COUNT-2:  kgen.pack {{.*}} : vector<16xi32>
  // BLOCKS-NEXT:     %[[BYTES:.*]] = kgen.pack {{.*}} {is_unsigned} : vector<32xi16>
  // BLOCKS-NEXT:     %[[BOUNDED:.*]] = arith.minui %[[BYTES]], %{{.*}} : vector<64xi8>
  // BLOCKS-NEXT:     vector.transfer_write %[[BOUNDED]]
  // BLOCKS-NEXT:     llvm.inline_asm has_side_effects "", "~{memory}"
  // The other sixteen are one vector, which is packed with those of other pixels.
  // BLOCKS:        vector.transfer_read {{.*}} vector<16xi8>
  // BLOCKS:        kgen.pack {{.*}} : vector<16xi32>
  // BLOCKS:        kgen.pack {{.*}} {is_unsigned} : vector<32xi16>
  // BLOCKS:        vector.shuffle {{.*}} [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 4,
  // BLOCKS-COUNT-3: vector.transfer_write {{.*}} vector<16xi8>
  // PIXELS:        kgen.dot {{.*}} : vector<16xi16>, vector<8xi32>
  // PIXELS:        kgen.pack {{.*}} : vector<8xi32>
  // PIXELS:        kgen.pack {{.*}} : vector<8xi32>
  // PIXELS-NEXT:   %[[BYTES:.*]] = kgen.pack {{.*}} {is_unsigned} : vector<16xi16>
  // PIXELS-NEXT:   %[[BOUNDED:.*]] = arith.minui %[[BYTES]], %{{.*}} : vector<32xi8>
  // PIXELS-NEXT:   vector.shuffle %[[BOUNDED]], %[[BOUNDED]] [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20,
  // PIXELS-COUNT-4: vector.transfer_write {{.*}} vector<8xi8>
  // CHECK:         return
  func.func @bytes(%x: tensor<1x4x7x80xi8>, %w: tensor<2x2x80xi8>, %bias: tensor<80xi32>, %scale: tensor<80xf32>) -> tensor<1x3x6x80xi8> {
    %zero = arith.constant 0 : i32
    %most = arith.constant 200 : i32
    %e = tensor.empty() : tensor<1x3x6x80xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x80xi32>) -> tensor<1x3x6x80xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x4x7x80xi8>, tensor<2x2x80xi8>) outs(%f : tensor<1x3x6x80xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x3x6x80xi32>
    %d = tensor.empty() : tensor<1x3x6x80xi8>
    %r = linalg.generic {indexing_maps = [#all, #channels, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %bias, %scale : tensor<1x3x6x80xi32>, tensor<80xi32>, tensor<80xf32>) outs(%d : tensor<1x3x6x80xi8>) {
    ^bb0(%sum: i32, %added: i32, %by: f32, %o: i8):
      %0 = arith.addi %sum, %added : i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.mulf %1, %by : f32
      %3 = math.roundeven %2 : f32
      %4 = arith.fptosi %3 : f32 to i32
      %5 = arith.maxsi %4, %zero : i32
      %6 = arith.minsi %5, %most : i32
      %7 = arith.trunci %6 : i32 to i8
      linalg.yield %7 : i8
    } -> tensor<1x3x6x80xi8>
    return %r : tensor<1x3x6x80xi8>
  }

  // What is added after rounding is added to words, for two vectors at a time, if that is known not to wrap around.
  // CHECK-LABEL: func.func @around_zero_point
  // CHECK-DAG:     %[[POINT:.*]] = arith.constant dense<130> : vector<[[WORDS:[0-9]+]]xi16>
  // CHECK-NOT:     arith.addi {{.*}} : vector<{{8|16}}xi32>
  // CHECK:         %[[WORDS_OF_TWO:.*]] = kgen.pack {{.*}} : vector<{{8|16}}xi32>
  // CHECK:         llvm.intr.sadd.sat(%[[WORDS_OF_TWO]], %[[POINT]]) : (vector<[[WORDS]]xi16>, vector<[[WORDS]]xi16>) -> vector<[[WORDS]]xi16>
  // CHECK:         kgen.pack {{.*}} {is_unsigned} : vector<[[WORDS]]xi16>
  // CHECK:         return
  func.func @around_zero_point(%x: tensor<1x4x7x80xi8>, %w: tensor<2x2x80xi8>, %bias: tensor<80xi32>) -> tensor<1x3x6x80xi8> {
    %zero = arith.constant 0 : i32
    %point = arith.constant 130 : i32
    %scale = arith.constant dense<0.25> : tensor<80xf32>
    %most = arith.constant 200 : i32
    %e = tensor.empty() : tensor<1x3x6x80xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x80xi32>) -> tensor<1x3x6x80xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x4x7x80xi8>, tensor<2x2x80xi8>) outs(%f : tensor<1x3x6x80xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x3x6x80xi32>
    %d = tensor.empty() : tensor<1x3x6x80xi8>
    %r = linalg.generic {indexing_maps = [#all, #channels, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %bias, %scale : tensor<1x3x6x80xi32>, tensor<80xi32>, tensor<80xf32>) outs(%d : tensor<1x3x6x80xi8>) {
    ^bb0(%sum: i32, %added: i32, %by: f32, %o: i8):
      %0 = arith.addi %sum, %added : i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.mulf %1, %by : f32
      %3 = math.roundeven %2 : f32
      %4 = arith.fptosi %3 : f32 to i32
      %5 = arith.addi %4, %point overflow<nsw> : i32
      %6 = arith.maxsi %5, %zero : i32
      %7 = arith.minsi %6, %most : i32
      %8 = arith.trunci %7 : i32 to i8
      linalg.yield %8 : i8
    } -> tensor<1x3x6x80xi8>
    return %r : tensor<1x3x6x80xi8>
  }

  // Numbers that may be so large that the addition wraps around are added to as they are.
  // CHECK-LABEL: func.func @of_any_scale
  // CHECK-DAG:     %[[NUMBER:.*]] = arith.constant dense<130> : vector<[[LANES:[0-9]+]]xi32>
  // CHECK-NOT:     sadd.sat
  // CHECK:         arith.addi %{{.*}}, %[[NUMBER]] : vector<[[LANES]]xi32>
  // CHECK-NOT:     sadd.sat
  // CHECK:         return
  func.func @of_any_scale(%x: tensor<1x4x7x80xi8>, %w: tensor<2x2x80xi8>, %bias: tensor<80xi32>, %scale: tensor<80xf32>) -> tensor<1x3x6x80xi8> {
    %zero = arith.constant 0 : i32
    %point = arith.constant 130 : i32
    %most = arith.constant 200 : i32
    %e = tensor.empty() : tensor<1x3x6x80xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x6x80xi32>) -> tensor<1x3x6x80xi32>
    %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : tensor<1x4x7x80xi8>, tensor<2x2x80xi8>) outs(%f : tensor<1x3x6x80xi32>) {
    ^bb0(%v: i8, %u: i8, %o: i32):
      %a = arith.extui %v : i8 to i32
      %b = arith.extsi %u : i8 to i32
      %m = arith.muli %a, %b : i32
      %t = arith.addi %o, %m : i32
      linalg.yield %t : i32
    } -> tensor<1x3x6x80xi32>
    %d = tensor.empty() : tensor<1x3x6x80xi8>
    %r = linalg.generic {indexing_maps = [#all, #channels, #channels, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%s, %bias, %scale : tensor<1x3x6x80xi32>, tensor<80xi32>, tensor<80xf32>) outs(%d : tensor<1x3x6x80xi8>) {
    ^bb0(%sum: i32, %added: i32, %by: f32, %o: i8):
      %0 = arith.addi %sum, %added : i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.mulf %1, %by : f32
      %3 = math.roundeven %2 : f32
      %4 = arith.fptosi %3 : f32 to i32
      %5 = arith.addi %4, %point : i32
      %6 = arith.maxsi %5, %zero : i32
      %7 = arith.minsi %6, %most : i32
      %8 = arith.trunci %7 : i32 to i8
      linalg.yield %8 : i8
    } -> tensor<1x3x6x80xi8>
    return %r : tensor<1x3x6x80xi8>
  }
}
