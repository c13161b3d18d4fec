// kgen's own passes. A pass is one file of the pass's name; its description here is its documentation.
#ifndef KGEN_PASSES_TD
#define KGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"kgen-expand-math"> {
  let summary = "Expands exp, log, tanh, erf and gelu of f32 and f64 into plain arithmetic.";
  let description = [{
    Results are within 4 ulp of the exact ones for every input, subnormal results included, and have the same bits on every
    target: only additions, subtractions, multiplications, divisions, comparisons, selections and integer operations are
    used, each rounded on its own. Works on scalars and on vectors of any shape. What would remain as a call into libm, be
    it another function or another type, is an error.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes some 25 operations of `arith` on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif
