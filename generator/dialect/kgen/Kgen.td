// The kgen dialect: the target as an attribute, and operations that MLIR lacks.
#ifndef KGEN_TD
#define KGEN_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "dialect/kgen/BlockwiseQuant.td"
include "dialect/kgen/GemmPlan.td"
include "dialect/kgen/LoweringConfig.td"
include "dialect/kgen/Size.td"

def Kgen_TargetAttr : AttrDef<Kgen_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "A CPU level: all that passes know about the machine.";
  let description = [{
    Attribute `kgen.target` of the module. It is built from a target's YAML and is the only source
    of facts about the machine for passes; nothing asks the host. `gemm_tiles` holds the measured
    sizes of the YAML (`gemm_f32 = {mr = 12, ...}`); methods of this attribute derive register tiles
    and cache blocks for a shape from them. `reciprocal_throughput` (optional) holds the reciprocal
    throughput, in cycles, of instructions of the full vector width (`dot_bf16 = 2.0`;
    specs/README.md lists them). What the features stand for is the affair of the triple's back end
    (target/Architecture.h). Which instruction multiplies two element types follows from that and
    these costs, see `productForm`. `facts` and `heuristics` (optional) hold what the target states
    besides the defaults of the cost model (`facts = {l3_per_core = 2097152 : i64}`,
    `heuristics = {max_tasks = 64 : i64}`).

    ```mlir
    module attributes {kgen.target = #kgen.target<name = "x86-64-v3", triple = "x86_64-unknown-linux-gnu",
        features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
        gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64}}>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"as in a spec">:$name,
    StringRefParameter<"LLVM triple">:$triple,
    StringRefParameter<"LLVM feature string">:$features,
    StringRefParameter<"LLVM scheduling model">:$tune,
    "int64_t":$vector_bits,
    "int64_t":$vector_registers,
    "int64_t":$l1d,
    "int64_t":$l2,
    "::mlir::DictionaryAttr":$gemm_tiles,
    DefaultValuedParameter<"::mlir::DictionaryAttr", "::mlir::DictionaryAttr::get($_ctxt)">:$reciprocal_throughput,
    DefaultValuedParameter<"::mlir::DictionaryAttr", "::mlir::DictionaryAttr::get($_ctxt)">:$facts,
    DefaultValuedParameter<"::mlir::DictionaryAttr", "::mlir::DictionaryAttr::get($_ctxt)">:$heuristics
  );
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The target as the cost model sees it, with what its instructions can do
    /// (target/Capabilities.def); lives as long as the context.
    const ::kgen::Cpu &cpu() const;
    const ::kgen::Heuristics &tradeoffs() const { return cpu().heuristics; }
    /// Returns a copy of the target with another LLVM feature string.
    TargetAttr withFeatures(::llvm::StringRef features) const;
    /// Elements of `element` in one vector register.
    int64_t lanes(::mlir::Type element) const;
    /// Values of k that are adjacent in packed B (packedDepth of costmodel/Products.h).
    int64_t packedDepth(::mlir::Type a, ::mlir::Type b, bool strictOrder) const;
    /// True if kernels read B of type `b` with `depth` adjacent values of k: fours of bytes, pairs
    /// of bf16, and the groups of a matrix product.
    bool readsPackedDepth(::mlir::Type a, ::mlir::Type b, int64_t depth) const;
    /// The register tile, cache blocks and panel width for an m x n x k contraction of types `a`
    /// and `b` whose B is packed into panels or read in place (costmodel/GemmBlocking.h). The
    /// measured sizes come from the entry of `gemm_tiles` for B's type (gemmTile). Products in tile
    /// registers need packed B and `mayUseTiles`, those of matrices B with groups of `depth` values
    /// of k. With `f16Accumulate`, sums are in f16.
    ::kgen::GemmBlocking gemmBlocking(::mlir::Type a, ::mlir::Type b, int64_t m, int64_t n, int64_t k, bool packed,
                                      bool mayUseTiles = true, bool f16Accumulate = false,
                                      int64_t depth = 1) const;
    /// The plan of a contraction whatever its sizes are, and its blocks for sizes. `packed`,
    /// `depth` and `f16Accumulate` are as above.
    ::kgen::GemmPlanAttr gemmPlan(::mlir::Type a, ::mlir::Type b, bool packed, bool mayUseTiles, bool f16Accumulate,
                                  int64_t depth) const;
    ::kgen::GemmBlocking gemmBlocking(::kgen::GemmPlanAttr plan, ::mlir::Type a, ::mlir::Type b, int64_t m, int64_t n,
                                      int64_t k, bool packed, bool f16Accumulate) const;
    /// gemm_tiles[table][name], or `otherwise` if the YAML has no such entry.
    int64_t gemmTileSize(::llvm::StringRef table, ::llvm::StringRef name, int64_t otherwise) const;
    /// The reciprocal throughput, in cycles, of an instruction of the full vector width. Defaults
    /// for what `reciprocal_throughput` does not list: fma_f32 0.5; convert_f16 twice fma_f32; an
    /// instruction on tile registers 16; any other as fma_f32.
    double cost(::llvm::StringRef instruction) const;
    /// THE decision which instructions multiply elements of `a` (left) with elements of `b`
    /// (right): the form with the smallest productCost of those that the target's features allow.
    ::kgen::ProductForm productForm(::mlir::Type a, ::mlir::Type b) const;
    /// Like productForm, but without blocks of sums: for kernels whose shape or layout does not
    /// fit them.
    ::kgen::ProductForm vectorProductForm(::mlir::Type a, ::mlir::Type b) const;
    /// True if sums of products of `a` and `b` are kept in f16 where the graph allows it: the
    /// target has an instruction for it, and it is cheaper.
    bool prefersF16Accumulate(::mlir::Type a, ::mlir::Type b) const;
    /// Cycles for one multiply-add of `a` and `b` within a full register tile, including its share
    /// of the up-conversion of the operands.
    double productCost(::kgen::ProductForm form, ::mlir::Type a, ::mlir::Type b) const;
  }];
}

def Kgen_GridPartitionAttr : AttrDef<Kgen_Dialect, "GridPartition", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "grid_partition";
  let summary = "A parallel loop that covers a share of an operation's grid.";
  let description = [{
    The mapping of each dimension of an `scf.forall` that computes some of an operation's task tiles
    while another `scf.forall` computes the rest (multi-size tiling). Such a loop is kept, even with
    a single iteration, until kgen-fuse-parallel-loops has fused the loops into one grid.

    ```mlir
    scf.forall (%i) = (640) to (651) step (11) {
    } {mapping = [#kgen.grid_partition]}
    ```
  }];
}

def Kgen_MatmulNbitsOp : Op<Kgen_Dialect, "matmul_nbits", [Pure]> {
  let summary = "Product of a matrix and the transpose of a blockwise-quantized one.";
  let description = [{
    As com.microsoft's MatMulNBits. With `block` = B and `bits` = 4 or 8,

        C[m, n] = sum over k of A[m, k] * (q[n, k] - zero[n, k / B]) * scale[n, k / B]

    in f32. The number of rows may be dynamic. `weights` holds the unsigned integers q as bytes [n,
    blocks, B * bits / 8], blocks = ceil(k / B); if a byte holds two integers of 4 bits, the first
    one is in the lower half. `scales` are [n, blocks] floats, which are packed in f16 if they are
    of f16 and there are no zero points, else in f32. `zeros` are unsigned integers of `bits` bits,
    [n, ceil(blocks * bits / 8)] bytes, packed like the weights; without them, every zero point is
    2^(bits - 1).

    With `row_scale_block`, rows of A are rounded first: a value becomes that of
    `kgen.quantize_rows` times its scale.

    kgen-lower-nbits replaces it by a `tpp.gemm` if weights, scales and zeros are constant, and
    lowers it to linalg if not.

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[AnyFloat]>:$a, AnyStaticShapeTensor:$weights, AnyStaticShapeTensor:$scales,
                       Optional<AnyStaticShapeTensor>:$zeros, I64Attr:$bits, I64Attr:$block,
                       OptionalAttr<I64Attr>:$row_scale_block);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $a `,` $weights `,` $scales (`,` $zeros^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getM() { return ::llvm::cast<::mlir::RankedTensorType>(getA().getType()).getDimSize(0); }
    int64_t getK() { return ::llvm::cast<::mlir::RankedTensorType>(getA().getType()).getDimSize(1); }
    int64_t getN() { return ::llvm::cast<::mlir::RankedTensorType>(getWeights().getType()).getDimSize(0); }
    /// The quantization of the packed weights, and of A next to them.
    ::kgen::BlockwiseQuantAttr getQuant();
  }];
}

def Kgen_QuantizeRowsOp : Op<Kgen_Dialect, "quantize_rows", [Pure]> {
  let summary = "Rows of floats as bytes with a scale for each block.";
  let description = [{
    With S = `scale_block`, the largest magnitude `m` of S adjacent values of a row of A gives their
    scale m / 127 in f32, and a value x the integer q = x * (127 / m), rounded to the nearest one,
    ties to even; 127 / m is rounded to f32, too. If m is below 2^-119, the scale, which would be
    subnormal, and all q are 0. If it is infinite or one of the values is NaN, the scale is NaN and
    all q are 0.

    The result has bytes. A row of it has ceil(k / B) blocks of B + 8 bytes, B = `block`, without
    gaps. Each of these holds B of the integers, signed and in order, then their scale in f32 and
    minus their sum as an i32. Values beyond k are 0. S is a multiple of B: blocks that share a
    scale repeat it.

    kgen-lower-nbits makes it, and lowers it to loops over vectors.

    ```mlir
    %q = kgen.quantize_rows %a {block = 32 : i64, scale_block = 32 : i64} : tensor<4x96xf32> -> tensor<4x120xi8>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32, BF16, F16]>:$a, I64Attr:$block, I64Attr:$scale_block);
  let results = (outs 2DTensorOf<[I8]>:$result);
  let assemblyFormat = "$a attr-dict `:` type($a) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The least magnitude that gives a scale, which is no subnormal number then.
    static constexpr float leastMagnitude = 0x1p-119f;
    int64_t getK() { return ::llvm::cast<::mlir::RankedTensorType>(getA().getType()).getDimSize(1); }
  }];
}

