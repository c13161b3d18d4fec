// Products of eight-bit integers, signed and not, and of operands of two types: as products of the same values in f64.
// Many rows pack B, few read it in place; 19 values of k are no whole number of pairs or fours.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// RUN: %if x86-64-v4-bf16 %{ kgen-run "%s" --target x86-64-v4-bf16 | FileCheck "%s" %}
// CHECK: 10 checks hold
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%b8: tensor<19x37xi8>, %b16: tensor<19x37xbf16>, %a8_67: tensor<67x19xi8>, %af_67: tensor<67x19xf32>, %a8_3: tensor<3x19xi8>, %af_3: tensor<3x19xf32>) {
  // uu: 67 rows.
  %zuu67 = arith.constant 0 : i32
  %euu67 = tensor.empty() : tensor<67x37xi32>
  %fuu67 = linalg.fill ins(%zuu67 : i32) outs(%euu67 : tensor<67x37xi32>) -> tensor<67x37xi32>
  %ruu67 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_67, %b8 : tensor<67x19xi8>, tensor<19x37xi8>) outs(%fuu67 : tensor<67x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<67x37xi32>
  %e1 = tensor.empty() : tensor<67x19xf64>
  %w1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_67 : tensor<67x19xi8>) outs(%e1 : tensor<67x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<67x19xf64>
  %e2 = tensor.empty() : tensor<19x37xf64>
  %w2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e2 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e3 = tensor.empty() : tensor<67x37xf64>
  %w3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ruu67 : tensor<67x37xi32>) outs(%e3 : tensor<67x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<67x37xf64>
  %duu67 = arith.constant 0.0 : f64
  %guu67 = tensor.empty() : tensor<67x37xf64>
  %huu67 = linalg.fill ins(%duu67 : f64) outs(%guu67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  %quu67 = linalg.matmul ins(%w1, %w2 : tensor<67x19xf64>, tensor<19x37xf64>) outs(%huu67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  bench.expect_close %w3, %quu67 {absolute = 0.0, relative = 0.0} : tensor<67x37xf64>
  // us: 67 rows.
  %zus67 = arith.constant 0 : i32
  %eus67 = tensor.empty() : tensor<67x37xi32>
  %fus67 = linalg.fill ins(%zus67 : i32) outs(%eus67 : tensor<67x37xi32>) -> tensor<67x37xi32>
  %rus67 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_67, %b8 : tensor<67x19xi8>, tensor<19x37xi8>) outs(%fus67 : tensor<67x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<67x37xi32>
  %e4 = tensor.empty() : tensor<67x19xf64>
  %w4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_67 : tensor<67x19xi8>) outs(%e4 : tensor<67x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<67x19xf64>
  %e5 = tensor.empty() : tensor<19x37xf64>
  %w5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e5 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e6 = tensor.empty() : tensor<67x37xf64>
  %w6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rus67 : tensor<67x37xi32>) outs(%e6 : tensor<67x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<67x37xf64>
  %dus67 = arith.constant 0.0 : f64
  %gus67 = tensor.empty() : tensor<67x37xf64>
  %hus67 = linalg.fill ins(%dus67 : f64) outs(%gus67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  %qus67 = linalg.matmul ins(%w4, %w5 : tensor<67x19xf64>, tensor<19x37xf64>) outs(%hus67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  bench.expect_close %w6, %qus67 {absolute = 0.0, relative = 0.0} : tensor<67x37xf64>
  // su: 67 rows.
  %zsu67 = arith.constant 0 : i32
  %esu67 = tensor.empty() : tensor<67x37xi32>
  %fsu67 = linalg.fill ins(%zsu67 : i32) outs(%esu67 : tensor<67x37xi32>) -> tensor<67x37xi32>
  %rsu67 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_67, %b8 : tensor<67x19xi8>, tensor<19x37xi8>) outs(%fsu67 : tensor<67x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<67x37xi32>
  %e7 = tensor.empty() : tensor<67x19xf64>
  %w7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_67 : tensor<67x19xi8>) outs(%e7 : tensor<67x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<67x19xf64>
  %e8 = tensor.empty() : tensor<19x37xf64>
  %w8 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e8 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e9 = tensor.empty() : tensor<67x37xf64>
  %w9 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rsu67 : tensor<67x37xi32>) outs(%e9 : tensor<67x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<67x37xf64>
  %dsu67 = arith.constant 0.0 : f64
  %gsu67 = tensor.empty() : tensor<67x37xf64>
  %hsu67 = linalg.fill ins(%dsu67 : f64) outs(%gsu67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  %qsu67 = linalg.matmul ins(%w7, %w8 : tensor<67x19xf64>, tensor<19x37xf64>) outs(%hsu67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  bench.expect_close %w9, %qsu67 {absolute = 0.0, relative = 0.0} : tensor<67x37xf64>
  // ss: 67 rows.
  %zss67 = arith.constant 0 : i32
  %ess67 = tensor.empty() : tensor<67x37xi32>
  %fss67 = linalg.fill ins(%zss67 : i32) outs(%ess67 : tensor<67x37xi32>) -> tensor<67x37xi32>
  %rss67 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_67, %b8 : tensor<67x19xi8>, tensor<19x37xi8>) outs(%fss67 : tensor<67x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<67x37xi32>
  %e10 = tensor.empty() : tensor<67x19xf64>
  %w10 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_67 : tensor<67x19xi8>) outs(%e10 : tensor<67x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<67x19xf64>
  %e11 = tensor.empty() : tensor<19x37xf64>
  %w11 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e11 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e12 = tensor.empty() : tensor<67x37xf64>
  %w12 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rss67 : tensor<67x37xi32>) outs(%e12 : tensor<67x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<67x37xf64>
  %dss67 = arith.constant 0.0 : f64
  %gss67 = tensor.empty() : tensor<67x37xf64>
  %hss67 = linalg.fill ins(%dss67 : f64) outs(%gss67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  %qss67 = linalg.matmul ins(%w10, %w11 : tensor<67x19xf64>, tensor<19x37xf64>) outs(%hss67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  bench.expect_close %w12, %qss67 {absolute = 0.0, relative = 0.0} : tensor<67x37xf64>
  // f: 67 rows.
  %zf67 = arith.constant 0.0 : f32
  %ef67 = tensor.empty() : tensor<67x37xf32>
  %ff67 = linalg.fill ins(%zf67 : f32) outs(%ef67 : tensor<67x37xf32>) -> tensor<67x37xf32>
  %rf67 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%af_67, %b16 : tensor<67x19xf32>, tensor<19x37xbf16>) outs(%ff67 : tensor<67x37xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<67x37xf32>
  %e13 = tensor.empty() : tensor<67x19xf64>
  %w13 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%af_67 : tensor<67x19xf32>) outs(%e13 : tensor<67x19xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<67x19xf64>
  %e14 = tensor.empty() : tensor<19x37xf64>
  %w14 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b16 : tensor<19x37xbf16>) outs(%e14 : tensor<19x37xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %h = arith.extf %x : bf16 to f32
    %t = arith.extf %h : f32 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e15 = tensor.empty() : tensor<67x37xf64>
  %w15 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rf67 : tensor<67x37xf32>) outs(%e15 : tensor<67x37xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<67x37xf64>
  %df67 = arith.constant 0.0 : f64
  %gf67 = tensor.empty() : tensor<67x37xf64>
  %hf67 = linalg.fill ins(%df67 : f64) outs(%gf67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  %qf67 = linalg.matmul ins(%w13, %w14 : tensor<67x19xf64>, tensor<19x37xf64>) outs(%hf67 : tensor<67x37xf64>) -> tensor<67x37xf64>
  bench.expect_close %w15, %qf67 {absolute = 1.0e-5, relative = 1.0e-5} : tensor<67x37xf64>
  // uu: 3 rows.
  %zuu3 = arith.constant 0 : i32
  %euu3 = tensor.empty() : tensor<3x37xi32>
  %fuu3 = linalg.fill ins(%zuu3 : i32) outs(%euu3 : tensor<3x37xi32>) -> tensor<3x37xi32>
  %ruu3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_3, %b8 : tensor<3x19xi8>, tensor<19x37xi8>) outs(%fuu3 : tensor<3x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x37xi32>
  %e16 = tensor.empty() : tensor<3x19xf64>
  %w16 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_3 : tensor<3x19xi8>) outs(%e16 : tensor<3x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<3x19xf64>
  %e17 = tensor.empty() : tensor<19x37xf64>
  %w17 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e17 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e18 = tensor.empty() : tensor<3x37xf64>
  %w18 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ruu3 : tensor<3x37xi32>) outs(%e18 : tensor<3x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<3x37xf64>
  %duu3 = arith.constant 0.0 : f64
  %guu3 = tensor.empty() : tensor<3x37xf64>
  %huu3 = linalg.fill ins(%duu3 : f64) outs(%guu3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  %quu3 = linalg.matmul ins(%w16, %w17 : tensor<3x19xf64>, tensor<19x37xf64>) outs(%huu3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  bench.expect_close %w18, %quu3 {absolute = 0.0, relative = 0.0} : tensor<3x37xf64>
  // us: 3 rows.
  %zus3 = arith.constant 0 : i32
  %eus3 = tensor.empty() : tensor<3x37xi32>
  %fus3 = linalg.fill ins(%zus3 : i32) outs(%eus3 : tensor<3x37xi32>) -> tensor<3x37xi32>
  %rus3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_3, %b8 : tensor<3x19xi8>, tensor<19x37xi8>) outs(%fus3 : tensor<3x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x37xi32>
  %e19 = tensor.empty() : tensor<3x19xf64>
  %w19 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_3 : tensor<3x19xi8>) outs(%e19 : tensor<3x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<3x19xf64>
  %e20 = tensor.empty() : tensor<19x37xf64>
  %w20 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e20 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e21 = tensor.empty() : tensor<3x37xf64>
  %w21 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rus3 : tensor<3x37xi32>) outs(%e21 : tensor<3x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<3x37xf64>
  %dus3 = arith.constant 0.0 : f64
  %gus3 = tensor.empty() : tensor<3x37xf64>
  %hus3 = linalg.fill ins(%dus3 : f64) outs(%gus3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  %qus3 = linalg.matmul ins(%w19, %w20 : tensor<3x19xf64>, tensor<19x37xf64>) outs(%hus3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  bench.expect_close %w21, %qus3 {absolute = 0.0, relative = 0.0} : tensor<3x37xf64>
  // su: 3 rows.
  %zsu3 = arith.constant 0 : i32
  %esu3 = tensor.empty() : tensor<3x37xi32>
  %fsu3 = linalg.fill ins(%zsu3 : i32) outs(%esu3 : tensor<3x37xi32>) -> tensor<3x37xi32>
  %rsu3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_3, %b8 : tensor<3x19xi8>, tensor<19x37xi8>) outs(%fsu3 : tensor<3x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x37xi32>
  %e22 = tensor.empty() : tensor<3x19xf64>
  %w22 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_3 : tensor<3x19xi8>) outs(%e22 : tensor<3x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<3x19xf64>
  %e23 = tensor.empty() : tensor<19x37xf64>
  %w23 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e23 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e24 = tensor.empty() : tensor<3x37xf64>
  %w24 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rsu3 : tensor<3x37xi32>) outs(%e24 : tensor<3x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<3x37xf64>
  %dsu3 = arith.constant 0.0 : f64
  %gsu3 = tensor.empty() : tensor<3x37xf64>
  %hsu3 = linalg.fill ins(%dsu3 : f64) outs(%gsu3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  %qsu3 = linalg.matmul ins(%w22, %w23 : tensor<3x19xf64>, tensor<19x37xf64>) outs(%hsu3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  bench.expect_close %w24, %qsu3 {absolute = 0.0, relative = 0.0} : tensor<3x37xf64>
  // ss: 3 rows.
  %zss3 = arith.constant 0 : i32
  %ess3 = tensor.empty() : tensor<3x37xi32>
  %fss3 = linalg.fill ins(%zss3 : i32) outs(%ess3 : tensor<3x37xi32>) -> tensor<3x37xi32>
  %rss3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a8_3, %b8 : tensor<3x19xi8>, tensor<19x37xi8>) outs(%fss3 : tensor<3x37xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x37xi32>
  %e25 = tensor.empty() : tensor<3x19xf64>
  %w25 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a8_3 : tensor<3x19xi8>) outs(%e25 : tensor<3x19xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<3x19xf64>
  %e26 = tensor.empty() : tensor<19x37xf64>
  %w26 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b8 : tensor<19x37xi8>) outs(%e26 : tensor<19x37xf64>) {
  ^bb0(%x: i8, %o: f64):
    %t = arith.sitofp %x : i8 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e27 = tensor.empty() : tensor<3x37xf64>
  %w27 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rss3 : tensor<3x37xi32>) outs(%e27 : tensor<3x37xf64>) {
  ^bb0(%x: i32, %o: f64):
    %t = arith.sitofp %x : i32 to f64
    linalg.yield %t : f64
  } -> tensor<3x37xf64>
  %dss3 = arith.constant 0.0 : f64
  %gss3 = tensor.empty() : tensor<3x37xf64>
  %hss3 = linalg.fill ins(%dss3 : f64) outs(%gss3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  %qss3 = linalg.matmul ins(%w25, %w26 : tensor<3x19xf64>, tensor<19x37xf64>) outs(%hss3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  bench.expect_close %w27, %qss3 {absolute = 0.0, relative = 0.0} : tensor<3x37xf64>
  // f: 3 rows.
  %zf3 = arith.constant 0.0 : f32
  %ef3 = tensor.empty() : tensor<3x37xf32>
  %ff3 = linalg.fill ins(%zf3 : f32) outs(%ef3 : tensor<3x37xf32>) -> tensor<3x37xf32>
  %rf3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%af_3, %b16 : tensor<3x19xf32>, tensor<19x37xbf16>) outs(%ff3 : tensor<3x37xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x37xf32>
  %e28 = tensor.empty() : tensor<3x19xf64>
  %w28 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%af_3 : tensor<3x19xf32>) outs(%e28 : tensor<3x19xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<3x19xf64>
  %e29 = tensor.empty() : tensor<19x37xf64>
  %w29 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b16 : tensor<19x37xbf16>) outs(%e29 : tensor<19x37xf64>) {
  ^bb0(%x: bf16, %o: f64):
    %h = arith.extf %x : bf16 to f32
    %t = arith.extf %h : f32 to f64
    linalg.yield %t : f64
  } -> tensor<19x37xf64>
  %e30 = tensor.empty() : tensor<3x37xf64>
  %w30 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rf3 : tensor<3x37xf32>) outs(%e30 : tensor<3x37xf64>) {
  ^bb0(%x: f32, %o: f64):
    %t = arith.extf %x : f32 to f64
    linalg.yield %t : f64
  } -> tensor<3x37xf64>
  %df3 = arith.constant 0.0 : f64
  %gf3 = tensor.empty() : tensor<3x37xf64>
  %hf3 = linalg.fill ins(%df3 : f64) outs(%gf3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  %qf3 = linalg.matmul ins(%w28, %w29 : tensor<3x19xf64>, tensor<19x37xf64>) outs(%hf3 : tensor<3x37xf64>) -> tensor<3x37xf64>
  bench.expect_close %w30, %qf3 {absolute = 1.0e-5, relative = 1.0e-5} : tensor<3x37xf64>
  return
}
