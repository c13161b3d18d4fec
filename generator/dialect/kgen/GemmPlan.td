// The part of a contraction's plan that does not depend on its task, as an attribute of it.
#ifndef KGEN_GEMM_PLAN_TD
#define KGEN_GEMM_PLAN_TD

include "mlir/IR/AttrTypeBase.td"
include "dialect/kgen/BlockwiseQuant.td"

def Kgen_GemmPlanAttr : AttrDef<Kgen_Dialect, "GemmPlan"> {
  let mnemonic = "gemm_plan";
  let summary = "The form of a contraction's products and their register tile.";
  let description = [{
    The discardable attribute `kgen.gemm_plan` of a contraction: what kgen-assign-layouts decides by
    the target, the types of operands and the layout of B. Sizes of tasks do not change it; passes
    that know these refine it to blocks of rows, columns and k (`costmodel/GemmBlocking.h`).

    | part | |
    |---|---|
    | `form` | of products: `multiply_add`, `upconvert`, `multiply_add_i16`, `dot_product`, `matrix` or `tile` (`costmodel/Products.h`) |
    | `table` | the entry of the target's `gemm_tiles` that block sizes come from |
    | `rows`, `columns` | of the register tile at full width |
    | `row_grain` | rows of the product in one instruction |
    | `depth` | values of k that are adjacent in packed B |
    | `in_vectors` | the plan for kernels whose shape or layout does not fit tile registers, if this one has these |

    ```mlir
    tpp.gemm ... {kgen.gemm_plan = #kgen.gemm_plan<form = "multiply_add", table = "gemm_f32", rows = 6, columns = 16, row_grain = 1, depth = 1>}
    ```
  }];
  let parameters = (ins
    StringRefParameter<>:$form,
    StringRefParameter<>:$table,
    "int64_t":$rows,
    "int64_t":$columns,
    "int64_t":$row_grain,
    "int64_t":$depth,
    OptionalParameter<"::mlir::Attribute">:$in_vectors
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The plan for kernels on vectors.
    GemmPlanAttr inVectors() const;
    GemmTile tile() const;
  }];
}

#endif
