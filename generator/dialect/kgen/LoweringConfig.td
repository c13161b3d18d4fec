// The lowering of an operation, as an attribute of it.
#ifndef KGEN_LOWERING_CONFIG_TD
#define KGEN_LOWERING_CONFIG_TD

include "mlir/IR/AttrTypeBase.td"
include "dialect/kgen/BlockwiseQuant.td"

def Kgen_LoweringConfigAttr : AttrDef<Kgen_Dialect, "LoweringConfig"> {
  let mnemonic = "lowering_config";
  let summary = "Decisions on how an operation is lowered.";
  let description = [{
    The discardable attribute `lowering_config` of an operation of linalg or tpp. A selecting pass
    (kgen-select-tiling) writes what it decides, the passes that tile, vectorize and store read it
    and decide nothing. All parts are optional: a missing one is not decided. What an operation has
    already, because a test or a user's schedule says so, is kept.

    | part | |
    |---|---|
    | `distribution` | tile sizes of tasks, one for each loop of the operation; 0: the loop stays whole. All 0: the operation stays whole, and joins no other one's tasks |
    | `cache` | tile sizes of the sequential loops in a task, likewise |
    | `vector` | of a contraction: the register tile, likewise: rows and columns that a micro-kernel computes. Of other operations: the iterations that a step of the loop over vectors does, 0 for loops along which there are no vectors |
    | `unroll` | vectors that an iteration of the loop over vectors does; 0: all, so that there are no loops and a cache tile stays in registers |
    | `non_temporal` | whether a schedule demands that non-temporal stores write the result, or that none do |
    | `strategy` | by which strategy the operation is vectorized |
    | `provider` | whose micro-kernels a contraction calls |
    | `layout` | of a contraction: how it reads its operands. `rhs = "packed"`: B in panels, `rhs = "plain"`: B as it is |

    ```mlir
    tpp.gemm ... {lowering_config = #kgen.lowering_config<distribution = [64, 128, 0], provider = "vector">}
    ```

    Beside it, the discardable attribute `kgen.stores` of an operation of linalg (`Stores.td`) says
    where its results go, and by which stores. The level `cache` of kgen-select-tiling writes it
    together with the rows of tiles and the strategy that stores them, by the sizes that operands
    have as a whole, open ones by their bounds, and by `non_temporal`. These decisions read it, and
    so do the level `vector`, kgen-vectorize, kgen-reuse-operand-buffers and
    kgen-non-temporal-stores.

    | `kgen.stores` | |
    |---|---|
    | `"cached"` | a cache keeps what the operation reads and writes |
    | `"memory"` | no cache keeps one of its operands: ordinary stores wait for the lines that they write |
    | `"along_rows"` | non-temporal stores write lines of the result that a loop stores one after the other: no cache keeps it |
    | `"across_rows"` | likewise lines of several rows that a loop stores at one column: the L2 keeps little of it |

    All that hold are written, with `|` between them. Stores of vectors have the last two of their
    operation. kgen-non-temporal-stores withdraws a choice where memory is read, or not written in
    whole lines; it makes one itself for stores without any: copies, and results that became parts
    of larger ones.

    ```mlir
    linalg.generic ... {kgen.stores = "memory|along_rows", lowering_config = #kgen.lowering_config<cache = [16, 0], strategy = "full-lines">}
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$distribution,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$cache,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$vector,
    OptionalParameter<"::std::optional<int64_t>">:$unroll,
    OptionalParameter<"::mlir::BoolAttr">:$non_temporal,
    OptionalParameter<"::mlir::StringAttr">:$strategy,
    OptionalParameter<"::mlir::StringAttr">:$provider,
    OptionalParameter<"::mlir::DictionaryAttr">:$layout
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Return a copy of the config in which one part has another value.
    LoweringConfigAttr withDistribution(::llvm::ArrayRef<int64_t> tiles) const;
    LoweringConfigAttr withCache(::llvm::ArrayRef<int64_t> tiles) const;
    LoweringConfigAttr withVector(::llvm::ArrayRef<int64_t> sizes) const;
    LoweringConfigAttr withUnroll(int64_t vectors) const;
    LoweringConfigAttr withNonTemporal(bool nonTemporal) const;
    LoweringConfigAttr withStrategy(::llvm::StringRef strategy) const;
    LoweringConfigAttr withProvider(::llvm::StringRef provider) const;
    LoweringConfigAttr withLayout(::mlir::DictionaryAttr layout) const;
  }];
}

#endif
