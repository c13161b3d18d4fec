// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// Bytes as other compilers dequantize them: each operand in one generic, with a zero point of integers or floats; what quantizes the result
// follows the product.
// CHECK: kgen-raise-idioms {{ *}}x w product {{ *}}a product of bytes
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @quantized(%bytes: tensor<7x12xi8>) -> (tensor<7x5xf32>, tensor<7x5xi8>) {
  %numbers = arith.constant dense<[[-7, -62, 61, 114, -95], [-122, 112, 4, -9, -30], [112, 115, 75, -51, -10], [-51, 71, -121, -96, -47], [-107, 26, -113, 9, 114], [70, 90, 74, 99, -60], [59, -79, -110, -59, 125], [-17, 4, 95, 26, 87], [69, 51, 80, -10, 44], [-114, 15, -45, 39, -75], [-20, 8, 17, -65, -96], [118, 119, -83, 48, -94]]> : tensor<12x5xi8>
  %scales = arith.constant dense<[0.01, 0.02, 0.03, 0.025, 0.015]> : tensor<5xf32>
  %zp = arith.constant -9 : i32
  %sx = arith.constant 0.05 : f32
  %sy = arith.constant 3.1 : f32
  %zy = arith.constant 4.0 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<7x12xf32>
  %ew = tensor.empty() : tensor<12x5xf32>
  %e = tensor.empty() : tensor<7x5xf32>
  %eq = tensor.empty() : tensor<7x5xi8>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%bytes : tensor<7x12xi8>) outs(%ex : tensor<7x12xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %zp : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %sx : f32
    linalg.yield %3 : f32
  } -> tensor<7x12xf32>
  %w = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%numbers, %scales : tensor<12x5xi8>, tensor<5xf32>) outs(%ew : tensor<12x5xf32>) {
  ^bb0(%a: i8, %s: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<12x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %product = linalg.matmul ins(%x, %w : tensor<7x12xf32>, tensor<12x5xf32>) outs(%z : tensor<7x5xf32>) -> tensor<7x5xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%product : tensor<7x5xf32>) outs(%eq : tensor<7x5xi8>) {
  ^bb0(%a: f32, %o: i8):
    %0 = arith.divf %a, %sy : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zy : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<7x5xi8>
  return %product, %q : tensor<7x5xf32>, tensor<7x5xi8>
}
