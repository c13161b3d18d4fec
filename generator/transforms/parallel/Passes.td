#ifndef KGEN_TRANSFORMS_PARALLEL_PASSES_TD
#define KGEN_TRANSFORMS_PARALLEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignOpIdsPass : Pass<"kgen-assign-op-ids", "::mlir::func::FuncOp"> {
  let summary = "Number the linalg and tpp operations, in their locations.";
  let description = [{
    Without effect unless decisions are recorded (`kgen.decisions` on the module): the number ties together what several
    passes decide about one operation, and the loops that it becomes.
  }];
}

def FuseParallelLoopsPass : Pass<"kgen-fuse-parallel-loops", "::mlir::func::FuncOp"> {
  let summary = "Make one grid of tasks of several that do not depend on each other.";
  let description = [{
    Parallel loops on buffers that follow each other become one, if none of them reads or writes what another one writes: each
    starts the threads once, and waits for all of them once. The index of the task says which of the bodies it runs. Such
    loops are the grids that cover one operation together where tiles do not divide it (`#kgen.grid_partition`), and operations of a
    graph that do not depend on each other.

    Loops touch the same memory unless the parts of a view that they are given are apart: the indices of subviews are
    constants, variables of loops whose bounds are known, or sums and products of those.

    ```mlir
    scf.forall (%i) = (0) to (640) step (128) {
      %part = memref.subview %c[0, %i] [33, 128] [1, 1] ...
      tpp.gemm ... outs(%part : ...)
    }
    scf.forall (%i) = (640) to (651) step (11) {
      %part = memref.subview %c[0, 640] [33, 11] [1, 1] ...
      tpp.gemm ... outs(%part : ...)
    } {mapping = [#kgen.grid_partition]}
    ```
    becomes
    ```mlir
    scf.forall (%task) in (6) {
      %c5 = arith.constant 5 : index
      %first = arith.cmpi ult, %task, %c5 : index
      scf.if %first {
        %i = affine.apply affine_map<(d0) -> (d0 * 128)>(%task)
        %part = memref.subview %c[0, %i] [33, 128] [1, 1] ...
        tpp.gemm ... outs(%part : ...)
      } else {
        %part = memref.subview %c[0, 640] [33, 11] [1, 1] ...
        tpp.gemm ... outs(%part : ...)
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def InstrumentOpsPass : Pass<"kgen-instrument-ops", "::mlir::ModuleOp"> {
  let summary = "Call a clock after each step of a graph.";
  let description = [{
    In every public function the clock is called with -1 at the beginning, and with a number after each part of its work: the
    operations one after another that belong to the same numbered steps. What belongs to none counts with what stands before it. A
    loop over several steps is one part. Which steps have which number is recorded as a decision. For `kgen bench --steps`;
    a library has no clock.

    ```mlir
    linalg.fill ... loc(step 0)
    scf.forall ... loc(step 1)
    ```
    becomes
    ```mlir
    func.call @kgen_step_ends(%minus1) : (index) -> ()
    linalg.fill ... loc(step 0)
    func.call @kgen_step_ends(%c0) : (index) -> ()
    scf.forall ... loc(step 1)
    func.call @kgen_step_ends(%c1) : (index) -> ()
    ```
  }];
  let options = [Option<"symbol", "symbol", "std::string", "\"kgen_step_ends\"", "The clock: a function that takes a number.">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def OutlineTasksPass : Pass<"kgen-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "Turn parallel loops into tasks that an executor runs.";
  let description = [{
    Every public function gets a last argument: the executor, a pointer. Each outermost `scf.parallel` whose bounds are
    constants becomes a private function of one iteration and a `kgen.launch`; the index of the task says which
    iteration it is. Buffers are passed whole: constants, views and arithmetic from before the loop are computed again in
    the task. Promises about the function's arguments (`llvm.noalias`, `llvm.readonly`) hold in the task, too. A task that asks for
    its slot (`kgen.task_slot`) gets it as another argument; elsewhere it is the number that was given.

    ```mlir
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}) {
      scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c6) step (%c4, %c2) { body(%i, %j, %x) }
    ```
    becomes
    ```mlir
    func.func private @g_task0(%x: memref<8x6xf32> {llvm.noalias}, %task: index) {
      %place:2 = affine.delinearize_index %task into (2, 3) : index, index
      %i = affine.apply affine_map<(d0) -> (d0 * 4)>(%place#0)
      %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%place#1)
      body(%i, %j, %x)
    }
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}, %executor: !llvm.ptr) {
      kgen.launch @g_task0[6] on %executor(%x) : memref<8x6xf32>
    ```
    A grid of one task becomes its body. Parallel loops in a task, those in private functions, and those whose bounds are
    not known become loops over `scf.for`; loops with reductions stay. A buffer from before the loop that can be
    passed neither whole nor as a view of such a one is an error.
  }];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def InsertAmxConfigPass : Pass<"kgen-insert-amx-config", "::mlir::ModuleOp"> {
  let summary = "Give the tile registers of AMX the shapes that micro-kernels need, as seldom as possible.";
  let description = [{
    A kernel that multiplies in tiles finds the registers with the shapes that its function says (`ukernel.tiles`). Setting them takes
    about as long as four products of tiles, so it is not part of each call: `ukernel.configure_tiles` stands before the outermost
    loop, or other operation, in which all kernels need the same shapes, and not at all where the operations before have left them
    so. Where a loop contains kernels of several shapes, its body sets them in turn. Launches and calls of other functions lose the
    shapes. A function that sets them ends with `ukernel.release_tiles`; so does each task, which runs on a thread of its own.

    ```mlir
    ukernel.configure_tiles rows [16, 16, 16, 16, 16, 16, 16, 16] bytes [64, 64, 64, 64, 64, 64, 64, 64]
    scf.for %i = %c0 to %c256 step %c32 {
      ukernel.call @uk_gemm_bf16_f32_32x32x1024(%a, %b, %c) : ...
    }
    ukernel.release_tiles
    ```
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def LowerTaskLaunchesPass : Pass<"kgen-lower-task-launches", "::mlir::ModuleOp"> {
  let summary = "Turn kgen.launch into calls of the executor.";
  let description = [{
    Reads functions of the LLVM dialect. The captures are stored in a struct on the stack; a function
    `void <task>_thunk(void *argument, uint32_t index)` takes them out again and calls the task. One function for all
    launches, `<graph>_launch`, calls `executor->run(executor->user, tasks, thunk, argument)`, or the thunk for each index
    in turn if the executor or its `run` is NULL. All of them are internal.

    Where tasks have slots, a byte for each follows the captures: the thunk exchanges them, one after the other, for a 1 until one was
    0, and stores a 0 there when the task has ended.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