def Kgen_AttentionOp : Op<Kgen_Dialect, "attention", [Pure, SingleBlock, IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "softmax(score(Q * K)) * V in one operation that never stores all scores.";
  let description = [{
    For each batch index `i`, query `m` and element `e`, with sums and probabilities in the
    accumulator type of Q, K and V (f32 for bf16 and f16):

        s[n]         = score(sum over d of Q[i, m, d] * K[i, n, d], epilogue operands at (i, m, n)...)
        R[i, m, e]   = sum over n of exp(s[n] - max s) * V[i, n, e] / sum over n of exp(s[n] - max s)

    The iteration dimensions are `(batch..., m, n, d, e)`; the maps say how they index each operand
    and the result, so that a transposed operand, or one that several batch indices share (the keys
    of a group of heads), differs only in its map. Rows of Q and V are contiguous: d is the last
    dimension of Q, e that of V and of the result, which has m before it. `epilogue_maps` are over
    the same dimensions, but do not use d and e. The region computes one score. With `causal = c`,
    keys `n > m + c` are masked: they are excluded from the sums, and blocks with masked keys only
    are not read. So are keys from the number on that `key_counts` has, integers at indices of the
    batch and of m.

    With `probability_type = bf16`, probabilities, or probabilities times a factor common to the
    query, may be rounded to this type before they are multiplied with V.

    The batch, m and n may have dynamic sizes, d and e may not.

    A query whose scores are all -inf gives NaN, or 0 with `masked_to_zero`; one with a score of NaN
    or +inf gives NaN. With `nan_to_zero` all of these give 0.

    kgen-fuse-attention creates this operation from two products around a softmax;
    kgen-decompose-attention lowers it to loops over blocks of queries and keys.

    ```mlir
    %r = kgen.attention ins(%q, %k, %v : tensor<12x512x64xf32>, tensor<12x512x64xf32>, tensor<12x512x64xf32>)
        attributes {q_map = affine_map<(h, m, n, d, e) -> (h, m, d)>, k_map = affine_map<(h, m, n, d, e) -> (h, n, d)>,
        v_map = affine_map<(h, m, n, d, e) -> (h, n, e)>, epilogue_maps = [], result_map = affine_map<(h, m, n, d, e) -> (h, m, e)>} {
    ^bb0(%product: f32):
      %eighth = arith.constant 0.125 : f32
      %s = arith.mulf %product, %eighth : f32
      kgen.yield %s : f32
    } -> tensor<12x512x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$q, AnyRankedTensor:$k, AnyRankedTensor:$v,
                       Variadic<AnyRankedTensor>:$epilogue_ins, Optional<TensorOf<[I64]>>:$key_counts,
                       AffineMapAttr:$q_map, AffineMapAttr:$k_map, AffineMapAttr:$v_map,
                       AffineMapArrayAttr:$epilogue_maps, OptionalAttr<AffineMapAttr>:$counts_map,
                       AffineMapAttr:$result_map, OptionalAttr<I64Attr>:$causal,
                       OptionalAttr<TypeAttr>:$probability_type, UnitAttr:$masked_to_zero,
                       UnitAttr:$nan_to_zero);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$score);
  let assemblyFormat = [{
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)` (`epilogue_ins` `(` $epilogue_ins^ `:` type($epilogue_ins) `)`)?
    (`key_counts` `(` $key_counts^ `:` type($key_counts) `)`)? attr-dict-with-keyword $score `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of the iteration space.
    ::llvm::SmallVector<int64_t> getIterationSizes();
    unsigned getBatchRank() { return getQMap().getNumDims() - 4; }
    unsigned dimM() { return getBatchRank(); }
    unsigned dimN() { return getBatchRank() + 1; }
    unsigned dimD() { return getBatchRank() + 2; }
    unsigned dimE() { return getBatchRank() + 3; }
    /// The type of sums.
    ::mlir::Type getAccumulatorType() { return getScore().getArgument(0).getType(); }
  }];
}

def Kgen_YieldOp : Op<Kgen_Dialect, "yield", [Pure, Terminator, ReturnLike, HasParent<"AttentionOp">]> {
  let summary = "The score of a query and a key.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kgen_GeluOp : Op<Kgen_Dialect, "gelu", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Exact Gaussian error linear unit of a float, elementwise.";
  let description = [{
    `x * Phi(x)` with the standard normal distribution function `Phi(x) = erfc(-x / sqrt(2)) / 2`.
    One operation, because composing it from `math.erf` cancels all digits for negative `x`. NaN
    gives NaN, -inf gives -0.

    ```mlir
    %y = kgen.gelu %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_GeluTanhOp : Op<Kgen_Dialect, "gelu_tanh", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary =
      "Gaussian error linear unit of a float by its approximation with tanh, elementwise.";
  let description = [{
    `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, within 4 units in the last place. One
    operation, because composing it from `math.tanh` cancels all digits for negative `x`. NaN gives
    NaN, -inf gives -0.

    ```mlir
    %y = kgen.gelu_tanh %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_SigmoidOp : Op<Kgen_Dialect, "sigmoid", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Logistic function of a float, elementwise.";
  let description = [{
    `1 / (1 + exp(-x))`. One operation, because composed from `math.exp` it either loses small
    results, for which the exponential overflows, or takes more operations. NaN gives NaN.

    ```mlir
    %y = kgen.sigmoid %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_SigmoidProductOp : Op<Kgen_Dialect, "sigmoid_product", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Product of a float and the logistic function of another one, elementwise.";
  let description = [{
    `factor / (1 + exp(-operand))`: one rounding less than the product with `kgen.sigmoid`, and no
    operation more. SiLU, if both are the same. Results are normal or rounded once also where the
    logistic function itself is subnormal. NaN gives NaN, as does an infinite `factor` where the
    logistic function is 0.

    ```mlir
    %y = kgen.sigmoid_product %factor, %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$factor, FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$factor `,` $operand attr-dict `:` type($result)";
}

def Kgen_SoftplusOp : Op<Kgen_Dialect, "softplus", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Logarithm of 1 + exp of a float, elementwise.";
  let description = [{
    `log(1 + exp(x))`, within 4 units in the last place. One operation, because a logarithm of
    numbers from 1 to 2 takes fewer operations than `math.log1p`. NaN gives NaN.

    ```mlir
    %y = kgen.softplus %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_ExpOrZeroOp : Op<Kgen_Dialect, "exp_or_zero", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Exponential of a float with a normal result, or 0 below a bound, elementwise.";
  let description = [{
    `exp(x)`, within 4 units in the last place, for `x` from `cutoff` to 88 (f64: 709), and 0 if
    `x < cutoff`. NaN gives NaN; the result for larger `x` is not specified. `exp(cutoff)` must be
    normal: `cutoff` is at least -87.33 for f32 and -708.39 for f64. Under these conditions the
    result needs one factor 2^n instead of two, and no clamping. Meant for sums of exponentials
    whose largest one is 1.

    ```mlir
    %y = kgen.exp_or_zero<-8.0e+01> %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand, F64Attr:$cutoff);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "`<` $cutoff `>` $operand attr-dict `:` type($result)";
}

def Kgen_Exp2OrZeroOp : Op<Kgen_Dialect, "exp2_or_zero", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "2^x of a float with a normal result, or 0 below a bound, elementwise.";
  let description = [{
    As `kgen.exp_or_zero`, with 2^x in place of `exp(x)`: within 4 units in the last place for `x`
    from `cutoff` to 127 (f64: 1023), and 0 if `x < cutoff`. `cutoff` is at least -126 for f32 and
    -1022 for f64. An operand that is scaled anyway takes the factor log2(e) in the same
    multiplication, and the split of x into integer and fraction is exact.

    ```mlir
    %y = kgen.exp2_or_zero<-1.2e+02> %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand, F64Attr:$cutoff);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "`<` $cutoff `>` $operand attr-dict `:` type($result)";
}

def Kgen_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer of the LLVM dialect">,
                   BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

def Kgen_TaskSlotOp : Op<Kgen_Dialect, "task_slot", [Pure]> {
  let summary = "The slot of a task: a number that no other task of its grid has at the same time.";
  let description = [{
    `task` is the task's index in its grid. The slot is less than the number of tasks, and the
    lowest that is free when the task begins: a task that runs after another one on the same thread
    gets the same slot, and finds that one's memory in the caches. If the loop does not become
    tasks, or `task` is not known to be the index in it, the slot is `task`.

    ```mlir
    %slot = kgen.task_slot %task
    ```
  }];
  let arguments = (ins Index:$task);
  let results = (outs Index:$slot);
  let assemblyFormat = "$task attr-dict";
}

def Kgen_LaunchOp : Op<Kgen_Dialect, "launch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary =
      "Runs a function once for each index of a task grid, on whatever threads the executor has.";
  let description = [{
    Calls `callee` with the captures and with each index below `tasks`, once each, in any order and
    possibly at the same time, and continues when all calls have returned; so tasks must not depend
    on each other. The executor is a pointer to the struct that the C library calls
    `<library>_executor`; if the pointer or the struct's `run` is NULL, the tasks run one after the
    other on the caller's thread. A buffer is captured as the address of its first element, so its
    layout must be static. With `slots`, the callee takes the task's slot (`kgen.task_slot`) after
    its index. With a `count`, this is the number of tasks, and `tasks` the maximum.

    ```mlir
    func.func private @mlp_task0(%x: memref<64xf32>, %index: index) { ... }
    kgen.launch @mlp_task0[8] on %executor(%x) : memref<64xf32>
    kgen.launch @mlp_task0[8, count %count] on %executor(%x) : memref<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, ConfinedAttr<I64Attr, [IntPositive]>:$tasks, Optional<Index>:$count,
                       Kgen_Pointer:$executor, Variadic<AnyType>:$captures, UnitAttr:$slots);
  let assemblyFormat = [{
    $callee `[` $tasks (`,` `count` $count^)? `]` (`slots` $slots^)? `on` $executor `(` $captures `)` attr-dict (`:` type($captures)^)?
  }];
  let hasVerifier = 1;
}

def Kgen_ExternOp : Op<Kgen_Dialect, "extern", [AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a function that whoever links the library provides.";
  let description = [{
    On tensors, the results are what `symbol` writes to `outs`, whose elements before are not read;
    one-shot bufferization turns them into buffers without layout, and adds the `workspace` of
    `workspace_bytes`. The C function takes a pointer for each input, one for each output, the
    workspace and its size, and returns an `int`:

    ```mlir
    %r = kgen.extern "my_nms" ins(%x : tensor<100x4xf32>) outs(%e : tensor<100xi32>) {workspace_bytes = 4096 : i64} -> tensor<100xi32>
    kgen.extern "my_nms" ins(%x : memref<100x4xf32>) outs(%r : memref<100xi32>) workspace(%w : memref<4096xi8>) {workspace_bytes = 4096 : i64}
    ```

    Tensors without elements are no operands: `empty_arguments` lists their places among the
    pointers, which are NULL there. If the function returns anything but 0, the graph's function
    returns that at once (kgen-lower-runtime-calls). Nothing is known of what else the function
    does, so that calls are neither merged nor reordered nor removed.
  }];
  let arguments = (ins StrAttr:$symbol, Variadic<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$inputs,
                       Variadic<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$outputs, Optional<MemRefOf<[I8]>>:$workspace,
                       OptionalAttr<I64Attr>:$workspace_bytes, OptionalAttr<DenseI64ArrayAttr>:$empty_arguments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $symbol (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Bytes of the workspace; 0: none.
    int64_t getWorkspaceSize() { return getWorkspaceBytes().value_or(0); }
    /// The pointers to tensors that the function takes.
    int64_t getPointerCount() {
      return getInputs().size() + getOutputs().size() + (getEmptyArguments() ? getEmptyArguments()->size() : 0);
    }
  }];
}

include "dialect/kgen/Instructions.td"

#endif
