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
  let summary = "The descriptor of a GEMM or batch-reduce GEMM micro-kernel: everything but the addresses.";
  let description = [{
    Computes an `m` x `n` tile with all of its `batch` times `k` products in registers, then applies the epilogue. Strides are
    in elements: product r reads A at `r * a_batch + row * a_row + k * a_col` and B at `r * b_batch + k * b_row + column * b_col`, where `b_col`
    is 1 unless each row of A and column of B is contiguous (`a_col` and `b_row` are 1: dot products); C is at `row * c_row + column`, extra `i` at `row * epilogue_rows[i] + column * epilogue_cols[i]`. With `vnni = v`, B's row `k / v`
    holds v values of k for each column next to each other, `(k / v) * b_row + column * v + k % v`, padded with zeros up to a
    whole row. With `accumulate` the tile starts from C, else from zero. With `b_padded`, B may be read up to the next whole
    vector in each row; nothing else is ever touched beyond the tile. With `strict_order`, every sum is one chain over ascending
    r and k.

    A has the type `element`, B too unless `b_type` says otherwise; i8 is signed unless `a_unsigned` or `b_unsigned` says
    otherwise. The sums have that of the epilogue's first argument, C that of what the epilogue yields, an
    extra that of its argument.

    With `b_blocks`, B is a panel of weights of few bits as `#kgen.blockwise_quant` says: `b_row` is the distance of its blocks in bytes,
    and `n` at most the panel's width; it is read in whole blocks.

    With `f16_accumulate`, A and B are of f16, and so are sums of up to 256 products, which are added up in f32.

    With `a_run`, rows of A come in runs of so many, as those of several rows of an image do: row i is at
    `(i / a_run) * a_jump + (i % a_run) * a_row`. `m` is a multiple of it. Only `f32` and `f64` have runs.

    With `a_inside`, parts of A count as zero and are never read, as those that windows reach of an image's border: for each row
    four numbers say from which product to which, and from which k to which, the ends not included, A has elements. The
    pointer to A is then that of the first of them, in memory, of all rows. Only `f32` and `f64` have it.

    With `b_prefetch`, a further tile says where memory begins that will be read soon, as B or as A if that has B's type: the kernel
    asks for as many bytes as that many elements of B's type have, spread over its products, for product r from `r * b_batch` on. It is a
    hint, and may lie beyond the operand. With `b_prefetch_rows`, these are rows of a B in place: `n` elements of one after
    another, `b_row` apart, as many as `b_prefetch` elements with all that lies between them.

    With `b_streams`, B is expected to come from memory: the kernel reads that many parts of k side by side, unless it is
    `strict_order`, and asks in each for what it reads next, in the end for what lies where B's next panel would begin. Of a B whose columns
    are contiguous, it asks for columns of a later call, which is expected to read those behind its own.

    With `b_wide`, B's elements are narrower than the sums, and a further tile keeps them as they were multiplied, in the type of
    the sums: row k is written at `k * b_wide`, in whole vectors. Other kernels may then read it as their B.

    With `sums_row`, the tile starts from a further tile of sums, whose rows are that far apart, instead of from zero.

    The ABI is fixed: pointers to A, B, C, with `b_prefetch` to what is asked for, with `b_wide` to widened B, with `sums_row` to the
    sums, and to each extra, in this order, no return value. The symbol's name follows
    `uk_gemm_<A's element>[x<B's element>][_<C's element>]_<m>x<n>x<k>` or `uk_brgemm_..._<m>x<n>x<batch>x<k>`, where weights
    in blocks of s are `i4b<s>` or `i8b<s>`, and `u4b<s>` or `u8b<s>` with zero points; then
    `[_half][_acc][_in][_pf][_wide][_sums][_<b_streams>s][_<count of epilogue operations>e][_<number>]`, `_in` being there with `a_inside`,
    and the number only to tell apart kernels that differ in strides, what is inside or epilogue. A provider replaces the descriptor by a
    function of that name.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$element, I64Attr:$m, I64Attr:$n, I64Attr:$k,
                       I64Attr:$a_row, I64Attr:$a_col, I64Attr:$b_row, I64Attr:$c_row, I64Attr:$b_prefetch,
                       DenseI64ArrayAttr:$epilogue_rows, DenseI64ArrayAttr:$epilogue_cols,
                       UnitAttr:$accumulate, UnitAttr:$b_padded, UnitAttr:$strict_order,
                       DefaultValuedAttr<I64Attr, "1">:$vnni, DefaultValuedAttr<I64Attr, "1">:$batch,
                       DefaultValuedAttr<I64Attr, "0">:$a_batch, DefaultValuedAttr<I64Attr, "0">:$b_batch,
                       DefaultValuedAttr<I64Attr, "1">:$b_col, OptionalAttr<TypeAttr>:$b_type,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, OptionalAttr<Kgen_BlockwiseQuantAttr>:$b_blocks,
                       DefaultValuedAttr<I64Attr, "0">:$b_streams, DefaultValuedAttr<I64Attr, "0">:$a_run,
                       DefaultValuedAttr<I64Attr, "0">:$a_jump, UnitAttr:$f16_accumulate,
                       OptionalAttr<DenseI64ArrayAttr>:$a_inside, DefaultValuedAttr<I64Attr, "0">:$b_wide,
                       DefaultValuedAttr<I64Attr, "0">:$sums_row, UnitAttr:$b_prefetch_rows);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $epilogue";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getTileCount() { return getFirstEpilogueIn() + getEpilogueRows().size(); }
    unsigned getFirstEpilogueIn() { return getPlaceOfSums() + (getSumsRow() ? 1 : 0); }
    /// Where the tiles of b_wide and sums_row are, if there are such.
    unsigned getPlaceOfWide() { return getBPrefetch() ? 4 : 3; }
    unsigned getPlaceOfSums() { return getPlaceOfWide() + (getBWide() ? 1 : 0); }
    unsigned getDestination() { return 2; }
    bool readsDestination() { return getAccumulate(); }
    bool writesTile(unsigned number) { return number == 2 || (getBWide() && number == getPlaceOfWide()); }
    /// Rows of A that follow each other.
    int64_t getRowsOfRun() { return getARun() ? getARun() : getM(); }
    /// Where row `row` of A begins.
    int64_t getPlaceInA(int64_t row) { return row / getRowsOfRun() * getAJump() + row % getRowsOfRun() * getARow(); }
    /// What A has of row `row`.
    RowValidRange getInside(int64_t row) {
      if (auto all = getAInside())
        return {(*all)[4 * row], (*all)[4 * row + 1], (*all)[4 * row + 2], (*all)[4 * row + 3]};
      return {0, static_cast<int64_t>(getBatch()), 0, static_cast<int64_t>(getK())};
    }
    /// The first and the last element of A that is inside, from where product 0 and k = 0 of row 0 would be.
    std::pair<int64_t, int64_t> getSpanOfA();
    ::mlir::Region &getScalarCode() { return getEpilogue(); }
    ::mlir::Type getAccumulatorType() { return getEpilogue().getArgument(0).getType(); }
    ::mlir::Type getBElement() { return getBType().value_or(getElement()); }
    /// Of the values that B's elements stand for.
    ::mlir::Type getBValueType() { return getBBlocks() ? ::mlir::Float32Type::get(getContext()) : getBElement(); }
    /// Whether A, B and the sums have one type.
    bool hasOneType() { return getElement() == getBElement() && getElement() == getAccumulatorType(); }
    /// Of C's elements.
    ::mlir::Type getResultType() { return getEpilogue().front().getTerminator()->getOperand(0).getType(); }
    /// Whether each result is a dot product of contiguous values.
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
    Computes each element of an `m` x `n` tile by the scalar operations of the region from the elements of the inputs. Strides are in
    elements: input `i` is read at `row * in_rows[i] + column * in_cols[i]`, where `in_cols[i]` is 1, or 0 if it has the same
    value in all columns; the result is written to `row * out_row + column`. The types are those of the region's arguments and of
    what it yields. The output's tile may be an input's tile of the same strides; otherwise they must not overlap. Nothing
    beyond the tiles is touched. Without inputs it fills the tile.

    The ABI is fixed: pointers to each input and to the output, in this order, no return value. The symbol's name follows
    `uk_map_<output's element>_<m>x<n>[_<count of operations>e][_<number>]`, as for `ukernel.gemm`.

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
    /// Of the output's elements.
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
    The operands are the tiles, as memrefs of any layout; what is passed are the addresses of their first elements. For
    `ukernel.gemm` they are A, B, C, perhaps what will be B soon, widened B and sums, and each extra: C is written, and read if the
    kernel accumulates; widened B is written; all others are read. For
    `ukernel.map` they are the inputs, which are read, and the output, which is written. A function that a provider made may
    read and write all of them, as far as is known here.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyMemRef>:$tiles);
  let assemblyFormat = "$callee `(` $tiles `)` attr-dict `:` type($tiles)";
  let extraClassDeclaration = [{
    /// The descriptor, or null if a provider has made a function of it.
    KernelOpInterface getKernel();
  }];
}

def Ukernel_ConfigureTilesOp : Op<Ukernel_Dialect, "configure_tiles"> {
  let summary = "Gives the tile registers of AMX their shapes, and clears them.";
  let description = [{
    Register `i` gets `rows[i]` rows of `bytes[i]` bytes; 0 and 0: it is not used. Kernels that multiply in tiles say in the
    attribute `ukernel.tiles` of their function which shapes they need, and find them set. What is in the registers is lost.

    ```mlir
    ukernel.configure_tiles rows [16, 16, 0, 0, 0, 0, 0, 16] bytes [64, 64, 0, 0, 0, 0, 0, 64]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$bytes);
  let assemblyFormat = "`rows` $rows `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Ukernel_ReleaseTilesOp : Op<Ukernel_Dialect, "release_tiles"> {
  let summary = "Leaves the tile registers without shapes, as functions find and leave them.";
  let description = [{
    The operating system then has nothing of them to save when it switches between threads.
  }];
  let assemblyFormat = "attr-dict";
}

#endif
