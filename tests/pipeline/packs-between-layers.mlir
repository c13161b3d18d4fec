// RUN: kgen-opt "%s" --kgen-pack-matmul --kgen-packed-layout --mlir-elide-elementsattrs-if-larger=4 --mlir-elide-resource-strings-if-larger=8 -o "%t.packed"
// RUN: FileCheck "%s" --check-prefix=PACKED < "%t.packed"
// RUN: kgen-opt "%s" --kgen-pack-matmul=block-factors=16,32,32 --kgen-packed-layout --mlir-elide-elementsattrs-if-larger=4 --mlir-elide-resource-strings-if-larger=8 | FileCheck "%s" --check-prefix=PACKED
// RUN: kgen-opt "%t.packed" --kgen-normalize-contractions | FileCheck "%s" --check-prefix=FORM
// RUN: kgen-opt "%s" --kgen-raise-stage --kgen-fuse-stage --kgen-pack-stage --mlir-elide-elementsattrs-if-larger=4 --mlir-elide-resource-strings-if-larger=8 | FileCheck "%s" --check-prefix=BLOCKED
// RUN: sed "s/block_layout_f32 = {[^}]*}//" "%s" > "%t.plain"
// RUN: kgen-opt "%t.plain" --kgen-raise-stage --kgen-fuse-stage --kgen-pack-stage --mlir-elide-elementsattrs-if-larger=4 --mlir-elide-resource-strings-if-larger=8 | FileCheck "%s" --check-prefix=LAYOUT
// RUN: kgen-opt "%t.plain" --kgen-raise-stage --kgen-fuse-stage --kgen-pack-stage --kgen-tiling-stage --kgen-vectorize-stage --kgen-bufferize-stage --kgen-macro-kernel-stage --mlir-elide-elementsattrs-if-larger=4 --mlir-elide-resource-strings-if-larger=8 | FileCheck "%s" --check-prefix=TILE

// Three layers of 1024 with relu between them. With a blocked layout, only the input is packed and only the result is
// unpacked at run time; weights and biases are packed constants, and the contractions keep their two reductions.

// PACKED-LABEL: func.func @mlp
// PACKED-NOT:     linalg.pack
// PACKED:         %[[X:.*]] = bufferization.to_tensor
// PACKED-NOT:     linalg.unpack
// PACKED:         linalg.pack %[[X]]
// PACKED-NOT:     linalg.pack
// PACKED-NOT:     linalg.unpack
// PACKED:         iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]
// PACKED-NOT:     linalg.pack
// PACKED-NOT:     linalg.unpack
// PACKED:         iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]
// PACKED-NOT:     linalg.pack
// PACKED-NOT:     linalg.unpack
// PACKED:         iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]
// PACKED-NOT:     linalg.pack
// PACKED:         linalg.unpack
// PACKED-NOT:     linalg.pack
// PACKED-NOT:     linalg.unpack
// PACKED:         return

// FORM-COUNT-3: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]

// If the target has block sizes, the pack stage packs, and each block is a tpp.brgemm.

// BLOCKED-LABEL: func.func @mlp
// BLOCKED-NOT:     linalg.unpack
// BLOCKED:         linalg.pack
// BLOCKED-NOT:     linalg.pack
// BLOCKED-NOT:     linalg.unpack
// BLOCKED-COUNT-3: tpp.brgemm
// BLOCKED-NOT:     linalg.pack
// BLOCKED:         linalg.unpack
// BLOCKED-NOT:     linalg.
// BLOCKED:         return

// The default layout keeps activations in rows: nothing is packed at run time, and no loop allocates or copies.

// LAYOUT-LABEL: func.func @mlp
// LAYOUT-NOT:     linalg.pack
// LAYOUT-NOT:     linalg.unpack
// LAYOUT-COUNT-3: tpp.gemm
// LAYOUT-NOT:     linalg.
// LAYOUT:         return

// TILE-LABEL: func.func @mlp
// TILE-NOT:     memref.alloc
// TILE-NOT:     memref.copy
// TILE:         scf.for
// TILE-NOT:     memref.alloc
// TILE-NOT:     memref.copy
// TILE-NOT:     linalg.
// TILE:         return

#full = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
// A made-up target: an L2 of 256 KiB and a blocked layout.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma",
    tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {block_layout_f32 = {m = 32 : i64, n = 64 : i64, k = 64 : i64}}>} {
  func.func @mlp(%input: memref<256x1024xf32> {bufferization.writable = false}, %output: memref<256x1024xf32>) {
    %x = bufferization.to_tensor %input restrict : memref<256x1024xf32> to tensor<256x1024xf32>
    %w1 = arith.constant dense<0.5> : tensor<1024x1024xf32>
    %w2 = arith.constant dense<0.25> : tensor<1024x1024xf32>
    %w3 = arith.constant dense<0.125> : tensor<1024x1024xf32>
    %b1 = arith.constant dense<1.0> : tensor<1024xf32>
    %b2 = arith.constant dense<2.0> : tensor<1024xf32>
    %b3 = arith.constant dense<3.0> : tensor<1024xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x1024xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x1024xf32>) -> tensor<256x1024xf32>

    %m1 = linalg.matmul ins(%x, %w1 : tensor<256x1024xf32>, tensor<1024x1024xf32>) outs(%z : tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %r1 = linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
        ins(%m1, %b1 : tensor<256x1024xf32>, tensor<1024xf32>) outs(%e : tensor<256x1024xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
    } -> tensor<256x1024xf32>

    %m2 = linalg.matmul ins(%r1, %w2 : tensor<256x1024xf32>, tensor<1024x1024xf32>) outs(%z : tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %r2 = linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
        ins(%m2, %b2 : tensor<256x1024xf32>, tensor<1024xf32>) outs(%e : tensor<256x1024xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
    } -> tensor<256x1024xf32>

    %m3 = linalg.matmul ins(%r2, %w3 : tensor<256x1024xf32>, tensor<1024x1024xf32>) outs(%z : tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %r3 = linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
        ins(%m3, %b3 : tensor<256x1024xf32>, tensor<1024xf32>) outs(%e : tensor<256x1024xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
    } -> tensor<256x1024xf32>
    bufferization.materialize_in_destination %r3 in restrict writable %output
        : (tensor<256x1024xf32>, memref<256x1024xf32>) -> ()
    return
  }
}
