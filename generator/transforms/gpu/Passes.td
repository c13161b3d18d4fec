#ifndef KGEN_TRANSFORMS_GPU_PASSES_TD
#define KGEN_TRANSFORMS_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReadPadsPass : Pass<"kgen-read-pads", "::mlir::func::FuncOp"> {
  let summary =
      "Pads become operations that read the source where it is, and a constant elsewhere.";
  let description = [{
    Precondition: `tensor.pad` of known sizes with a constant. Postcondition: a `linalg.generic`
    without inputs, which elementwise fusion makes part of what reads it: windows of an image then
    read what is around it from nowhere.

    ```mlir
    %i = linalg.index 0 : index
    %inside = arith.cmpi ult, %i_less_low, %size : index
    %element = tensor.extract %x[%clamped] : tensor<56xf32>
    %padded = arith.select %inside, %element, %zero : f32
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPads", "pads", "Pads that are read">];
}

def MapToGpuPass : Pass<"kgen-map-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Each operation on memrefs becomes a kernel, and its launch.";
  let description = [{
    Precondition: functions of one block of `linalg.generic`, `tpp.gemm`, `tpp.brgemm` and
    `memref.copy` on memrefs of known sizes, `scf.for` around such operations and scalars,
    allocations, constants in memory, and views; and `kgen.gpu` on the module, the figures of the
    graphics card. Postcondition: a `gpu.module` with a `gpu.func` for each operation or chain of
    operations, and functions of `gpu.launch_func`, in order. What has no form for graphics cards is
    an error there, all of them at once.

    A kernel's arguments are whole buffers of one dimension: views are part of its addresses, so
    that an odd size or a slice takes no copy. Five kinds:

    1. Products: a block of threads for each tile of the result, whose size the cost model chooses
       (`costmodel/GpuTiles.h`); terms of A and B by way of shared memory, sums in registers, the
       epilogue on these. Convolutions are products whose A is read through windows; what pads an
       image is not in memory (`tpp.implicit_pad`). What is beyond the matrices is read as zero and
       not written.
    2. Rows: a chain of operations on the same rows, such as a softmax or a normalization with what
       is elementwise before and after it. A group of threads has a row, each thread some of
       its elements in registers. Where these are more than 16, each sum and each result is a loop
       along the row, and elements that only the chain reads are computed there. Sums and maxima are
       those of a thread, then those of pairs in shared memory, in an order that depends on the size
       only. Results that nothing else reads are not in memory.
    3. Points: a thread for each element of the result, with loops around its sums.
    4. Transpositions: operations that read what is one after another in memory in another order
       than they write, where a thread for each element would move more
       (`costmodel/GpuTransposition.h`). A block of threads reads a tile of the sources in their
       order to shared memory, then computes and writes it in the order of the results.
    5. Sequences: loops whose iterations need what others have written, such as cumulative sums, or
       write where the data say. Threads share those loops only whose index is that of one dimension
       in all that reads and writes a buffer; each of them runs the others, one iteration after
       another. What the loops allocate is a buffer for all threads or, where it has no such
       dimension, one for each thread. More than 2^22 steps of a thread are an error.

    A scalar that is computed between operations is computed again in each of them.

    The start of a sum, a constant that an operation before has written, becomes part of the sum.

    ```mlir
    gpu.launch_func @kernels::@h0 blocks in (%c4, %c1, %c1) threads in (%c16, %c16, %c1) args(%x : memref<65536xf32>, ...)
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numFused", "fused-operations", "Operations that are part of another's kernel">
  ];
}

def MergeKernelsPass : Pass<"kgen-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Kernels of the same code become one.";
  let description = [{
    Precondition: `gpu.func` in a `gpu.module`, and their launches (kgen-map-to-gpu).
    Postcondition: no two have the same body, types and threads, whatever their names and locations.
  }];
  let statistics = [Statistic<"numMerged", "merged", "Kernels that were equal to another">];
}

def VerifyKernelsPass : Pass<"kgen-verify-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Fail where a kernel breaks a rule of all graphics cards.";
  let description = [{
    Precondition: kernels (kgen-map-to-gpu). Changes nothing. Each barrier is reached by all threads
    of a block or by none: branches and loops around it do not depend on the thread, nor on shared
    memory. No store writes to one place for all threads of a block, or for all blocks: its indices,
    or the branches and loops around it, depend on the number of the thread in each dimension in
    which a block has several, and on that of the block in memory that blocks share.
    The alignment of accesses of vectors follows from what divides their indices. Kernels allocate
    shared memory only; it and the threads of a block are within the limits of `kgen.gpu`.
  }];
}

def PrepareSpirvPass : Pass<"kgen-prepare-spirv", "::mlir::ModuleOp"> {
  let summary = "Kernels get the interface that Vulkan has, and types that SPIR-V has.";
  let description = [{
    Precondition: one `gpu.module` (kgen-map-to-gpu), functions as arithmetic (kgen-expand-math).
    Postcondition: what convert-gpu-to-spirv takes. Argument i is binding i of descriptor set 0, the
    threads of a block are the local size, memory that a block shares is that of workgroups, all
    other memory storage buffers; `spirv.target_env` is SPIR-V 1.3 as Vulkan 1.1 has it, with all
    that a kernel may declare. Hints for branches go, and that sums do not wrap. Elements of bf16,
    which SPIR-V lacks, are integers of 16 bits in memory.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def PrepareNvvmPass : Pass<"kgen-prepare-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Kernels as the NVVM dialect takes them.";
  let description = [{
    Precondition: kernels (kgen-map-to-gpu), functions as arithmetic (kgen-expand-math).
    Postcondition: what convert-gpu-to-nvvm takes without a library for functions: those that have
    an instruction are intrinsics. Loops with `kgen.unroll` are unrolled, memory that a block shares
    is an attribution, and arguments say what the host promises: multiples of 16 bytes, buffers
    apart from each other, those that are read only.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def KeepSpecialsPass : Pass<"kgen-keep-specials", "::mlir::spirv::ModuleOp"> {
  let summary = "Kernels ask drivers to keep -0, infinities and NaN.";
  let description = [{
    Precondition: entry points (spirv-lower-abi-attrs). Postcondition: for each width of floats that
    the module computes with, an entry point has the execution mode SignedZeroInfNanPreserve, so
    that a driver takes no sum with 0 for its other operand. What it needs of a device is declared
    by spirv-update-vce.

    ```mlir
    spirv.ExecutionMode @kernel "SignedZeroInfNanPreserve", 32
    ```
  }];
}

def ForbidContractionPass : Pass<"kgen-forbid-contraction", "::mlir::spirv::ModuleOp"> {
  let summary = "Products and sums are rounded one by one.";
  let description = [{
    Postcondition: arithmetic on floats is decorated with NoContraction, so that a driver does not
    make multiply-adds of products and sums where it likes: results would depend on its version.

    ```mlir
    %r = spirv.FAdd %x, %y {no_contraction} : f32
    ```
  }];
}

#endif
