// Where results go, and by which stores, is chosen once, before cache tiles: by the sizes of tensors as a whole. x86-64-v3 has a last-level cache of 8 MiB; lines across rows are stored non-temporally above 2 MiB.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache --kgen-cache-tiling --kgen-select-tiling=level=vector | FileCheck "%s" --check-prefix=VECTOR
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache --kgen-cache-tiling --kgen-vectorize | FileCheck "%s" --check-prefix=STORES

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @small
// CHECK:         kgen.stores = "cached"
// STORES-LABEL: func @small
// STORES-NOT:     kgen.stores
// STORES:         return
func.func @small(%x: tensor<128x512xf32>, %e: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// CHECK-LABEL: func @of_three_mebibytes
// CHECK:         kgen.stores = "across_rows"
// STORES-LABEL: func @of_three_mebibytes
// STORES:         vector.transfer_write {{.*}} kgen.stores = "across_rows"
func.func @of_three_mebibytes(%x: tensor<1024x768xf32>, %e: tensor<1024x768xf32>) -> tensor<1024x768xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1024x768xf32>) outs(%e : tensor<1024x768xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<1024x768xf32>
  return %r : tensor<1024x768xf32>
}

// What a loop writes a slice of counts as a whole.
// CHECK-LABEL: func @slices
// CHECK:         kgen.stores = "memory|along_rows|across_rows"
// STORES-LABEL: func @slices
// STORES:         vector.transfer_write {{.*}} kgen.stores = "along_rows|across_rows"
func.func @slices(%x: tensor<64x1024xf32>, %e: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %r = scf.forall (%i) = (0) to (4096) step (64) shared_outs(%o = %e) -> tensor<4096x1024xf32> {
    %s = tensor.extract_slice %o[%i, 0] [64, 1024] [1, 1] : tensor<4096x1024xf32> to tensor<64x1024xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x1024xf32>) outs(%s : tensor<64x1024xf32>) {
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x1024xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [64, 1024] [1, 1] : tensor<64x1024xf32> into tensor<4096x1024xf32>
    }
  }
  return %r : tensor<4096x1024xf32>
}

// Of a chain there is a tile at a time, but for what comes in and goes out: that waits for memory.
// CHECK-LABEL: func @chain
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4096x1024xf32>) attrs = {kgen.stores = "memory"}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4096xf32>) attrs = {kgen.stores = "cached"}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4096x1024xf32>) attrs = {kgen.stores = "memory|along_rows|across_rows", lowering_config = #kgen.lowering_config<cache = [
// VECTOR-LABEL: func @chain
// VECTOR:         scf.for
// VECTOR:           kgen.stores = "memory"
// VECTOR:           kgen.stores = "cached"
// VECTOR:           kgen.stores = "memory|along_rows|across_rows"
func.func @chain(%x: tensor<4096x1024xf32>, %z: tensor<4096xf32>, %f: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<4096x1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<4096x1024xf32>) outs(%z : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4096xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %s : tensor<4096x1024xf32>, tensor<4096xf32>) outs(%f : tensor<4096x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.divf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

// Open sizes by their bounds: at most 1,024 rows of 16 KiB.
// CHECK-LABEL: func @open
// CHECK:         kgen.stores = "memory|along_rows|across_rows"
func.func @open(%n: index {kgen.size = #kgen.size<"rows", min = 1, max = 1024, multiple = 1>}, %x: tensor<4096xf32>) -> tensor<?x4096xf32> {
  %e = tensor.empty(%n) : tensor<?x4096xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096xf32>) outs(%e : tensor<?x4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<?x4096xf32>
  return %r : tensor<?x4096xf32>
}

// What schedules demand.
// CHECK-LABEL: func @demanded
// CHECK:         kgen.stores = "along_rows|across_rows"
// STORES-LABEL: func @demanded
// STORES:         vector.transfer_write {{.*}} kgen.non_temporal = true, kgen.stores = "along_rows|across_rows"
func.func @demanded(%x: tensor<128x512xf32>, %e: tensor<128x512xf32>) -> tensor<128x512xf32> attributes {kgen.node_decisions = [{node = "y", schedule = "s", non_temporal = true}]} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<128x512xf32> loc("y")
  return %r : tensor<128x512xf32>
}

// CHECK-LABEL: func @declined
// CHECK:         kgen.stores = "memory"
// STORES-LABEL: func @declined
// STORES:         vector.transfer_write
// STORES-SAME:      kgen.non_temporal = false}
func.func @declined(%x: tensor<4096x1024xf32>, %e: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> attributes {kgen.node_decisions = [{node = "y", schedule = "s", non_temporal = false}]} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<4096x1024xf32> loc("y")
  return %r : tensor<4096x1024xf32>
}

// What is written is kept.
// CHECK-LABEL: func @given
// CHECK:         kgen.stores = "memory"
// VECTOR-LABEL: func @given
// VECTOR:         kgen.stores = "memory"
func.func @given(%x: tensor<128x512xf32>, %e: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) attrs = {kgen.stores = "memory"} {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}
