// The attributes that other dialects share with kgen: the memory layout of blockwise-quantized
// weights.
#ifndef KGEN_BLOCKWISE_QUANT_TD
#define KGEN_BLOCKWISE_QUANT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Kgen_Dialect : Dialect {
  let name = "kgen";
  let cppNamespace = "::kgen";
  let summary = "Facts about the target, and operations that upstream dialects lack.";
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let extraClassDeclaration = [{
    /// The cost model's view of a target, made at its first use. Thread-safe.
    const ::kgen::Cpu &cpuOf(::kgen::TargetAttr target);

  private:
    std::mutex mutex;
    std::map<const void *, ::kgen::Cpu> cpus; // by the uniqued attribute
  }];
}

def Kgen_BlockwiseQuantAttr : AttrDef<Kgen_Dialect, "BlockwiseQuant"> {
  let mnemonic = "blockwise_quant";
  let summary =
      "Blockwise-quantized weights: a scale, and optionally a zero point, for each block along k.";
  let description = [{
    Describes a packed B whose elements are bytes. B[k, n] stands for
    `(q[k, n] - zero[k / size, n]) * scale[k / size, n]` in f32, where `q` are signed integers of
    `bits` bits; without `zeros`, no zero point is subtracted. A panel of w columns is contiguous,
    block by block; each block holds, without gaps,

    1. its weights: for 8 bits `size` rows of w bytes; for 4 bits `size / 8` rows of w words of 32
       bits, which hold 8 consecutive k of a column, the first one in the lowest bits;
    2. w scales in f32, or in f16 if `f16_scales`;
    3. w zero points in f32, if there are any. Then scales are in f32.

    The last block of a panel is as long as the others; weights beyond k are not used. The layout
    does not depend on the target.

    With `row_block`, A is quantized, too: its elements are bytes, and a row of it is one of
    `kgen.quantize_rows`, whose blocks of `row_block` values have bytes of their own, which k
    counts. Products of integers are exact; those of a block are scaled and added up in f32. `q` are
    unsigned then, and so laid out that four consecutive k of a column share 32 bits: for 8 bits in
    `size / 4` rows of w words, for 4 bits in `size / 8` rows of w words, with the first four k in
    the lower halves of the bytes.

    ```mlir
    #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>
    #kgen.blockwise_quant<bits = 4, size = 128, zeros = true, row_block = 32>
    #kgen.blockwise_quant<bits = 4, size = 32, zeros = false, f16_scales = true>
    ```
  }];
  let parameters = (ins "int64_t":$bits, "int64_t":$size, "bool":$zeros,
                        DefaultValuedParameter<"int64_t", "0">:$row_block,
                        DefaultValuedParameter<"bool", "false">:$f16_scales);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Columns of a panel, the same on every target.
    static constexpr int64_t panelWidth = 32;
    /// Bytes of a block of `values` of A's quantized rows: theirs, a scale in f32, and minus their
    /// sum in i32.
    static int64_t rowBlockBytes(int64_t values) { return values + 8; }
    /// True if A is quantized.
    bool quantizesRows() const { return getRowBlock() > 0; }
    /// Values that a row of `k` elements of A stands for.
    int64_t depth(int64_t k) const { return quantizesRows() ? k / rowBlockBytes(getRowBlock()) * getRowBlock() : k; }
    /// Blocks of a column that is multiplied by rows of `k` elements.
    int64_t count(int64_t k) const { return (depth(k) + getSize() - 1) / getSize(); }
    /// Bytes of a block's weights for `width` columns; the scales follow them.
    int64_t weightBytes(int64_t width) const { return width * getSize() * getBits() / 8; }
    /// Bytes of a block of `width` columns.
    int64_t bytes(int64_t width) const {
      return weightBytes(width) + width * (getZeros() ? 8 : getF16Scales() ? 2 : 4);
    }
  }];
}

#endif
