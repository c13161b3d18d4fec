#ifndef KGEN_TRANSFORMS_PARALLEL_PASSES_TD
#define KGEN_TRANSFORMS_PARALLEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignOpIdsPass : Pass<"kgen-assign-op-ids", "::mlir::func::FuncOp"> {
  let summary = "Number the linalg and tpp operations and extern calls, in their locations.";
  let description = [{
    Precondition: each operation that does a graph's work is one linalg or tpp operation, or a
    `kgen.extern` (before kgen-vectorize). Postcondition: their locations carry the numbers, and so
    does what later passes make of them; kgen-plan-workspace, kgen-outline-tasks and
    kgen-instrument-ops group operations by number.

    In the pipeline only if decisions are recorded (`kgen explain`; `decisions` of the vectorize
    stage), and without effect on modules without `kgen.decisions`: the number ties together what
    several passes decide about one operation, and the loops that it becomes.
  }];
  let statistics = [Statistic<"numOps", "ops", "Operations with a number">];
}

def FuseParallelLoopsPass : Pass<"kgen-fuse-parallel-loops", "::mlir::func::FuncOp"> {
  let summary = "Fuse independent parallel loops into one grid of tasks.";
  let description = [{
    Precondition: `scf.forall` on memrefs with known bounds (kgen-distribute-tasks, kgen-bufferize).
    Postcondition: no mapping attribute; branches that ask for the index of the task say which tasks
    run a body, and kgen-plan-workspace gives slots to these only.

    Parallel loops that follow each other become one, if none of them reads or writes what another
    one writes: each loop starts the threads once, and waits for all of them once. The index of the
    task says which of the bodies it runs. Such loops are the grids that cover one operation
    together where tiles do not divide it (`#kgen.grid_partition`), and operations of a graph that
    do not depend on each other.

    Two loops depend on each other unless the slices that they access are proven disjoint: the
    offsets of subviews are constants, variables of loops with known bounds, or sums and products of
    those.

    ```mlir
    scf.forall (%i) = (0) to (640) step (128) {
      %slice = memref.subview %c[0, %i] [33, 128] [1, 1] ...
      tpp.gemm ... outs(%slice : ...)
    }
    scf.forall (%i) = (640) to (651) step (11) {
      %slice = memref.subview %c[0, 640] [33, 11] [1, 1] ...
      tpp.gemm ... outs(%slice : ...)
    } {mapping = [#kgen.grid_partition]}
    ```
    becomes
    ```mlir
    scf.forall (%task) in (6) {
      %c5 = arith.constant 5 : index
      %first = arith.cmpi ult, %task, %c5 : index
      scf.if %first {
        %i = affine.apply affine_map<(d0) -> (d0 * 128)>(%task)
        %slice = memref.subview %c[0, %i] [33, 128] [1, 1] ...
        tpp.gemm ... outs(%slice : ...)
      } else {
        %slice = memref.subview %c[0, 640] [33, 11] [1, 1] ...
        tpp.gemm ... outs(%slice : ...)
      }
    }
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "Loops that became part of another one's grid">,
                    Statistic<"numRefused", "refused",
                              "Loops right after another one that depend on it, or have too many "
                              "tasks">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def InstrumentOpsPass : Pass<"kgen-instrument-ops", "::mlir::ModuleOp"> {
  let summary = "Call a clock after each numbered operation of a graph.";
  let description = [{
    Precondition: numbered locations (kgen-assign-op-ids), parallel loops that are not outlined yet.
    Postcondition: public functions call `symbol`, which the benchmark's program defines; the loops
    become tasks in kgen-outline-tasks, and the calls stay outside of them.

    In every public function the clock is called with -1 at the beginning, and with a timer's number
    after each group of operations that have the same numbers and follow each other. Operations
    without a number count with what stands before them. A loop over several numbered operations is
    one group. Which operations have which timer is recorded as a decision. For
    `kgen bench --steps`; a library has no clock.

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
  let options = [Option<"symbol", "symbol", "std::string", "\"kgen_step_ends\"",
                        "The clock: a function that takes a number.">];
  let statistics =
      [Statistic<"numTimers", "timers", "Groups of operations with a timer of their own">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def OutlineTasksPass : Pass<"kgen-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "Outline parallel loops as tasks that an executor runs.";
  let description = [{
    Precondition: `scf.parallel` (upstream's conversion of `scf.forall`) on memrefs; no cleanups
    since then, which would merge nested loops; `memref` arguments of unknown size have no layout,
    and their sizes as `kgen.shape`; the last argument is the workspace where the function has
    `kgen.workspace` (kgen-plan-workspace). Postcondition: no `memref` argument of unknown size; no
    `scf.parallel` but those with reductions, no `kgen.task_slot`; public functions have the
    executor as last argument. kgen-lower-runtime-calls lowers each `kgen.launch`.

    Each outermost `scf.parallel` with constant bounds becomes a private function of one iteration
    and a `kgen.launch`; the index of the task says which iteration it is. Buffers are passed whole:
    constants, views and arithmetic from before the loop are recomputed in the task. Attributes of
    the function's arguments (`llvm.noalias`, `llvm.readonly`) hold in the task, too. A task with a
    `kgen.task_slot` gets its slot as another argument; elsewhere the slot is the operand of that
    operation.

    ```mlir
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}) {
      scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c6) step (%c4, %c2) { body(%i, %j, %x) }
    ```
    becomes
    ```mlir
    func.func private @g_task0(%x: memref<8x6xf32> {llvm.noalias}, %task: index) {
      %indices:2 = affine.delinearize_index %task into (2, 3) : index, index
      %i = affine.apply affine_map<(d0) -> (d0 * 4)>(%indices#0)
      %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%indices#1)
      body(%i, %j, %x)
    }
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}, %executor: !llvm.ptr) {
      kgen.launch @g_task0[6] on %executor(%x) : memref<8x6xf32>
    ```
    A buffer of unknown size is passed as one of one element, which `memref.reinterpret_cast` gives
    its sizes and strides, computed from the function's `index` arguments, so that calls with bare
    pointers are possible. A buffer of bytes has the greatest of its sizes. All of this is pure:
    tasks get pointers and sizes, and repeat it. The sizes of a workspace become
    `kgen.workspace_sizes` of the function, where the driver reads them.

    ```mlir
    func.func @g(%n: index, %x: memref<?x8xf32> {llvm.noalias, kgen.shape = affine_map<()[s0] -> (s0 * 2, 8)>})
    ```
    becomes
    ```mlir
    func.func @g(%n: index, %x: memref<f32> {llvm.noalias}, %executor: !llvm.ptr) {
      %rows = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
      %buffer = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32>
    ```

    A function of more than 8192 operations (a mathematical function counts as 20, a loop of a
    linalg operation as 128) becomes several, since LLVM's passes take more than linear time for
    one: consecutive operations move to private functions, `<graph>_part0`, `<graph>_part1` and so
    on, of about as many each, which it calls in turn. A part ends where at most four vectors or
    numbers that only it can compute are needed after it, which it returns; what is pure, such as
    constants and views, is computed anew in each part. Calls of `kgen.extern` and allocations stay.

    The layers of a network are often equal but for their weights. Tasks and parts that differ only
    in the constants that they read with `memref.get_global` become one, so that LLVM compiles a
    layer once, and its code stays in the instruction cache. Constants in which they differ become
    the last captures, with `llvm.noalias`, `llvm.readonly` and the least alignment of the globals.

    ```mlir
    func.func private @g_task0(%x: memref<64xf32>, %task: index) { %w = memref.get_global @w0 : memref<64xf32> ... }
    func.func private @g_task1(%x: memref<64xf32>, %task: index) { %w = memref.get_global @w1 : memref<64xf32> ... }
    func.func @g(%x: memref<64xf32>, %executor: !llvm.ptr) {
      kgen.launch @g_task0[4] on %executor(%x) : memref<64xf32>
      kgen.launch @g_task1[4] on %executor(%x) : memref<64xf32>
    ```
    becomes
    ```mlir
    func.func private @g_task0(%x: memref<64xf32>, %w: memref<64xf32> {llvm.noalias, llvm.readonly}, %task: index)
    func.func @g(%x: memref<64xf32>, %executor: !llvm.ptr) {
      %w0 = memref.get_global @w0 : memref<64xf32>
      kgen.launch @g_task0[4] on %executor(%x, %w0) : memref<64xf32>, memref<64xf32>
      %w1 = memref.get_global @w1 : memref<64xf32>
      kgen.launch @g_task0[4] on %executor(%x, %w1) : memref<64xf32>, memref<64xf32>
    ```

    A grid of one task becomes its body. Parallel loops in a task, in private functions, and with
    unknown bounds become `scf.for`; loops with reductions stay. A buffer from before the loop that
    can be passed neither whole nor as a view of such a one is an error.
  }];
  let statistics = [Statistic<"numLaunches", "launches", "Loops that became tasks">,
                    Statistic<"numTasks", "tasks", "Tasks of all launches">,
                    Statistic<"numPointers", "pointers",
                              "Buffers of unknown sizes that are passed as pointers">,
                    Statistic<"numMerged", "merged",
                              "Tasks and parts that are another one with other constants">,
                    Statistic<"numInlined", "inlined", "Grids of at most one task">,
                    Statistic<"numSequential", "sequential", "Parallel loops that became scf.for">];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def LowerRuntimeCallsPass : Pass<"kgen-lower-runtime-calls", "::mlir::ModuleOp"> {
  let summary = "Lower kgen.launch and kgen.extern to calls of C functions.";
  let description = [{
    Precondition: functions of the LLVM dialect (upstream's conversion with bare pointers);
    `kgen.extern` on buffers without layout, in functions that others see. Postcondition: no
    `kgen.launch` and no `kgen.extern`; upstream's reconciliation removes the casts of what they
    read.

    *Launches.* The captures are stored in a struct on the stack; a function
    `void <task>_thunk(void *argument, uint32_t index)` loads them and calls the task. One function
    for all launches, `<graph>_launch`, calls
    `executor->run(executor->user, tasks, thunk, argument)`, or the thunk for each index in turn if
    the executor or its `run` is NULL. All of them are internal.

    Where tasks have slots, the captures are followed by one byte for each slot, which is 1 while a
    task has it. The thunk atomically exchanges one byte after another for a 1 until the old value
    is 0; it stores a 0 there when the task has ended.

    *Arguments.* Internal functions that are only called take a vector of three `f32` as one of
    four, whose last element is poison, if eight registers of 128 bits do not hold the arguments up
    to this one: LLVM 22 crashes for AArch64 where a vector of three is passed on the stack.

    *Functions from outside.* A function that had a `kgen.extern` returns an `i32`: 0, or what the
    first call that failed has returned.

    ```mlir
    llvm.func @g(%x: !llvm.ptr, %y: !llvm.ptr) {
      kgen.extern "f" ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
      ...
      llvm.return
    }
    ```
    becomes
    ```mlir
    llvm.func @f(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    llvm.func @g(%x: !llvm.ptr, %y: !llvm.ptr) -> i32 {
      %s = llvm.call @f(%x, %y, %null, %c0) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
      %failed = llvm.icmp "ne" %s, %zero : i32
      llvm.cond_br %failed, ^bb2(%s : i32), ^bb1
    ^bb1:
      ...
      llvm.return %zero : i32
    ^bb2(%status: i32):
      llvm.return %status : i32
    }
    ```
  }];
  let statistics = [Statistic<"numLaunches", "launches", "Launches that became calls">,
                    Statistic<"numCalls", "calls",
                              "Calls of functions from outside of the library">,
                    Statistic<"numWidened", "arguments", "Arguments that got another lane">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerDynamicExpansionsPass : Pass<"kgen-lower-dynamic-expansions", "::mlir::func::FuncOp"> {
  let summary =
      "Compute the strides of views with several dimensions of unknown size in the place of one.";
  let description = [{
    Precondition: buffers. Postcondition: no `memref.expand_shape` makes several dimensions of one
    if more than one of them has a size that is known at run time. expand-strided-metadata computes
    such a size from the others of its group, which takes one unknown.

    ```mlir
    %v = memref.expand_shape %m [[0, 1], [2]] output_shape [%batch, %length, 768] : memref<?x768xf32> into memref<?x?x768xf32>
    ```
    becomes
    ```mlir
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %m
    %v = memref.reinterpret_cast %base to offset: [0], sizes: [%batch, %length, 768], strides: [%length * 768, 768, 1]
    ```
  }];
  let statistics = [Statistic<"numLowered", "lowered", "Views whose strides are computed">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

#endif
