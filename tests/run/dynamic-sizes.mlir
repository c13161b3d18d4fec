// Slices of sizes that are known at run time, against the same operations on tensors of static sizes: the same bits where
// both add in the same order.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --entry sums | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 --entry sums | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 --entry sums | FileCheck "%s" %}
// CHECK: checks hold

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>

func.func @main(%x: tensor<40x72xf32>, %bias: tensor<72xf32>, %narrow: tensor<40x10xf32>, %bytes: tensor<40x70xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c41 = arith.constant 41 : index
  %c73 = arith.constant 73 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : tensor<40x72xf32>
  %noNarrow = arith.constant dense<0.0> : tensor<40x10xf32>
  %noBytes = arith.constant dense<0> : tensor<40x70xi8>

  // Any number of rows: elementwise, with a function and a quotient of each row, and rows that are no whole vectors.
  %e = tensor.empty() : tensor<40x72xf32>
  %all = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<40x72xf32>, tensor<72xf32>) outs(%e : tensor<40x72xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %f = math.exp %a : f32
    %s = arith.addf %f, %b : f32
    linalg.yield %s : f32
  } -> tensor<40x72xf32>
  %en = tensor.empty() : tensor<40x10xf32>
  %allNarrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%narrow : tensor<40x10xf32>) outs(%en : tensor<40x10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %f = math.tanh %a : f32
    linalg.yield %f : f32
  } -> tensor<40x10xf32>
  %rows:2 = scf.for %n = %c1 to %c41 step %c1 iter_args(%r = %none, %rn = %noNarrow) -> (tensor<40x72xf32>, tensor<40x10xf32>) {
    %part = tensor.extract_slice %x[0, 0] [%n, 72] [1, 1] : tensor<40x72xf32> to tensor<?x72xf32>
    %to = tensor.empty(%n) : tensor<?x72xf32>
    %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part, %bias : tensor<?x72xf32>, tensor<72xf32>) outs(%to : tensor<?x72xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %f = math.exp %a : f32
      %s = arith.addf %f, %b : f32
      linalg.yield %s : f32
    } -> tensor<?x72xf32>
    %partNarrow = tensor.extract_slice %narrow[0, 0] [%n, 10] [1, 1] : tensor<40x10xf32> to tensor<?x10xf32>
    %toNarrow = tensor.empty(%n) : tensor<?x10xf32>
    %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%partNarrow : tensor<?x10xf32>) outs(%toNarrow : tensor<?x10xf32>) {
    ^bb0(%a: f32, %o: f32):
      %f = math.tanh %a : f32
      linalg.yield %f : f32
    } -> tensor<?x10xf32>
    // What the iteration before wrote is overwritten; the rows after it stay what they are.
    %next = tensor.insert_slice %y into %r[0, 0] [%n, 72] [1, 1] : tensor<?x72xf32> into tensor<40x72xf32>
    %nextNarrow = tensor.insert_slice %z into %rn[0, 0] [%n, 10] [1, 1] : tensor<?x10xf32> into tensor<40x10xf32>
    %last = arith.subi %n, %c1 : index
    %expected = tensor.extract_slice %all[%last, 0] [1, 72] [1, 1] : tensor<40x72xf32> to tensor<1x72xf32>
    %found = tensor.extract_slice %next[%last, 0] [1, 72] [1, 1] : tensor<40x72xf32> to tensor<1x72xf32>
    bench.expect_close %found, %expected {relative = 0.0} : tensor<1x72xf32>
    scf.yield %next, %nextNarrow : tensor<40x72xf32>, tensor<40x10xf32>
  }
  bench.expect_close %rows#0, %all {relative = 0.0} : tensor<40x72xf32>
  bench.expect_close %rows#1, %allNarrow {relative = 0.0} : tensor<40x10xf32>

  // Any number of columns: elementwise in floats and bytes, transposes.
  %eb = tensor.empty() : tensor<40x70xi8>
  %allBytes = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bytes : tensor<40x70xi8>) outs(%eb : tensor<40x70xi8>) {
  ^bb0(%a: i8, %o: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  } -> tensor<40x70xi8>
  %et = tensor.empty() : tensor<72x40xf32>
  %turned = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x72xf32>) outs(%et : tensor<72x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<72x40xf32>
  %noTurned = arith.constant dense<0.0> : tensor<72x40xf32>
  %columns:3 = scf.for %n = %c1 to %c73 step %c1 iter_args(%r = %none, %rb = %noBytes, %rt = %noTurned) -> (tensor<40x72xf32>, tensor<40x70xi8>, tensor<72x40xf32>) {
    %part = tensor.extract_slice %x[0, 0] [40, %n] [1, 1] : tensor<40x72xf32> to tensor<40x?xf32>
    %partBias = tensor.extract_slice %bias[0] [%n] [1] : tensor<72xf32> to tensor<?xf32>
    %to = tensor.empty(%n) : tensor<40x?xf32>
    %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part, %partBias : tensor<40x?xf32>, tensor<?xf32>) outs(%to : tensor<40x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %f = math.exp %a : f32
      %s = arith.addf %f, %b : f32
      linalg.yield %s : f32
    } -> tensor<40x?xf32>
    %next = tensor.insert_slice %y into %r[0, 0] [40, %n] [1, 1] : tensor<40x?xf32> into tensor<40x72xf32>
    %c70 = arith.constant 70 : index
    %nb = arith.minsi %n, %c70 : index
    %partBytes = tensor.extract_slice %bytes[0, 0] [40, %nb] [1, 1] : tensor<40x70xi8> to tensor<40x?xi8>
    %toBytes = tensor.empty(%nb) : tensor<40x?xi8>
    %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%partBytes : tensor<40x?xi8>) outs(%toBytes : tensor<40x?xi8>) {
    ^bb0(%a: i8, %o: i8):
      %s = arith.addi %a, %a : i8
      linalg.yield %s : i8
    } -> tensor<40x?xi8>
    %nextBytes = tensor.insert_slice %z into %rb[0, 0] [40, %nb] [1, 1] : tensor<40x?xi8> into tensor<40x70xi8>
    %toTurned = tensor.empty(%n) : tensor<?x40xf32>
    %t = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part : tensor<40x?xf32>) outs(%toTurned : tensor<?x40xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<?x40xf32>
    %nextTurned = tensor.insert_slice %t into %rt[0, 0] [%n, 40] [1, 1] : tensor<?x40xf32> into tensor<72x40xf32>
    // A column that was wrong before would be overwritten by a longer row: each is checked when it is the last.
    %last = arith.subi %n, %c1 : index
    %expected = tensor.extract_slice %all[0, %last] [40, 1] [1, 1] : tensor<40x72xf32> to tensor<40x1xf32>
    %found = tensor.extract_slice %next[0, %last] [40, 1] [1, 1] : tensor<40x72xf32> to tensor<40x1xf32>
    bench.expect_close %found, %expected {relative = 0.0} : tensor<40x1xf32>
    %expectedRow = tensor.extract_slice %turned[%last, 0] [1, 40] [1, 1] : tensor<72x40xf32> to tensor<1x40xf32>
    %foundRow = tensor.extract_slice %nextTurned[%last, 0] [1, 40] [1, 1] : tensor<72x40xf32> to tensor<1x40xf32>
    bench.expect_close %foundRow, %expectedRow {relative = 0.0} : tensor<1x40xf32>
    scf.yield %next, %nextBytes, %nextTurned : tensor<40x72xf32>, tensor<40x70xi8>, tensor<72x40xf32>
  }
  bench.expect_close %columns#0, %all {relative = 0.0} : tensor<40x72xf32>
  bench.expect_close %columns#1, %allBytes {relative = 0.0} : tensor<40x70xi8>
  bench.expect_close %columns#2, %turned {relative = 0.0} : tensor<72x40xf32>
  return
}

