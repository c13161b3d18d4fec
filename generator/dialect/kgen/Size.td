// A size that is known at run time: an argument of a function.
#ifndef KGEN_SIZE_TD
#define KGEN_SIZE_TD

include "mlir/IR/AttrTypeBase.td"
include "dialect/kgen/BlockwiseQuant.td"

def Kgen_SizeAttr : AttrDef<Kgen_Dialect, "Size"> {
  let mnemonic = "size";
  let summary = "The bounds of a size that is known at run time.";
  let description = [{
    The attribute `kgen.size` of an `index` argument. The caller passes a multiple of `multiple`
    from `min` to `max`. `name` is the dimension's name in the spec, and empty for sizes that passes
    compute from others. `SizeBounds` (analysis) is what passes ask.

    `kgen.shape` of a memref argument says what its sizes are: an affine map without dimensions,
    whose symbols are the function's `index` arguments in order. A buffer of bytes may have several
    results, the greatest of which is its size.

    ```mlir
    func.func @mlp(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
        %x: memref<?x1024xf32> {kgen.shape = affine_map<()[s0] -> (s0, 1024)>})
    ```
  }];
  let parameters = (ins StringRefParameter<"of the dimension">:$name, "int64_t":$min, "int64_t":$max, "int64_t":$multiple);
  let assemblyFormat = "`<` $name `,` struct($min, $max, $multiple) `>`";
  let genVerifyDecl = 1;
}

#endif
