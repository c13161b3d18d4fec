// The ukernel dialect: micro-kernels as symbols and calls that pass pointers.
#ifndef UKERNEL_TD
#define UKERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialect/kgen/BlockwiseQuant.td"
include "dialect/ukernel/UkernelInterfaces.td"

def Ukernel_Dialect : Dialect {
  let name = "ukernel";
  let cppNamespace = "::kgen::ukernel";
  let summary = "Micro-kernels: one symbol for each distinct kernel, and calls with a fixed ABI.";
}

def Ukernel_GemmOp : Op<Ukernel_Dialect, "gemm", [Symbol, SingleBlock, IsolatedFromAbove, Ukernel_KernelOpInterface]> {
  let summary =
      "The descriptor of a GEMM or batch-reduce GEMM micro-kernel: everything but the addresses.";
  let description = [{
    Computes an `m` x `n` register tile: `batch` products of depth `k`, added up in registers, then
    the epilogue. All strides are in elements, and `r` counts the products of the batch:

    | operand | element | address |
    |---|---|---|
    | A | (r, row, k) | `r * a_batch + row * a_row + k * a_col` |
    | B | (r, k, column) | `r * b_batch + k * b_row + column * b_col` |
    | B with `vnni = v` | (r, k, column) | `r * b_batch + (k / v) * b_row + column * v + k % v`, padded with zeros to a multiple of v |
    | C | (row, column) | `row * c_row + column` |
    | epilogue operand i | (row, column) | `row * epilogue_rows[i] + column * epilogue_cols[i]` |

    `b_col` is 1, except for dot products, which have contiguous rows of A and columns of B (`a_col`
    and `b_row` are 1). With `accumulate` the sums start from C, else from zero. With `b_padded`,
    rows of B may be read up to the next full vector; no other memory outside the tile is accessed.
    With `strict_order`, every sum is one chain over ascending r and k.

    A has the type `element`, and so has B unless `b_type` is set; i8 is signed unless `a_unsigned`
    or `b_unsigned` is set. Sums have the type of the epilogue's first argument, C the type of the
    yielded value, each epilogue operand the type of its argument.

    | attribute | meaning |
    |---|---|
    | `b_quant` | B is a panel of blockwise-quantized weights. `b_row` is the distance of its blocks in bytes, `n` at most the panel's width; blocks are read in full. With `row_block`, elements of A are bytes, which `k` counts. |
    | `f16_accumulate` | A and B are f16. Sums of up to 256 products are in f16; these are added up in f32. |
    | `a_run_rows`, `a_run_stride` | Every `a_run_rows` rows of A form a run, such as a row of an image: row i is at `(i / a_run_rows) * a_run_stride + (i % a_run_rows) * a_row`. `m` is a multiple of `a_run_rows`. f32 and f64, and matrix products only. |
    | `a_valid_ranges` | Implicit padding: elements of A outside of valid ranges count as zero and are not read. Four numbers for each row: first and end of the products r, first and end of k. The pointer to A then is that of the valid element with the lowest address. f32 and f64 only. |
    | `b_prefetch` | A further operand is prefetched: as many bytes as `b_prefetch` elements of B's type have, spread over the products, from `r * b_batch` on for product r. It will be read as B, or as A if that has B's type. A hint: the address may be out of bounds. |
    | `b_prefetch_end` | As many elements are prefetched as lie between the address of that operand and the address of a later one, at most about `b_prefetch`. |
    | `b_prefetch_rows` | The elements to prefetch are rows of a B in place: `n` elements each, at a distance of `b_row`, in a range of `b_prefetch` elements. |
    | `b_streams` | B is expected to come from memory. The kernel reads so many ranges of k in parallel, one access stream each (not with `strict_order`), and prefetches within each; at the end, where B's next panel would begin. If columns of B are contiguous, it prefetches the columns of a later call, which is expected to read the columns after its own. |
    | `b_upconverted_row` | B has a narrower type than the sums. A further operand receives B in the type of the sums: row k at `k * b_upconverted_row`, in full vectors. Other kernels may then read it as their B. |
    | `sums_row` | The sums start from a further operand, with this distance between its rows, instead of from zero. |

    The ABI is fixed: pointers to A, B and C, then, if there are such, to what is prefetched
    (`b_prefetch`) and its end (`b_prefetch_end`), to up-converted B (`b_upconverted_row`), to sums
    (`sums_row`), and to each epilogue operand; no return value.

    The symbol's name is `uk_gemm_<A's element>[x<B's element>][_<C's element>]_<m>x<n>x<k>` or
    `uk_brgemm_..._<m>x<n>x<batch>x<k>`, where weights in blocks of s are `i4b<s>` or `i8b<s>`, and
    `u4b<s>` or `u8b<s>` with zero points; then
    `[_half][_acc][_in][_pf][_wide][_sums][_<b_streams>s][_<count of epilogue
    operations>e][_<number>]`: `_half` with `f16_accumulate`, `_in` with `a_valid_ranges`, `_wide`
    with `b_upconverted_row`, and the number if kernels would otherwise have one name. A provider
    replaces the descriptor by a function of that name.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$element, I64Attr:$m, I64Attr:$n, I64Attr:$k,
                       I64Attr:$a_row, I64Attr:$a_col, I64Attr:$b_row, I64Attr:$c_row, I64Attr:$b_prefetch,
                       DenseI64ArrayAttr:$epilogue_rows, DenseI64ArrayAttr:$epilogue_cols,
                       UnitAttr:$accumulate, UnitAttr:$b_padded, UnitAttr:$strict_order,
                       DefaultValuedAttr<I64Attr, "1">:$vnni, DefaultValuedAttr<I64Attr, "1">:$batch,
                       DefaultValuedAttr<I64Attr, "0">:$a_batch, DefaultValuedAttr<I64Attr, "0">:$b_batch,
                       DefaultValuedAttr<I64Attr, "1">:$b_col, OptionalAttr<TypeAttr>:$b_type,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, OptionalAttr<Kgen_BlockwiseQuantAttr>:$b_quant,
                       DefaultValuedAttr<I64Attr, "0">:$b_streams, DefaultValuedAttr<I64Attr, "0">:$a_run_rows,
                       DefaultValuedAttr<I64Attr, "0">:$a_run_stride, UnitAttr:$f16_accumulate,
                       OptionalAttr<DenseI64ArrayAttr>:$a_valid_ranges, DefaultValuedAttr<I64Attr, "0">:$b_upconverted_row,
                       DefaultValuedAttr<I64Attr, "0">:$sums_row, UnitAttr:$b_prefetch_rows,
                       UnitAttr:$b_prefetch_end);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $epilogue";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getTileCount() { return getFirstEpilogueIn() + getEpilogueRows().size(); }
    unsigned getFirstEpilogueIn() { return getSumsPosition() + (getSumsRow() ? 1 : 0); }
    /// Positions of the operands for b_upconverted_row and sums_row, if there are such.
    unsigned getUpconvertedBPosition() { return 3 + (getBPrefetch() ? 1 : 0) + (getBPrefetchEnd() ? 1 : 0); }
    unsigned getSumsPosition() { return getUpconvertedBPosition() + (getBUpconvertedRow() ? 1 : 0); }
    unsigned getDestination() { return 2; }
    bool readsDestination() { return getAccumulate(); }
    bool writesTile(unsigned number) { return number == 2 || (getBUpconvertedRow() && number == getUpconvertedBPosition()); }
    /// Rows of A with the distance `a_row`.
    int64_t getRowsPerRun() { return getARunRows() ? getARunRows() : getM(); }
    /// Elements from the first row of A to row `row`.
    int64_t getRowOffsetInA(int64_t row) { return row / getRowsPerRun() * getARunStride() + row % getRowsPerRun() * getARow(); }
    /// The elements of row `row` that A has.
    RowValidRange getValidRange(int64_t row) {
      if (auto all = getAValidRanges())
        return {(*all)[4 * row], (*all)[4 * row + 1], (*all)[4 * row + 2], (*all)[4 * row + 3]};
      return {0, static_cast<int64_t>(getBatch()), 0, static_cast<int64_t>(getK())};
    }
    /// Offsets of the first and the last valid element of A from product 0 and k = 0 of row 0.
    std::pair<int64_t, int64_t> getSpanOfA();
    ::mlir::Region &getScalarCode() { return getEpilogue(); }
    ::mlir::Type getAccumulatorType() { return getEpilogue().getArgument(0).getType(); }
    ::mlir::Type getBElement() { return getBType().value_or(getElement()); }
    /// The type of the values that B's elements stand for.
    ::mlir::Type getBValueType() { return getBQuant() ? ::mlir::Float32Type::get(getContext()) : getBElement(); }
    /// The type of the values that A's elements stand for.
    ::mlir::Type getAValueType() {
      return getBQuant() && getBQuant()->quantizesRows() ? ::mlir::Float32Type::get(getContext()) : getElement();
    }
    /// True if A, B and the sums have one type.
    bool hasOneType() { return getElement() == getBElement() && getElement() == getAccumulatorType(); }
    /// The type of C's elements.
    ::mlir::Type getResultType() { return getEpilogue().front().getTerminator()->getOperand(0).getType(); }
    /// True if each result is a dot product of contiguous values.
    bool isDotProducts() {
      bool contiguous = getACol() == 1 && getBRow() == 1 && (getBCol() != 1 || getN() == 1) && getK() > 1;
      return contiguous && hasOneType() && ::llvm::isa<::mlir::FloatType>(getElement()) &&
             getVnni() == 1 && !getStrictOrder();
    }
    bool hasTrivialEpilogue() {
      return getEpilogue().front().getTerminator()->getOperand(0) == getEpilogue().getArgument(0);
    }
  }];
}

def Ukernel_MapOp : Op<Ukernel_Dialect, "map", [Symbol, SingleBlock, IsolatedFromAbove, Ukernel_KernelOpInterface]> {
  let summary = "The descriptor of an elementwise micro-kernel: everything but the addresses.";
  let description = [{
    Computes each element of an `m` x `n` tile by the scalar operations of the region from the
    elements of the inputs. Strides are in elements: input `i` is read at
    `row * in_rows[i] + column * in_cols[i]`, where `in_cols[i]` is 1, or 0 if it has the same value
    in all columns; the result is written to `row * out_row + column`. The region's arguments and
    the yielded value give the types. The output's tile may be an input's tile of the same strides;
    otherwise they must not overlap. No memory outside the tiles is accessed. Without inputs the
    kernel fills the tile.

    The ABI is fixed: pointers to each input and to the output, in this order, no return value. The
    symbol's name follows `uk_map_<output's element>_<m>x<n>[_<count of operations>e][_<number>]`,
    as for `ukernel.gemm`.

    ```mlir
    ukernel.map @uk_map_f32_6x64_1e attributes {m = 6 : i64, n = 64 : i64, in_rows = array<i64: 64, 0>, in_cols = array<i64: 1, 1>, out_row = 64 : i64} {
    ^bb0(%x: f32, %bias: f32):
      %s = arith.addf %x, %bias : f32
      ukernel.yield %s : f32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$m, I64Attr:$n, DenseI64ArrayAttr:$in_rows,
                       DenseI64ArrayAttr:$in_cols, I64Attr:$out_row);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getTileCount() { return getInRows().size() + 1; }
    unsigned getDestination() { return getInRows().size(); }
    bool readsDestination() { return false; }
    bool writesTile(unsigned number) { return number == getDestination(); }
    ::mlir::Region &getScalarCode() { return getBody(); }
    /// The type of the output's elements.
    ::mlir::Type getResultType() { return getBody().front().getTerminator()->getOperand(0).getType(); }
  }];
}

def Ukernel_YieldOp : Op<Ukernel_Dialect, "yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GemmOp", "MapOp"]>]> {
  let summary = "The value of an epilogue or of an elementwise kernel.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Ukernel_CallOp : Op<Ukernel_Dialect, "call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a micro-kernel on tiles.";
  let description = [{
    The operands are the tiles, as memrefs of any layout; the call passes the addresses of their
    first elements. For `ukernel.gemm` they are A, B, C, if there are such what is prefetched and
    its end, up-converted B and sums, and each epilogue operand: C is written, and read if the
    kernel accumulates; up-converted B is written; all others are read. For `ukernel.map` they are
    the inputs, which are read, and the output, which is written. If the callee is a function that a
    provider generated, all operands count as read and written.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyMemRef>:$tiles);
  let assemblyFormat = "$callee `(` $tiles `)` attr-dict `:` type($tiles)";
  let extraClassDeclaration = [{
    /// The descriptor, or null if a provider has replaced it by a function.
    KernelOpInterface getKernel();
  }];
}

def Ukernel_ConfigureTilesOp : Op<Ukernel_Dialect, "configure_tiles"> {
  let summary = "Sets the shapes of the tile registers, and clears them.";
  let description = [{
    Register `i` gets `rows[i]` rows of `bytes[i]` bytes; 0 and 0 if it is not used. The attribute
    `ukernel.tile_shapes` of a function whose kernel uses them has the shapes that it expects to be
    set. The contents of the registers are lost.

    ```mlir
    ukernel.configure_tiles rows [16, 16, 0, 0, 0, 0, 0, 16] bytes [64, 64, 0, 0, 0, 0, 0, 64]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$bytes);
  let assemblyFormat = "`rows` $rows `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Ukernel_ReleaseTilesOp : Op<Ukernel_Dialect, "release_tiles"> {
  let summary =
      "Resets the tile registers to their initial state, as functions must on return.";
  let description = [{
    The operating system then has no tile state to save when it switches threads.
  }];
  let assemblyFormat = "attr-dict";
}

#endif