// Sums along rows of any length have the bits of a row whose length is a number; sums of any number of rows, those of the
// whole tensor, whose rows are all reduced together.
func.func @sums(%x: tensor<1x200xf32>, %y: tensor<40x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c41 = arith.constant 41 : index
  %c201 = arith.constant 201 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : tensor<201xf32>
  %start = arith.constant dense<0.0> : tensor<1xf32>
  %sums:2 = scf.for %n = %c1 to %c201 step %c1 iter_args(%r = %none, %re = %none) -> (tensor<201xf32>, tensor<201xf32>) {
    %part = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<1x200xf32> to tensor<1x?xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%part : tensor<1x?xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.addf %a, %o : f32
      linalg.yield %t : f32
    } -> tensor<1xf32>
    %f = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%part : tensor<1x?xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %g = math.exp %a : f32
      %t = arith.addf %g, %o : f32
      linalg.yield %t : f32
    } -> tensor<1xf32>
    %next = tensor.insert_slice %s into %r[%n] [1] [1] : tensor<1xf32> into tensor<201xf32>
    %nextExp = tensor.insert_slice %f into %re[%n] [1] [1] : tensor<1xf32> into tensor<201xf32>
    scf.yield %next, %nextExp : tensor<201xf32>, tensor<201xf32>
  }
  %part16 = tensor.extract_slice %x[0, 0] [1, 16] [1, 1] : tensor<1x200xf32> to tensor<1x16xf32>
  %s16 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part16 : tensor<1x16xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f16 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part16 : tensor<1x16xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d16 = tensor.insert_slice %s16 into %sums#0[16] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e16 = tensor.insert_slice %f16 into %sums#1[16] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part31 = tensor.extract_slice %x[0, 0] [1, 31] [1, 1] : tensor<1x200xf32> to tensor<1x31xf32>
  %s31 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part31 : tensor<1x31xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f31 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part31 : tensor<1x31xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d31 = tensor.insert_slice %s31 into %d16[31] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e31 = tensor.insert_slice %f31 into %e16[31] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part32 = tensor.extract_slice %x[0, 0] [1, 32] [1, 1] : tensor<1x200xf32> to tensor<1x32xf32>
  %s32 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part32 : tensor<1x32xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f32 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part32 : tensor<1x32xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d32 = tensor.insert_slice %s32 into %d31[32] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e32 = tensor.insert_slice %f32 into %e31[32] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part33 = tensor.extract_slice %x[0, 0] [1, 33] [1, 1] : tensor<1x200xf32> to tensor<1x33xf32>
  %s33 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part33 : tensor<1x33xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f33 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part33 : tensor<1x33xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d33 = tensor.insert_slice %s33 into %d32[33] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e33 = tensor.insert_slice %f33 into %e32[33] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part48 = tensor.extract_slice %x[0, 0] [1, 48] [1, 1] : tensor<1x200xf32> to tensor<1x48xf32>
  %s48 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part48 : tensor<1x48xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f48 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part48 : tensor<1x48xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d48 = tensor.insert_slice %s48 into %d33[48] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e48 = tensor.insert_slice %f48 into %e33[48] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part64 = tensor.extract_slice %x[0, 0] [1, 64] [1, 1] : tensor<1x200xf32> to tensor<1x64xf32>
  %s64 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part64 : tensor<1x64xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f64 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part64 : tensor<1x64xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d64 = tensor.insert_slice %s64 into %d48[64] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e64 = tensor.insert_slice %f64 into %e48[64] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part65 = tensor.extract_slice %x[0, 0] [1, 65] [1, 1] : tensor<1x200xf32> to tensor<1x65xf32>
  %s65 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part65 : tensor<1x65xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f65 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part65 : tensor<1x65xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d65 = tensor.insert_slice %s65 into %d64[65] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e65 = tensor.insert_slice %f65 into %e64[65] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part100 = tensor.extract_slice %x[0, 0] [1, 100] [1, 1] : tensor<1x200xf32> to tensor<1x100xf32>
  %s100 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part100 : tensor<1x100xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f100 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part100 : tensor<1x100xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d100 = tensor.insert_slice %s100 into %d65[100] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e100 = tensor.insert_slice %f100 into %e65[100] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part128 = tensor.extract_slice %x[0, 0] [1, 128] [1, 1] : tensor<1x200xf32> to tensor<1x128xf32>
  %s128 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part128 : tensor<1x128xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f128 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part128 : tensor<1x128xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d128 = tensor.insert_slice %s128 into %d100[128] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e128 = tensor.insert_slice %f128 into %e100[128] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part150 = tensor.extract_slice %x[0, 0] [1, 150] [1, 1] : tensor<1x200xf32> to tensor<1x150xf32>
  %s150 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part150 : tensor<1x150xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f150 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part150 : tensor<1x150xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d150 = tensor.insert_slice %s150 into %d128[150] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e150 = tensor.insert_slice %f150 into %e128[150] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %part200 = tensor.extract_slice %x[0, 0] [1, 200] [1, 1] : tensor<1x200xf32> to tensor<1x200xf32>
  %s200 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part200 : tensor<1x200xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %f200 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part200 : tensor<1x200xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %g = math.exp %a : f32
    %t = arith.addf %g, %o : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  %d200 = tensor.insert_slice %s200 into %d150[200] [1] [1] : tensor<1xf32> into tensor<201xf32>
  %e200 = tensor.insert_slice %f200 into %e150[200] [1] [1] : tensor<1xf32> into tensor<201xf32>
  bench.expect_close %d200, %sums#0 {relative = 0.0} : tensor<201xf32>
  bench.expect_close %e200, %sums#1 {relative = 0.0} : tensor<201xf32>

  %zeros = arith.constant dense<0.0> : tensor<40xf32>
  %all = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<40x8xf32>) outs(%zeros : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<40xf32>
  // After the rows: what is expected.
  %last = scf.for %n = %c1 to %c41 step %c1 iter_args(%r = %all) -> (tensor<40xf32>) {
    %part = tensor.extract_slice %y[0, 0] [%n, 8] [1, 1] : tensor<40x8xf32> to tensor<?x8xf32>
    %to = tensor.extract_slice %r[0] [%n] [1] : tensor<40xf32> to tensor<?xf32>
    %clear = linalg.fill ins(%zero : f32) outs(%to : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%part : tensor<?x8xf32>) outs(%clear : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.addf %a, %o : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %found = tensor.insert_slice %s into %r[0] [%n] [1] : tensor<?xf32> into tensor<40xf32>
    bench.expect_close %found, %all {relative = 0.0} : tensor<40xf32>
    scf.yield %found : tensor<40xf32>
  }
  return
}
