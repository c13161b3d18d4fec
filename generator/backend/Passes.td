#ifndef KGEN_BACKEND_PASSES_TD
#define KGEN_BACKEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerInstructionsPass : Pass<"kgen-lower-instructions", "::mlir::ModuleOp"> {
  let summary = "Lower operations that stand for instructions to what they are defined as.";
  let description = [{
    Precondition: vectors of one dimension. Postcondition: none of the operations below. A back end
    whose instructions LLVM finds by itself runs nothing else; one with patterns of its own runs
    this pass after them.

    | operation | becomes |
    |---|---|
    | `kgen.store_fence` | a fence that orders all accesses (`llvm.fence seq_cst`) |
    | `kgen.dot` | for each position in the groups, the elements of `a` and `b` at that position, widened, multiplied and added to the sums |

    Operations that a target has only with a capability (`kgen.dynamic_permute`, `kgen.pack`,
    `kgen.exponent`, `kgen.mantissa`, `kgen.negative_magnitude_min`) are left: nothing makes them
    for a target without it.
  }];
  let statistics = [Statistic<"numFences", "fences", "Fences lowered">,
                    Statistic<"numDots", "dots", "Sums of products lowered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
